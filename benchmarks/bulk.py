"""What importing and indexing many puzzles costs, in replays.

    python -m benchmarks.bulk lichess_db_puzzle.csv.zst

A replay is what python-chess needs for a puzzle: reading the position, and parsing and making each move. The
first puzzles of the file are imported and then indexed, in one process; then they are indexed while they are
imported, as `puzzlegen import` does. Everything is CPU time, measured beside the replays of its own repeat.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import chess

from benchmarks.command import at_least, parser_for, run
from chess_motif.progress import Progress
from chess_motif.tables import table
from db.store import Store
from motifsearch.index.directory import Writer
from motifsearch.puzzles import index, observer
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.observer import indexed
from puzzlegen.formats import importing
from puzzlegen.formats.importing import import_puzzles
from puzzlegen.formats.lines import lines_of
from puzzlegen.games.archive import open_archive
from puzzlegen.reasons.tactics import Tactics

# What is timed by itself in the one pass: where it is, its name there, and what it does.
PARTS: list[tuple[object, str, str]] = [
    (Tactics, "ending", "outcome"),
    (Tactics, "tags", "tags"),
    (observer, "encode", "terms"),
    (importing, "_store", "database"),
    (Writer, "add", "index"),
    (Writer, "commit", "index"),
]

# Lines that are imported before anything is measured.
WARM = 100


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", help="a Lichess puzzle file")
    parser.add_argument("--puzzles", type=at_least(1), default=10_000)
    parser.add_argument("--repeats", type=at_least(1), default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as here:
        for module in (importing, index):
            here.enter_context(patch.object(module, "in_processes", in_this_process))
        lines = read_lines(options.file, options.puzzles)
        # Loading modules and tables takes a second, which few puzzles would have to bear.
        measure(lines[:WARM], Path(folder) / "warm")
        measured = [measure(lines, Path(folder) / str(n)) for n in range(options.repeats)]
    columns = ["replays a puzzle", *map(str, range(1, len(measured) + 1))]
    rows = [[name, *(f"{one[name]:.2f}" for one in measured)] for name in measured[0]]
    print(table(columns, rows, right="l" + len(measured) * "r"))


def read_lines(file: str, count: int) -> list[str]:
    with open_archive(file) as archive:
        return [line for _, line in islice(lines_of(archive), count + 1)]


def in_this_process(work: Callable[[Any], Any], items: Iterable[Any], _: int | None = None) -> Iterator[Any]:
    return map(work, items)


def measure(lines: list[str], folder: Path) -> dict[str, float]:
    """Return the cost of each way, and of each part of the one pass, in replays."""
    puzzles = [(row["FEN"], row["Moves"].split()) for row in csv.DictReader(lines)]
    folder.mkdir()
    file = folder / "puzzles.csv"
    file.write_text("\n".join(lines), encoding="utf-8")

    def at_once(store: Store) -> None:
        indexed(store, lambda seen: import_puzzles(str(file), store, observer=seen), Progress())

    with Store(str(folder / "two.db")) as two, Store(str(folder / "one.db")) as one:
        before = cpu(partial(replay, puzzles))
        took = {
            "import": cpu(partial(import_puzzles, str(file), two)),
            "index": cpu(partial(sync_puzzles, two)),
        }
        took["import, then index"] = sum(took.values())
        took["both at once"] = cpu(partial(at_once, one))
        unit = (before + cpu(partial(replay, puzzles))) / 2
    with Store(str(folder / "parts.db")) as one, ExitStack() as timing:
        parts = {what: 0.0 for *_, what in PARTS}
        for place, name, what in PARTS:
            timing.enter_context(patch.object(place, name, timed(getattr(place, name), what, parts)))
        whole = cpu(partial(at_once, one))
    took |= {f"  {what}": seconds for what, seconds in parts.items()}
    took["  reading the file and checking the moves"] = whole - sum(parts.values())
    return {"one replay, ms": 1000 * unit / len(puzzles)} | {name: t / unit for name, t in took.items()}


def replay(puzzles: list[tuple[str, list[str]]]) -> None:
    for fen, moves in puzzles:
        board = chess.Board(fen)
        for move in moves:
            board.push(board.parse_uci(move))


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def timed(work: Callable[..., Any], what: str, parts: dict[str, float]) -> Callable[..., Any]:
    """Return a function that does the same and adds its time to a part."""

    @wraps(work)
    def doing(*arguments: Any, **named: Any) -> Any:
        started = time.process_time()
        result = work(*arguments, **named)
        parts[what] += time.process_time() - started
        return result

    return doing


if __name__ == "__main__":
    run(main)
