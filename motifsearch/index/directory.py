"""An index on disk: a Tantivy directory that is searched and written, and the locks beside it.

Each document has the number of its database row. What an index is built from (its origin) is in a small file
beside Tantivy's files, written once before the first document. The documents themselves tell how far the
index has been built, so that it is consistent even if the process is killed. Locks are files, which the
operating system releases when their holder dies.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeVar

import platformdirs
import tantivy
from filelock import FileLock, Timeout

from chess_motif.errors import IndexDamagedError, IndexUnavailableError
from db.store import Store

T = TypeVar("T")

# Says what an index was built from.
ORIGIN_FILE = "chess-motif.json"

# Where Tantivy lists its segments, and the files that it has written.
TANTIVY_FILE = "meta.json"
MANAGED_FILE = ".managed.json"

# Bytes that the writer buffers before it writes a segment.
WRITER_MEMORY = 100_000_000

# Results that an open index remembers, some tens of megabytes: queries often have the same pieces on the same
# squares.
REMEMBERED = 100_000

# Once documents have been deleted, Tantivy counts the documents that have a term by reading all of them, 7 ns
# each. Above this number, the count is estimated by the share of all documents that are deleted.
MOST_COUNTED = 100_000

# Seconds to wait while another process is writing.
LOCK_WAIT = 10.0

# Seconds to wait for a lock that another process holds either for minutes or, to try it, for an instant.
INSTANT = 0.1

# Tantivy's index option for a field: which documents have a term, and how often, but not where in the text.
FREQUENCIES = "freq"


class Index:
    """An open index; searches see its last commit at the time of `reload`.

    Every method raises `IndexDamagedError` if the files are damaged.
    """

    def __init__(self, handle: tantivy.Index) -> None:
        with _reading():
            # Otherwise Tantivy reloads the index in another thread, which writes to the directory.
            handle.config_reader(reload_policy="manual")
        self.handle = handle
        self.schema = handle.schema
        self.reload()

    def reload(self) -> None:
        """Make later commits visible."""
        with _reading():
            self.handle.reload()
            self.searcher = self.handle.searcher()
        self._remembered: dict[Hashable, Any] = {}

    @property
    def count(self) -> int:
        """The number of documents in the index."""
        return self.searcher.num_docs

    @property
    def count_with_deleted(self) -> int:
        """The number of documents by which Tantivy scores, with deleted ones that are not yet dropped."""

        def asked() -> int:
            query = tantivy.Query.term_query(self.schema, "number", self.last_number, FREQUENCIES)
            return int(self.explained(query, "N,")) if self.count else 0

        return self.remembered("count", asked)

    @property
    def last_number(self) -> int:
        """The highest database number in the index; 0 if it is empty."""

        def searched() -> int:
            with _reading():
                hits = self.searcher.search(
                    tantivy.Query.all_query(), 1, count=False, order_by_field="number"
                ).hits
                return int(hits[0][0]) if hits else 0

        return self.remembered("last", searched)

    def contains(self, number: int) -> bool:
        """Return whether a document has this database number; faster than `last_number`."""
        return self.frequency("number", number) > 0

    def documents_between(self, first: int, end: int, limit: int) -> list[tantivy.DocAddress]:
        """Return up to `limit` documents with database numbers from `first` up to, not including, `end`."""
        query = tantivy.Query.range_query(
            self.schema, "number", tantivy.FieldType.Integer, first, end, include_upper=False
        )
        return [address for _, address in self.search(query, limit)]

    def numbers_between(self, first: int, end: int) -> list[int]:
        """Return the database numbers of documents from `first` up to, not including, `end`."""
        values = self.values("number", self.documents_between(first, end, end - first))
        return [value for value in values if value is not None]

    def frequency(self, field: str, term: str | int) -> int:
        """Return the number of documents that contain a term (above `MOST_COUNTED`, an estimate)."""

        def counted() -> int:
            frequency = self.frequency_with_deleted(field, term)
            if self.count == self.count_with_deleted:
                return frequency
            if frequency > MOST_COUNTED:
                return round(frequency * self.count / self.count_with_deleted)
            query = tantivy.Query.term_query(self.schema, field, term, FREQUENCIES)
            with _reading():
                return int(self.searcher.search(query, 1).count)  # type: ignore[attr-defined]

        return self.remembered(("frequency", field, term), counted)

    def frequency_with_deleted(self, field: str, term: str | int) -> int:
        """Return the number of documents that contain a term as Tantivy scores it, with deleted documents."""
        with _reading():
            return self.searcher.doc_freq(field, term)

    def remembered(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return the result of `find`, cached by `key` until the next `reload`."""
        found: T | None = self._remembered.get(key)
        if found is None:
            found = find()
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = found
        return found

    def search(self, query: tantivy.Query, limit: int) -> list[tuple[float, tantivy.DocAddress]]:
        """Return the best `limit` documents with their scores, best first."""
        # Tantivy allocates memory for `limit` documents, however few there are, and does not accept 0.
        limit = min(limit, self.count)
        if limit < 1:
            return []
        with _reading():
            hits = self.searcher.search(query, limit, count=False).hits
        return [(float(score), address) for score, address in hits]

    def explained(self, query: tantivy.Query, name: str) -> float:
        """Return a value in Tantivy's explanation of the best score, given the first letters of its name."""
        with _reading():
            [(_, best)] = self.search(query, 1)
            return next(_values(json.loads(query.explain(self.searcher, best).to_json()), name))

    def values(self, field: str, addresses: Sequence[tantivy.DocAddress]) -> list[int | None]:
        """Return the value of an integer field for each of these documents, None where it has none."""
        with _reading():
            values = self.searcher.fast_field_values(field, list(addresses))
        return [None if value is None else int(value) for value in values]

    def stored(self, field: str, address: tantivy.DocAddress) -> str:
        """Return the stored text of a document's field."""
        with _reading():
            return str(self.searcher.doc(address)[field][0])


