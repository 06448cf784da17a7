"""Worksheets (PDF): diagrams with a line for the answer, and the answers on the last pages.

The fonts are those that every PDF reader has, so that files are small. These fonts have the letters of
western Europe; other letters are transliterated. Diagrams are vector graphics, in black and grey.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import product
from typing import BinaryIO, NamedTuple

import chess
import chess.svg
from anyascii import anyascii
from fpdf import FPDF
from fpdf.drawing_primitives import Transform
from fpdf.svg import SVGObject

from db.models import Puzzle
from puzzlegen.formats.answers import answer, question, unseen, why

# Shades of the dark squares and of coordinates, which print well, and from which black pieces stand out.
DARK, SOFT = 205, 110

# The height of coordinates, and the margin for them on the left and below, as fractions of the board.
COORDINATE = 0.042
MARGIN = 0.055

_PIECES = {
    symbol: SVGObject(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{drawing}</svg>')
    for symbol, drawing in chess.svg.PIECES.items()
}

# The character set of the fonts.
ENCODING = "windows-1252"


class _Grid(NamedTuple):
    columns: int
    rows: int
    font: float


# By the number of diagrams on a page.
_GRIDS = {4: _Grid(2, 2, 11), 6: _Grid(2, 3, 10.5), 9: _Grid(3, 3, 9)}

# Millimetres: the edge of a page (A4), the head of each page, its foot, and the room between diagrams.
_EDGE = 14.0
_HEAD = 20.0
_FOOT = 7.0
_GAP = 6.0

# The line above a diagram, and the room for the line below it.
_CAPTION = 6.0
_ANSWER = 10.0

# The length of the line for a name, if there is no solver.
_NAME_LINE = 60.0


def write(out: BinaryIO, puzzles: Iterable[Puzzle], title: str, solver: str, per_page: int) -> None:
    """Write a worksheet with `per_page` diagrams on a page (4, 6 or 9), for `solver` (empty: anyone)."""
    numbered = list(enumerate(puzzles, 1))
    sheet = _Sheet(title, solver)
    for start in range(0, len(numbered), per_page):
        sheet.add_diagrams(numbered[start : start + per_page], _GRIDS[per_page])
    sheet.add_answers(numbered)
    out.write(sheet.output())


def printable(text: str) -> str:
    """Return a text with the letters of the fonts; other letters are transliterated."""
    return "".join(letter if letter.encode(ENCODING, "ignore") else anyascii(letter) for letter in text)


class _Sheet(FPDF):
    """The document. Each page has the title, the solver's name, and its number."""

    def __init__(self, title: str, solver: str) -> None:
        super().__init__(format="A4")
        self.core_fonts_encoding = ENCODING
        self.heading, self.solver = printable(title), printable(solver)
        self.set_title(title)
        self.set_lang("en")
        self.set_margin(_EDGE)
        self.set_auto_page_break(True, _EDGE + _FOOT)
        self.c_margin = 0

    def header(self) -> None:
        """Write the title, and the solver's name or a line for it."""
        self.set_font("helvetica", "B", 15)
        self.set_xy(_EDGE, _EDGE - 2)
        self.cell(0, 8, self.fitted(self.heading, self.epw), new_x="LMARGIN", new_y="NEXT")
        self.set_font("helvetica", size=11)
        self.cell(0, 6, self.fitted(self.solver or "Name", self.epw))
        if not self.solver:
            left = _EDGE + self.get_string_width("Name") + 3
            self._line(left, left + _NAME_LINE, _EDGE + 11)
        self.set_y(_EDGE + _HEAD)

    def footer(self) -> None:
        """Write the number of the page."""
        self.set_font("helvetica", size=9)
        self.set_text_color(SOFT)
        self.set_y(-_EDGE)
        self.cell(0, 4, f"{self.page_no()} / {{nb}}", align="C")
        self.set_text_color(0)

    def fitted(self, text: str, room: float) -> str:
        """Return a text, shortened to fit into `room` in the current font."""
        if self.get_string_width(text) <= room:
            return text
        fitting = bisect_right(
            range(len(text)), room, key=lambda length: self.get_string_width(f"{text[:length]}…")
        )
        return f"{text[: max(0, fitting - 1)].rstrip()}…"

    def add_diagrams(self, numbered: Sequence[tuple[int, Puzzle]], grid: _Grid) -> None:
        """Add a page of diagrams."""
        self.add_page()
        width = (self.epw - _GAP * (grid.columns - 1)) / grid.columns
        height = (self.h - 2 * _EDGE - _HEAD - _FOOT) / grid.rows
        # The margin for coordinates is only on the left and below.
        size = min(width / (1 + MARGIN), (height - _CAPTION - _ANSWER - _GAP) / (1 + MARGIN))
        for place, (number, puzzle) in enumerate(numbered):
            row, column = divmod(place, grid.columns)
            # The board is centred together with its coordinates.
            left = _EDGE + column * (width + _GAP) + (width - size * (1 - MARGIN)) / 2
            self._add_diagram(number, puzzle, left, _EDGE + _HEAD + row * height, size, grid.font)

    def _add_diagram(
        self, number: int, puzzle: Puzzle, left: float, top: float, size: float, font: float
    ) -> None:
        self.set_xy(left, top)
        self.set_font("helvetica", "B", font)
        label = f"{number}."
        self.cell(self.get_string_width(label) + 2, _CAPTION - 1, label)
        self.set_font("helvetica", size=font)
        self.cell(text=question(puzzle), h=_CAPTION - 1)
        _draw_board(self, puzzle.position(), left, top + _CAPTION, size)
        below = top + _CAPTION + size * (1 + MARGIN)
        if said := unseen(puzzle):
            self.set_xy(left, below)
            self.set_font("helvetica", size=font - 2)
            self.multi_cell(size, (font - 2) / 2.5, said, align="L")
            below = self.get_y()
        self._line(left, left + size, below + _ANSWER - 3)

    def _line(self, left: float, right: float, height: float) -> None:
        self.set_draw_color(SOFT)
        self.set_line_width(0.2)
        self.line(left, height, right, height)

    def add_answers(self, numbered: Sequence[tuple[int, Puzzle]]) -> None:
        """Add the pages with the answers."""
        self.add_page()
        self.set_font("helvetica", "B", 12)
        self.cell(0, 8, "Answers", new_x="LMARGIN", new_y="NEXT")
        for number, puzzle in numbered:
            with self.unbreakable() as page:
                page._add_answer(number, puzzle)

    def _add_answer(self, number: int, puzzle: Puzzle) -> None:
        indent = 9.0
        self.ln(2)
        self.set_font("helvetica", "B", 10)
        self.cell(indent, 5, f"{number}.")
        self.set_left_margin(_EDGE + indent)
        self._paragraph(answer(puzzle), "B", 10)
        if reasons := why(puzzle):
            self._paragraph(reasons, "", 9)
        self.set_text_color(SOFT)
        level = puzzle.level_text()
        facts = [puzzle.id, f"level {level}" if level else "", puzzle.origin()]
        self._paragraph(" · ".join(filter(None, facts)), "", 8)
        self.set_text_color(0)
        self.set_left_margin(_EDGE)
        self.set_x(_EDGE)

    def _paragraph(self, text: str, style: str, size: float) -> None:
        self.set_font("helvetica", style, size)
        self.multi_cell(0, size / 2, printable(text), align="L", new_x="LMARGIN", new_y="NEXT")


