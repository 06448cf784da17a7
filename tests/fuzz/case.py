"""An input for a target: its files, the base that it may use, and running a command on it.

What starts processes is replaced: the pool of workers by one that mines in this process, Stockfish by
evaluations that are made up.
"""

from __future__ import annotations

import gc
import io
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeVar
from unittest.mock import patch

import motifsearch.cli.main
import puzzlegen.cli.main
from benchmarks import feature_sets, themes
from chess_motif import console
from db.store import Store
from tests.fuzz.mining_here import made_up_pool
from tests.fuzz.mutations import mutated
from tests.helpers.encoder_files import write_encoder
from tests.helpers.pool_here import mining_in

CORPUS = Path(__file__).parent / "corpus"

# An input: one or more files by name.
Files = dict[str, bytes]

T = TypeVar("T")

# The base: a database with the puzzles and games of these files, and its indexes.
PUZZLES, GAMES = CORPUS / "csv" / "puzzles.csv", CORPUS / "games" / "games.pgn"
DATABASE, EMPTY = "puzzles.db", "empty.db"
INDEX = f"{DATABASE}.index"

# A database with a set to be solved.
LESSON, SET = "lesson.db", "lesson"

# Three of the puzzles as JSON lines.
EXPORTED = "exported.jsonl"

# The database with the puzzles of the games, and packed files of positions: alone, and with what was found.
MINED, POSITIONS, SEARCHES = "mined.db", "positions.pos", "searches.pos"

# The memory of the engines, and one with an encoder.
MEMORY, ENCODED = "memory", "encoded"

# The folder with what each SQL file of the corpus makes of the database.
DAMAGED = "damaged"

# A puzzle and a position to search for.
PUZZLE = "motif0"
FEN = "r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1"

# The functions that read `sys.argv` as the commands do.
_MAINS: dict[str, Callable[[], object]] = {
    "puzzlegen": puzzlegen.cli.main.app,
    "motifsearch": motifsearch.cli.main.app,
    "benchmarks.feature_sets": feature_sets.main,
    "benchmarks.themes": themes.main,
}

# What a terminal obeys, and what reverses the direction of text.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# Bytes that Linux allows in an argument.
_LONGEST_ARGUMENT = 131_071


class UnacceptableError(Exception):
    """An input is not refused, and has an effect that none may have."""


@dataclass(frozen=True)
class FuzzCase:
    """An input, written to a folder of its own; `base` has databases and indexes, not to be changed."""

    folder: Path
    base: Path
    files: Files

    def write(self) -> None:
        """Empty the folder and write the files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, content in self.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @property
    def file(self) -> Path:
        """The only file."""
        return self.folder / next(iter(self.files))

    @property
    def text(self) -> str:
        """The text of the only file as a shell passes it to a command."""
        return as_argument(next(iter(self.files.values())))

    def copy_of(self, name: str, to: str = DATABASE) -> Path:
        """Return a copy of a database of the base."""
        return Path(shutil.copy(self.base / name, self.folder / to))


@dataclass(frozen=True)
class Target:
    """What is fuzzed: the inputs to start from, given the base, and what is done with each input.

    `weight` says how many of all inputs are for this target, and `changed` makes another input of one.
    """

    seeds: Callable[[Path], list[Files]]
    run: Callable[[FuzzCase], object]
    weight: int
    changed: Callable[[Random, bytes, bytes], bytes] = mutated


def as_argument(content: bytes) -> str:
    """Return a text as a shell passes it to a command: limited, and without NUL."""
    return os.fsdecode(content.replace(b"\0", b"")[:_LONGEST_ARGUMENT])


def chosen(options: Sequence[T], case: FuzzCase) -> T:
    """Return one of the options; the size of the files decides, so that the input alone does."""
    return options[sum(map(len, case.files.values())) % len(options)]


def make_base(folder: Path) -> None:
    """Make the base in a new folder."""
    folder.mkdir()
    database = folder / DATABASE
    Store(str(folder / EMPTY)).close()
    run("puzzlegen", "import", PUZZLES, "--db", database)
    run("motifsearch", "positions", "add", GAMES, "--db", database)
    run("motifsearch", "index", "--db", database)
    run("motifsearch", "retrieval", "build", GAMES, "--memory", folder / MEMORY)
    encoder = write_encoder(folder / "encoder.onnx")
    run("motifsearch", "retrieval", "build", GAMES, "--memory", folder / ENCODED, "--model", encoder)
    mined = Path(shutil.copy(folder / EMPTY, folder / MINED))
    mine(mined)
    run("puzzlegen", "cache", "pack", folder / SEARCHES, "--db", mined)
    run("puzzlegen", "cache", "pack", folder / POSITIONS, GAMES)
    lesson = Path(shutil.copy(database, folder / LESSON))
    run("motifsearch", "sets", "create", SET, "--for", "ann", "--db", lesson)
    run("motifsearch", "sets", "add", SET, "--side", "white", "--db", lesson)
    run("puzzlegen", "export", folder / EXPORTED, "--limit", "3", "--db", database)
    (folder / DAMAGED).mkdir()
    for script in (CORPUS / "sql").iterdir():
        copy = shutil.copy(database, folder / DAMAGED / f"{script.stem}.db")
        with closing(sqlite3.connect(copy)) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
            # Small pages have little empty space, where changes would have no effect.
            connection.executescript("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")


def mine(database: Path, *options: object) -> None:
    """Mine the games of the base, by evaluations that are made up."""
    with mining_in(made_up_pool):
        run("puzzlegen", "mine", GAMES, "--pattern", "blunder", *options, "--db", database)


def run(name: str, *arguments: object, typed: bytes = b"") -> int:
    """Run a command as its user does, and return its exit status; what it does not turn into one is raised.

    Its standard input is what is `typed`. It must not print control characters.
    """
    raw = io.BytesIO()
    printed = io.TextIOWrapper(raw, encoding="utf-8")
    words = [name, *map(str, arguments)]
    with (
        redirect_stdout(printed),
        redirect_stderr(printed),
        patch.object(os, "cpu_count", lambda: 1),
        # What earlier commands have left would never be freed.
        patch.object(gc, "freeze"),
        patch.object(sys, "argv", words),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8")),
    ):
        try:
            console.run(_MAINS[name], name)
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
    printed.flush()
    command = " ".join(words[:3]).split(" /")[0]
    require(not CONTROL.search(raw.getvalue().decode()), f"{command} prints control characters")
    return status


def require(condition: bool, otherwise: str) -> None:
    """Raise `UnacceptableError` with a reason unless a condition holds."""
    if not condition:
        raise UnacceptableError(otherwise)


def corpus(name: str, base: Path) -> list[Files]:
    """Return the inputs in a folder of the corpus: each is a file, or a folder of several files."""
    return [_input_at(path) for path in sorted((CORPUS / name).iterdir())]


def _input_at(path: Path) -> Files:
    if path.is_file():
        return {"".join(["input", *path.suffixes]): path.read_bytes()}
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes() for file in files}
