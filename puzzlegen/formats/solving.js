"use strict";
// The solving page: shows one puzzle, checks the moves against those in the page, plays the opponent's replies.
const page = JSON.parse(document.getElementById("page").textContent);
const KINDS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const FILES = "abcdefgh";
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 500;
const byId = (id) => document.getElementById(id);

// Results by the id of the puzzle: solved, helped (after a hint or a wrong move), shown.
const results = loadResults();
const firstOpen = page.puzzles.findIndex(({ id }) => !results[id]);
let current = Math.max(firstOpen, 0);
let state = null;
let timer = 0;
let drag = null;

function loadResults() {
  try {
    return JSON.parse(localStorage.getItem(page.key) || "{}");
  } catch {
    byId("warning").hidden = false;
    return {};
  }
}

function storeResult(result) {
  const { id } = page.puzzles[current];
  // What was solved stays solved, whatever is tried again.
  if (results[id]) return;
  results[id] = result;
  try {
    localStorage.setItem(page.key, JSON.stringify(results));
  } catch {
    byId("warning").hidden = false;
  }
}

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function picture(letter) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("viewBox", "0 0 45 45");
  use.setAttribute("href", `#${color(letter)}-${KINDS[letter.toLowerCase()]}`);
  svg.append(use);
  return svg;
}

function color(letter) {
  return letter in KINDS ? "black" : "white";
}

function pieces(placement) {
  const found = {};
  placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (letter.toLowerCase() in KINDS) {
        found[FILES[file] + (8 - row)] = letter;
        file += 1;
      } else file += Number(letter);
    }
  });
  return found;
}

function puzzle() {
  return page.puzzles[current];
}

function step() {
  return puzzle().steps[state.step];
}

function movesFrom(square) {
  return step().legal.filter((move) => move.startsWith(square));
}

// Builds the 64 squares, seen by the solver.
function buildBoard() {
  const white = puzzle().white;
  const squares = [];
  for (let row = 0; row < 8; row += 1) {
    for (let column = 0; column < 8; column += 1) {
      const file = FILES[white ? column : 7 - column];
      const rank = white ? 8 - row : row + 1;
      const square = element("button", { "data-square": file + rank, tabindex: -1 });
      if ((row + column) % 2) square.className = "dark";
      squares.push(square);
    }
  }
  byId("board").replaceChildren(...squares);
  squares[white ? 52 : 51].tabIndex = 0;
}

function drawBoard() {
  byId("rights").textContent = step().rights;
  const placed = pieces(state.placement);
  const targets = state.selected ? movesFrom(state.selected).map((move) => move.slice(2, 4)) : [];
  [...byId("board").children].forEach((button, place) => {
    const { square } = button.dataset;
    const letter = placed[square];
    const name = letter ? `${color(letter)} ${KINDS[letter.toLowerCase()]}` : "empty";
    button.setAttribute("aria-label", `${square}, ${name}`);
    button.setAttribute("aria-pressed", square === state.selected);
    button.classList.toggle("last", state.last.includes(square));
    button.classList.toggle("hint", state.hinted.includes(square));
    button.classList.toggle("selected", square === state.selected);
    button.classList.toggle("target", targets.includes(square));
    button.classList.toggle("taken", Boolean(letter));
    const shown = letter ? [picture(letter)] : [];
    if (place % 8 === 0) shown.push(element("i", { class: "rank", "aria-hidden": true }, square[1]));
    if (place >= 56) shown.push(element("i", { class: "file", "aria-hidden": true }, square[0]));
    button.replaceChildren(...shown);
  });
}

function say(text, kind = "") {
  byId("message").textContent = text;
  byId("message").className = kind;
}

function later(action) {
  clearTimeout(timer);
  timer = setTimeout(action, PAUSE);
}

function open(number) {
  clearTimeout(timer);
  current = number;
  const { before, blunder, steps, question } = puzzle();
  state = { step: 0, placement: steps[0].placement, last: [], hinted: [], selected: null, waiting: false, done: false, helped: false };
  buildBoard();
  byId("number").textContent = `Puzzle ${current + 1} of ${page.puzzles.length}`;
  byId("question").textContent = question;
  byId("explanation").hidden = true;
  say("");
  if (before) {
    Object.assign(state, { placement: before, waiting: true });
    later(() => begin(steps[0].placement, blunder));
  }
  show();
}

// Lets the solver move, after the opponent's move.
function begin(placement, move) {
  Object.assign(state, { placement, last: [move.slice(0, 2), move.slice(2, 4)], waiting: false });
  drawBoard();
}

function show() {
  drawBoard();
  byId("hint").disabled = byId("solution").disabled = state.done;
  byId("previous").disabled = current === 0;
  byId("next").disabled = current === page.puzzles.length - 1;
  [...byId("list").children].forEach((button, number) => {
    const result = results[page.puzzles[number].id];
    button.className = result || "";
    button.setAttribute("aria-current", number === current);
    button.setAttribute("aria-label", `Puzzle ${number + 1}${result ? `, ${result}` : ""}`);
  });
  const count = (result) => page.puzzles.filter(({ id }) => results[id] === result).length;
  const helped = count("helped");
  byId("count").textContent =
    `${count("solved")} of ${page.puzzles.length} solved` + (helped ? `, and ${helped} with help` : "");
}

