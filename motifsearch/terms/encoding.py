"""A puzzle as terms, field by field, in one of two encodings: our own, and that of the paper.

A puzzle position and its solution go in. For each field comes out a list of words without blanks, in a fixed
order, with repetitions. An encoding also says what its fields count in a search. To add a field, write a
function of the replayed solution, enter it in `_FIELD_TERMS`, and give it a weight in `DEFAULT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from chess_motif.errors import InputError
from motifsearch.terms.course import course_terms, step_terms
from motifsearch.terms.dynamic import general_terms, role_terms, solution_terms
from motifsearch.terms.likely import LIKELY_FIELDS, likely_fields
from motifsearch.terms.motif import (
    capture_terms,
    decisive_terms,
    goal_terms,
    king_terms,
    mate_terms,
    piece_terms,
    relation_terms,
    shape_terms,
)
from motifsearch.terms.static import is_reach, pawn_terms, position_terms, reach_terms, reversed_move
from puzzlegen.motifs.replay import Replay
from puzzlegen.motifs.tags import motifs_of
from puzzlegen.reasons.reason import Reasons

# Raise it whenever any term or field changes: indexes of another version are rebuilt.
TERMS_VERSION = 17


@dataclass(frozen=True)
class Encoding:
    """How puzzles are made into terms, and what the terms count in a search.

    `weights` has the fields, and what a term of each counts. With `solver_is_white`, board and moves are
    mirrored where Black solves. With `as_printed`, terms are those of Figure 2 of the paper: no pawn chains;
    x-rays only through other pieces; and among the general terms, each once, those of the pieces that are
    sacrificed or mate, of both sides. `drops_common` leaves terms that most puzzles have out of a search. An
    `exact` search of a large index misses none of the best, and is slower. Results with a normalised score
    below `close` (0…1) have little in common with the query, and those below `loose` not always the same
    idea; both are 0 where no such levels are known.
    """

    name: str
    weights: Mapping[str, float]
    solver_is_white: bool
    as_printed: bool
    drops_common: bool
    exact: bool
    close: float
    loose: float

    def likeness(self, closeness: float) -> str:
        """Return how alike results of this normalised score are, in words."""
        if closeness < self.close:
            return "not close"
        return "loosely alike" if closeness < self.loose else "alike"


# What measures best. The weights were chosen for the agreement of themes and for finding simplified puzzles
# elsewhere on the board; with equal weights, the many terms of the position drown out the few of the motif.
# `close` was measured on 20,141 puzzles with 500 queries, `loose` by reading results. See
# docs/how-it-works/similarity.md.
DEFAULT = Encoding(
    "default",
    weights={
        "static_positions": 0.02,
        "static_pawns": 0.1,
        "dynamic_general": 1.0,
        "dynamic_solution": 0.25,
        "motif_relations": 2.5,
        "motif_mate": 4.0,
        "motif_king": 1.2,
        "motif_pieces": 0.9,
        "motif_captures": 0.15,
        "motif_shape": 0.7,
        "reason_decisive": 0.8,
        "reason_goals": 1.0,
        "course_steps": 1.0,
        "course_line": 1.2,
        "likely_motif": 4.0,
        "likely_theme": 1.8,
    },
    solver_is_white=True,
    as_printed=False,
    drops_common=True,
    exact=False,
    close=0.35,
    loose=0.45,
)

# As published (Bizjak & Guid 2021, Figure 2): all fields count the same, and colours are as they are.
PAPER = Encoding(
    "paper",
    weights={
        "static_positions": 1.0,
        "static_pawns": 1.0,
        "dynamic_general": 1.0,
        "dynamic_solution": 1.0,
    },
    solver_is_white=False,
    as_printed=True,
    drops_common=False,
    exact=True,
    close=0.0,
    loose=0.0,
)

ENCODINGS = {encoding.name: encoding for encoding in (DEFAULT, PAPER)}

FIELDS = tuple(DEFAULT.weights)
STATIC_FIELDS = tuple(field for field in FIELDS if field.startswith("static_"))
# All fields that are not static belong to the dynamic score.
DYNAMIC_FIELDS = tuple(field for field in FIELDS if field not in STATIC_FIELDS)


def encoding_named(name: str) -> Encoding:
    """Return the encoding with this name. Raises `InputError` if there is none."""
    if name not in ENCODINGS:
        raise InputError(f"there is no mode {name!r}, only {' and '.join(ENCODINGS)}")
    return ENCODINGS[name]


def encode(
    board: chess.Board, moves: Sequence[chess.Move], encoding: Encoding = DEFAULT
) -> dict[str, list[str]]:
    """Return the terms of a puzzle's document, by field.

    `board` is the puzzle position, `moves` the solution, solver first; the moves must be legal.
    """
    if encoding.solver_is_white and board.turn == chess.BLACK:
        board = board.mirror()
        moves = [reversed_move(move) for move in moves]
    solution = _Solution(Replay(board, moves), encoding)
    fields = {
        field: list(terms_of(solution))
        for field, terms_of in _FIELD_TERMS.items()
        if field in encoding.weights
    }
    return fields | likely_fields(fields) if encoding.weights.keys() >= set(LIKELY_FIELDS) else fields


def query_terms(document: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of a query by field, given the `document` terms of the same puzzle.

    Reach terms are left out: only documents have them (Ganguly et al., SIGIR 2014).
    """
    return {field: [term for term in terms if not is_reach(term)] for field, terms in document.items()}


@dataclass(frozen=True)
class _Solution:
    """What the terms are made from; the reasons, which several fields need, are found once."""

    replay: Replay
    encoding: Encoding

    @property
    def general(self) -> list[str]:
        roles = self._roles if self.encoding.as_printed else []
        return general_terms(self.replay) + roles

    @property
    def moves(self) -> list[str]:
        roles = [] if self.encoding.as_printed else self._roles
        return solution_terms(self.replay) + roles

    @property
    def _roles(self) -> list[str]:
        return role_terms(self.replay, self.encoding.as_printed)

    @cached_property
    def reasons(self) -> Reasons:
        return Reasons(self.replay)


# How the terms of each field are made. The first four fields are published (Bizjak & Guid 2021, Ganguly et
# al. 2014); the others are our own, one for each family of terms, so that each family has its own weight.
_FIELD_TERMS: dict[str, Callable[[_Solution], Iterable[str]]] = {
    "static_positions": lambda solution: (
        position_terms(solution.replay.start, direct_rays=not solution.encoding.as_printed)
        + reach_terms(solution.replay.start)
    ),
    "static_pawns": lambda solution: pawn_terms(
        solution.replay.start.board, chains=not solution.encoding.as_printed
    ),
    "dynamic_general": lambda solution: solution.general,
    "dynamic_solution": lambda solution: solution.moves,
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
