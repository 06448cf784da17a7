"""Search indexes: Tantivy directories, built from the database alone.

Each document has the number of its database row. What an index is built from (its origin) is in a small file
beside Tantivy's own, written once before the first document; how far it has come is read from the documents.
An index is therefore consistent even if the process is killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import platformdirs
import tantivy

from chess_motif.errors import IndexUnavailableError
from db.store import Store

# Says what an index was built from.
ORIGIN_FILE = "chess-motif.json"

# Where Tantivy lists its segments.
TANTIVY_FILE = "meta.json"

# Bytes that the writer buffers before it writes a segment.
WRITER_MEMORY = 100_000_000

# Tantivy's index option for a field: which documents have a term, and how often, but not where in the text.
FREQUENCIES = "freq"


class Index:
    """An open index; searches see its last commit at the time of `reload`."""

    def __init__(self, handle: tantivy.Index) -> None:
        # Otherwise Tantivy reloads it from a thread of its own, which writes to the directory.
        handle.config_reader(reload_policy="manual")
        self.handle = handle
        self.schema = handle.schema
        self.reload()

    def reload(self) -> None:
        """Make later commits visible."""
        self.handle.reload()
        self.searcher = self.handle.searcher()

    @property
    def count(self) -> int:
        """The number of documents in the index."""
        return self.searcher.num_docs

    @property
    def last_number(self) -> int:
        """The highest database number in the index; 0 if it is empty."""
        hits = self.searcher.search(tantivy.Query.all_query(), 1, count=False, order_by_field="number").hits
        return int(hits[0][0]) if hits else 0

    def contains(self, number: int) -> bool:
        """Return whether a document has this database number; faster than `last_number`."""
        return self.searcher.doc_freq("number", number) > 0

    def numbers_between(self, first: int, end: int) -> list[int]:
        """Return the database numbers from `first` up to, not including, `end`."""
        query = tantivy.Query.range_query(
            self.schema, "number", tantivy.FieldType.Integer, first, end, include_upper=False
        )
        hits = self.searcher.search(query, end - first, count=False).hits
        values = self.searcher.fast_field_values("number", [address for _, address in hits])
        return [int(value) for value in values if value is not None]


def default_directory(store: Store) -> Path:
    """Return the directory of a store's indexes: beside a SQLite file, else in the user's cache folder."""
    if store.path is not None:
        return store.path.with_name(f"{store.path.name}.index")
    return platformdirs.user_cache_path("chess-motif") / "index" / store.identity()


def create(path: Path, origin: Mapping[str, object], schema: tantivy.Schema) -> Index:
    """Create an empty index in the new directory `path`. Raises `OSError`."""
    path.mkdir()
    (path / ORIGIN_FILE).write_text(json.dumps(origin), encoding="utf-8")
    return Index(tantivy.Index(schema, path=str(path)))


def open_built_from(path: Path, origin: Mapping[str, object]) -> Index | None:
    """Open the index in `path`; return None if there is none, or if it is damaged or of another origin."""
    try:
        if json.loads((path / ORIGIN_FILE).read_text(encoding="utf-8")) != origin:
            return None
        return Index(tantivy.Index.open(str(path)))
    except (OSError, ValueError):
        return None


def deleted_share(path: Path) -> float:
    """Return the share (0…1) of deleted documents in the index in `path`, which still affect scores.

    Tantivy drops them only when it merges their segments. Raises `OSError`, `ValueError`.
    """
    segments = json.loads((path / TANTIVY_FILE).read_text(encoding="utf-8"))["segments"]
    documents = sum(segment["max_doc"] for segment in segments)
    deleted = sum(segment["deletes"]["num_deleted_docs"] for segment in segments if segment["deletes"])
    return deleted / documents if documents else 0.0


def is_replaceable(path: Path) -> bool:
    """Return whether an index may be written to `path`: nothing is there, an empty directory, or an index."""
    if not path.exists():
        return True
    if not path.is_dir():
        return False
    names = {entry.name for entry in path.iterdir()}
    return not names or ORIGIN_FILE in names


class Writer:
    """Writes to an index, which can have one writer at a time.

    Every method raises `IndexUnavailableError` when writing fails.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        with _writing():
            self._writer = index.handle.writer(heap_size=WRITER_MEMORY)

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


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except ValueError as error:  # the only exception that Tantivy raises
        reason = " ".join(str(error).split())
        raise IndexUnavailableError(f"the search index cannot be written: {reason}") from error
