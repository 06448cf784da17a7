"""A puzzle's terms, field by field, in one of two modes.

A field's terms are a list of words without blanks, in a fixed order, repetitions kept. A new field is
a function of position and line, and one entry in `_ENCODERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import chess

from motifsearch.terms.dynamic import general_terms, solution_terms
from motifsearch.terms.pawns import pawn_terms
from motifsearch.terms.static import is_reach, position_terms, reach_terms

# Raise it whenever any term changes: indexes made with another version are made anew.
TERMS_VERSION = 1


class Mode(StrEnum):
    """How puzzles are encoded: as published, or as measured best."""

    DEFAULT = "default"
    PAPER = "paper"


Encoder = Callable[[chess.Board, Sequence[chess.Move], Mode], list[str]]

_ENCODERS: dict[str, Encoder] = {
    "static_positions": lambda board, moves, mode: position_terms(board) + reach_terms(board),
    "static_pawns": lambda board, moves, mode: pawn_terms(board),
    "dynamic_general": lambda board, moves, mode: general_terms(board, moves),
    "dynamic_solution": lambda board, moves, mode: solution_terms(
        board, moves, both_sides_mate=mode is Mode.PAPER
    ),
}

FIELDS = tuple(_ENCODERS)
STATIC_FIELDS = tuple(field for field in FIELDS if field.startswith("static_"))
# Whatever is not static belongs to the dynamic score.
DYNAMIC_FIELDS = tuple(field for field in FIELDS if field not in STATIC_FIELDS)


def encode(
    board: chess.Board, moves: Sequence[chess.Move], mode: Mode = Mode.DEFAULT
) -> dict[str, list[str]]:
    """Return the terms of the document for a puzzle, by field.

    `board` is the puzzle position, `moves` the solution, solver first; the moves must be legal. Paper
    mode takes colours as they are. Default mode makes the solver White: where Black is to move, the
    board and the moves are mirrored (ranks flipped, colours swapped).
    """
    if mode is Mode.DEFAULT and board.turn == chess.BLACK:
        board = board.mirror()
        moves = [_mirrored(move) for move in moves]
    return {field: encoder(board, moves, mode) for field, encoder in _ENCODERS.items()}


def query_terms(document: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of a query, given those of the same puzzle's document.

    Reach terms belong to documents only (Ganguly et al., SIGIR 2014).
    """
    return {field: [term for term in terms if not is_reach(term)] for field, terms in document.items()}


def _mirrored(move: chess.Move) -> chess.Move:
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )
