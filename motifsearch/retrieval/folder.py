"""The folder of a memory: what it was built from, the positions of its games, and the files for searches.

A part has the positions of some hundred games. Each file is complete or missing.

| file | what |
|---|---|
| `memory.json` | what the memory was built from, and how far the files for searches go |
| `model.onnx` or `model.pb.gz` | a copy of the human-move model |
| `embedding.npz` | the projections of the embedding by the human-move model |
| `encoder.onnx` | a copy of the encoder, if there is one instead of a human-move model |
| `parts/` | vectors and occurrences, each file those of some games |
| `vectors-N.faiss` | the vectors of all games up to number N, to be searched |
| `table-N.npz` | the occurrences of all games up to number N, to be searched |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import numpy.typing as npt
from filelock import Timeout

from chess_motif.errors import (
    HumanModelError,
    IndexDamagedError,
    IndexUnavailableError,
    InputError,
    reason_of,
)
from chess_motif.output import rename
from db.games import GameRecord
from db.models import ArchivedGame
from db.store import Store
from engines.human.model import load_human_model
from motifsearch.index.directory import LOCK_WAIT, busy, index_path, write_lock
from motifsearch.retrieval.embedding import Embedding, load_arrays, load_embedding, load_encoder, save_arrays

# Raise it whenever the files change: memories of another version are rebuilt.
VERSION = 2

FACTS = "memory.json"

# The files of a memory, except the facts.
OWN_FILES = ("model.*", "encoder.onnx", "embedding.npz*", "parts/*.npz*", "vectors-*", "table-*")
ENCODER = "encoder.onnx"
MODELS = (ENCODER, "model.onnx", "model.pb.gz")

# The points of a game won, and the values for unknown points and ratings.
WIN = 2
POINTS = {"1-0": WIN, "1/2-1/2": 1, "0-1": 0}
UNKNOWN = -1

# An occurrence of a position: the number of the archived game, the ply, whether White is to move, the move
# played (see `encode_move`), and points and Elo of the player to move.
OCCURRENCE = np.dtype(
    [
        ("game", np.int32),
        ("ply", np.int16),
        ("white", np.bool_),
        ("move", np.uint16),
        ("points", np.int8),
        ("elo", np.int16),
    ]
)


@dataclass(frozen=True)
class Facts:
    """What a memory was built from: the identity of the database, the digest and the file of the model.

    `last` is the number of the last game that searches can find, or 0 before the first build has finished.
    Searches can find `games` games with `occurrences` occurrences of `positions` different positions.
    `vectors` is the checksum of the file of the vectors.
    """

    store: str
    digest: str
    model: str
    last: int = 0
    games: int = 0
    occurrences: int = 0
    positions: int = 0
    vectors: int = -1
    version: int = VERSION

    def __post_init__(self) -> None:
        """Raise `ValueError` for impossible values."""
        for field in fields(self):
            if type(getattr(self, field.name)).__name__ != field.type:
                raise ValueError(field.name)
        if self.model not in MODELS:
            raise ValueError(self.model)


def copy_name(model_file: Path, *, encoder: bool) -> str:
    """Return the name of a memory's copy of a model file."""
    if encoder:
        return ENCODER
    return "model.onnx" if model_file.suffix == ".onnx" else "model.pb.gz"


def own_database(path: Path) -> str:
    """Return the database with the games of a memory that has its own folder."""
    return str(path / "games.db")


def default_folder(store: Store) -> Path:
    """Return the folder of a store's memory, among its search indexes."""
    return index_path(store, "retrieval")


