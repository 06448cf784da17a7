"""How far the labels of puzzles agree with those of the puzzles found for them.

Each query is a puzzle of a set, in which the others are searched for. The agreement of two puzzles is the
Jaccard index of their labels: the number that both have divided by the number that at least one has. If every
puzzle has a single label, this is the precision of the label.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from chess_motif.errors import InputError, TableError
from chess_motif.notation import parse_moves, parse_position
from motifsearch.evaluation.intervals import STANDARD_ERRORS
from motifsearch.puzzles.documents import index_in_memory
from motifsearch.puzzles.encoding import Row, encode_all
from motifsearch.puzzles.ranking import FIELDS_BY, By, best, clauses
from motifsearch.terms import FIELDS, Mode, encode, query_terms
from puzzlegen.formats import lichess_csv
from puzzlegen.games.archive import open_archive
from puzzlegen.motifs.tags import motif_tags


@dataclass(frozen=True)
class Labelled:
    """A puzzle and its labels; a puzzle without labels is a document, but never a query."""

    row: Row
    labels: frozenset[str]


@dataclass(frozen=True)
class Agreement:
    """The mean agreement of the best k results (0…1); its 95 % confidence interval is `mean` ± `margin`."""

    mean: float
    margin: float


@dataclass(frozen=True)
class ThemeReport:
    """The agreements by mode, for each kind of terms and for each field alone.

    `single` says that every puzzle has a single label.
    """

    documents: int
    queries: int
    k: int
    single: bool
    agreements: Mapping[Mode, Mapping[str, Agreement]]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "documents": self.documents,
            "queries": self.queries,
            "k": self.k,
            "single_label": self.single,
            "agreement": {
                mode: {name: vars(agreement) for name, agreement in kinds.items()}
                for mode, kinds in self.agreements.items()
            },
        }


def read_labelled(file: Path) -> list[Labelled]:
    """Return the puzzles of a CSV file in the Lichess schema, with those themes that name a motif.

    Puzzles that cannot be used are left out. Raises `TableError` if fewer than two puzzles have such a theme,
    and `ArchiveError`.
    """
    puzzles = []
    with open_archive(str(file)) as archive:
        for number, (_, entry) in enumerate(lichess_csv.read(archive), start=1):
            if isinstance(entry, InputError):
                continue
            puzzle = entry.row
            row = Row(number, puzzle["id"], puzzle["puzzle_fen"], puzzle["solution"])
            puzzles.append(Labelled(row, frozenset(motif_tags(puzzle["themes"].split()))))
    if sum(bool(puzzle.labels) for puzzle in puzzles) < 2:
        raise TableError(f"{file}: there are fewer than two puzzles whose themes name a motif")
    return puzzles


def measure(puzzles: Sequence[Labelled], queries: int, k: int, seed: int = 1) -> ThemeReport:
    """Return how far the best `k` results agree with the query, for a random sample of `queries` puzzles."""
    labels = {puzzle.row.id: puzzle.labels for puzzle in puzzles}
    labelled = [puzzle for puzzle in puzzles if puzzle.labels]
    sample = random.Random(seed).sample(labelled, min(queries, len(labelled)))
    return ThemeReport(
        len(puzzles),
        len(sample),
        k,
        all(len(puzzle.labels) == 1 for puzzle in labelled),
        {mode: _agreements(puzzles, sample, labels, mode, k) for mode in Mode},
    )


def _agreements(
    puzzles: Sequence[Labelled],
    queries: Sequence[Labelled],
    labels: Mapping[str, frozenset[str]],
    mode: Mode,
    k: int,
) -> dict[str, Agreement]:
    index = index_in_memory(encode_all((puzzle.row for puzzle in puzzles), len(puzzles), mode))
    terms = [_terms(puzzle.row, mode) for puzzle in queries]
    kinds: dict[str, tuple[str, ...]] = {
        str(by): FIELDS_BY[by] for by in (By.STATIC, By.DYNAMIC, By.COMBINED)
    }
    kinds |= {field: (field,) for field in FIELDS if field in terms[0]}
    agreements = {}
    for name, fields in kinds.items():
        shares = []
        for puzzle, words in zip(queries, terms, strict=True):
            keys = best(index, clauses(index, words, mode, fields), k, without=puzzle.row.id)
            agreed = [_jaccard(puzzle.labels, labels[key]) for key in keys]
            # A missing result agrees with nothing.
            shares.append(sum(agreed) / k)
        margin = STANDARD_ERRORS * stdev(shares) / len(shares) ** 0.5 if len(shares) > 1 else 0.0
        agreements[name] = Agreement(mean(shares), margin)
    return agreements


def _terms(row: Row, mode: Mode) -> dict[str, list[str]]:
    board = parse_position(row.puzzle_fen)
    return query_terms(encode(board, parse_moves(board, row.solution), mode))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
