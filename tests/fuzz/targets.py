"""What is fuzzed: the commands that read what others wrote, called in this process.

What starts processes is replaced: the pool of workers by one that mines in this process, Stockfish by
evaluations that are made up.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeVar
from unittest.mock import patch

import chess
import numpy as np

import motifsearch.cli.main
import puzzlegen.cli.main
from benchmarks import feature_sets, themes
from chess_motif import console
from chess_motif.errors import EngineFailedError
from db.packed.block import write_block
from db.packed.file import HEADER_BYTES, Header, Slot, write_index
from db.packed.models import load_models
from db.packed.position import KEY_BYTES, sort_key
from db.packed.verdicts import compress
from db.store import Store
from engines.engine import Engine
from engines.human.leela import onnx_model, read_leela_network
from engines.human.model import MODEL_VARIABLE
from engines.search_cache import CachedEngine
from engines.uci_server import serve
from motifsearch.retrieval.chessbert import chessbert_engine
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.embedding import save_arrays
from puzzlegen.formats.exporting import Format
from tests.fuzz.mining_here import made_up_pool
from tests.fuzz.mutations import mutated
from tests.helpers.leela_files import SmallNetwork
from tests.helpers.pool_here import mining_in

CORPUS = Path(__file__).parent / "corpus"

# An input: one or more files by name.
Files = dict[str, bytes]

T = TypeVar("T")

# The base: a database with the puzzles and games of these files, and its indexes.
_PUZZLES, _GAMES = CORPUS / "csv" / "puzzles.csv", CORPUS / "games" / "games.pgn"
_DATABASE, _EMPTY = "puzzles.db", "empty.db"
_INDEX = f"{_DATABASE}.index"

# The memory of the engines, and its files of arrays.
_MEMORY = "memory"
_ARRAYS = ("table-*.npz", "embedding.npz")

# The folder with what each SQL file of the corpus makes of the database.
_DAMAGED = "damaged"

# Positions to search for when the grades are fuzzed.
_QUERIES = CORPUS / "queries" / "queries.fen"

# A puzzle and a position to search for.
_PUZZLE = "motif0"
_FEN = "r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1"

# Moves from that position on.
_LINE = ("Nxc7+", "Kd8", "Nxa8", "b6", "O-O", "Kc8", "Nxb6+")

# The functions that read `sys.argv` as the commands do.
_MAINS: dict[str, Callable[[], object]] = {
    "puzzlegen": puzzlegen.cli.main.app,
    "motifsearch": motifsearch.cli.main.app,
    "benchmarks.feature_sets": feature_sets.main,
    "benchmarks.themes": themes.main,
}

# Options that leave games out.
_FEWER_GAMES = (("--player", "ann"), ("--evaluated-only",), ("--limit", "2", "--json"))

# What a terminal obeys, and what reverses the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# Bytes that Linux allows in an argument.
_LONGEST_ARGUMENT = 131_071

# Seconds for which a search waits for an engine that says nothing.
_PATIENCE = 0.2

# Says what is in a file. A last line without an end goes on for ever; otherwise `go` ends it.
_ENGINE = """#!/bin/sh
cat "{file}"
while [ -n "$(tail -c 1 "{file}")" ] && cat "{file}"; do :; done
while read -r line; do case $line in go*|quit) exit;; esac; done
"""


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
        """The text of the only file as a shell passes it to a command: limited, and without NUL."""
        return os.fsdecode(next(iter(self.files.values())).replace(b"\0", b"")[:_LONGEST_ARGUMENT])

    def copy_of(self, name: str) -> Path:
        """Return a copy of a database of the base."""
        return Path(shutil.copy(self.base / name, self.folder / _DATABASE))


@dataclass(frozen=True)
class Target:
    """What is fuzzed: the inputs to start from, given the base, and what is done with each input.

    `weight` says how many of all inputs are for this target.
    """

    seeds: Callable[[Path], list[Files]]
    run: Callable[[FuzzCase], object]
    weight: int


def input_of(seeds: list[Files], random: Random, number: int) -> Files:
    """Return input `number`: the seeds themselves come first, then changes of them."""
    if number < len(seeds):
        return seeds[number]
    files = dict(random.choice(seeds))
    name = random.choice(sorted(files))
    other = random.choice(seeds)
    changed = mutated(random, files.pop(name), other[random.choice(sorted(other))])
    # Of several files one may be missing.
    return files if files and random.random() < 0.1 else {**files, name: changed}


def make_base(folder: Path) -> None:
    """Make the base in a new folder."""
    folder.mkdir()
    database = folder / _DATABASE
    Store(str(folder / _EMPTY)).close()
    _run("puzzlegen", "import", _PUZZLES, "--db", database)
    _run("motifsearch", "positions", "add", _GAMES, "--db", database)
    _run("motifsearch", "index", "--db", database)
    _run("motifsearch", "retrieval", "build", _GAMES, "--memory", folder / _MEMORY)
    (folder / _DAMAGED).mkdir()
    for script in (CORPUS / "sql").iterdir():
        copy = shutil.copy(database, folder / _DAMAGED / f"{script.stem}.db")
        with closing(sqlite3.connect(copy)) as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
            # Small pages have little empty space, where changes would have no effect.
            connection.executescript("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")


def _run(name: str, *arguments: object) -> None:
    """Run a command as its user does; whatever it does not turn into an exit status is raised.

    It must not print control characters.
    """
    raw = io.BytesIO()
    printed = io.TextIOWrapper(raw, encoding="utf-8")
    words = [name, *map(str, arguments)]
    with (
        redirect_stdout(printed),
        redirect_stderr(printed),
        patch.object(os, "cpu_count", lambda: 1),
        patch.object(sys, "argv", words),
        suppress(SystemExit),
    ):
        console.run(_MAINS[name], name)
    printed.flush()
    command = " ".join(words[:3]).split(" /")[0]
    _require(not _CONTROL.search(raw.getvalue().decode()), f"{command} prints control characters")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise UnacceptableError(otherwise)


# --- Inputs to start from


def _corpus(name: str, base: Path) -> list[Files]:
    return [
        {"".join(["input", *file.suffixes]): file.read_bytes()} for file in sorted((CORPUS / name).iterdir())
    ]


def _index(name: str, base: Path) -> list[Files]:
    files = sorted((base / _INDEX / name).iterdir())
    return [{f"{_INDEX}/{name}/{file.name}": file.read_bytes() for file in files}]


def _databases(base: Path) -> list[Files]:
    return [{_DATABASE: file.read_bytes()} for file in sorted((base / _DAMAGED).iterdir())]


def _leela_networks(base: Path) -> list[Files]:
    """Return networks that are not yet compressed: what is changed then would be the compression."""
    return [{"network": SmallNetwork(outcomes).content()} for outcomes in (1, 3)]


def _onnx_networks(base: Path) -> list[Files]:
    leela = SmallNetwork().write(base / "network.pb.gz")
    return [{"network.onnx": onnx_model(read_leela_network(leela))}]


# --- What is done with an input


def _chosen(options: Sequence[T], case: FuzzCase) -> T:
    """Return one of the options; the size of the file decides, so that the input alone does."""
    return options[case.file.stat().st_size % len(options)]


def _mine(case: FuzzCase, *options: str) -> None:
    with mining_in(made_up_pool):
        _run("puzzlegen", "mine", case.file, "--pattern", "blunder", *options, "--db", case.copy_of(_EMPTY))


def _mine_some(case: FuzzCase) -> None:
    _mine(case, *_chosen(_FEWER_GAMES, case))


def _add_positions(case: FuzzCase) -> None:
    _run("motifsearch", "positions", "add", case.file, "--db", case.copy_of(_EMPTY))


def _import(case: FuzzCase) -> None:
    database = case.copy_of(_EMPTY)
    _run("puzzlegen", "import", case.file, "--db", database)
    _run("puzzlegen", "list", "--db", database)
    chosen = _chosen([*Format], case)
    # What is not text would control a terminal.
    file = os.devnull if chosen in (Format.APKG, Format.PDF) else "-"
    _run("puzzlegen", "export", file, "--format", chosen, "--kind", "any", "--db", database)


def _similar_puzzles(case: FuzzCase) -> None:
    fen, _, moves = case.text.partition("\n")
    _run("motifsearch", "similar", "--moves", moves, "--why", "--db", case.base / _DATABASE, "--", fen)


def _similar_positions(case: FuzzCase) -> None:
    _run("motifsearch", "positions", "similar", "--json", "--db", case.base / _DATABASE, "--", case.text)


def _report_pairs(case: FuzzCase) -> None:
    _run("motifsearch", "report", "pairs", case.file)


def _measure_themes(case: FuzzCase) -> None:
    _run("benchmarks.themes", case.file)


def _measure_feature_sets(case: FuzzCase) -> None:
    _run("benchmarks.feature_sets", case.file, "--db", case.base / _DATABASE)


def _measure_graded(case: FuzzCase) -> None:
    _run("benchmarks.feature_sets", _QUERIES, "--qrels", case.file, "--db", case.base / _DATABASE)


def _search_puzzles(case: FuzzCase) -> None:
    _run("motifsearch", "similar", _PUZZLE, "--why", "--db", case.copy_of(_DATABASE))


def _search_positions(case: FuzzCase) -> None:
    _run("motifsearch", "positions", "similar", _FEN, "--why", "--db", case.copy_of(_DATABASE))


def _read_database(case: FuzzCase) -> None:
    for words in (["list"], ["show", _PUZZLE], ["stats"], ["export", "-", "--format", "jsonl"], ["retag"]):
        _run("puzzlegen", *words, "--db", case.file)


def _search_database(case: FuzzCase) -> None:
    shutil.copytree(case.base / _INDEX, case.folder / _INDEX)
    for words in (["similar", _PUZZLE], ["positions", "similar", _FEN]):
        _run("motifsearch", *words, "--db", case.file)


def _search_with_engine(case: FuzzCase) -> None:
    program = case.folder / "engine"
    program.write_text(_ENGINE.format(file=case.file))
    program.chmod(0o755)
    with patch.multiple("engines.engine", LEAST_SECONDS=_PATIENCE, ATTEMPTS=1):
        try:
            with Engine(str(program), grace=_PATIENCE) as engine:
                _require(not _CONTROL.search(engine.name), "the engine's name has control characters")
                searcher, board = CachedEngine(engine), chess.Board(_FEN)
                found = searcher.search(board, 1000, lines=2)
                _require(searcher.search(board, 1000, lines=2) == found, "the cache changes what was found")
                _require(engine.nodes >= 0, "negative nodes are believed")
        except EngineFailedError:
            return
    _require(len({variation.move for variation in found}) == len(found), "a repeated move is believed")
    for variation in found:
        after = board.copy()
        for move in variation.moves:
            _require(after.is_legal(move), f"{'a null' if not move else 'an illegal'} move is believed")
            after.push(move)


def _rate_with_leela(case: FuzzCase) -> None:
    compressed = case.folder / "network.pb.gz"
    compressed.write_bytes(gzip.compress(case.file.read_bytes(), 1))
    _rate(case, compressed)


def _rate_with_onnx(case: FuzzCase) -> None:
    _rate(case, case.file)


def _rate(case: FuzzCase, human_model: Path) -> None:
    with patch.dict(os.environ, {MODEL_VARIABLE: str(human_model)}):
        _run("puzzlegen", "rate", "--db", case.copy_of(_EMPTY))


def _packed_parts(_base: Path) -> list[Files]:
    """Return the parts of a block of packed positions: its positions, their verdicts, and its slot."""
    board = chess.Board(_FEN)
    boards = [board.copy(stack=False)]
    for move in _LINE:
        board.push_san(move)
        boards.append(board.copy(stack=False))
    boards.sort(key=sort_key)
    block = write_block(boards, load_models())
    verdict = [0, "Fish", 1000, 1, None, "31 d5c7 e8d8"]
    verdicts = [[1] * len(boards), *([value] * len(boards) for value in verdict)]
    slot = sort_key(boards[0]) + len(boards).to_bytes(4, "little")
    return [{"positions": block.written, "verdicts": json.dumps(verdicts).encode(), "slot": slot}]


def _read_packed(case: FuzzCase) -> None:
    """Read a packed file of these parts, whose sizes and checksums are right."""
    positions, verdicts, slot = (case.files.get(name, b"") for name in ("positions", "verdicts", "slot"))
    judged, slot = compress(verdicts), slot.ljust(KEY_BYTES + 4, b"\0")
    number = int.from_bytes(slot[KEY_BYTES : KEY_BYTES + 4], "little")
    block = positions + judged
    sizes = number, len(positions), len(judged), zlib.crc32(block)
    index = write_index([Slot(slot[:KEY_BYTES], *sizes)])
    digest, at = load_models().digest, HEADER_BYTES + len(block)
    header = Header(digest, number, number, 1, at, len(index), zlib.crc32(index))
    file = case.folder / "fuzzed.pos"
    file.write_bytes(header.written() + block + index)
    _run("puzzlegen", "cache", "info", file)
    _run("puzzlegen", "cache", "near", _FEN, "--cache", file)


def _memories(base: Path) -> list[Files]:
    """Return what a memory says of itself, and the content of its arrays without their checksums."""
    files = {"memory.json": (base / _MEMORY / "memory.json").read_bytes()}
    for file in _ARRAYS:
        with np.load(next((base / _MEMORY).glob(file))) as arrays:
            files |= {f"{file}/{name}": arrays[name].tobytes() for name in arrays.files}
    return [files]


def _play_from_memory(case: FuzzCase) -> None:
    """Play from a memory with this content, whose checksums are right, by both engines."""
    folder = Path(shutil.copytree(case.base / _MEMORY, case.folder / _MEMORY))
    (folder / "memory.json").write_bytes(case.files.get("memory.json", b""))
    for pattern in _ARRAYS:
        (file,) = folder.glob(pattern)
        with np.load(file) as arrays:
            kept = {**arrays}
        given = {name: case.files.get(f"{pattern}/{name}", b"") for name in kept}
        save_arrays(file, {name: _array_of(given[name], like) for name, like in kept.items()})
    commands = ("setoption name MultiPV value 2", "position startpos moves e2e4", "go", "quit")
    for make in (chesscone_engine, chessbert_engine):
        out = io.StringIO()
        serve(make(memory=folder), commands, out)
        said = out.getvalue()
        _require(not _CONTROL.search(said), "an engine prints control characters")
        _require("bestmove" in said and "first move allowed" not in said, "an engine plays the first move")


def _array_of(content: bytes, like: np.ndarray) -> np.ndarray:
    """Return an array of this content with the type of another, and with its shape if that is possible."""
    array = np.frombuffer(content[: len(content) // like.itemsize * like.itemsize], like.dtype)
    return array.reshape(like.shape) if array.size == like.size else array


TARGETS = {
    "mine": Target(partial(_corpus, "games"), _mine, 16),
    "mine, fewer games": Target(partial(_corpus, "games"), _mine_some, 4),
    "positions add": Target(partial(_corpus, "games"), _add_positions, 6),
    "import csv": Target(partial(_corpus, "csv"), _import, 14),
    "import epd": Target(partial(_corpus, "epd"), _import, 8),
    "import pgn": Target(partial(_corpus, "pgn"), _import, 12),
    "import jsonl": Target(partial(_corpus, "jsonl"), _import, 2),
    "similar": Target(partial(_corpus, "fen"), _similar_puzzles, 10),
    "positions similar": Target(partial(_corpus, "fen"), _similar_positions, 5),
    "report pairs": Target(partial(_corpus, "pairs"), _report_pairs, 5),
    "themes": Target(partial(_corpus, "csv"), _measure_themes, 2),
    "feature-sets": Target(partial(_corpus, "queries"), _measure_feature_sets, 2),
    "feature-sets --qrels": Target(partial(_corpus, "grades"), _measure_graded, 2),
    "engine": Target(partial(_corpus, "engine"), _search_with_engine, 6),
    "index of puzzles": Target(partial(_index, "default"), _search_puzzles, 2),
    "index of positions": Target(partial(_index, "positions"), _search_positions, 2),
    "database": Target(_databases, _read_database, 2),
    "database, searched": Target(_databases, _search_database, 1),
    "packed positions": Target(_packed_parts, _read_packed, 4),
    "network of Leela": Target(_leela_networks, _rate_with_leela, 2),
    "network in ONNX": Target(_onnx_networks, _rate_with_onnx, 1),
    "memory of the engines": Target(_memories, _play_from_memory, 1),
}
