"""A puzzle as terms, field by field, in one of two encodings: our own, and that of the paper.

A puzzle position and its solution go in. For each field comes out a list of words without blanks, in a fixed
order, with repetitions. An encoding also says what its fields count in a search. To add a field, write a
function of the tactics of a solution, enter it in `_FIELD_TERMS`, and give it a weight in `DEFAULT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from puzzlegen.reasons.tactics import Tactics

# Raise it whenever any term or field changes: indexes of another version are rebuilt.
TERMS_VERSION = 18


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

    def in_words(self, likeness: float) -> str:
        """Return how alike results of this likeness (0…1) are, in words."""
        if likeness < self.close:
            return "not close"
        return "loosely alike" if likeness < self.loose else "alike"


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


def encode(tactics: Tactics, encoding: Encoding = DEFAULT) -> dict[str, list[str]]:
    """Return the terms of a puzzle's document, by field, made from the tactics of its solution."""
    if encoding.solver_is_white and tactics.position.turn == chess.BLACK:
        before = tactics.before and tactics.before._replace(square=chess.square_mirror(tactics.before.square))
        tactics = Tactics(tactics.position.mirror(), [*map(reversed_move, tactics.moves)], before)
    fields = {
        field: list(terms_of(tactics, encoding.as_printed))
        for field, terms_of in _FIELD_TERMS.items()
        if field in encoding.weights
    }
    return fields | likely_fields(fields) if encoding.weights.keys() >= set(LIKELY_FIELDS) else fields


def query_terms(document: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of a query by field, given the `document` terms of the same puzzle.

    Reach terms are left out: only documents have them (Ganguly et al., SIGIR 2014).
    """
    return {field: [term for term in terms if not is_reach(term)] for field, terms in document.items()}


# How the terms of each field are made, of the tactics of a solution, and as printed in the paper or not. The
# first four fields are published (Bizjak & Guid 2021, Ganguly et al. 2014); the others are our own, one for
# each family of terms, so that each family has its own weight.
_FIELD_TERMS: dict[str, Callable[[Tactics, bool], Iterable[str]]] = {
    "static_positions": lambda tactics, printed: (
        position_terms(tactics.replay.start, direct_rays=not printed) + reach_terms(tactics.replay.start)
    ),
    "static_pawns": lambda tactics, printed: pawn_terms(tactics.replay.start.board, chains=not printed),
    "dynamic_general": lambda tactics, printed: (
        general_terms(tactics.replay) + (role_terms(tactics.replay, printed) if printed else [])
    ),
    "dynamic_solution": lambda tactics, printed: (
        solution_terms(tactics.replay) + ([] if printed else role_terms(tactics.replay, printed))
    ),
    "motif_relations": lambda tactics, _: relation_terms(tactics.motifs),
    "motif_mate": lambda tactics, _: mate_terms(tactics.replay),
    "motif_king": lambda tactics, _: king_terms(tactics.replay),
    "motif_pieces": lambda tactics, _: piece_terms(tactics.replay),
    "motif_captures": lambda tactics, _: capture_terms(tactics.replay),
    "motif_shape": lambda tactics, _: shape_terms(tactics.replay),
    "reason_decisive": lambda tactics, _: decisive_terms(tactics.reasons),
    "reason_goals": lambda tactics, _: goal_terms(tactics.reasons),
    "course_steps": lambda tactics, _: step_terms(tactics.replay),
    "course_line": lambda tactics, _: course_terms(tactics.replay, tactics.reasons),
}
