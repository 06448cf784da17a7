"""The two encodings, the default and that of the paper: their fields with the weights in a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chess_motif.errors import InputError


@dataclass(frozen=True)
class Encoding:
    """How puzzles are made into terms, and how much the terms count in a search.

    `weights` has the weight of the terms of each field. With `solver_is_white`, board and moves are mirrored
    if Black is to move. With `as_printed`, the terms of positions are those of Figure 2 of the paper: no pawn
    chains, and x-rays only through other pieces. `drops_common` leaves very common terms out of a search. An
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


# The weights were chosen for finding generated pairs by kind, for the motifs that people named and for the
# agreement of themes; with equal weights, the many terms of the position drown out the few terms of the
# motif. `close` and `loose` were measured on 20,141 puzzles with 1,000 queries. See
# docs/how-it-works/similarity.md.
DEFAULT = Encoding(
    "default",
    weights={
        "static_positions": 0.01,
        "static_pawns": 0.04,
        "motif_names": 0.4,
        "motif_relations": 0.5,
        "motif_mate": 1.5,
        "motif_captures": 0.3,
        "end_pieces": 0.4,
        "end_moves": 0.65,
        "course_steps": 0.4,
        "course_line": 0.2,
        "likely_motif": 2.6,
        "likely_theme": 0.9,
    },
    solver_is_white=True,
    as_printed=False,
    drops_common=True,
    exact=False,
    close=0.3,
    loose=0.4,
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

FIELDS = tuple({**PAPER.weights, **DEFAULT.weights})
STATIC_FIELDS = tuple(field for field in FIELDS if field.startswith("static_"))
# All fields that are not static belong to the dynamic score.
DYNAMIC_FIELDS = tuple(field for field in FIELDS if field not in STATIC_FIELDS)


def encoding_named(name: str) -> Encoding:
    """Return the encoding with this name. Raises `InputError` if there is none."""
    if name not in ENCODINGS:
        raise InputError(f"there is no mode {name!r}, only {' and '.join(ENCODINGS)}")
    return ENCODINGS[name]
