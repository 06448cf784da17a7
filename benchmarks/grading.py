"""Grading what searches for positions find: queries, results and grades, and the page for people who grade.

Queries are a file with a FEN on each line; blank lines and comments (# …) are ignored. Results and grades
have the formats of TREC, which all evaluation programs read: a file of results (a run) has lines `query Q0
document rank score run`, one of grades (qrels) lines `query 0 document grade`. A document is a position of an
archived game; its name is the same on every computer. A person grades the pool: the best results of all
feature sets together (Ganguly et al., section 7.1.4), mixed to hide which of them found what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import chess
import chess.svg

from chess_motif.errors import InputError, TableError, reason_of
from chess_motif.notation import parse_placement
from chess_motif.output import output
from chess_motif.pages import render
from motifsearch.positions.searcher import PositionHit
from motifsearch.positions.terms import FeatureSet
from motifsearch.puzzles.pair_files import Skipped
from puzzlegen.formats.lines import lines_of, read_entries
from puzzlegen.games.archive import open_archive

# What the grades mean, from 0 on: the words that the paper's authors gave their graders
# (https://github.com/gdebasis/ChessR, ResultDisplayer.java).
GRADES = ("not relevant", "somewhat relevant", "relevant", "highly relevant", "extremely relevant")

_GRADES = [str(grade) for grade in range(len(GRADES))]

# Evaluation programs order results by score, and those with equal scores by document. The score of a result
# that ties with the one before is therefore written lower by this amount; scores have three decimals.
TIE = 0.0001

# The results by feature set and query id.
Results = Mapping[FeatureSet, Mapping[str, Sequence[PositionHit]]]

# Grades by query id and document.
Grades = dict[str, dict[str, int]]

# The results of a run for a query, and the documents of its pool (Ganguly et al., section 7.1.4).
RETRIEVED = 200
POOLED = 200


@dataclass(frozen=True)
class NumberedPosition:
    """A position to search for. `id` is its number in its file, counting unusable positions, too."""

    id: str
    board: chess.Board


@dataclass
class QueryFile:
    """The contents of a file of positions."""

    queries: list[NumberedPosition] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def read_queries(path: Path) -> QueryFile:
    """Return the positions in a file. Raises `InputError` if it cannot be read or has no usable position."""
    contents = QueryFile()
    with open_archive(str(path)) as archive:
        fens = ((place, line) for place, line in lines_of(archive) if not line.startswith("#"))
        for number, (place, board) in enumerate(read_entries(fens, parse_placement), start=1):
            if isinstance(board, InputError):
                contents.skipped.append(Skipped(place, str(board)))
            else:
                contents.queries.append(NumberedPosition(str(number), board))
    if not contents.queries:
        reason = f" ({contents.skipped[0]})" if contents.skipped else ""
        raise InputError(f"{path}: no usable position{reason}")
    return contents


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


@dataclass(frozen=True)
class Pooled:
    """A position to grade: its piece placement as in a FEN, the results with it, and a caption."""

    placement: str
    documents: tuple[str, ...]
    caption: str


def pool(results: Results, query: str) -> list[Pooled]:
    """Return the positions to grade for a query, each once: those of the `POOLED` best documents of all runs.

    The scores of a run are divided by its highest one; a document counts with the best that any run gives it.
    The order is always the same, and does not depend on runs or scores.
    """
    found: dict[str, PositionHit] = {}
    scores: dict[str, float] = {}
    for hits in (by_query[query] for by_query in results.values()):
        for hit in hits:
            document = document_id(hit)
            found[document] = hit
            scores[document] = max(hit.score / hits[0].score, scores.get(document, 0.0))
    documents: dict[str, list[str]] = {}
    for document in sorted(scores, key=lambda document: (-scores[document], document))[:POOLED]:
        documents.setdefault(_placement(found[document]), []).append(document)
    pooled = [
        Pooled(placement, tuple(sorted(same)), _caption(found[min(same)]))
        for placement, same in documents.items()
    ]
    return sorted(pooled, key=lambda position: _digest(f"{query} {position.placement}"))


def grading_task(
    queries: Sequence[NumberedPosition], results: Results, grades: Grades | None = None
) -> dict[str, Any]:
    """Return what the grading page shows, as JSON. It starts with `grades`, if any.

    `key` is the name under which a browser stores the grades of these queries. Queries without results are
    left out. Raises `InputError` if no query has results.
    """
    pools = [(query, pool(results, query.id)) for query in queries]
    if not any(pooled for _, pooled in pools):
        raise InputError("nothing to grade: no run has a result")
    placements = " ".join(query.board.board_fen() for query in queries)
    return {
        # Not to be renamed: browsers keep grades under this name.
        "key": f"chess-motif judgements {_digest(placements)[:16]}",
        "grades": GRADES,
        "queries": [
            {
                "id": query.id,
                "placement": query.board.board_fen(),
                "pool": [vars(position) for position in pooled],
            }
            for query, pooled in pools
            if pooled
        ],
        "graded": [
            [query, document, grade]
            for query, documents in (grades or {}).items()
            for document, grade in documents.items()
        ],
    }


def grading_page(task: Mapping[str, Any]) -> str:
    """Return the page on which a person grades results; `task` is what `grading_task` returns."""
    return render("benchmarks/grading.html", task=task)


def _placement(hit: PositionHit) -> str:
    """Return where the pieces are, with the colours of the query."""
    return hit.as_query()[0].board_fen()


def _caption(hit: PositionHit) -> str:
    game = hit.game.game
    players = f"{game.white or '?'} – {game.black or '?'}"
    # A date such as `2013.??.??` becomes the year.
    facts = [players, game.date.rstrip("?."), f"move {hit.board().fullmove_number}"]
    return ", ".join(filter(None, facts))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
