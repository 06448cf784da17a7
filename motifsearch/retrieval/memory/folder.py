"""The folder of a memory: what it was built from, the parts, and the files that searches use.

| file | what |
|---|---|
| `memory.json` | what the memory was built from, and how far the files for searches go |
| `model.onnx` or `model.pb.gz` | a copy of the human-move model |
| `embedding.npz` | the projections of the embedding by the human-move model |
| `encoder.onnx` | a copy of the encoder, if there is one instead of a human-move model |
| `parts/` | the vectors and occurrences of some games each |
| `vectors-N.faiss` | the vectors of all games up to number N, unless a server has them, to be searched |
| `table-N.npz` | the occurrences of all games up to number N, to be searched |
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import Timeout

from chess_motif.errors import IndexDamagedError, IndexUnavailableError, InputError, reason_of
from db.store import Store
from engines.human.model import load_human_model
from motifsearch.index.directory import default_directory
from motifsearch.index.lock import LOCK_WAIT, busy, write_lock
from motifsearch.retrieval.memory.embedding import Embedding
from motifsearch.retrieval.memory.encoder import load_encoder
from motifsearch.retrieval.memory.human_embedding import load_embedding

# Raise it whenever the files change: memories of another version are rebuilt.
VERSION = 1

FACTS = "memory.json"

# The files of a memory, the facts aside.
OWN_FILES = ("model.*", "encoder.onnx", "embedding.npz*", "parts/*.npz*", "vectors-*", "table-*")
ENCODER = "encoder.onnx"


@dataclass(frozen=True)
class Facts:
    """What a memory was built from: the identity of the database, the digest and the file of the model.

    `last` is the number of the last game that searches know, 0 before the first build has finished; they know
    so many `games` with so many `occurrences` of different `positions`. `qdrant` is the address of the server
    that has the vectors in the collection `collection`, empty if a file has them.
    """

    store: str
    digest: str
    model: str
    last: int = 0
    games: int = 0
    occurrences: int = 0
    positions: int = 0
    qdrant: str = ""
    version: int = VERSION

    @property
    def collection(self) -> str:
        """The name of the collection on a server."""
        return f"chess-motif-{self.store}-{self.digest}"


def own_database(path: Path) -> str:
    """Return the database of a memory in a folder of its own, which holds its games."""
    return str(path / "games.db")


def default_folder(store: Store, directory: Path | None = None) -> Path:
    """Return the folder of a store's memory, among its search indexes; `directory` holds all of them."""
    return (directory or default_directory(store)) / "retrieval"


class MemoryFolder:
    """The folder of a memory. See above for its files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def parts(self) -> Path:
        """The folder of the parts."""
        return self.path / "parts"

    @property
    def embedding_file(self) -> Path:
        """The file of the projections."""
        return self.path / "embedding.npz"

    def vectors_file(self, last: int) -> Path:
        """Return the file of the vectors of the games up to number `last`."""
        return self.path / f"vectors-{last}.faiss"

    def table_file(self, last: int) -> Path:
        """Return the file of the table of the games up to number `last`."""
        return self.path / f"table-{last}.npz"

    def facts(self) -> Facts | None:
        """Return what is known of the memory, None if there is none of this version.

        Raises `IndexDamagedError` if that cannot be read.
        """
        file = self.path / FACTS
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            return Facts(**values) if values["version"] == VERSION else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexDamagedError(f"{file}: damaged") from error

    def begin(self, store: str, digest: str, model_file: Path, *, encoder: bool) -> Facts:
        """Replace the memory by an empty one with the given model, which may be an encoder.

        Other files stay. Raises `OSError`.
        """
        # First, so that nobody takes what is left after an interruption for a memory.
        (self.path / FACTS).unlink(missing_ok=True)
        for pattern in OWN_FILES:
            for file in self.path.glob(pattern):
                file.unlink()
        self.parts.mkdir(parents=True, exist_ok=True)
        name = "model.onnx" if model_file.suffix == ".onnx" else "model.pb.gz"
        if encoder:
            name = ENCODER
        shutil.copyfile(model_file, self.path / name)
        return self.record(Facts(store, digest, name))

    def remove_old(self, facts: Facts) -> None:
        """Remove the files that searches used before these facts. Raises `OSError`."""
        kept = [self.table_file(facts.last), *([] if facts.qdrant else [self.vectors_file(facts.last)])]
        for file in (*self.path.glob("vectors-*"), *self.path.glob("table-*")):
            if file not in kept:
                file.unlink()

    def record(self, facts: Facts) -> Facts:
        """Write and return the facts."""
        new = self.path / f"{FACTS}.new"
        new.write_text(json.dumps(asdict(facts)), encoding="utf-8")
        new.replace(self.path / FACTS)
        return facts

    def open_embedding(self, facts: Facts) -> Embedding:
        """Return the embedding. Raises `IndexDamagedError`, and `HumanModelError` if the model is damaged."""
        file = self.path / facts.model
        if file.name == ENCODER:
            try:
                return load_encoder(file)
            except InputError as error:
                raise IndexDamagedError(str(error)) from error
        return load_embedding(load_human_model(file), self.embedding_file)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other processes from writing the memory.

        Raises `IndexUnavailableError` if one is writing it, or the folder cannot be written.
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
