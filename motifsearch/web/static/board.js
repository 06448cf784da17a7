// A board to play on: 64 buttons over the drawn board. Tap two squares, drag a piece, or use the arrow keys.

export const FILES = "abcdefgh";
export const SIDE = 45;
/** @type {Record<string, string>} */
export const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const PROMOTIONS = ["q", "n", "r", "b"];
// Pixels from which on a pointer drags.
const DRAG = 6;
export const SVG = "http://www.w3.org/2000/svg";

/** Let somebody play a move on a board.
 * @param {HTMLElement} side - has the drawn board, and says what is where (`data-fen`), which moves are legal
 *   (`data-legal`, in UCI) and whether White is below (`data-white`). If another position is to be played from,
 *   it has that (`data-play`) and the move before it (`data-last`), and the move that was wrong (`data-wrong`)
 * @param {(move: string) => Promise<void>} played - plays the move, in UCI. Afterwards there is another board,
 *   or the move is taken back */
export function prepareBoard(side, played) {
  const drawn = /** @type {SVGSVGElement} */ (side.querySelector("svg.board"));
  const white = side.dataset.white === "1";
  const legal = (side.dataset.legal ?? "").split(" ").filter(Boolean);
  /** @type {Map<string, string>} */
  let pieces = new Map();
  side.querySelector(".squares")?.remove();
  const grid = document.createElement("div");
  grid.className = "squares";
  grid.setAttribute("role", "group");
  grid.setAttribute("aria-label", "Board");
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();
  let chosen = "";

  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const name = FILES[white ? column : 7 - column] + String(white ? 8 - row : row + 1);
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.square = name;
      buttons.set(name, button);
      grid.append(button);
    }
  }
  const focus = prepareArrows(grid, legal[0]?.slice(0, 2) ?? "e4", white);
  side.append(grid);
  name();

  /** Name each square and its piece. */
  function name() {
    pieces = piecesOf(side.dataset.fen ?? "");
    for (const [square, button] of buttons) {
      button.setAttribute("aria-label", square + (pieces.has(square) ? `, ${pieces.get(square)}` : ""));
    }
  }

  /** Return where the piece that is seen on a square stands in the position to be played from.
   * @param {string} square */
  function origin(square) {
    const wrong = side.dataset.play ? side.dataset.wrong ?? "" : "";
    return wrong.slice(2, 4) === square ? wrong.slice(0, 2) : square;
  }

  /** Go to the position to be played from: a wrong move is taken back. Return whether there was another one. */
  function takeBack() {
    if (!side.dataset.play) return false;
    draw(side, side.dataset.play, side.dataset.last ?? "");
    delete side.dataset.play;
    name();
    return true;
  }

  /** @param {string} square */
  const targets = (square) => legal.filter((move) => move.startsWith(square)).map((move) => move.slice(2, 4));

  /** @param {string} square */
  function choose(square) {
    chosen = targets(square).length ? square : "";
    const to = new Set(chosen ? targets(chosen) : []);
    for (const [name, button] of buttons) {
      button.ariaPressed = name === chosen ? "true" : null;
      button.ariaDescription = to.has(name) ? "can be moved to" : null;
      button.classList.toggle("chosen", name === chosen);
      button.classList.toggle("target", to.has(name));
      button.classList.toggle("taken", to.has(name) && pieces.has(name));
    }
  }

  /** @param {string} from @param {string} to */
  function play(from, to) {
    const moves = legal.filter((move) => move.startsWith(from + to));
    choose("");
    if (!moves.length) return;
    const putBack = place(from, to);
    if (moves.length === 1) played(moves[0]).then(putBack);
    else promotion(from, to, putBack);
  }

  /** Move the drawn piece at once; the answer has the board as it is. Return what takes the move back.
   * @param {string} from @param {string} to */
  function place(from, to) {
    const [piece, taken] = [pieceAt(from), pieceAt(to)];
    piece?.classList.remove("arriving");
    piece?.removeAttribute("transform");
    taken?.setAttribute("visibility", "hidden");
    put(piece, to);
    return () => { put(piece, from); taken?.removeAttribute("visibility"); };
  }

  /** @param {SVGUseElement | null} piece @param {string} square */
  function put(piece, square) {
    const [x, y] = corner(square);
    piece?.setAttribute("x", String(x));
    piece?.setAttribute("y", String(y));
  }

  /** @param {string} from @param {string} to @param {() => void} putBack */
  function promotion(from, to, putBack) {
    const colour = to[1] === "8" ? "white" : "black";
    const chooser = document.createElement("div");
    chooser.className = "promotion";
    chooser.setAttribute("role", "dialog");
    chooser.setAttribute("aria-label", "Promote to");
    const [x, y] = corner(to);
    chooser.style.setProperty("--x", String(x / SIDE));
    chooser.classList.toggle("below", y > 0);
    for (const kind of PROMOTIONS) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", NAMES[kind]);
      const shape = document.createElementNS(SVG, "svg");
      shape.setAttribute("viewBox", "0 0 45 45");
      const use = document.createElementNS(SVG, "use");
      use.setAttribute("href", `#${colour}-${NAMES[kind]}`);
      shape.append(use);
      button.append(shape);
      button.addEventListener("click", () => {
        focus(to);
        chooser.remove();
        played(from + to + kind).then(putBack);
      });
      chooser.append(button);
    }
    chooser.addEventListener("keydown", (event) => {
      const all = [...chooser.querySelectorAll("button")];
      const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (step) all[(at + step + all.length) % all.length].focus();
      if (event.key === "Escape") { cancel(); focus(from); }
      event.stopPropagation();
    });
    function cancel() {
      if (chooser.isConnected) putBack();
      chooser.remove();
    }
    chooser.addEventListener("pointerdown", (event) => event.stopPropagation());
    document.addEventListener("pointerdown", cancel, { once: true });
    side.append(chooser);
    chooser.querySelector("button")?.focus();
  }

  /** @param {string} square */
  function press(square) {
    const from = origin(square);
    if (takeBack()) {
      if (from !== square) focus(from);
      return choose(from);
    }
    if (chosen && targets(chosen).includes(square)) return play(chosen, square);
    choose(square === chosen ? "" : square);
  }

  grid.addEventListener("click", (event) => {
    const square = squareOf(event.target);
    if (square) press(square);
  });

  grid.addEventListener("keydown", (event) => { if (event.key === "Escape") choose(""); });

  /** The piece that is dragged, or about to be: from where, and where the pointer was. */
  let drag = { from: "", x: 0, y: 0, moving: false };

  grid.addEventListener("pointerdown", (event) => {
    const from = event.button ? "" : origin(squareOf(event.target));
    drag = { from: targets(from).length ? from : "", x: event.clientX, y: event.clientY, moving: false };
  });

  grid.addEventListener("pointermove", (event) => {
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.from || (!drag.moving && Math.hypot(dx, dy) < DRAG)) return;
    if (!drag.moving) takeBack();
    const piece = pieceAt(drag.from);
    if (!piece) return;
    if (!drag.moving) {
      drag.moving = true;
      // From here on the grid gets all events, and the square under the pointer no click.
      grid.setPointerCapture(event.pointerId);
      choose(drag.from);
      drawn.append(piece);
    }
    // A finger hides what is under it: the piece floats above, larger, and its square is marked.
    const isFinger = event.pointerType === "touch";
    const edge = drawn.getBoundingClientRect(), scale = 360 / edge.width, size = isFinger ? 2 : 1;
    const [x, y] = corner(drag.from), rise = isFinger ? SIDE : 0;
    const [left, top] = [(event.clientX - edge.left) * scale, (event.clientY - edge.top) * scale - rise];
    const [toLeft, toTop] = [left - size * (x + SIDE / 2), top - size * (y + SIDE / 2)];
    piece.setAttribute("transform", `translate(${toLeft} ${toTop}) scale(${size})`);
    if (!isFinger) return;
    const over = squareUnder(event);
    for (const [name, button] of buttons) {
      button.classList.toggle("chosen", name === drag.from || (name === over && targets(drag.from).includes(over)));
    }
  });

  /** @param {PointerEvent} event */
  function squareUnder(event) {
    return document.elementsFromPoint(event.clientX, event.clientY).map(squareOf).find(Boolean) ?? "";
  }

  grid.addEventListener("pointerup", (event) => {
    const { from, moving } = drag;
    drag.from = "";
    if (!moving) return;
    pieceAt(from)?.removeAttribute("transform");
    const to = squareUnder(event);
    if (targets(from).includes(to)) play(from, to);
    else choose("");
  });

  grid.addEventListener("pointercancel", () => {
    if (drag.from) pieceAt(drag.from)?.removeAttribute("transform");
    drag.from = "";
    choose("");
  });

  /** @param {string} square */
  const corner = (square) => cornerOf(square, white);

  /** @param {string} square @returns {SVGUseElement | null} */
  function pieceAt(square) {
    const [x, y] = corner(square);
    return drawn.querySelector(`:scope > use[x="${x}"][y="${y}"]`);
  }
}

