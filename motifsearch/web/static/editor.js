// A board to set up a position on. What stands on it is written into the field of the query, as a FEN.

import { FILES, NAMES, SIDE, SVG } from "./board.js";

// A position as FEN, at least its pieces.
const PLACED = /^\s*([pnbrqkPNBRQK1-8]+\/){7}[pnbrqkPNBRQK1-8]+(\s|$)/;
const TRAYS = ["kqrbnp", "KQRBNP"];

/** @param {HTMLFormElement} form */
export function prepareEditor(form) {
  const editor = /** @type {HTMLElement} */ (form.querySelector(".editor"));
  const drawn = /** @type {SVGSVGElement} */ (editor.querySelector("svg.board"));
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
  /** @type {Map<string, string>} square -> letter of FEN */
  const pieces = new Map();
  let [placement, turn] = (PLACED.test(field.value) ? field.value : editor.dataset.fen ?? "").trim().split(/\s+/);
  read(placement);
  /** The piece that is placed by a click, empty for the eraser; null while none is chosen. @type {string | null} */
  let chosen = null;

  const trays = TRAYS.map((letters, index) => {
    const tray = document.createElement("div");
    tray.className = "tray";
    for (const letter of letters) tray.append(tool(letter, `#${use(letter)}`, use(letter).replace("-", " ")));
    tray.append(index ? tool("", "", "Take a piece off") : flip());
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
  const row = document.createElement("div");
  row.className = "row";
  const mover = word("", () => { turn = turn === "b" ? "w" : "b"; write(); });
  row.append(mover, word("Clear", () => { pieces.clear(); turn = "w"; write(); }), word("Initial position", () => {
    read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    turn = "w";
    write();
  }));
  trays[1].after(row);
  show();
  field.addEventListener("change", () => {
    if (!PLACED.test(field.value)) return;
    [placement, turn] = field.value.trim().split(/\s+/);
    read(placement);
    show();
  });

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

  /** @param {string} letter @param {string} shape @param {string} name */
  function tool(letter, shape, name) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.setAttribute("aria-pressed", "false");
    button.dataset.letter = letter;
    const inner = shape ? `<use href="${shape}"/>` : '<path class="sign" d="M13 13L32 32M32 13L13 32"/>';
    button.innerHTML = `<svg viewBox="0 0 45 45">${inner}</svg>`;
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
    field.value = pieces.size ? `${ranks.join("/")} ${turn} - - 0 1` : "";
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
    mover.textContent = turn === "b" ? "Black to move" : "White to move";
  }
}

/** @param {string} letter */
function use(letter) {
  return `${letter === letter.toUpperCase() ? "white" : "black"}-${NAMES[letter.toLowerCase()]}`;
}

/** @param {string} letter */
function other(letter) {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}
