"""How fast puzzles are encoded, indexed and searched, against bm25s on the same documents.

    python benchmarks/puzzle_search.py PUZZLES.csv[.zst] [--copies N] [--queries N]

Encodes and indexes all puzzles of a file of puzzles in the Lichess schema (and, with `--copies`, that many of
each, whose terms vary a little), then searches for some of them as `motifsearch similar` does in a warm
process. Without copies, bm25s gets the same words in one field, with the same k1 and b, and looks for as
many results. Prints a table and JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import bm25s
import tantivy

from chess_motif.notation import parse_moves, parse_position
from chess_motif.tables import table
from motifsearch.index.directory import Index, Writer
from motifsearch.puzzles.documents import document, schema
from motifsearch.puzzles.encoding import Encoded, Row, encode_all
from motifsearch.puzzles.ranking import best, clauses, scores
from motifsearch.terms import DYNAMIC_FIELDS, STATIC_FIELDS, Mode, encode, query_terms
from puzzlegen.formats import lichess_csv
from puzzlegen.formats.entry import ImportedPuzzle
from puzzlegen.games.archive import open_archive

RESULTS = 10


def rows_of(file: Path) -> list[Row]:
    with open_archive(str(file)) as archive:
        entries = [entry.row for _, entry in lichess_csv.read(archive) if isinstance(entry, ImportedPuzzle)]
    return [Row(n, entry["id"], entry["puzzle_fen"], entry["solution"]) for n, entry in enumerate(entries, 1)]


def varied(puzzles: list[Encoded], copies: int) -> Iterator[Encoded]:
    """Yield each puzzle `copies` times; all but the first lack a tenth of their terms."""
    chance = random.Random(1)
    for copy in range(copies):
        for puzzle in puzzles:
            if not copy:
                yield puzzle
                continue
            fields = {
                field: " ".join(term for term in terms.split() if chance.random() > 0.1)
                for field, terms in puzzle.fields.items()
            }
            yield replace(
                puzzle, number=puzzle.number + copy * 10_000_000, id=f"{puzzle.id}-{copy}", fields=fields
            )


def search(index: Index, row: Row) -> list[str]:
    board = parse_position(row.puzzle_fen)
    terms = query_terms(encode(board, parse_moves(board, row.solution)))
    asked = clauses(index, terms, Mode.DEFAULT)
    keys = best(index, asked, RESULTS, without=row.id)
    for fields in (STATIC_FIELDS, DYNAMIC_FIELDS):
        scores(index, [clause for clause in asked if clause.field in fields], keys)
    return keys


def timed(work: Any, queries: list[Any]) -> tuple[float, float]:
    """Return the median and the 95th percentile of the milliseconds that the queries take."""
    taken = []
    for query in queries:
        started = time.perf_counter()
        work(query)
        taken.append(1000 * (time.perf_counter() - started))
    return median(taken), quantiles(taken, n=20)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--queries", type=int, default=200)
    arguments = parser.parse_args()

    rows = rows_of(arguments.puzzles)
    started = time.perf_counter()
    index = Index(tantivy.Index(schema()))
    writer = Writer(index)
    puzzles = []
    for puzzle in encode_all(rows, len(rows), Mode.DEFAULT):
        writer.add(document(puzzle))
        puzzles.append(puzzle)
    writer.commit()
    seconds = time.perf_counter() - started
    for puzzle in varied(puzzles, arguments.copies):
        if puzzle.number > 10_000_000:
            writer.add(document(puzzle))
    writer.commit()
    writer.close()

    chosen = random.Random(2).sample(range(len(rows)), min(arguments.queries, len(rows)))
    for number in chosen[:10]:
        search(index, rows[number])
    ours = timed(lambda number: search(index, rows[number]), chosen)
    figures = [
        ["puzzles", f"{index.count:,}", ""],
        ["encoded and indexed a second", f"{len(rows) / seconds:,.0f}", ""],
        ["search, median ms", f"{ours[0]:.1f}", ""],
        ["search, 95th percentile ms", f"{ours[1]:.1f}", ""],
    ]
    # Half a million documents as lists of words would not fit into memory.
    if arguments.copies == 1:
        corpus = [[term for terms in puzzle.fields.values() for term in terms.split()] for puzzle in puzzles]
        theirs = bm25s.BM25(k1=1.2, b=0.75)
        theirs.index(corpus, show_progress=False)
        took = timed(lambda number: theirs.retrieve([corpus[number]], k=RESULTS, show_progress=False), chosen)
        for row, value in zip(figures[2:], took, strict=True):
            row[2] = f"{value:.1f}"
    print(table(["", "ours", "bm25s"], figures, right="lrr"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"figures": figures, "peak MB": memory}), file=sys.stderr)


if __name__ == "__main__":
    main()