/** Let the arrow keys go from square to square, of which Tab reaches only one. Return what focuses a square.
 * @param {HTMLElement} grid - of buttons
 * @param {string} first - the square that Tab reaches at first
 * @param {boolean} white - whether White is below */
export function prepareArrows(grid, first, white) {
  const buttons = /** @type {HTMLElement[]} */ ([...grid.children]);
  /** @param {string} square */
  const reach = (square) => {
    const found = buttons.find((button) => button.dataset.square === square);
    if (found) for (const button of buttons) button.tabIndex = button === found ? 0 : -1;
    return found;
  };
  reach(first);
  grid.addEventListener("keydown", (event) => {
    const square = squareOf(event.target);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!square || !step) return;
    event.preventDefault();
    const turn = white ? 1 : -1;
    const file = FILES.indexOf(square[0]) + turn * step[0];
    reach((FILES[file] ?? "") + String(Number(square[1]) + turn * step[1]))?.focus();
  });
  return (/** @type {string} */ square) => reach(square)?.focus();
}

/** Return where a square is drawn. @param {string} square @param {boolean} white @returns {[number, number]} */
function cornerOf(square, white) {
  const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
  return white ? [file * SIDE, (7 - rank) * SIDE] : [(7 - file) * SIDE, rank * SIDE];
}

