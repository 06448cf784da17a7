"use strict";
// The grading page: shows one query with its results, stores grades in the browser, saves them as qrels.
const task = JSON.parse(document.getElementById("task").textContent);
const KINDS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

// Grades by "query document". Those stored in this browser are newer than those that came with the page.
const storedGrades = loadGrades();
const graded = new Map([...task.graded.map(([query, name, grade]) => [`${query} ${name}`, grade]), ...storedGrades]);

const places = task.queries.flatMap((query) => query.pool.map((result) => ({ query, result })));
// A position has the same grade in all games in which it occurred.
for (const { query, result } of places) {
  const grade = gradeOf(query, result);
  if (grade !== undefined) for (const name of names(query, result)) graded.set(name, grade);
}
const firstUngraded = places.findIndex(({ query, result }) => gradeOf(query, result) === undefined);
let current = Math.max(firstUngraded, 0);
let shownQuery = null;

function loadGrades() {
  try {
    return new Map(JSON.parse(localStorage.getItem(task.key) || "[]"));
  } catch {
    document.getElementById("warning").hidden = false;
    return new Map();
  }
}

function storeGrades() {
  try {
    localStorage.setItem(task.key, JSON.stringify([...storedGrades]));
  } catch {
    document.getElementById("warning").hidden = false;
  }
}

function names(query, result) {
  return result.documents.map((name) => `${query.id} ${name}`);
}

function gradeOf(query, result) {
  return graded.get(names(query, result).find((name) => graded.has(name)));
}

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function svgElement(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function board(placement) {
  const svg = svgElement("svg", { class: "board m", viewBox: "0 0 360 360", role: "img", "aria-label": placement });
  svg.append(svgElement("use", { href: "#squares" }));
  placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      const kind = KINDS[letter.toLowerCase()];
      if (kind) {
        const piece = `#${letter in KINDS ? "black" : "white"}-${kind}`;
        svg.append(svgElement("use", { href: piece, x: 45 * file, y: 45 * row }));
      }
      file += kind ? 1 : Number(letter);
    }
  });
  return svg;
}

function card(place) {
  const { query, result } = places[place];
  const scale = element("div", { class: "scale", role: "group", "aria-label": "Grade" });
  // The best grade is on top.
  for (let grade = task.grades.length - 1; grade >= 0; grade -= 1) {
    const button = element("button", { "data-grade": grade }, `${grade}  ${task.grades[grade]}`);
    button.addEventListener("click", () => giveGrade(place, grade));
    scale.append(button);
  }
  const caption = element("p", { class: "soft small" }, result.caption);
  return element("article", { class: "result", "data-place": place }, board(result.placement), scale, caption);
}

function giveGrade(place, grade) {
  const { query, result } = places[place];
  for (const name of names(query, result)) {
    graded.set(name, grade);
    storedGrades.set(name, grade);
  }
  storeGrades();
  current = place;
  show();
}

function go(step) {
  current = Math.min(Math.max(current + step, 0), places.length - 1);
  show();
  document.querySelector(".result[aria-current='true']")?.scrollIntoView({ block: "nearest" });
}

function show() {
  const query = places[current].query;
  if (query !== shownQuery) {
    shownQuery = query;
    document.getElementById("title").textContent = `Query ${query.id}`;
    document.getElementById("query").replaceChildren(board(query.placement));
    const first = places.findIndex((place) => place.query === query);
    document.getElementById("pool").replaceChildren(...query.pool.map((_, number) => card(first + number)));
  }
  for (const article of document.querySelectorAll(".result")) {
    const place = Number(article.dataset.place);
    const grade = gradeOf(places[place].query, places[place].result);
    article.setAttribute("aria-current", place === current);
    for (const button of article.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", Number(button.dataset.grade) === grade);
    }
  }
  for (const button of document.querySelectorAll("#queries button")) {
    const other = task.queries.find(({ id }) => id === button.dataset.query);
    button.setAttribute("aria-current", other === query);
    button.classList.toggle("done", other.pool.every((result) => gradeOf(other, result) !== undefined));
  }
  const done = places.filter(({ query, result }) => gradeOf(query, result) !== undefined).length;
  document.getElementById("count").textContent = `${done} of ${places.length} graded`;
  Object.assign(document.getElementById("progress"), { value: done, max: places.length });
}

function qrels() {
  const lines = [...graded].map(([key, grade]) => key.replace(" ", " 0 ") + ` ${grade}\n`);
  return lines.sort((line, other) => line.localeCompare(other, "en", { numeric: true })).join("");
}

function save() {
  const address = URL.createObjectURL(new Blob([qrels()], { type: "text/plain" }));
  element("a", { href: address, download: "qrels.txt" }).click();
  // Later, because the download has to start first.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

for (const query of task.queries) {
  const button = element("button", { "data-query": query.id }, query.id);
  button.addEventListener("click", () => {
    current = places.findIndex((place) => place.query === query);
    show();
    window.scrollTo({ top: 0 });
  });
  document.getElementById("queries").append(button);
}
document.getElementById("save").addEventListener("click", save);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "ArrowLeft") go(-1);
  else if (event.key === "ArrowRight") go(1);
  else if (/^\d$/.test(event.key) && Number(event.key) < task.grades.length) {
    giveGrade(current, Number(event.key));
    go(1);
  } else return;
  event.preventDefault();
});
show();
