"""The two encodings, the default and that of the paper: their fields with the weights in a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chess_motif.errors import InputError


@dataclass(frozen=True)
class Encoding:
    """How puzzles are made into terms, and how much the terms count in a search.

    `weights` has the weight of the terms of each field. With `solver_is_white`, board and moves are mirrored
    if Black is to move. With `as_printed`, terms are those of Figure 2 of the paper: no pawn chains; x-rays
    only through other pieces; and among the general terms, each once, the terms of the pieces of both sides
    that are sacrificed or take part in the mate. `drops_common` leaves very common terms out of a search. An
    `exact` search of a large index misses no result, and is slower. Results with a likeness below `close`
    (0…1) have little in common with the query, and results below `loose` may have another idea; both are 0 if
    no such levels are known.
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
        """Return a likeness (0…1) in words."""
        if likeness < self.close:
            return "not close"
        return "loosely alike" if likeness < self.loose else "alike"


# The weights were chosen for the agreement of themes and for finding simplified puzzles elsewhere on the
# board; with equal weights, the many terms of the position drown out the few terms of the motif.
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

# As published (Bizjak & Guid 2021, Figure 2): all fields have the same weight, and colours are not reversed.
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
