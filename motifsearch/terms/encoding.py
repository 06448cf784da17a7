"""A puzzle as terms, field by field, in one of the encodings of `weights`.

A puzzle position and its solution go in. A list of words without blanks comes out for each field, in a fixed
order, with repetitions. To add a field, write a function of the tactics of a solution, enter the function in
`_FIELD_TERMS`, and give the field a weight in `DEFAULT`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from motifsearch.terms.course import course_terms, step_terms
from motifsearch.terms.dynamic import general_terms, role_terms, solution_terms
from motifsearch.terms.likely import LIKELY_FIELDS, likely_fields
from motifsearch.terms.motif import (
    capture_terms,
    end_move_terms,
    end_piece_terms,
    mate_terms,
    name_terms,
    relation_terms,
)
from motifsearch.terms.static import is_reach, pawn_terms, position_terms, reach_terms
from motifsearch.terms.weights import DEFAULT, Encoding
from puzzlegen.reasons.tactics import Tactics

# Raise it whenever any term or field changes: indexes of another version are rebuilt.
TERMS_VERSION = 19


def encode(tactics: Tactics, encoding: Encoding = DEFAULT) -> dict[str, list[str]]:
    """Return the terms of a puzzle's document, by field, made from the tactics of its solution."""
    if encoding.solver_is_white:
        tactics = tactics.with_white_to_move()
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


# The terms of each field, made of the tactics of a solution, as printed in the paper or not. The first four
# fields are published (Bizjak & Guid 2021, Ganguly et al. 2014). Of the others, each is a family of terms, so
# that each family has its own weight.
_FIELD_TERMS: dict[str, Callable[[Tactics, bool], Iterable[str]]] = {
    "static_positions": lambda tactics, printed: (
        position_terms(tactics.replay.start, direct_rays=not printed) + reach_terms(tactics.replay.start)
    ),
    "static_pawns": lambda tactics, printed: pawn_terms(tactics.replay.start.board, chains=not printed),
    "dynamic_general": lambda tactics, _: general_terms(tactics.replay) + role_terms(tactics.replay),
    "dynamic_solution": lambda tactics, _: solution_terms(tactics.replay),
    "motif_names": lambda tactics, _: name_terms(tactics.motifs, tactics.replay),
    "motif_relations": lambda tactics, _: relation_terms(tactics.motifs),
    "motif_mate": lambda tactics, _: mate_terms(tactics.replay),
    "motif_captures": lambda tactics, _: capture_terms(tactics.replay),
    "end_pieces": lambda tactics, _: end_piece_terms(tactics.replay),
    "end_moves": lambda tactics, _: end_move_terms(tactics.replay),
    "course_steps": lambda tactics, _: step_terms(tactics.replay),
    "course_line": lambda tactics, _: course_terms(tactics.replay, tactics.reasons),
}
