"""A puzzle's terms, field by field, in one of two modes.

The terms of a field are a list of words without blanks, in a fixed order, with repetitions. To add a field,
write a function of the replayed solution and enter it here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import chess

from motifsearch.terms.colours import reversed_move
from motifsearch.terms.course import course_terms, step_terms
from motifsearch.terms.dynamic import general_terms, solution_terms
from motifsearch.terms.likely import LIKELY_FIELDS, likely_fields
from motifsearch.terms.motif import (
    capture_terms,
    king_terms,
    mate_terms,
    piece_terms,
    relation_terms,
    shape_terms,
)
from motifsearch.terms.pawns import pawn_terms
from motifsearch.terms.reason import decisive_terms, goal_terms
from motifsearch.terms.static import is_reach, position_terms, reach_terms
from puzzlegen.motifs.recognise import motifs_of
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.recognise import Reasons

# Raise it whenever any term or field changes: indexes of another version are rebuilt.
TERMS_VERSION = 6


class Mode(StrEnum):
    """Which terms and weights are used: our own (`default`), or those of the paper (`paper`)."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True)
class _Solution:
    """What the terms are made from; the parts that several fields need are found once."""

    replay: Replay
    mode: Mode

    @cached_property
    def reasons(self) -> Reasons:
        return Reasons.of(self.replay)


Encoder = Callable[[_Solution], Iterable[str]]

# The published fields (Bizjak & Guid 2021, Ganguly et al. 2014).
_PUBLISHED: dict[str, Encoder] = {
    "static_positions": lambda solution: (
        position_terms(solution.replay.start) + reach_terms(solution.replay.start)
    ),
    "static_pawns": lambda solution: pawn_terms(solution.replay.start.board),
    "dynamic_general": lambda solution: general_terms(solution.replay),
    "dynamic_solution": lambda solution: solution_terms(
        solution.replay, both_sides_mate=solution.mode is Mode.PAPER
    ),
}

# Our own fields: one for each family of terms, so that each family has its own weight.
_MOTIF: dict[str, Encoder] = {
    "motif_relations": lambda solution: relation_terms(motifs_of(solution.replay)),
    "motif_mate": lambda solution: mate_terms(solution.replay),
    "motif_king": lambda solution: king_terms(solution.replay),
    "motif_pieces": lambda solution: piece_terms(solution.replay),
    "motif_captures": lambda solution: capture_terms(solution.replay),
    "motif_shape": lambda solution: shape_terms(solution.replay),
    "reason_decisive": lambda solution: decisive_terms(solution.reasons),
    "reason_goals": lambda solution: goal_terms(solution.reasons),
    "course_steps": lambda solution: step_terms(solution.replay),
    "course_line": lambda solution: course_terms(solution.replay, solution.reasons),
}

_ENCODERS: dict[Mode, dict[str, Encoder]] = {
    Mode.PAPER: _PUBLISHED,
    Mode.DEFAULT: _PUBLISHED | _MOTIF,
}

FIELDS = (*_PUBLISHED, *_MOTIF, *LIKELY_FIELDS)
STATIC_FIELDS = tuple(field for field in FIELDS if field.startswith("static_"))
# All fields that are not static belong to the dynamic score.
DYNAMIC_FIELDS = tuple(field for field in FIELDS if field not in STATIC_FIELDS)


def encode(
    board: chess.Board, moves: Sequence[chess.Move], mode: Mode = Mode.DEFAULT
) -> dict[str, list[str]]:
    """Return the terms of a puzzle's document, by field.

    `board` is the puzzle position, `moves` the solution, solver first; the moves must be legal. Paper mode
    keeps the colours. In default mode the solver is always White: where Black is to move, the board and
    the moves are mirrored (ranks flipped, colours swapped).
    """
    if mode is Mode.DEFAULT and board.turn == chess.BLACK:
        board = board.mirror()
        moves = [reversed_move(move) for move in moves]
    solution = _Solution(Replay(board, moves), mode)
    fields = {field: list(encoder(solution)) for field, encoder in _ENCODERS[mode].items()}
    return fields if mode is Mode.PAPER else fields | likely_fields(fields)


def query_terms(document: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of a query by field, given the `document` terms of the same puzzle.

    Reach terms are left out: only documents have them (Ganguly et al., SIGIR 2014).
    """
    return {field: [term for term in terms if not is_reach(term)] for field, terms in document.items()}
