// What all screens share: forms and links of the page are answered without loading it anew, and keys.
// Without this script, everything works by plain forms and links.

import { draw, prepareBoard } from "./board.js";

const UNREACHABLE = "The page cannot be reached. Try again.";

// How long each move of a line is seen, and its end, in milliseconds.
const STEP = 600, END = 1200;

/** Replace the main part of the page by that of another page, and say what is new.
 * @param {Response} answer
 * @param {boolean} isForm
 * @returns {Promise<void>} */
async function show(answer, isForm) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const main = page.querySelector("main");
  // The address of a form is no page that could be shown or loaded again.
  if (isForm && !answer.ok) {
    const why = main?.querySelector("[role=alert]")?.textContent;
    return sayFailed(why ?? `That did not work (${answer.status}). Try again, or reload the page.`);
  }
  if (!main) return location.assign(answer.url);
  const focused = document.activeElement;
  const picked = new Set([...document.querySelectorAll(".pick :checked")].map((box) => box.getAttribute("value")));
  document.querySelector("main")?.replaceWith(main);
  for (const box of main.querySelectorAll(".pick input")) {
    if (box instanceof HTMLInputElement) box.checked = picked.has(box.value);
  }
  countSelected();
  document.title = page.title;
  document.body.className = page.body.className;
  history.replaceState(null, "", answer.url);
  prepare(isForm);
  speakOfPage(isForm);
  focusAgain(focused);
}

/** What a screen reader says next. It is always there: what has just come is not read out. */
const spoken = Object.assign(document.createElement("div"), { className: "sr", role: "status" });
document.body.prepend(spoken);

/** Let a screen reader say something. @param {Iterable<Element | string>} parts */
function speak(parts) {
  spoken.replaceChildren(...[...parts].map((part) => {
    const said = document.createElement("p");
    said.append(typeof part === "string" ? part : part.cloneNode(true));
    said.querySelectorAll("[aria-hidden=true]").forEach((sign) => sign.remove());
    said.textContent = said.textContent;
    return said;
  }));
}

/** Let a screen reader say what has happened, and then what is asked now; or else what is on the board.
 * @param {boolean} isForm */
function speakOfPage(isForm) {
  if (!isForm) return speak([document.querySelector("main.solve svg.board")?.getAttribute("aria-label") ?? ""]);
  speak([".done > *, .say > *", ".panel:not(:has(.say > p, .hints:first-child)) .ask > *"].flatMap((wanted) =>
    [...document.querySelectorAll(`main ${wanted}`)]));
}

/** Put the focus where it was: on the same square, button, move or field. Else it goes to the main button after the
 * last move, and to the board of another puzzle.
 * @param {Element | null} before */
function focusAgain(before) {
  if (!(before instanceof HTMLElement) || before.isConnected) return;
  const { square, key = "" } = before.dataset;
  const same = square ? `.squares [data-square="${square}"]` : key && key !== "n" ? `main [data-key="${key}"]:not(:disabled)`
    : before.matches(".moves a") ? "main .moves [aria-current]" : before.id ? `#${before.id}` : "";
  const other = key.startsWith("Arrow") ? 'main [data-key^="Arrow"]' : "";
  const found = [same, other, "main .onward .primary", '.squares [tabindex="0"]', "main h1"].filter(Boolean)
    .map((wanted) => document.querySelector(wanted)).find(Boolean);
  const fold = found?.closest("details");
  if (fold) fold.open = true;
  if (found instanceof HTMLElement) found.focus();
}

/** What is being asked for. A key that is pressed meanwhile is for the page that comes. */
let asked = Promise.resolve();

/** Ask for a page, and show it. Without an answer, the page stays and can be used again.
 * @param {string} address
 * @param {RequestInit} [request] */
function ask(address, request) {
  asked = asked.then(async () => show(await fetch(address, request), request !== undefined))
    .catch(() => sayFailed(UNREACHABLE));
  return asked;
}

/** What is said of a request that failed. */
const failure = Object.assign(document.createElement("p"), { className: "error", role: "alert" });

/** @param {string} text */
function sayFailed(text) {
  failure.textContent = text;
  (document.querySelector("main :is([role=status], .say, .done)") ?? document.querySelector("main > *"))?.before(failure);
}

/** The address of the form that was sent last, as long as there is no answer. */
let sent = "";

/** Send a form, and show what comes back. A form that is sent before an answer to another one is here is that of
 * the page that comes, so that nobody has to wait before pressing the next button; twice the same is once.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button */
async function sendInTurn(form, button) {
  const address = addressOf(form, button);
  if (sent === address) return;
  await asked;
  // A move is for the position that it was typed at.
  const next = form.matches(".typed") ? null : [...document.forms].find((other) =>
    [...other.elements].some((each) => each instanceof HTMLButtonElement && addressOf(other, each) === address));
  const current = form.isConnected ? form : next;
  if (!current) return;
  sent = address;
  send(current, button);
  await asked;
  sent = "";
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
function addressOf(form, button) {
  return button?.hasAttribute("formaction") && button instanceof HTMLButtonElement ? button.formAction : form.action;
}

/** Send a form at once.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button */
function send(form, button) {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) data.append(name, String(value));
  if (button instanceof HTMLButtonElement && button.name) data.append(button.name, button.value);
  return ask(addressOf(form, button), { method: "POST", body: data });
}

