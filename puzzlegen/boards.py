"""Boards drawn for people: Unicode in a terminal, SVG in a page."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import chess.svg

# Width of a drawn board in pixels.
SIZE = 260


def text_board(board: chess.Board) -> str:
    """Return the board as eight lines of figurines with coordinates, the side to move below."""
    ranks = range(7, -1, -1) if board.turn == chess.WHITE else range(8)
    files = range(8) if board.turn == chess.WHITE else range(7, -1, -1)
    lines = []
    for rank in ranks:
        pieces = (board.piece_at(chess.square(file, rank)) for file in files)
        lines.append(f"{rank + 1} " + " ".join(p.unicode_symbol() if p else "·" for p in pieces))
    lines.append("  " + " ".join(chess.FILE_NAMES[file] for file in files))
    return "\n".join(lines)


def side_by_side(boards: Sequence[str], gap: int = 4) -> str:
    """Return several drawn boards (or other blocks of text) next to each other."""
    blocks = [block.splitlines() for block in boards]
    height = max(len(block) for block in blocks)
    widths = [max(len(line) for line in block) for block in blocks]
    rows = (
        (" " * gap).join(
            (block[row] if row < len(block) else "").ljust(width)
            for block, width in zip(blocks, widths, strict=True)
        )
        for row in range(height)
    )
    return "\n".join(row.rstrip() for row in rows)


def svg_board(board: chess.Board, moves: Sequence[chess.Move] = (), last: chess.Move | None = None) -> str:
    """Return the board as SVG, seen from the side to move, with an arrow for each move."""
    arrows = [chess.svg.Arrow(move.from_square, move.to_square) for move in moves]
    return chess.svg.board(board, orientation=board.turn, arrows=arrows, lastmove=last, size=SIZE)


def solution_san(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return a line in SAN with move numbers, such as `23... Qxh2+ 24. Kxh2 Rh8#`."""
    return board.variation_san(list(moves))
