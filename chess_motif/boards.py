"""Boards as text, solutions in SAN, positions after some moves, and whether a move mates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import chess


def text_board(board: chess.Board, seen_by: chess.Color | None = None) -> str:
    """Return the board as lines of figurines with coordinates.

    It is seen from the side of `seen_by`, or of the side to move.
    """
    white_below = board.turn if seen_by is None else seen_by
    ranks = range(7, -1, -1) if white_below else range(8)
    files = range(8) if white_below else range(7, -1, -1)
    lines = []
    for rank in ranks:
        pieces = (board.piece_at(chess.square(file, rank)) for file in files)
        lines.append(f"{rank + 1} " + " ".join(p.unicode_symbol() if p else "·" for p in pieces))
    lines.append("  " + " ".join(chess.FILE_NAMES[file] for file in files))
    return "\n".join(lines)


def side_by_side(boards: Sequence[str], gap: int = 4) -> str:
    """Return several boards (or other blocks of text) next to each other, `gap` columns apart."""
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


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a legal move mates."""
    # Few moves give check, and that is quickly seen.
    if not board.gives_check(move):
        return False
    return board_after(board, [move]).is_checkmate()


def board_after(board: chess.Board, moves: Iterable[chess.Move]) -> chess.Board:
    """Return the position after legal moves, without the moves before it."""
    after = board.copy(stack=False)
    for move in moves:
        after.push(move)
    return after


def same_pieces(board: chess.Board, other: chess.Board) -> chess.SquareSet:
    """Return the squares on which two positions have the same piece."""
    # No two of these masks overlap.
    return chess.SquareSet(
        sum(
            board.pieces_mask(kind, color) & other.pieces_mask(kind, color)
            for color in chess.COLORS
            for kind in chess.PIECE_TYPES
        )
    )


def to_move(board: chess.Board) -> str:
    """Return whose move it is, in words."""
    return f"{'White' if board.turn else 'Black'} to move"


def solution_san(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return the moves in SAN with move numbers, such as `23... Qxh2+ 24. Kxh2 Rh8#`."""
    return board.variation_san(list(moves))
