"""A puzzle's terms, field by field, in one of two modes.

The terms of a field are a list of words without blanks, in a fixed order, with repetitions. To add a field,
write a function of the replayed solution and enter it here.

Terms of the labels that a puzzle is likely to have, as learned from puzzles that are labelled.

The model is a text file: for each label a bias and the weights of the terms that speak for or against it
(logistic regression, one label against the others, L1 penalty, so that most terms have no weight).
`training/likely.py` makes it from the motifs that people named and from the themes of Lichess' puzzles.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from math import exp, hypot
from pathlib import Path

import chess

from motifsearch.terms.course import course_terms, step_terms
from motifsearch.terms.dynamic import general_terms, solution_terms
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

MODEL_FILE = Path(__file__).with_name("likely.json")

# The fields that the model reads: what happens in the solution, but not where.
READ_FIELDS = (
    "dynamic_general",
    "dynamic_solution",
    "motif_relations",
    "motif_mate",
    "motif_captures",
    "motif_shape",
    "reason_decisive",
    "reason_goals",
    "course_steps",
    "course_line",
)

# The fields of the terms made here: the motifs that people name, and the themes of Lichess.
LIKELY_FIELDS = ("likely_motif", "likely_theme")

# Where no label is likely, the likelihoods are divided by no less, so that noise does not become likely.
LEAST_LENGTH = 0.5

# A likelihood of 1 is this many terms.
LEVELS = 5


@dataclass(frozen=True)
class LabelModel:
    """How likely each label is: `bias` and `weights` (by term, as `feature` names it) are logits."""

    bias: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]

    def likelihoods(self, read: Iterable[str]) -> dict[str, float]:
        """Return the likelihood (0…1) of each label, given the `features` of a puzzle."""
        logits = dict(self.bias)
        for feature in read:
            for label, weight in self.weights.get(feature, {}).items():
                logits[label] += weight
        return {label: 1 / (1 + exp(-logit)) for label, logit in logits.items()}


def features(fields: Mapping[str, Sequence[str]]) -> set[str]:
    """Return what the model reads of a puzzle: each term once, with its field."""
    return {f"{field}:{term}" for field in READ_FIELDS for term in fields[field]}


def likely_fields(fields: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of the likely labels by field, given the terms of a puzzle's other fields."""
    read = features(fields)
    return {field: level_terms(model.likelihoods(read)) for field, model in _models().items()}


def level_terms(likelihoods: Mapping[str, float]) -> list[str]:
    """Return a term for each step of `1 / LEVELS` of a label's likelihood: `fork:1`, `fork:2`, …

    The likelihoods are first divided by the length of their vector, which makes puzzles comparable whose
    labels are more or less certain. What two puzzles share in these terms is then, label by label, the
    smaller one of their likelihoods.
    """
    length = max(hypot(*likelihoods.values()), LEAST_LENGTH)
    return [
        f"{label}:{level}"
        for label, likelihood in likelihoods.items()
        for level in range(1, round(LEVELS * likelihood / length) + 1)
    ]


@cache
def _models() -> dict[str, LabelModel]:
    written = json.loads(MODEL_FILE.read_text(encoding="utf-8"))
    return {field: LabelModel(**written[field]) for field in LIKELY_FIELDS}


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


FieldTerms = Callable[[_Solution], Iterable[str]]

# The published fields (Bizjak & Guid 2021, Ganguly et al. 2014).
_PUBLISHED: dict[str, FieldTerms] = {
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
_MOTIF: dict[str, FieldTerms] = {
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

_ENCODERS: dict[Mode, dict[str, FieldTerms]] = {
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
