"""How a solution wins, as far as its moves show it without an engine."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import chess

from chess_motif.material import material_balance
from puzzlegen.rules import MiningRules
from puzzlegen.verify.quiescence import settles_at_least


class Ending(StrEnum):
    """How a solution wins."""

    MATE = "mate"
    MATERIAL = "material"


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a legal move mates."""
    if not board.gives_check(move):
        return False
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def ending_shown(position: chess.Board, moves: Iterable[chess.Move]) -> Ending | None:
    """Return how the legal solution `moves` of `position` wins; None if its moves do not show it.

    Material counts as won if it is as much as in a mined puzzle (`MiningRules.least_gain`), also after the
    captures that may follow.
    """
    end = position.copy(stack=False)
    for move in moves:
        end.push(move)
    if end.is_checkmate():
        return Ending.MATE
    if end.is_stalemate():
        return None
    at_least = material_balance(position, position.turn) + MiningRules.least_gain
    shown = material_balance(end, position.turn) >= at_least
    return Ending.MATERIAL if shown and settles_at_least(end, position.turn, at_least) else None
