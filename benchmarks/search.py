"""How fast puzzles are encoded, indexed and searched, and what rescoring misses.

    python -m benchmarks.search PUZZLES.csv[.zst] [--puzzles N] [--queries N]

Indexes the puzzles of a file in the Lichess schema on disk, except those that are the queries. If `--puzzles`
is more than the file has, the rest are variants of these puzzles: in each field, up to `REPLACED` of the
terms are replaced by terms of another puzzle. Then it searches as `motifsearch similar` does in a warm
process, and compares the best ten results with those of an exhaustive search. With up to 200,000 puzzles,
bm25s searches for the same number of results, with the same words in one field and the same k1 and b; it is
given the words, which we make of the moves. Prints a table.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import bm25s

from benchmarks.command import at_least, parser_for, run
from benchmarks.puzzles import read_puzzles, rows_of
from chess_motif.tables import table
from motifsearch.index.directory import Index, Writer, create, open_index
from motifsearch.puzzles.index import COMMIT_EVERY, WRITERS, Encoded, Row, encode_all, puzzle_schema
from motifsearch.puzzles.ranking import best, clauses
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT

RESULTS = 10

# The largest share of a field's terms that is replaced in a variant; shares are uniformly distributed.
REPLACED = 0.6

# The most puzzles whose words fit into memory as lists, for bm25s.
FOR_BM25S = 200_000


def varied(puzzles: list[Encoded]) -> Iterator[Encoded]:
    """Yield endless variants of the puzzles, with higher numbers than the puzzles."""
    generator = random.Random(1)
    fields = [{name: terms.split() for name, terms in puzzle.fields.items()} for puzzle in puzzles]
    numbers = count(max(puzzle.number for puzzle in puzzles) + 1)
    for copy in count(1):
        for puzzle, own in zip(puzzles, fields, strict=True):
            other = generator.choice(fields)
            mixed = {name: " ".join(_mixed(terms, other[name], generator)) for name, terms in own.items()}
            yield Encoded(next(numbers), f"{puzzle.id}-{copy}", mixed)


def _mixed(own: list[str], other: list[str], generator: random.Random) -> list[str]:
    """Return a field's terms, a run of which is replaced by an equal share of another puzzle's terms."""
    share, place = REPLACED * generator.random(), generator.random()
    replaced, new = round(share * len(own)), round(share * len(other))
    first, first_new = round(place * (len(own) - replaced)), round(place * (len(other) - new))
    return own[:first] + other[first_new : first_new + new] + own[first + replaced :]


def write(directory: Path, puzzles: Iterable[Encoded]) -> None:
    index = create(directory, {}, puzzle_schema())
    with Writer(index, WRITERS) as writer:
        for done, puzzle in enumerate(puzzles, start=1):
            writer.add(puzzle.document())
            if done % COMMIT_EVERY == 0:
                writer.commit()


def asked_terms(row: Row) -> dict[str, list[str]]:
    return query_terms(encode(row.tactics()))


def search(index: Index, row: Row, *, exact: bool = False) -> list[str]:
    asked = clauses(index, asked_terms(row), DEFAULT)
    return [one.key for one in best(index, asked, RESULTS, exact=exact)]


def timed(work: Callable[[Any], Any], queries: Iterable[Any]) -> tuple[list[Any], list[str]]:
    """Return the answers, and the median and the 95th percentile of their times in milliseconds."""
    answers, taken = [], []
    for query in queries:
        started = time.perf_counter()
        answers.append(work(query))
        taken.append(1000 * (time.perf_counter() - started))
    return answers, [f"{median(taken):.1f}", f"{quantiles(taken, n=20)[-1]:.1f}"]


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", metavar="PUZZLES")
    parser.add_argument("--puzzles", type=at_least(1), help="size of the index; default: all in the file")
    parser.add_argument("--queries", type=at_least(2), default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(arguments, Path(folder) / "index")


def measure(arguments: argparse.Namespace, directory: Path) -> None:
    rows = rows_of(read_puzzles(arguments.file))
    random.Random(2).shuffle(rows)
    queries, rows = rows[: arguments.queries], sorted(rows[arguments.queries :], key=lambda row: row.number)
    wanted = arguments.puzzles or len(rows)

    started = time.perf_counter()
    real = list(encode_all(rows, len(rows), DEFAULT))
    encoding = time.perf_counter() - started
    started = time.perf_counter()
    write(directory, islice(chain(real, varied(real)), wanted))
    writing = time.perf_counter() - started

    started = time.perf_counter()
    index = open_index(directory)
    opening = time.perf_counter() - started
    _, (first, _) = timed(partial(search, index), queries[:1] * 2)
    timed(partial(search, index), queries[:10])
    timed(partial(search, index, exact=True), queries[:10])
    found, ours = timed(partial(search, index), queries)
    every, exhaustive = timed(partial(search, index, exact=True), queries)
    _, encoded = timed(asked_terms, queries)
    overlap = mean(
        len(set(some) & set(all_)) / len(set(all_)) for some, all_ in zip(found, every, strict=True)
    )

    theirs = ["", ""]
    if wanted <= FOR_BM25S:
        theirs = bm25s_times(real[:wanted], list(encode_all(queries, len(queries), DEFAULT)))
    size = sum(file.stat().st_size for file in directory.iterdir())
    figures = [
        ["puzzles", f"{index.count:,}", "", ""],
        ["encoded a second", f"{len(rows) / encoding:,.0f}", "", ""],
        ["written a second", f"{wanted / writing:,.0f}", "", ""],
        ["size, MB", f"{size / 1e6:,.0f}", "", ""],
        ["segments", f"{index.searcher.num_segments}", "", ""],
        ["opening, ms", f"{1000 * opening:.0f}", "", ""],
        ["first searches, ms", first, "", ""],
        ["search, median ms", ours[0], exhaustive[0], theirs[0]],
        ["search, 95th percentile ms", ours[1], exhaustive[1], theirs[1]],
        ["of which terms of the query, ms", encoded[0], encoded[0], ""],
        ["overlap of the best ten", f"{overlap:.4f}", "", ""],
        ["peak MB", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}", "", ""],
    ]
    print(table(["", "ours", "exhaustive", "bm25s"], figures, right="lrrr"))


def bm25s_times(puzzles: list[Encoded], queries: list[Encoded]) -> list[str]:
    words = [
        [[term for terms in one.fields.values() for term in terms.split()] for one in part]
        for part in (puzzles, queries)
    ]
    retriever = bm25s.BM25(k1=1.2, b=0.75)
    retriever.index(words[0], show_progress=False)
    _, took = timed(lambda query: retriever.retrieve([query], k=RESULTS, show_progress=False), words[1])
    return took


if __name__ == "__main__":
    run(main)
