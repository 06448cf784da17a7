"""How fast positions are archived, indexed and searched for, and what they take.

    python -m benchmarks.position_search QUERIES.fen GAMES... [--db URL] [--times N]

Archives and indexes the games (in a new database, unless --db names one that has them), then searches for
the position of each line of QUERIES by each feature set, with the same colours, in one process.
Prints two tables.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import chess

from benchmarks.command import parser_for, run, show
from benchmarks.grading import read_queries
from chess_motif.tables import table
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.positions.index import sync_positions
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import PositionSearcher
from motifsearch.positions.terms import FeatureSet


def build(store: Store, games: list[str]) -> dict[str, float]:
    """Archive and index the games; return what that took."""
    begun = time.perf_counter()
    added = add_games(games, store)
    archived = time.perf_counter()
    _, report = sync_positions(store)
    ended = time.perf_counter()
    figures: dict[str, float] = {"games": added.games, "positions": report.indexed}
    if report.positions:
        figures |= {
            "seconds to archive": archived - begun,
            "seconds to index": ended - archived,
            "positions a second": report.positions / (ended - begun),
        }
    figures["index, bytes a position"] = sum(map(size, report.folders)) / report.indexed
    if store.path is not None:
        figures["database, bytes a position"] = store.path.stat().st_size / report.indexed
    for who, name in ((resource.RUSAGE_SELF, "peak MB"), (resource.RUSAGE_CHILDREN, "peak MB, a worker")):
        figures[name] = resource.getrusage(who).ru_maxrss / 1024
    return figures


def size(folder: Path) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(folder))


def latencies(
    searcher: PositionSearcher, queries: list[chess.Board], feature_set: FeatureSet, times: int
) -> list[float]:
    """Return the milliseconds of each query, the median of several times."""
    found = []
    for board in queries:
        taken = []
        for _ in range(times):
            begun = time.perf_counter()
            searcher.similar(board, feature_set=feature_set, colours=Colours.SAME)
            taken.append(1000 * (time.perf_counter() - begun))
        found.append(median(taken))
    return found


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--db")
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    queries = [query.board for query in read_queries(arguments.queries).queries]
    with tempfile.TemporaryDirectory() as folder, Store(arguments.db or f"{folder}/positions.db") as store:
        figures = build(store, arguments.games)
        with PositionSearcher(store) as searcher:
            searched = {one: latencies(searcher, queries, one, arguments.times) for one in FeatureSet}
    rows = [
        [
            run,
            *(f"{value:.0f}" for value in (median(found), quantiles(found, n=20)[-1], max(found))),
        ]
        for run, found in searched.items()
    ]
    built = table(["", ""], [[name, f"{value:,.0f}"] for name, value in figures.items()], right="lr")
    times = table(["feature set", "median ms", "95th", "longest"], rows, right="lrrr")
    show(f"{built}\n\n{times}", {"build": figures, "milliseconds": searched}, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
