// What all screens share: forms and links of the page are answered without loading it anew, and keys.
// Without this script, everything works by plain forms and links.

import { prepareBoard } from "./board.js";

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
  const isTyping = document.activeElement?.id === "typed";
  const picked = new Set([...document.querySelectorAll(".pick :checked")].map((box) => box.getAttribute("value")));
  document.querySelector("main")?.replaceWith(main);
  // Who types moves goes on typing, but after a wrong one keys are for the buttons; and what was picked stays so.
  const field = main.querySelector("#typed");
  if (isTyping && field instanceof HTMLElement && !main.querySelector(".actions .primary")) field.focus();
  for (const box of main.querySelectorAll(".pick input")) {
    if (box instanceof HTMLInputElement) box.checked = picked.has(box.value);
  }
  countSelected();
  document.title = page.title;
  document.body.className = page.body.className;
  history.replaceState(null, "", answer.url);
  prepare();
}

/** What is being asked for. A key that is pressed meanwhile is for the page that comes. */
let asked = Promise.resolve();

/** Ask for a page, and show it. Without an answer, the page stays and can be used again.
 * @param {string} address
 * @param {RequestInit} [request] */
function ask(address, request) {
  asked = asked.then(async () => show(await fetch(address, request), request !== undefined))
    .catch(() => sayFailed("The page cannot be reached. Try again."));
  return asked;
}

/** What is said of a request that failed. */
const failure = Object.assign(document.createElement("p"), { className: "error", role: "alert" });

/** @param {string} text */
function sayFailed(text) {
  failure.textContent = text;
  (document.querySelector("main [role=status]") ?? document.querySelector("main > *"))?.before(failure);
}

/** The address of the form that was sent last, as long as there is no answer. */
let sent = "";

/** Send a form, and show what comes back. A form that is sent before an answer to another one is here is that of
 * the page that comes, so that nobody has to wait before pressing the next button; twice the same is once.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button */
async function sendInTurn(form, button) {
  if (sent === form.action) return;
  const address = form.action;
  await asked;
  // A move is for the position that it was typed at.
  const next = form.matches(".typed") ? null : [...document.forms].find((other) => other.action === address);
  const current = form.isConnected ? form : next;
  if (!current) return;
  sent = address;
  send(current, button);
  await asked;
  sent = "";
}

/** Send a form at once.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button */
function send(form, button) {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) data.append(name, String(value));
  if (button instanceof HTMLButtonElement && button.name) data.append(button.name, button.value);
  return ask(form.action, { method: "POST", body: data });
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

/** Whether the time is to be seen: it stays so from puzzle to puzzle. */
let showsTime = false;

/** Show the time that runs, if it is wanted. */
function tick() {
  const clock = document.querySelector(".time[open] [data-seconds]");
  if (!(clock instanceof HTMLElement)) return;
  const seconds = Math.round(Number(clock.dataset.seconds) + (performance.now() - Number(clock.dataset.since)) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours ? [hours, String(minutes).padStart(2, "0")] : [minutes];
  clock.textContent = [...parts, String(seconds % 60).padStart(2, "0")].join(":");
}
setInterval(tick, 1000);

/** Go on with the time of the puzzle that is shown. */
function prepareTime() {
  const details = document.querySelector("details.time");
  const clock = details?.querySelector("[data-seconds]");
  if (!(details instanceof HTMLDetailsElement) || !(clock instanceof HTMLElement)) return;
  clock.dataset.since = String(performance.now());
  details.open = showsTime;
  details.addEventListener("toggle", () => { showsTime = details.open; tick(); });
}

/** Begin to listen on what the main part has. */
async function prepare() {
  prepareTime();
  const side = document.querySelector(".board-side[data-legal]");
  const typed = document.querySelector("form.typed");
  const editor = document.querySelector("form[data-editor]");
  if (side instanceof HTMLElement && typed instanceof HTMLFormElement) {
    prepareBoard(side, (move) => {
      const field = typed.elements.namedItem("move");
      if (field instanceof HTMLInputElement) field.value = move;
      const played = send(typed, null);
      typed.reset();
      return played;
    });
  }
  // Only searches have an editor: who solves on a phone need not wait for it.
  if (editor instanceof HTMLFormElement) (await import("./editor.js")).prepareEditor(editor);
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
  if (target.matches("input, select, textarea")) {
    if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  if (target.closest(".squares") && (event.key.startsWith("Arrow") || event.key === "Enter")) return;
  const onControl = target.closest("a, button, summary, dialog") !== null;
  if (event.key === "Enter" && onControl) return;
  const wanted = event.key === "Enter" ? "main .primary" : `[data-key="${CSS.escape(event.key)}"]`;
  if (document.querySelector(wanted)) event.preventDefault();
  await asked;
  document.querySelector(wanted)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
});

const KEYS = [
  ["h", "hint"], ["s", "solution"], ["n", "next: skip this one"], ["f", "flip the board"],
  ["1–4", "Again, Hard, Good, Easy"], ["← →", "step through the solution"], ["↵", "the main button"],
  ["Esc", "leave the field for moves"],
];

/** Show all keys. */
function keys() {
  const dialog = document.createElement("dialog");
  dialog.className = "all-keys";
  const rows = KEYS.map(([key, text]) => `<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`).join("");
  dialog.innerHTML = `<h2>Keys</h2><dl>${rows}</dl><form method="dialog"><button autofocus>Close</button></form>`;
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Tell the server the time zone, which says what is due today. What it said before is asked for again. */
function tellZone() {
  const zone = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  if (document.cookie.split("; ").includes(zone)) return;
  document.cookie = `${zone}; path=/; max-age=100000000; samesite=strict`;
  if (location.pathname === "/") ask(location.href);
}

prepare();
follow();
tellZone();
