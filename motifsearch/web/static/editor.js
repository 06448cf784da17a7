// A board to set up a position on: pieces are dragged, or placed by clicks. What stands on it is written into the
// field of the query, as a FEN.

import { FILES, NAMES, prepareArrows, SIDE, SVG } from "./board.js";
import { prepareSearch } from "./search.js";

// A position as FEN, at least its pieces.
const PLACED = /^\s*([pnbrqkPNBRQK1-8]+\/){7}[pnbrqkPNBRQK1-8]+(\s|$)/;
const TRAYS = ["kqrbnp", "KQRBNP"];
// The rights to castle: their names, and what has to stand where.
const CASTLING = {
  K: ["White O-O", "Ke1", "Rh1"], Q: ["White O-O-O", "Ke1", "Ra1"], k: ["Black O-O", "ke8", "rh8"], q: ["Black O-O-O", "ke8", "ra8"],
};
// Pixels from which on a pointer drags.
const DRAG = 6;

/** @param {HTMLFormElement} form */
export function prepareEditor(form) {
  const editor = /** @type {HTMLElement} */ (form.querySelector(".editor"));
  const drawn = /** @type {SVGSVGElement} */ (editor.querySelector("svg.board"));
  const field = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("q"));
  prepareSearch(form);
  /** @type {Map<string, string>} square -> letter of FEN */
  const pieces = new Map();
  /** Rights that the pieces would allow and that are not there. @type {Set<string>} */
  const lost = new Set();
  let turn = "w";
  /** The piece that is placed by a click, empty for the eraser; null while none is chosen. @type {string | null} */
  let chosen = null;

  const trays = TRAYS.map((letters, index) => {
    const tray = document.createElement("div");
    tray.className = "tray";
    tray.style.touchAction = "none";
    for (const letter of letters) tray.append(tool(letter, use(letter).replace("-", " ")));
    tray.append(index ? tool("", "Take a piece off") : flip());
    return tray;
  });
  const side = document.createElement("div");
  side.className = "board-side";
  drawn.before(side);
  const grid = document.createElement("div");
  grid.className = "squares";
  grid.setAttribute("role", "group");
  grid.setAttribute("aria-label", "Board of the query");
  side.append(drawn, grid);
  side.before(trays[0]);
  side.after(trays[1]);
  for (let rank = 8; rank >= 1; rank--) {
    for (const file of FILES) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.square = file + rank;
      grid.append(button);
    }
  }
  prepareArrows(grid, "e4", true);
  const row = document.createElement("div");
  row.className = "row";
  const mover = word("", () => { turn = turn === "b" ? "w" : "b"; write(); });
  row.append(mover, word("Clear", () => { pieces.clear(); turn = "w"; write(); }), word("Initial position", () => {
    set("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    write();
  }));
  trays[1].after(row);
  const rights = document.createElement("div");
  rights.className = "chips";
  rights.setAttribute("role", "group");
  rights.setAttribute("aria-label", "Castling");
  for (const [right, [name]] of Object.entries(CASTLING)) {
    const [label, box] = [document.createElement("label"), document.createElement("input")];
    Object.assign(box, { type: "checkbox", value: right });
    box.addEventListener("change", () => { lost[box.checked ? "delete" : "add"](right); write(); });
    label.append(box, name);
    rights.append(label);
  }
  row.after(rights);
  set(PLACED.test(field.value) ? field.value : editor.dataset.fen ?? "");
  field.addEventListener("change", () => { if (PLACED.test(field.value)) set(field.value); });

  /** The piece that is dragged, from which square (none from a tray), where the pointer was, and its picture.
   * @type {{ letter: string, from: string, x: number, y: number, picture: HTMLElement | null } | null} */
  let drag = null;

  editor.addEventListener("pointerdown", (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-square], [data-letter]") : null;
    const { square = "", letter = pieces.get(square) } = target instanceof HTMLElement ? target.dataset : {};
    if (!letter || event.button) return;
    drag = { letter, from: square, x: event.clientX, y: event.clientY, picture: null };
    const ended = new AbortController();
    document.addEventListener("pointermove", move, ended);
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, (last) => {
        ended.abort();
        if (last instanceof PointerEvent) drop(last);
      }, ended);
    }
  });

  /** @param {PointerEvent} event */
  function move(event) {
    if (!drag) return;
    const side = drawn.getBoundingClientRect().width / 8;
    if (!drag.picture) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG) return;
      // From here on the editor gets all events, and the square under the pointer no click.
      editor.setPointerCapture(event.pointerId);
      drag.picture = document.createElement("div");
      drag.picture.innerHTML = picture(drag.letter);
      drag.picture.style.cssText = `position: fixed; z-index: 9; pointer-events: none; width: ${side}px`;
      editor.append(drag.picture);
      pieces.delete(drag.from);
      show();
    }
    drag.picture.style.left = `${event.clientX - side / 2}px`;
    drag.picture.style.top = `${event.clientY - side / 2}px`;
  }

  /** @param {PointerEvent} event */
  function drop(event) {
    const { letter = "", from = "", picture = null } = drag ?? {};
    drag = null;
    if (!picture) return;
    picture.remove();
    // Beside the board it is taken off.
    const to = event.type === "pointerup" ? squareAt(event) : from;
    if (to) pieces.set(to, letter);
    write();
  }

  /** @param {PointerEvent} event */
  function squareAt(event) {
    const { left, top, width } = drawn.getBoundingClientRect();
    const [file, row] = [event.clientX - left, event.clientY - top].map((each) => Math.floor(8 * each / width));
    return row >= 0 && row < 8 && FILES[file] ? FILES[file] + String(8 - row) : "";
  }

  /** Put a position on the board. @param {string} fen */
  function set(fen) {
    const [placement, mover, castling] = fen.trim().split(/\s+/);
    read(placement);
    turn = mover === "b" ? "b" : "w";
    lost.clear();
    // Without a word on castling, everything that is possible is allowed.
    if (castling) for (const right of possible()) if (!castling.includes(right)) lost.add(right);
    show();
  }

  /** @returns {string[]} the rights that the pieces allow */
  function possible() {
    return Object.entries(CASTLING).filter(([, [, ...stand]]) =>
      stand.every((each) => pieces.get(each.slice(1)) === each[0])).map(([right]) => right);
  }

  grid.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-square]") : null;
    const square = button instanceof HTMLElement ? button.dataset.square ?? "" : "";
    if (!square) return;
    if (chosen === null) {
      // Without a piece from the tray, one on the board is taken up.
      chosen = pieces.get(square) ?? null;
      if (chosen !== null) pieces.delete(square);
    } else if (chosen === "" || pieces.get(square) === chosen) pieces.delete(square);
    else pieces.set(square, chosen);
    write();
  });

  /** @param {string} letter @param {string} name */
  function tool(letter, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-pressed", "false");
    button.dataset.letter = letter;
    button.innerHTML = letter ? picture(letter) : '<svg viewBox="0 0 45 45"><path class="sign" d="M13 13L32 32M32 13L13 32"/></svg>';
    button.addEventListener("click", () => {
      chosen = chosen === letter ? null : letter;
      show();
    });
    return button;
  }

  function flip() {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", "Exchange the colours");
    button.innerHTML = '<svg viewBox="0 0 45 45"><path class="sign" d="M16 34V11M10 17l6-6 6 6M29 11v23M23 28l6 6 6-6"/></svg>';
    button.addEventListener("click", () => {
      const turned = [...pieces].map(([square, letter]) => [square[0] + (9 - Number(square[1])), other(letter)]);
      pieces.clear();
      for (const [square, letter] of turned) pieces.set(square, letter);
      turn = turn === "b" ? "w" : "b";
      write();
    });
    return button;
  }

  /** @param {string} text @param {() => void} act */
  function word(text, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small";
    button.textContent = text;
    button.addEventListener("click", act);
    return button;
  }

  /** @param {string} text */
  function read(text) {
    pieces.clear();
    text.split("/").forEach((line, index) => {
      let file = 0;
      for (const sign of line) {
        if (/\d/.test(sign)) file += Number(sign);
        else pieces.set(FILES[file++] + String(8 - index), sign);
      }
    });
  }

  /** Write what stands on the board into the field, and show it. */
  function write() {
    const ranks = [];
    for (let rank = 8; rank >= 1; rank--) {
      let line = "", empty = 0;
      for (const file of FILES) {
        const letter = pieces.get(file + rank);
        if (!letter) { empty++; continue; }
        line += (empty || "") + letter;
        empty = 0;
      }
      ranks.push(line + (empty || ""));
    }
    const allowed = possible();
    for (const right of lost) if (!allowed.includes(right)) lost.delete(right);
    const castling = allowed.filter((right) => !lost.has(right)).join("") || "-";
    field.value = pieces.size ? `${ranks.join("/")} ${turn} ${castling} - 0 1` : "";
    show();
  }

  function show() {
    drawn.querySelectorAll(":scope > use:not([href='#squares'])").forEach((each) => each.remove());
    for (const [square, letter] of pieces) {
      const piece = document.createElementNS(SVG, "use");
      piece.setAttribute("href", `#${use(letter)}`);
      piece.setAttribute("x", String(FILES.indexOf(square[0]) * SIDE));
      piece.setAttribute("y", String((8 - Number(square[1])) * SIDE));
      drawn.append(piece);
    }
    for (const button of grid.children) {
      if (!(button instanceof HTMLElement)) continue;
      const letter = pieces.get(button.dataset.square ?? "");
      button.setAttribute("aria-label", button.dataset.square + (letter ? `, ${use(letter).replace("-", " ")}` : ""));
    }
    for (const button of editor.querySelectorAll("[data-letter]")) {
      button.setAttribute("aria-pressed", String(button instanceof HTMLElement && button.dataset.letter === chosen));
    }
    const allowed = possible();
    for (const label of rights.children) {
      const box = label.querySelector("input");
      if (!(label instanceof HTMLElement) || !box) continue;
      box.checked = !lost.has(box.value);
      label.hidden = !allowed.includes(box.value);
    }
    rights.hidden = !allowed.length;
    mover.textContent = turn === "b" ? "Black to move" : "White to move";
  }
}

/** @param {string} letter */
function picture(letter) {
  return `<svg viewBox="0 0 45 45"><use href="#${use(letter)}"/></svg>`;
}

/** @param {string} letter */
function use(letter) {
  return `${letter === letter.toUpperCase() ? "white" : "black"}-${NAMES[letter.toLowerCase()]}`;
}

/** @param {string} letter */
function other(letter) {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}
