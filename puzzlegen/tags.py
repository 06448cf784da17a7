"""Tags that follow from the solution's moves alone, named as Lichess' themes of the same meaning."""

from __future__ import annotations

from collections.abc import Sequence

import chess

# Solver's moves to the name of the length; more than three are `veryLong`.
_LENGTHS = {1: "oneMove", 2: "short", 3: "long"}


def solution_tags(position: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Return the tags of a solution, sorted: its length, mate and in how many, special moves."""
    board = position.copy(stack=False)
    solver = board.turn
    length = (len(moves) + 1) // 2
    tags = {_LENGTHS.get(length, "veryLong")}
    for move in moves:
        if board.turn == solver:
            if move.promotion:
                tags.add("promotion" if move.promotion == chess.QUEEN else "underPromotion")
            if board.is_en_passant(move):
                tags.add("enPassant")
            if board.is_castling(move):
                tags.add("castling")
        board.push(move)
    if board.is_checkmate():
        tags |= {"mate", f"mateIn{length}"}
    return sorted(tags)
