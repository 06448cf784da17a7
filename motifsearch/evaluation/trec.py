"""Results and grades in the formats of TREC, which every evaluation program reads.

A run is a file of lines `query Q0 document rank score run`; grades (qrels) are a file of lines
`query 0 document grade`. A document is a position of an archived game; its name is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chess_motif.errors import InputError
from chess_motif.output import output
from motifsearch.evaluation.pairs import Skipped
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.searcher import PositionHit

# What each grade means, from 0 on: the words with which the paper's authors had results graded
# (https://github.com/gdebasis/ChessR, ResultDisplayer.java).
GRADES = ("not relevant", "somewhat relevant", "relevant", "highly relevant", "extremely relevant")

_GRADES = [str(grade) for grade in range(len(GRADES))]

# Evaluation programs order by score, and equal scores by document. A result with the same score as the one
# before it is therefore written with a score that is lower by this; scores have three decimals.
TIE = 0.0001

# The results of each feature set by query id; queries without a term of the feature set are missing.
Results = Mapping[FeatureSet, Mapping[str, Sequence[PositionHit]]]

# Grades by document by query.
Grades = dict[str, dict[str, int]]


@dataclass
class QrelsFile:
    """The contents of a file of grades."""

    grades: Grades = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


def document_id(found: PositionHit) -> str:
    """Return the name of a position, such as `0123456789abcdef:41`: the game's key, and the ply."""
    return f"{found.game.game.key}:{found.ply}"


def falling_scores(results: Sequence[PositionHit]) -> dict[str, float]:
    """Return the score of each document, best first, all different."""
    scores: dict[str, float] = {}
    lowest = float("inf")
    for found in results:
        lowest = min(found.score, round(lowest - TIE, 4))
        scores[document_id(found)] = lowest
    return scores


def run_lines(feature_set: FeatureSet, results: Mapping[str, Sequence[PositionHit]]) -> Iterator[str]:
    """Yield the lines of a run's file."""
    for query, found in results.items():
        for rank, (document, score) in enumerate(falling_scores(found).items(), start=1):
            yield f"{query} Q0 {document} {rank} {score:.4f} {feature_set}\n"


def write_runs(folder: Path, results: Results) -> list[Path]:
    """Write a run for each feature set, such as `CombAll.run`; return the files. Raises `InputError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {(error.strerror or str(error)).lower()}") from error
    files = []
    for feature_set, found in results.items():
        files.append(folder / f"{feature_set}.run")
        with output(str(files[-1])) as out:
            out.writelines(run_lines(feature_set, found))
    return files


def read_qrels(path: Path) -> QrelsFile:
    """Return the grades in a file; of two for the same document the later one counts.

    Raises `InputError` when it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    found = QrelsFile()
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 4:
            reason = f"{len(cells)} cells, not the 4 of a grade: query 0 document grade"
            found.skipped.append(Skipped(f"line {number}", reason))
        elif cells[3] not in _GRADES:
            reason = f"the grade is {cells[3]!r}, not one of {', '.join(_GRADES)}"
            found.skipped.append(Skipped(f"line {number}", reason))
        else:
            query, _, document, grade = cells
            found.grades.setdefault(query, {})[document] = int(grade)
    return found
