"""Chess diagrams on a page of a PDF file, drawn as vectors, in black and grey."""

from __future__ import annotations

import chess
import chess.svg
from fpdf import FPDF
from fpdf.drawing_primitives import Transform
from fpdf.svg import SVGObject

# Shades of the dark squares and of coordinates: printed well by any printer, with black pieces distinct.
DARK, SOFT = 205, 110

# The height of coordinates, and the room for them left of the board and below it, in parts of the board.
COORDINATE = 0.042
MARGIN = 0.055

_PIECES = {
    symbol: SVGObject(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{drawing}</svg>')
    for symbol, drawing in chess.svg.PIECES.items()
}


def draw_board(pdf: FPDF, board: chess.Board, left: float, top: float, size: float) -> None:
    """Draw a board of this size, in the unit of the page, seen from the side to move.

    The coordinates are left of it and below it, within `MARGIN`.
    """
    square = size / 8
    files, ranks = chess.FILE_NAMES, chess.RANK_NAMES[::-1]
    if board.turn == chess.BLACK:
        files, ranks = files[::-1], ranks[::-1]
    _draw_squares(pdf, left, top, square)
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


def _draw_squares(pdf: FPDF, left: float, top: float, square: float) -> None:
    pdf.set_fill_color(DARK)
    for row in range(8):
        for column in range(8):
            if (row + column) % 2:
                pdf.rect(left + column * square, top + row * square, square, square, style="F")
    pdf.set_draw_color(0)
    pdf.set_line_width(0.3)
    pdf.rect(left, top, 8 * square, 8 * square)