class MemoryFolder:
    """The folder of a memory, with the folder of its `parts` and the `embedding_file` of the projections."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = path / "parts"
        self.embedding_file = path / "embedding.npz"

    def vectors_file(self, last: int) -> Path:
        """Return the file of the vectors of the games up to number `last`."""
        return self.path / f"vectors-{last}.faiss"

    def table_file(self, last: int) -> Path:
        """Return the file of the table of the games up to number `last`."""
        return self.path / f"table-{last}.npz"

    def facts(self) -> Facts | None:
        """Return the facts of the memory, or None if there is no memory of this version.

        Raises `IndexDamagedError` if the facts cannot be read.
        """
        file = self.path / FACTS
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            return Facts(**values) if values["version"] == VERSION else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise IndexDamagedError(f"{file}: damaged") from error

    def begin(self, facts: Facts, model_file: Path) -> Facts:
        """Replace the memory by an empty memory with these facts and a copy of the model.

        Other files stay. Raises `OSError`.
        """
        # The file may be the copy that this memory has.
        model = model_file.read_bytes()
        # First, so that files left by an interruption are not taken for a memory.
        (self.path / FACTS).unlink(missing_ok=True)
        for pattern in OWN_FILES:
            for file in self.path.glob(pattern):
                file.unlink()
        self.parts.mkdir(parents=True, exist_ok=True)
        (self.path / facts.model).write_bytes(model)
        return self.record(facts)

    def remove_old(self, facts: Facts) -> None:
        """Remove the older files for searches, which these facts replace. Raises `OSError`."""
        kept = [self.table_file(facts.last), self.vectors_file(facts.last)]
        for file in (*self.path.glob("vectors-*"), *self.path.glob("table-*")):
            if file not in kept:
                file.unlink()

    def record(self, facts: Facts) -> Facts:
        """Write and return the facts."""
        new = self.path / f"{FACTS}.new"
        new.write_text(json.dumps(asdict(facts)), encoding="utf-8")
        rename(new, self.path / FACTS)
        return facts

    def open_embedding(self, facts: Facts) -> Embedding:
        """Return the embedding. Raises `IndexDamagedError`, and `LibraryMissingError`."""
        file = self.path / facts.model
        try:
            if file.name == ENCODER:
                return load_encoder(file)
            model = load_human_model(file)
        except (HumanModelError, InputError) as error:
            raise IndexDamagedError(str(error)) from error
        embedding = load_embedding(model, self.embedding_file)
        try:
            vectors = embedding([chess.Board()])
        # Raised by numpy for projections of other vectors, or of no vectors.
        except (IndexError, TypeError, ValueError) as error:
            raise IndexDamagedError(f"{self.embedding_file}: damaged") from error
        if not np.isfinite(vectors).all():
            raise IndexDamagedError(f"{self.embedding_file}: damaged")
        return embedding

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other processes from writing the memory.

        Raises `IndexUnavailableError` if another process is writing it, or the folder is not writable.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with write_lock(self.path, LOCK_WAIT):
                yield
        except Timeout as error:
            raise busy(self.path) from error
        except OSError as error:
            raise IndexUnavailableError(
                f"{self.path}: the memory cannot be written: {reason_of(error)}"
            ) from error


@dataclass(frozen=True)
class MemoryPart:
    """Positions in which a move was played, in order of game and ply.

    Each position has a key, which is the same for identical positions (see `key_of`), a vector, and an
    occurrence. `last` is the number of the last game read, which may have no position.
    """

    keys: npt.NDArray[np.uint64]
    vectors: npt.NDArray[np.float16]
    occurrences: npt.NDArray[np.void]
    last: int

    def is_consistent(self) -> bool:
        """Return whether each position has its key, its vector and its occurrence."""
        columns = (self.keys, self.vectors, self.occurrences)
        return (
            [column.dtype for column in columns] == [np.dtype(np.uint64), np.dtype(np.float16), OCCURRENCE]
            and [column.ndim for column in columns] == [1, 2, 1]
            and len({len(column) for column in columns}) == 1
            and bool(np.isfinite(self.vectors).all())
        )

    def has(self, game: ArchivedGame) -> bool:
        """Return whether the part has a game, with the same moves."""
        of_game = self.occurrences[self.occurrences["game"] == game.number]
        moves = zip(of_game["move"].tolist(), of_game["white"].tolist(), strict=True)
        return [decode_move(move, turn).uci() for move, turn in moves] == game.moves.split()

    def save(self, folder: Path) -> None:
        """Write the part to its file in the folder. Raises `OSError`."""
        save_arrays(folder / f"{self.last:010}.npz", vars(self))


def encode_move(move: chess.Move, turn: chess.Color) -> int:
    """Return a move as a number of 16 bits. With Black to move, the ranks are flipped."""
    flip = 0 if turn else 56
    return (move.from_square ^ flip) | (move.to_square ^ flip) << 6 | (move.promotion or 0) << 12


def decode_move(number: int, turn: chess.Color) -> chess.Move:
    """Return the move that `encode_move` turned into a number."""
    flip = 0 if turn else 56
    return chess.Move((number & 63) ^ flip, (number >> 6 & 63) ^ flip, number >> 12 or None)


def key_of(board: chess.Board) -> int:
    """Return a number of 64 bits that is the same for identical positions, also with reversed colours.

    Castling rights count, and so does en passant if the capture is possible.
    """
    return chess.polyglot.zobrist_hash(board if board.turn else board.mirror())


def embed_games(embedding: Embedding, games: Sequence[GameRecord]) -> MemoryPart:
    """Return the part of one or more games."""
    boards, keys, occurrences = [], [], []
    for game in games:
        board = chess.Board(game.start or chess.STARTING_FEN)
        white_points = POINTS.get(game.result, UNKNOWN)
        for ply, word in enumerate(game.moves.split()):
            move = chess.Move.from_uci(word)
            elo = (game.white_elo if board.turn else game.black_elo) or UNKNOWN
            points = white_points if board.turn or white_points == UNKNOWN else WIN - white_points
            occurrences.append((game.number, ply, board.turn, encode_move(move, board.turn), points, elo))
            keys.append(key_of(board))
            boards.append(board.copy(stack=False))
            board.push(move)
    return MemoryPart(
        np.array(keys, np.uint64),
        embedding(boards).astype(np.float16),
        np.array(occurrences, OCCURRENCE),
        games[-1].number,
    )


def part_files(folder: Path) -> list[Path]:
    """Return the files of the parts in a folder, in the order of their games."""
    return sorted(file for file in folder.glob("*.npz") if re.fullmatch("[0-9]{10}", file.stem))


def load_parts(folder: Path) -> Iterator[MemoryPart]:
    """Yield the parts in a folder. Raises `IndexDamagedError` if one cannot be read."""
    yield from map(load_part, part_files(folder))


def load_part(file: Path) -> MemoryPart:
    """Return the part that `MemoryPart.save` wrote. Raises `IndexDamagedError` if it cannot be read."""
    keys, vectors, occurrences, _ = load_arrays(file, *(field.name for field in fields(MemoryPart)))
    part = MemoryPart(keys, vectors, occurrences, int(file.stem))
    if not part.is_consistent():
        raise IndexDamagedError(f"{file}: damaged")
    return part