/** Draw another position on a board, without arrows.
 * @param {HTMLElement} side
 * @param {string} fen
 * @param {string} last - the move that led to it (UCI), or nothing
 * @param {boolean} [arrives] - whether its piece is seen coming */
export function draw(side, fen, last, arrives = false) {
  const drawn = /** @type {SVGSVGElement} */ (side.querySelector("svg.board"));
  const white = side.dataset.white === "1";
  for (const part of drawn.querySelectorAll("use[x], .last, .mark, .arrow, .ring, .cross")) part.remove();
  for (const square of last ? [last.slice(0, 2), last.slice(2, 4)] : []) {
    const [x, y] = cornerOf(square, white);
    const shade = (FILES.indexOf(square[0]) + Number(square[1])) % 2 ? "dark" : "light";
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", `last ${shade}`);
    path.setAttribute("d", `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`);
    drawn.querySelector(".coords")?.before(path);
  }
  for (const [square, piece] of piecesOf(fen)) {
    const [x, y] = cornerOf(square, white);
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#${piece.replace(" ", "-")}`);
    use.setAttribute("x", String(x));
    use.setAttribute("y", String(y));
    if (arrives && square === last.slice(2, 4)) {
      const [fromX, fromY] = cornerOf(last.slice(0, 2), white);
      use.setAttribute("class", "arriving");
      use.style.setProperty("--dx", `${fromX - x}px`);
      use.style.setProperty("--dy", `${fromY - y}px`);
    }
    drawn.append(use);
  }
  drawn.setAttribute("aria-label", "Board");
  side.dataset.fen = fen;
}

/** @param {EventTarget | null} target */
function squareOf(target) {
  const button = target instanceof Element ? target.closest("[data-square]") : null;
  return button instanceof HTMLElement ? button.dataset.square ?? "" : "";
}

/** Return what stands where, in words, by square. @param {string} fen @returns {Map<string, string>} */
function piecesOf(fen) {
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const sign of row) {
      if (/\d/.test(sign)) { file += Number(sign); continue; }
      const colour = sign === sign.toUpperCase() ? "white" : "black";
      pieces.set(FILES[file] + String(8 - index), `${colour} ${NAMES[sign.toLowerCase()]}`);
      file += 1;
    }
  });
  return pieces;
}