def index_path(store: Store, name: str, directory: Path | None = None) -> Path:
    """Return the directory of the index `name` of a store; `directory` holds all indexes.

    Default: beside a SQLite file, or else in the user's cache folder. The cache folder also has the index of
    a read-only store without an index beside it.
    """
    if directory is None and store.path is not None:
        beside = store.path.with_name(f"{store.path.name}.index") / name
        if beside.exists() or not store.read_only:
            return beside
    return (directory or platformdirs.user_cache_path("chess-motif") / "index" / store.identity()) / name


def create(path: Path, origin: Mapping[str, object], schema: tantivy.Schema) -> Index:
    """Create an empty index in the new directory `path`. Raises `OSError`, `IndexUnavailableError`."""
    path.mkdir()
    (path / ORIGIN_FILE).write_text(json.dumps(origin), encoding="utf-8")
    with _writing():
        return Index(tantivy.Index(schema, path=str(path)))


def open_index(path: Path) -> Index:
    """Open the index in `path`. Raises `IndexDamagedError`."""
    with _reading(), ExitStack() as opened:
        if not os.access(path, os.W_OK):
            # Tantivy creates a lock file while it opens an index, and needs no folder afterwards.
            path, files = Path(opened.enter_context(TemporaryDirectory())), path.resolve().iterdir()
            for file in files:
                if file.suffix != ".lock":
                    (path / file.name).symlink_to(file)
        return Index(tantivy.Index.open(str(path)))