/** Show how far an analysis is, until it is done. */
async function follow() {
  const running = document.querySelector(".progress[data-running]");
  if (!running) return;
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const answer = await fetch("/games/progress");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const state = page.querySelector(".progress");
  if (state) running.replaceWith(state);
  if (state?.hasAttribute("data-running")) follow();
  else location.reload();
}

/** When the time of a round against the clock is over, 0 without one. */
let ends = 0;

/** Show the time that is left; once it is over, ask for what comes then. */
function tick() {
  const left = Math.max(0, Math.round((ends - performance.now()) / 1000));
  for (const clock of document.querySelectorAll("[data-ends]")) {
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
  if (!ends || left) return;
  ends = 0;
  ask(location.href);
}
setInterval(tick, 1000);

/** Begin to listen on what the main part has. @param {boolean} [isAnswer] - to a form */
async function prepare(isAnswer) {
  const clock = document.querySelector("[data-ends]");
  ends = clock instanceof HTMLElement ? performance.now() + 1000 * Number(clock.dataset.ends) : 0;
  const side = document.querySelector(".board-side[data-legal]");
  const typed = document.querySelector("form.typed");
  const editor = document.querySelector("form[data-editor]");
  const why = document.querySelector("a[data-reason]");
  if (side instanceof HTMLElement && typed instanceof HTMLFormElement) {
    prepareBoard(side, (move) => {
      const field = typed.elements.namedItem("move");
      if (field instanceof HTMLInputElement) field.value = move;
      const played = send(typed, null);
      typed.reset();
      return played;
    });
    if (why instanceof HTMLAnchorElement) explain(why, side);
  } else if (side instanceof HTMLElement && side.dataset.free) {
    if (isAnswer) await playLine(side);
    if (side.isConnected) prepareFreely(side, side.dataset.free);
  }
  // Only searches have an editor: who solves on a phone need not wait for it.
  if (editor instanceof HTMLFormElement) (await import("./editor.js")).prepareEditor(editor);
}

/** Say why a move was wrong, once that is known. What has happened since stays.
 * @param {HTMLAnchorElement} link - leads to the reason
 * @param {HTMLElement} side */
async function explain(link, side) {
  const [pending, said] = [link.parentElement, link.closest(".say")];
  if (!pending || !said) return;
  pending.textContent = "The reason follows.";
  try {
    const answer = await fetch(link.href);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(".say");
    if (!fresh || !pending.isConnected) return;
    speak([...fresh.children].filter((child, index) => child.outerHTML !== said.children[index]?.outerHTML));
    said.className = fresh.className;
    said.replaceChildren(...fresh.childNodes);
    // After a piece was tapped, the wrong move is no longer on the board.
    const [drawn, seen] = [side, page].map((each) => each.querySelector("svg.board"));
    if (!side.dataset.play || !drawn || !seen) return;
    drawn.querySelector(".cross")?.remove();
    drawn.append(...seen.querySelectorAll(".arrow, .cross"));
    drawn.setAttribute("aria-label", seen.getAttribute("aria-label") ?? "");
  } catch {
    pending.replaceChildren(link);
  }
}

/** Play the rest of a line; then come its first position, with arrows, and the reasons. @param {HTMLElement} side */
async function playLine(side) {
  const drawn = side.querySelector("svg.board"), fen = side.dataset.fen ?? "";
  const arrows = drawn?.cloneNode(true);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const steps = (side.dataset.played ?? "").split(",");
  const [links, later, meanwhile] = [".done .moves a", ".panel > :is(.reasons, .facts, .three-alike)", "[data-meanwhile]"]
    .map((wanted) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`main ${wanted}`)]));
  /** @param {boolean} isOver @param {number} ply */
  const say = (isOver, ply) => {
    later.forEach((each) => { each.hidden = !isOver; });
    meanwhile.forEach((each) => { each.hidden = isOver; });
    links.forEach((each) => each.removeAttribute("aria-current"));
    links[ply - 1]?.setAttribute("aria-current", "step");
  };
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (isCalm && !isLast) continue;
    const [position, move] = step.split(" ");
    draw(side, position, move, index > 0 && !isCalm);
    say(false, Number(side.dataset.ply) + index);
    await new Promise((resolve) => setTimeout(resolve, isLast ? END : STEP));
    if (!side.isConnected) return;
  }
  if (arrows) drawn?.replaceWith(arrows);
  side.dataset.fen = fen;
  say(true, 0);
  speak(document.querySelectorAll("main .reasons li"));
}

/** Let somebody move pieces after a puzzle is done; the engine answers.
 * @param {HTMLElement} side
 * @param {string} address */
