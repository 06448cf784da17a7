"""How good the feature sets of `positions similar` are, by grades of people or programs.

    python -m benchmarks.feature_sets QUERIES.fen QRELS [--db URL]

Searches for the position of each line of QUERIES by each feature set, with the same colours. Blank lines and
comments (# …) are ignored. QRELS has the grades of results as TREC qrels, lines `query 0 document grade`: a
document is a position of an archived game; its name has the key of the game and the ply. Prints P@5, MAP,
nDCG@5 and nDCG, for all queries and by their lengths.

The measures are those of `trec_eval` with the gains 2^grade - 1. Ungraded results count as not relevant;
their number among the first five is also printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
from ir_measures import AP, P, calc_aggregate, nDCG

from benchmarks.command import parser_for, run
from chess_motif.errors import InputError, TableError
from chess_motif.notation import parse_placement
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from db.store import Store
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import FeatureSet
from puzzlegen.formats.lines import lines_of, read_entries
from puzzlegen.games.archive import open_archive

# The meanings of the grades from 0 on, in the words for the graders of the paper
# (https://github.com/gdebasis/ChessR, ResultDisplayer.java).
GRADES = ("not relevant", "somewhat relevant", "relevant", "highly relevant", "extremely relevant")

# The lowest grade that counts as relevant for binary measures (P@5, MAP), as in the paper (section 7.2.1).
# The authors' program has 1 (https://github.com/gdebasis/ChessR, ResultSet.java).
RELEVANT = 2

# The gain of each grade in nDCG and nDCG@5, as in the authors' program.
GAINS = {grade: 2**grade - 1 for grade in range(len(GRADES))}

# Query lengths (numbers of pieces) that are measured together; 11 to 13 is the best group of Figure 10.
LENGTHS = (range(2, 11), range(11, 14), range(14, 17), range(17, 20), range(20, 23), range(23, 33))

# Results for each query (section 7.1.4), and the cutoff of P@5 and nDCG@5.
RETRIEVED = 200
SHOWN = 5

# Evaluation programs sort results by score, then by document. Therefore the score of a result that ties with
# the result before is written lower by this amount; scores have three decimals.
TIE = 0.0001

_NDCG = nDCG(gains=GAINS)
MEASURES = {
    f"P@{SHOWN}": P(rel=RELEVANT) @ SHOWN,
    "MAP": AP(rel=RELEVANT),
    f"nDCG@{SHOWN}": _NDCG @ SHOWN,
    "nDCG": _NDCG,
}

# Positions to search for, by number in the file; unusable positions are counted, too.
Queries = dict[str, chess.Board]

# The results of each feature set by query, and grades by query and document.
Results = Mapping[FeatureSet, Mapping[str, Sequence[PositionHit]]]
Grades = dict[str, dict[str, int]]


def read_queries(path: Path) -> Queries:
    """Return the positions in a file. Raises `InputError` if it is unreadable or has no usable position."""
    queries: Queries = {}
    with open_archive(str(path)) as archive:
        fens = ((place, line) for place, line in lines_of(archive) if not line.startswith("#"))
        for number, (place, board) in enumerate(read_entries(fens, parse_placement), start=1):
            if isinstance(board, InputError):
                note(f"{path}: {place}: {board}")
            else:
                queries[str(number)] = board
    if not queries:
        raise InputError(f"{path}: no usable position")
    return queries


def read_qrels(path: Path) -> Grades:
    """Return the grades in a file; the last grade of a document counts. Raises `InputError`."""
    grades: Grades = {}
    with open_archive(str(path)) as archive:
        for place, entry in read_entries(lines_of(archive), _grade):
            if isinstance(entry, InputError):
                note(f"{path}: {place}: {entry}")
            else:
                query, document, grade = entry
                grades.setdefault(query, {})[document] = grade
    return grades


def _grade(line: str) -> tuple[str, str, int]:
    """Return the query, the document and the grade of a line."""
    cells = line.split()
    if len(cells) != 4:
        raise TableError(f"{len(cells)} cells, not the 4 of a grade: query 0 document grade")
    query, _, document, grade = cells
    grades = [*map(str, GAINS)]
    if grade not in grades:
        raise TableError(f"the grade is {grade!r}, not one of {', '.join(grades)}")
    return query, document, int(grade)


def falling_scores(results: Sequence[PositionHit]) -> dict[str, float]:
    """Return a score for each document, best first; all scores are different."""
    scores: dict[str, float] = {}
    lowest = float("inf")
    for hit in results:
        lowest = min(hit.score, round(lowest - TIE, 4))
        scores[f"{hit.game.game.key}:{hit.ply}"] = lowest
    return scores


class Measures(NamedTuple):
    """The measures of a feature set by title, each the mean over the graded queries (0…1).

    The first five results for each of these queries are `shown` results in all, of which `ungraded` have no
    grade.
    """

    means: Mapping[str, float]
    ungraded: int
    shown: int


def measure_results(results: Mapping[str, Sequence[PositionHit]], grades: Grades) -> Measures:
    """Return the measures of a feature set by the grades of its results, by query.

    Queries without grades do not count. Raises `InputError` if there is no grade at all.
    """
    if not any(grades.values()):
        raise InputError("no result of these queries has a grade")
    scores = {query: falling_scores(results[query]) for query in grades}
    figures = calc_aggregate([*MEASURES.values()], grades, scores)
    shown = [(query, document) for query in grades for document in [*scores[query]][:SHOWN]]
    ungraded = sum(document not in grades[query] for query, document in shown)
    means = {title: float(figures[measure]) for title, measure in MEASURES.items()}
    return Measures(means, ungraded, len(shown))


def retrieve(store: Store, queries: Queries) -> Results:
    """Return the results of each feature set. Raises what `PositionSearcher.similar` raises."""
    results: dict[FeatureSet, dict[str, list[PositionHit]]] = {one: {} for one in FeatureSet}
    searches = [(one, query) for one in FeatureSet for query in queries]
    with TerminalProgress() as progress, PositionSearcher(store, progress=progress) as searcher:
        for done, (one, query) in enumerate(searches, start=1):
            results[one][query] = searcher.similar(
                queries[query], feature_set=one, colours=Colours.SAME, k=RETRIEVED
            )
            progress.update("searching", done, len(searches), "query")
    return results


def by_length(queries: Queries, grades: Grades) -> dict[str, Grades]:
    """Return the grades of all queries, and by number of pieces, such as `11–13`."""
    graded = {query: grades[query] for query in queries if query in grades}
    groups = {"all": graded}
    for lengths in LENGTHS:
        group = {query: graded[query] for query in graded if len(queries[query].piece_map()) in lengths}
        if group:
            groups[f"{lengths[0]}–{lengths[-1]}"] = group
    return groups


def text_of(measured: Mapping[str, Mapping[FeatureSet, Measures]], groups: Mapping[str, Grades]) -> str:
    """Return a table for all queries, and one for each measure by the lengths of queries."""
    rows = [
        [one, *(f"{mean:.3f}" for mean in found.means.values()), f"{found.ungraded} of {found.shown}"]
        for one, found in measured["all"].items()
    ]
    header = ["run", *MEASURES, f"ungraded in the first {SHOWN}"]
    parts = [f"{len(groups['all'])} graded queries", table(header, rows, right="lrrrrr")]
    lengths = [group for group in groups if group != "all"]
    for title in MEASURES:
        rows = [
            [one, *(f"{measured[group][one].means[title]:.3f}" for group in lengths)] for one in FeatureSet
        ]
        header = ["run", *(f"{group} ({len(groups[group])})" for group in lengths)]
        parts.append(f"{title} by the number of pieces in the query (in parentheses: queries)")
        parts.append(table(header, rows, right="l" + "r" * len(lengths)))
    parts.append(
        f"For P@{SHOWN} and MAP, a result is relevant from grade “{GRADES[RELEVANT]}” on. Ungraded results "
        "count as not relevant."
    )
    return "\n\n".join(parts)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("queries", type=Path, metavar="QUERIES.fen")
    parser.add_argument("qrels", type=Path, metavar="QRELS")
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()

    queries, grades = read_queries(options.queries), read_qrels(options.qrels)
    with Store(options.db, create=False) as store:
        results = retrieve(store, queries)
    groups = by_length(queries, grades)
    measured = {
        group: {one: measure_results(found, chosen) for one, found in results.items()}
        for group, chosen in groups.items()
    }
    print(text_of(measured, groups))


if __name__ == "__main__":
    run(main)
