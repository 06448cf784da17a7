"""Results and grades in the formats of TREC, which all evaluation programs read.

A file of results (a run) has lines `query Q0 document rank score run`, one of grades (qrels) lines `query 0
document grade`. A document is a position of an archived game; its name is the same on every computer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chess_motif.errors import InputError, TableError, reason_of
from chess_motif.output import output
from motifsearch.evaluation.pairs import Skipped
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.searcher import PositionHit
from puzzlegen.formats.lines import lines_of, read_entries
from puzzlegen.games.archive import open_archive

# What the grades mean, from 0 on: the words that the paper's authors gave their graders
# (https://github.com/gdebasis/ChessR, ResultDisplayer.java).
GRADES = ("not relevant", "somewhat relevant", "relevant", "highly relevant", "extremely relevant")

_GRADES = [str(grade) for grade in range(len(GRADES))]

# Evaluation programs order results by score, and those with equal scores by document. The score of a result
# that ties with the one before is therefore written lower by this amount; scores have three decimals.
TIE = 0.0001

# The results by feature set and query id; queries without a term of the feature set are missing.
Results = Mapping[FeatureSet, Mapping[str, Sequence[PositionHit]]]

# Grades by query id and document.
Grades = dict[str, dict[str, int]]


@dataclass
class QrelsFile:
    """The contents of a file of grades."""

    grades: Grades = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


def document_id(hit: PositionHit) -> str:
    """Return the name of a position, such as `0123456789abcdef:41`: the key of its game, and the ply."""
    return f"{hit.game.game.key}:{hit.ply}"


def falling_scores(results: Sequence[PositionHit]) -> dict[str, float]:
    """Return a score for each document, best first, such that no two are equal."""
    scores: dict[str, float] = {}
    lowest = float("inf")
    for hit in results:
        lowest = min(hit.score, round(lowest - TIE, 4))
        scores[document_id(hit)] = lowest
    return scores


def run_lines(run: FeatureSet, results: Mapping[str, Sequence[PositionHit]]) -> Iterator[str]:
    """Yield the lines of a run's file."""
    for query, hits in results.items():
        for rank, (document, score) in enumerate(falling_scores(hits).items(), start=1):
            yield f"{query} Q0 {document} {rank} {score:.4f} {run}\n"


def write_runs(folder: Path, results: Results) -> list[Path]:
    """Write a file such as `CombAll.run` for each run; return the paths. Raises `InputError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {reason_of(error)}") from error
    files = []
    for run, by_query in results.items():
        files.append(folder / f"{run}.run")
        with output(str(files[-1])) as out:
            out.writelines(run_lines(run, by_query))
    return files


def read_qrels(path: Path) -> QrelsFile:
    """Return the grades in a file; the last one for a document counts.

    Raises `InputError` if it cannot be read.
    """
    contents = QrelsFile()
    with open_archive(str(path)) as archive:
        for place, grade in read_entries(lines_of(archive), _grade):
            if isinstance(grade, InputError):
                contents.skipped.append(Skipped(place, str(grade)))
            else:
                query, document, number = grade
                contents.grades.setdefault(query, {})[document] = number
    return contents


def _grade(line: str) -> tuple[str, str, int]:
    """Return the query, the document and the grade of a line."""
    cells = line.split()
    if len(cells) != 4:
        raise TableError(f"{len(cells)} cells, not the 4 of a grade: query 0 document grade")
    query, _, document, grade = cells
    if grade not in _GRADES:
        raise TableError(f"the grade is {grade!r}, not one of {', '.join(_GRADES)}")
    return query, document, int(grade)