def _draw_board(pdf: FPDF, board: chess.Board, left: float, top: float, size: float) -> None:
    """Draw a board of this size, in the unit of the page, seen from the side to move.

    The coordinates are on the left and below, within `MARGIN`.
    """
    square = size / 8
    files, ranks = chess.FILE_NAMES, chess.RANK_NAMES[::-1]
    if board.turn == chess.BLACK:
        files, ranks = files[::-1], ranks[::-1]
    pdf.set_fill_color(DARK)
    for row, column in product(range(8), repeat=2):
        if (row + column) % 2:
            pdf.rect(left + column * square, top + row * square, square, square, style="F")
    pdf.set_draw_color(0)
    pdf.set_line_width(0.3)
    pdf.rect(left, top, size, size)
    with pdf.drawing_context() as drawing:
        for at, piece in board.piece_map().items():
            column = files.index(chess.FILE_NAMES[chess.square_file(at)])
            row = ranks.index(chess.RANK_NAMES[chess.square_rank(at)])
            *_, picture = _PIECES[piece.symbol()].transform_to_rect_viewport(1, square, square)
            shift = Transform.translation(left + column * square, top + row * square)
            picture.transform = (picture.transform or Transform.identity()) @ shift
            drawing.add_item(picture)
    pdf.set_font("helvetica", size=size * COORDINATE * pdf.k)
    pdf.set_text_color(SOFT)
    margin = size * MARGIN
    for place, (file, rank) in enumerate(zip(files, ranks, strict=True)):
        pdf.set_xy(left + place * square, top + size)
        pdf.cell(square, margin, file, align="C")
        pdf.set_xy(left - margin, top + place * square)
        pdf.cell(margin, square, rank, align="C")
    pdf.set_text_color(0)
