"""What this program wrote and somebody else may have changed: packed files, and memories of the engines."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import chess
import numpy as np

from chess_motif.errors import ChessMotifError
from chess_motif.notation import parse_position
from db.packed.block import write_block
from db.packed.file import HEADER_BYTES, Header, PackedFile, Slot, write_index, write_packed
from db.packed.models import load_models
from db.packed.position import KEY_BYTES, sort_key
from db.packed.verdicts import PackedEntry, Verdict, compress
from engines.uci_server import serve
from motifsearch.retrieval.chessbert import chessbert_engine
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.embedding import save_arrays
from motifsearch.retrieval.engine import ALONE, MemoryEngine
from motifsearch.retrieval.vectors import checksum_of
from tests.fuzz.case import (
    CONTROL,
    EMPTY,
    FEN,
    MEMORY,
    MINED,
    POSITIONS,
    SEARCHES,
    Files,
    FuzzCase,
    corpus,
    mine,
    require,
    run,
)

# Moves from that position on.
_LINE = ("Nxc7+", "Kd8", "Nxa8", "b6", "O-O", "Kc8", "Nxb6+")

# The files of arrays of a memory.
_ARRAYS = ("table-*.npz", "embedding.npz")

# The file that says what a memory was built from.
FACTS = "memory.json"

_PACKED = "packed.pos"

# What a memory has besides what is changed: its database.
_NOT_CHANGED = (".db", ".db-wal", ".db-shm", ".lock")

# What both engines are told.
_COMMANDS = ("setoption name MultiPV value 2", "position startpos moves e2e4", "go", "quit")


# --- Packed files


def packed_parts(base: Path) -> list[Files]:
    """Return the parts of a block of packed positions: its positions, their verdicts, and its slot."""
    board = chess.Board(FEN)
    boards = [board.copy(stack=False)]
    for move in _LINE:
        board.push_san(move)
        boards.append(board.copy(stack=False))
    boards.sort(key=sort_key)
    block = write_block(boards, load_models())
    verdict = [0, "Fish", 1000, 1, None, "31 d5c7 e8d8"]
    verdicts = [[1] * len(boards), *([value] * len(boards) for value in verdict)]
    slot = sort_key(boards[0]) + len(boards).to_bytes(4, "little")
    good = {"positions": block.written, "verdicts": json.dumps(verdicts).encode(), "slot": slot}
    return [good, *corpus("packed_positions", base)]


def read_packed_parts(case: FuzzCase) -> None:
    """Read a packed file of these parts, whose sizes and checksums are right."""
    positions, verdicts, slot = (case.files.get(name, b"") for name in ("positions", "verdicts", "slot"))
    judged, slot = compress(verdicts), slot.ljust(KEY_BYTES + 4, b"\0")
    number = int.from_bytes(slot[KEY_BYTES : KEY_BYTES + 4], "little")
    block = positions + judged
    sizes = number, len(positions), len(judged), zlib.crc32(block)
    index = write_index([Slot(slot[:KEY_BYTES], *sizes)])
    digest, at = load_models().digest, HEADER_BYTES + len(block)
    header = Header(digest, number, number, 1, at, len(index), zlib.crc32(index))
    file = case.folder / _PACKED
    file.write_bytes(header.written() + block + index)
    _read_packed(file)


def packed_files(base: Path) -> list[Files]:
    """Return a packed file of positions alone, and one with what was found in them."""
    return [{_PACKED: (base / name).read_bytes()} for name in (POSITIONS, SEARCHES)]


def read_packed_file(case: FuzzCase) -> None:
    """Read a packed file whose bytes were changed, and join it with a good one."""
    file = case.folder / _PACKED
    _read_packed(file)
    joined = case.folder / "joined.pos"
    if run("puzzlegen", "cache", "merge", joined, file, case.base / POSITIONS) == 0:
        require(run("puzzlegen", "cache", "info", joined) == 0, "joined files cannot be read")


def _read_packed(file: Path) -> None:
    run("puzzlegen", "cache", "info", file)
    run("puzzlegen", "cache", "near", file, FEN)


def searches(base: Path) -> list[Files]:
    """Return what was found in the positions of some games."""
    with PackedFile(base / SEARCHES) as file:
        entries = [[entry.board.fen(), entry.verdicts] for entry in file.entries()]
    return [{"entries.json": json.dumps(entries).encode()}]


def mine_with_searches(case: FuzzCase) -> None:
    """Mine with a packed file of searches. Only what was found without it may be stored."""
    try:
        entries = [
            PackedEntry(parse_position(fen), [Verdict(*verdict) for verdict in verdicts])
            for fen, verdicts in json.loads(case.file.read_bytes())
        ]
        write_packed(case.folder / _PACKED, entries, workers=1)
    except (ChessMotifError, ValueError, TypeError, RecursionError):
        return
    database = case.copy_of(EMPTY)
    mine(database, "--cache", case.folder / _PACKED)
    require(_puzzles(database) <= _puzzles(case.base / MINED), "a search of somebody else is believed")


def _puzzles(database: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        return {*connection.execute("SELECT puzzle_fen, solution FROM puzzles")}


# --- Memories


def memories(base: Path) -> list[Files]:
    """Return what a memory says of itself, and the content of its arrays without their checksums."""
    files = {FACTS: (base / MEMORY / FACTS).read_bytes()}
    for file in _ARRAYS:
        with np.load(next((base / MEMORY).glob(file))) as arrays:
            files |= {f"{file}/{name}": arrays[name].tobytes() for name in arrays.files}
    return [files]


def play_from_changed_arrays(case: FuzzCase) -> None:
    """Play from a memory with this content, whose checksums are right, by both engines."""
    folder = Path(shutil.copytree(case.base / MEMORY, case.folder / MEMORY))
    (folder / FACTS).write_bytes(case.files.get(FACTS, b""))
    for pattern in _ARRAYS:
        (file,) = folder.glob(pattern)
        with np.load(file) as arrays:
            kept = {**arrays}
        given = {name: case.files.get(f"{pattern}/{name}", b"") for name in kept}
        save_arrays(file, {name: _array_of(given[name], like) for name, like in kept.items()})
    _play(folder)


def _play(folder: Path, *engines: Callable[..., MemoryEngine]) -> str:
    """Return what engines (default: both) say that play from the memory in a folder."""
    said = ""
    for make in engines or (chesscone_engine, chessbert_engine):
        out = io.StringIO()
        serve(make(memory=folder), _COMMANDS, out)
        require(not CONTROL.search(out.getvalue()), "an engine prints control characters")
        require("bestmove" in out.getvalue(), "an engine plays no move")
        said += out.getvalue()
    require("first move allowed" not in said, "an engine plays the first move")
    return said


def _array_of(content: bytes, like: np.ndarray) -> np.ndarray:
    """Return an array of this content with the type of another, and with its shape if that is possible."""
    array = np.frombuffer(content[: len(content) // like.itemsize * like.itemsize], like.dtype)
    return array.reshape(like.shape) if array.size == like.size else array


def memory_files(name: str, base: Path) -> list[Files]:
    """Return the files of a memory, without its database and the network that this package has."""
    folder = base / name
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix not in _NOT_CHANGED)
    return [{str(file.relative_to(folder)): file.read_bytes() for file in files if file.name != "model.onnx"}]


def play_from_changed_files(name: str, case: FuzzCase) -> None:
    """Play from a memory whose bytes were changed. A build repairs it."""
    folder = _changed_memory(name, case)
    _play(folder)
    status = run("motifsearch", "retrieval", "build", "--memory", folder)
    require(status == 0, "a memory is not repaired")
    require(ALONE not in _play(folder, chesscone_engine), "what a build has repaired is not used")


def play_from_changed_vectors(case: FuzzCase) -> None:
    """Play from a memory with these vectors, whose checksum is right."""
    folder = _changed_memory(MEMORY, case)
    facts = folder / FACTS
    with suppress(ValueError, TypeError, OSError, StopIteration):
        known = json.loads(facts.read_bytes()) | {"vectors": checksum_of(next(folder.glob("vectors-*")))}
        facts.write_text(json.dumps(known))
    _play(folder)


def _changed_memory(name: str, case: FuzzCase) -> Path:
    """Return a copy of a memory with the files of the input, and without those that it lacks."""
    folder = Path(shutil.copytree(case.base / name, case.folder / MEMORY))
    for file in memory_files(name, case.base)[0].keys() - case.files.keys():
        (folder / file).unlink()
    for file, content in case.files.items():
        (folder / file).write_bytes(content)
    return folder