function prepareFreely(side, address) {
  prepareBoard(side, async (move) => {
    const form = new URLSearchParams({ fen: side.dataset.position ?? "", move });
    try {
      const answer = await fetch(address, { method: "POST", body: form, headers: { Accept: "application/json" } });
      const { fen, legal, last, said, error } = await answer.json();
      if (!answer.ok) return sayFailed(error);
      if (!side.isConnected) return;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.square : "";
      Object.assign(side.dataset, { position: fen, legal });
      draw(side, fen, last, last !== move);
      prepareFreely(side, address);
      /** @type {HTMLElement | null} */ (side.querySelector(`[data-square="${focused}"]`))?.focus();
      const freely = document.querySelector("[data-freely]");
      freely?.removeAttribute("hidden");
      if (freely?.firstElementChild) freely.firstElementChild.textContent = said;
      speak([said]);
    } catch {
      sayFailed(UNREACHABLE);
    }
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form instanceof HTMLFormElement && form.matches(".filters")) saySearching(true);
  if (!(form instanceof HTMLFormElement) || !form.closest("main.solve") || form.method !== "post") return;
  event.preventDefault();
  sendInTurn(form, event.submitter);
});

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const copied = target?.closest("[data-copy]");
  if (copied instanceof HTMLElement) copy(copied);
  if (target?.closest('[data-key="?"]')) keys();
  if (target?.closest("[data-print]")) print();
  const step = target?.closest('a[href^="?"], a[data-more]');
  if (step instanceof HTMLAnchorElement && step.closest("main")) {
    event.preventDefault();
    ask(step.href);
  }
});

/** Copy the text of a button. @param {HTMLElement} button */
async function copy(button) {
  const text = button.dataset.copy ?? "";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https there is no such clipboard. What cannot be copied from a field stays selected there.
    const field = Object.assign(document.createElement("input"), { type: "text", readOnly: true, value: text });
    button.after(field);
    field.select();
    if (!document.execCommand("copy")) return;
    field.remove();
  }
  button.textContent = "copied";
}

/** Say how many results are selected. */
function countSelected() {
  const count = document.querySelector("[data-count]");
  if (count) count.textContent = String(document.querySelectorAll(".pick :checked").length);
}
document.addEventListener("change", countSelected);

/** Say that a search goes on, which takes some seconds if the engine is asked; and no longer, after going back.
 * @param {boolean} goesOn */
function saySearching(goesOn) {
  const button = document.querySelector(".filters > .primary");
  if (button) button.textContent = goesOn ? "Searching…" : "Search";
}
window.addEventListener("pageshow", () => { countSelected(); saySearching(false); });

document.addEventListener("keydown", async (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isGrade = target.matches("[type=radio]");
  if (target.matches("input, select, textarea") && !isGrade) {
    if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  if (isGrade && event.key.startsWith("Arrow")) return;
  if (target.closest(".squares") && (event.key.startsWith("Arrow") || event.key === "Enter")) return;
  const onControl = target.closest("a, button, summary, dialog") !== null;
  if (event.key === "Enter" && onControl) return;
  const wanted = event.key === "Enter" ? "main .primary" : `[data-key="${CSS.escape(event.key)}"]`;
  if (document.querySelector(wanted)) event.preventDefault();
  await asked;
  const found = document.querySelector(wanted);
  found?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  // The key of a grade chooses it, and goes on.
  if (found?.matches("[type=radio]")) /** @type {HTMLElement | null} */ (document.querySelector("main .primary"))?.click();
});

const KEYS = [
  ["h", "hint"], ["s", "give up"], ["n", "next: skip this one"], ["f", "flip the board"],
  ["1–4", "Again, Hard, Good, Easy"], ["← →", "step through the moves"], ["↵", "the main button"],
  ["Esc", "leave the field for moves"],
];

/** Show all keys. */
function keys() {
  const dialog = document.createElement("dialog");
  Object.assign(dialog, { className: "all-keys", ariaLabel: "Keys" });
  const rows = KEYS.map(([key, text]) => `<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`).join("");
  dialog.innerHTML = `<h2>Keys</h2><dl>${rows}</dl><form method="dialog"><button autofocus>Close</button></form>`;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether somebody has begun to use the page. */
let isUsed = document.activeElement !== document.body;
for (const type of ["keydown", "pointerdown"]) document.addEventListener(type, () => { isUsed = true; }, { once: true });

/** Tell the server the time zone, which says what is due today. What it said before is asked for again, and shown
 * unless somebody has begun to use the page meanwhile. */
async function tellZone() {
  const zone = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  if (document.cookie.split("; ").includes(zone)) return;
  document.cookie = `${zone}; path=/; max-age=100000000; samesite=strict`;
  if (location.pathname !== "/") return;
  const answer = await fetch(location.href).catch(() => null);
  if (answer && !isUsed) show(answer, false);
}

prepare();
follow();
tellZone();
