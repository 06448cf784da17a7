"""How a line wins, by its moves alone: by mate, or by material that stays won."""

from __future__ import annotations

from enum import StrEnum

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settled_balance
from chess_motif.material import material_balance


class Ending(StrEnum):
    """How a solution wins: by mate, by material, or only later; or that it only holds."""

    MATE = "mate"
    MATERIAL = "material"
    WON = "won"
    HELD = "held"


def to_the_solver(moves: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
    """Return the moves of a line, without a last move of the opponent."""
    return moves[: len(moves) - 1 + len(moves) % 2]


def without_last_exchange(position: chess.Board, moves: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
    """Return a line of the side to move without final captures that allow a recapture."""
    while len(moves) > 1:
        before = board_after(position, moves[:-1])
        end = board_after(before, moves[-1:])
        is_over = not before.is_capture(moves[-1]) or end.is_game_over()
        if is_over or settled_balance(end, position.turn) >= material_balance(end, position.turn):
            break
        moves = moves[:-2]
    return moves
