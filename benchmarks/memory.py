"""How fast the memory of the engines is built and searched, what it takes, and what its index misses.

    python -m benchmarks.memory DIR QUERIES.pgn... [--games GAMES.pgn.zst...] [--count N]

Builds the memory in DIR of GAMES, or takes the one that is there, and searches for a position of each of the
first N games of QUERIES, at random plies. The bound is an exact search by comparing all vectors (faiss'
IndexFlatL2). Prints a table.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

import chess
import faiss
import numpy as np

from benchmarks.command import parser_for, run, show
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from db.store import Store
from motifsearch.retrieval.build import MemoryReport, distinct_vectors, remember_games
from motifsearch.retrieval.folder import MemoryFolder, load_parts, own_database
from motifsearch.retrieval.memory import Memory, make_table
from motifsearch.retrieval.vectors import load_vectors
from training.parts import sample_plies, usable_games_of

# Neighbours whose recall is measured, and those that Chesscone asks for.
FEW, MANY = 10, 1000


# Returns the nearest vectors of one, as many as asked for.
Search = Callable[[np.ndarray, int], np.ndarray]


def positions(archives: list[str]) -> Iterator[chess.Board]:
    """Yield a position of each game, chosen at random, the same ones on each call."""
    for game in usable_games_of(archives):
        (ply,) = sample_plies(game.key, range(len(game.moves)), 1)
        yield next(islice(game.positions(), ply, None))


def seconds_of(search: Search, vectors: np.ndarray, k: int) -> tuple[list[np.ndarray], float]:
    """Return the nearest vectors of each query, and the median time of a search."""
    found, times = [], []
    for vector in vectors:
        begun = time.perf_counter()
        found.append(search(vector, k))
        times.append(time.perf_counter() - begun)
    return found, median(times)


def size_of(files: Iterator[Path] | list[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("queries", nargs="+")
    parser.add_argument("--games", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    folder = MemoryFolder(options.folder)
    options.folder.mkdir(parents=True, exist_ok=True)

    begun = time.perf_counter()
    with Store(own_database(options.folder), create=False) as store, TerminalProgress() as progress:
        _, report = remember_games(options.games, store, options.folder, progress=progress)
        figures = built(folder, report, time.perf_counter() - begun)
        memory = Memory(store, options.folder)
        boards = [*islice(positions(options.queries), options.count)]
        figures |= searched(folder, memory, boards)
    text = table(["", "figure"], [[name, f"{figure:,.3g}"] for name, figure in figures.items()], right="lr")
    show(text, figures, as_json=options.json)


def built(folder: MemoryFolder, report: MemoryReport, seconds: float) -> dict[str, float]:
    """Return what the memory takes and, if games were added, how long that took."""
    facts = folder.facts()
    assert facts is not None
    needed = [folder.table_file(facts.last), folder.vectors_file(facts.last)]
    figures: dict[str, float] = {
        "games": report.games,
        "moves played": report.occurrences,
        "different positions": report.positions,
        "bytes a position, to play": size_of(needed) / report.positions,
        "bytes a position, to add games": size_of([*folder.parts.iterdir()]) / report.positions,
    }
    if report.added:
        figures |= {"seconds to build": seconds, "games a second": report.added / seconds}
        for who, name in ((resource.RUSAGE_SELF, "peak MB"), (resource.RUSAGE_CHILDREN, "peak MB, a worker")):
            figures[name] = resource.getrusage(who).ru_maxrss / 1024
    return figures


def searched(folder: MemoryFolder, memory: Memory, boards: list[chess.Board]) -> dict[str, float]:
    """Return how long searches take in this process, and what share of the nearest vectors they find."""
    facts = folder.facts()
    assert facts is not None
    begun = time.perf_counter()
    queries = np.concatenate([memory.embedding([board]) for board in boards])
    embedding = (time.perf_counter() - begun) / len(boards)
    _, is_first = make_table(load_parts(folder.parts))
    vectors = np.concatenate([*distinct_vectors(folder, is_first)])
    exact = faiss.IndexFlatL2(vectors.shape[1])
    exact.add(vectors)
    index = load_vectors(folder.vectors_file(facts.last), facts.vectors)
    figures = {"ms to embed a position": 1000 * embedding}
    for k in (FEW, MANY):
        found, ours = seconds_of(lambda vector, k: index.nearest(vector, k)[0], queries, k)
        bound, all_of_them = seconds_of(lambda vector, k: exact.search(vector[None], k)[1][0], queries, k)
        shares = [len({*some} & {*best}) / k for some, best in zip(found, bound, strict=True)]
        figures |= {
            f"recall@{k}": float(np.mean(shares)),
            f"ms for {k}": 1000 * ours,
            f"ms for {k}, exact": 1000 * all_of_them,
        }
    begun = time.perf_counter()
    for board in boards:
        memory.near(board, MANY)
    return figures | {"queries a second, all included": len(boards) / (time.perf_counter() - begun)}


if __name__ == "__main__":
    run(main)