function explain() {
  const { answer, why, facts, link } = puzzle();
  byId("answer").textContent = answer;
  byId("why").textContent = why;
  byId("facts").textContent = facts;
  byId("game").hidden = !link;
  if (link) byId("game").href = link;
  byId("explanation").hidden = false;
}

function finish(result) {
  Object.assign(state, { done: true, selected: null });
  storeResult(result);
  explain();
  show();
}

// Plays a move of the solver, given in UCI notation.
function play(move) {
  const { best, solving, reply } = step();
  Object.assign(state, { selected: null, hinted: [] });
  const placement = solving[move];
  if (!placement) {
    state.helped = true;
    say("That is not it. Try again.", "wrong");
    drawBoard();
    return;
  }
  begin(placement, move);
  if (move === best && reply) {
    say("Good. Go on.", "right");
    state.waiting = true;
    later(() => {
      state.step += 1;
      begin(reply.placement, reply.move);
    });
  } else {
    say("Solved!", "right");
    finish(state.helped ? "helped" : "solved");
  }
}

// Moves between two squares, if that is legal; asks what a pawn becomes.
function tryMove(from, to) {
  const moves = step().legal.filter((move) => move.slice(0, 4) === from + to);
  if (!moves.length) return false;
  if (moves.length === 1) play(moves[0]);
  else askPromotion(moves);
  return true;
}

function askPromotion(moves) {
  const dialog = byId("promotion");
  const buttons = ["q", "r", "b", "n"].map((kind) => {
    const letter = puzzle().white ? kind.toUpperCase() : kind;
    const button = element("button", { "aria-label": KINDS[kind] }, picture(letter));
    button.addEventListener("click", () => {
      dialog.close();
      play(moves.find((move) => move.endsWith(kind)));
    });
    return button;
  });
  dialog.firstElementChild.replaceChildren(...buttons);
  dialog.showModal();
}

function choose(square) {
  if (state.waiting || state.done) return;
  if (state.selected && state.selected !== square && tryMove(state.selected, square)) return;
  const other = square !== state.selected && movesFrom(square).length;
  state.selected = other ? square : null;
  drawBoard();
}

function hint() {
  if (state.waiting || state.done) return;
  state.helped = true;
  state.hinted = [step().best.slice(0, 2)];
  say("Move this piece.");
  drawBoard();
}

function showSolution() {
  const { best } = step();
  clearTimeout(timer);
  Object.assign(state, { placement: step().placement, last: [], waiting: false });
  state.hinted = [best.slice(0, 2), best.slice(2, 4)];
  say("This is the solution.");
  finish("shown");
}

function squareAt(x, y) {
  return document.elementFromPoint(x, y)?.closest("#board button")?.dataset.square;
}

function dropCarried() {
  byId("carried")?.remove();
  drag = null;
}

const board = byId("board");
board.addEventListener("click", (event) => {
  const square = event.target.closest("button")?.dataset.square;
  if (square) choose(square);
});
board.addEventListener("pointerdown", (event) => {
  const square = event.target.closest("button")?.dataset.square;
  if (!square || event.button || state.waiting || state.done || !movesFrom(square).length) return;
  drag = { square, x: event.clientX, y: event.clientY };
});
window.addEventListener("pointermove", (event) => {
  if (!drag) return;
  if (!byId("carried")) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
    state.selected = drag.square;
    drawBoard();
    const carried = element("div", { id: "carried" }, picture(pieces(state.placement)[drag.square]));
    carried.style.width = `${board.clientWidth / 8}px`;
    document.body.append(carried);
  }
  byId("carried").style.left = `${event.clientX}px`;
  byId("carried").style.top = `${event.clientY}px`;
});
window.addEventListener("pointerup", (event) => {
  if (!drag) return;
  const { square } = drag;
  const carried = byId("carried");
  dropCarried();
  if (!carried) return;
  const target = squareAt(event.clientX, event.clientY);
  // A click follows on what both ends have in common: a square only if it is the same one.
  if (target !== square && !(target && tryMove(square, target))) {
    state.selected = null;
    drawBoard();
  } else if (target === square) state.selected = null;
});
window.addEventListener("pointercancel", dropCarried);

// The arrow keys go from square to square.
board.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (!(event.key in steps)) return;
  const squares = [...board.children];
  const place = squares.indexOf(document.activeElement);
  const row = Math.floor(place / 8) + steps[event.key][0];
  const column = (place % 8) + steps[event.key][1];
  if (place >= 0 && row >= 0 && row < 8 && column >= 0 && column < 8) {
    squares[8 * row + column].focus();
  }
  event.preventDefault();
});
// The tabulator key comes back to the square that it left.
board.addEventListener("focusin", ({ target }) => {
  for (const square of board.children) square.tabIndex = square === target ? 0 : -1;
});

page.puzzles.forEach((_, number) => {
  const button = element("button", {}, number + 1);
  button.addEventListener("click", () => open(number));
  byId("list").append(button);
});
// A click beside the pieces to choose from is on the dialog itself.
byId("promotion").addEventListener("click", ({ target }) => {
  if (target === byId("promotion")) target.close();
});
byId("hint").addEventListener("click", hint);
byId("solution").addEventListener("click", showSolution);
byId("previous").addEventListener("click", () => open(current - 1));
byId("next").addEventListener("click", () => open(current + 1));
if (page.puzzles.length) open(current);