def origin_in(path: Path) -> object:
    """Return the origin of the index in `path`, or None if there is no index.

    Raises `OSError`, and `IndexDamagedError` if the file of the origin is damaged or missing.
    """
    try:
        return json.loads((path / ORIGIN_FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        if not is_index(path):
            return None
        raise damaged(ORIGIN_FILE) from error
    except ValueError as error:
        raise damaged(ORIGIN_FILE) from error


def deleted_share(path: Path) -> float:
    """Return the share (0…1) of deleted documents in the index in `path`, which still affect scores.

    Tantivy drops deleted documents only when it merges their segments. Raises `IndexDamagedError`.
    """
    try:
        segments = json.loads((path / TANTIVY_FILE).read_bytes())["segments"]
        documents = sum(segment["max_doc"] for segment in segments)
        deleted = sum(segment["deletes"]["num_deleted_docs"] for segment in segments if segment["deletes"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(TANTIVY_FILE) from error
    return deleted / documents if documents else 0.0


def is_index(path: Path) -> bool:
    """Return whether there is an index in the directory `path`, damaged or not."""
    return any((path / name).exists() for name in (ORIGIN_FILE, MANAGED_FILE))


def is_replaceable(path: Path) -> bool:
    """Return whether an index may be written to `path`: there is nothing, an empty directory, or an index.

    A process that still has a deleted index open may leave Tantivy's lock in an empty directory.
    """
    if not path.exists() or is_index(path):
        return True
    return path.is_dir() and all(file.suffix == ".lock" for file in path.iterdir())


class Writer:
    """Writes to an index, which can have one writer at a time.

    Each of the `threads` writes another segment (0: as many as Tantivy chooses). A search looks up each term
    in each segment, so that few segments are faster. Every method raises `IndexUnavailableError` when writing
    fails.
    """

    def __init__(self, index: Index, threads: int = 0) -> None:
        self._index = index
        with _writing():
            self._writer = index.handle.writer(heap_size=WRITER_MEMORY, num_threads=threads)

    def add(self, document: Mapping[str, object]) -> None:
        """Add a document, given as the values of its fields."""
        with _writing():
            self._writer.add_document(tantivy.Document.from_dict(dict(document), self._index.schema))

    def remove(self, number: int) -> None:
        """Remove the documents with a database number."""
        with _writing():
            self._writer.delete_documents_by_term("number", number)

    def commit(self) -> None:
        """Commit the changes and make them visible to searches."""
        with _writing():
            self._writer.commit()
            self._index.reload()

    def close(self) -> None:
        """Wait for Tantivy to merge segments, and release its lock. Uncommitted changes are lost."""
        with _writing():
            self._writer.wait_merging_threads()
            self._index.reload()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit and close; after an error, only close. After an interruption (Ctrl-C), commit as well."""
        try:
            if kind is None or kind is KeyboardInterrupt:
                self.commit()
        finally:
            self.close()


def damaged(reason: str) -> IndexDamagedError:
    """Return the error for an index that is damaged; `reason` has a few words."""
    return IndexDamagedError(f"the search index is damaged ({reason})")


def of_another_state() -> IndexDamagedError:
    """Return the error for an index that is newer than its database, which an older copy has replaced."""
    return damaged("it was built from another state of the database")


def write_lock(path: Path, wait: float) -> FileLock:
    """Return the lock that a process needs in order to write the index in the directory `path`.

    The lock is not acquired yet. Acquiring it raises `Timeout` if another process still holds it after `wait`
    seconds, and `OSError` if its file cannot be created.
    """
    return FileLock(path.with_name(f"{path.name}.lock"), timeout=wait)


def source_lock(path: Path) -> FileLock:
    """Return the lock that a process holds while it stores many games or puzzles that `path` is built from.

    Acquiring the lock raises the exceptions of `write_lock`.
    """
    return FileLock(path.with_name(f"{path.name}.source.lock"), timeout=INSTANT)


@contextmanager
def source_growing(path: Path) -> Iterator[None]:
    """Hold the `source_lock` unless another process holds it, or its file cannot be created."""
    with ExitStack() as held:
        with suppress(Timeout, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(source_lock(path))
        yield


def busy(path: Path) -> IndexUnavailableError:
    """Return the error for an index in `path` whose lock another process has held for too long."""
    return IndexUnavailableError(
        f"{path}: another process is writing the index; try again when it has finished"
    )


def _values(explanation: Mapping[str, Any], name: str) -> Iterator[float]:
    if explanation["description"].startswith(name):
        yield float(explanation["value"])
    for part in explanation.get("details", ()):
        yield from _values(part, name)


@contextmanager
def _reading() -> Iterator[None]:
    with _panics_caught():
        try:
            yield
        except ValueError as error:  # the only exception that Tantivy raises
            raise damaged(_one_line(error)) from error


@contextmanager
def _writing() -> Iterator[None]:
    with _panics_caught():
        try:
            yield
        except ValueError as error:
            raise IndexUnavailableError(f"the search index cannot be written: {_one_line(error)}") from error


@contextmanager
def _panics_caught() -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        # Tantivy is written in Rust. The class of its panics cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise damaged(_one_line(error)) from error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
