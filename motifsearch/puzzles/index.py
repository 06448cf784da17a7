"""The index of the puzzles in a store: a document for each puzzle, with its terms by field.

New puzzles are read from the database, encoded (many of them on all cores) and added; deleted puzzles are
removed. There is an index for each encoding. Exercises are not indexed. Puzzles are identified by their
numbers, which increase and are never reused. An unreadable puzzle has a document without terms, so that the
number of documents shows whether the index is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tantivy
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chess_motif.errors import PositionError
from chess_motif.material import capture_in
from chess_motif.notation import parse_moves, parse_position
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.games import rows_after, rows_with
from db.models import IS_EXERCISE, Kind, Puzzle
from db.puzzles import PuzzleFilter, filtered
from db.store import Store
from motifsearch.index.directory import FREQUENCIES, Index, Writer, index_path, of_another_state
from motifsearch.index.sync import check_stopping, open_synced, progress_of
from motifsearch.terms.encoding import TERMS_VERSION, encode
from motifsearch.terms.weights import DEFAULT, FIELDS, Encoding
from puzzlegen.reasons.tactics import Tactics

# Puzzles handed to a worker at a time: a few tenths of a second of work.
CHUNK = 500

# With fewer puzzles, starting workers takes longer than the work.
WORTH_WORKERS = 2000

# Puzzles between two commits: at most this many are lost when the process is killed.
COMMIT_EVERY = 50_000

# Threads that write the index. One thread writes faster than ten cores encode.
WRITERS = 1

# Database numbers compared at a time when looking for deleted puzzles.
COMPARE_RANGE = 20_000

# An index is rebuilt when more than this share of its documents has been deleted, since deleted documents
# still count in the average lengths of fields. See docs/how-it-works/similarity.md.
MOST_DELETED = 0.05

_IS_PUZZLE = Puzzle.kind == Kind.PUZZLE.value
_ROWS = select(
    Puzzle.number, Puzzle.id, Puzzle.fen, Puzzle.blunder, Puzzle.puzzle_fen, Puzzle.solution
).where(_IS_PUZZLE)


@dataclass
class IndexReport:
    """What an update did, in `seconds` of wall time.

    `puzzles` are in the index now; `unreadable` ones are among those `added`.
    """

    mode: str
    path: Path
    puzzles: int = 0
    added: int = 0
    removed: int = 0
    unreadable: int = 0
    rebuilt: bool = False
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Puzzles added per second."""
        return self.added / self.seconds

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "path": str(self.path), "rate": self.rate}


def sync_puzzles(
    store: Store,
    encoding: Encoding = DEFAULT,
    directory: Path | None = None,
    *,
    rebuild: bool = False,
    allow_stale: bool = False,
    progress: Progress | None = None,
) -> tuple[Index, IndexReport]:
    """Bring the index of an encoding up to date with the puzzles of the store; return it and a report.

    `directory` holds the indexes of all encodings (see `index_path`). With `rebuild`, the index is built from
    scratch. While another process is writing the index, `allow_stale` returns its last saved state, with a
    notice; without it, the call waits for that process (see `open_synced`). There is also a notice for each
    unreadable puzzle. Raises `IndexUnavailableError`, `StoreError`.
    """
    started = time.perf_counter()
    path = index_path(store, encoding.name, directory)
    report = IndexReport(encoding.name, path)
    source = StoredPuzzles(store, encoding, report, progress or Progress())
    index, report.rebuilt = open_synced(path, source, progress, rebuild=rebuild, allow_stale=allow_stale)
    report.puzzles = index.count
    report.seconds = time.perf_counter() - started
    return index, report


class StoredPuzzles:
    """The puzzles of a store as the source of an index; updates are counted in `report`."""

    def __init__(self, store: Store, encoding: Encoding, report: IndexReport, progress: Progress) -> None:
        self.origin = {
            "store": store.identity(),
            "mode": encoding.name,
            "terms": TERMS_VERSION,
            "fields": list(FIELDS),
        }
        self.schema = puzzle_schema()
        self.max_deleted = MOST_DELETED
        self._store, self._encoding, self._report, self._progress = store, encoding, report, progress

    def is_current(self, index: Index) -> bool:
        """Return whether the index has all puzzles of the store and no others."""
        with self._store.reading() as session:
            return (index.count, index.last_number) == extent(session) and _is_of(session, index)

    def update(self, index: Index) -> None:
        """Add missing puzzles, remove deleted ones, and commit.

        Raises `IndexDamagedError` if the database has been replaced by an older copy.
        """
        # If the index is being rebuilt, the counts of an update that failed are dropped.
        self._report.added = self._report.unreadable = 0
        with self._store.reading() as session:
            if not _is_of(session, index):
                raise of_another_state()
        # Changes from now on are left to the next update.
        count, last = self._store.transact(extent, reading=True)
        with Writer(index, WRITERS) as writer:
            if last > index.last_number:
                rows = rows_after(self._store, _ROWS.where(Puzzle.number <= last), index.last_number)
                self._add(writer, (Row(*row) for row in rows), max(count - index.count, 0))
                writer.commit()
            if (index.count, index.last_number) != (count, last):
                self._compare(index, writer, last)

    def _add(self, writer: Writer, rows: Iterable[Row], expected: int) -> None:
        progress = progress_of(self._progress, expected)
        done = 0
        for done, puzzle in enumerate(encode_all(rows, expected, self._encoding), start=1):
            if puzzle.problem:
                self._report.unreadable += 1
                self._progress.notice(f"puzzle {puzzle.id} is not indexed: {puzzle.problem}")
            writer.add(puzzle.document())
            self._report.added += 1
            if done % CHUNK == 0:
                progress.update("indexing", done, expected, "puzzle")
            if done % COMMIT_EVERY == 0:
                writer.commit()
            check_stopping(self._progress)
        progress.update("indexing", done, expected, "puzzle")

    def _compare(self, index: Index, writer: Writer, last: int) -> None:
        """Compare all numbers, a range at a time: remove deleted puzzles, and add missing puzzles."""
        for first in range(0, max(last, index.last_number) + 1, COMPARE_RANGE):
            end = first + COMPARE_RANGE
            stored = set(self._store.transact(partial(numbers_between, first=first, end=end), reading=True))
            indexed = set(index.numbers_between(first, end))
            for number in indexed - stored:
                writer.remove(number)
                self._report.removed += 1
            if missing := sorted(stored - indexed):
                rows = self._store.transact(partial(rows_numbered, numbers=missing), reading=True)
                self._add(writer, rows, len(missing))


def puzzle_schema() -> tantivy.Schema:
    """Return the fields of a puzzle's document."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    # Signed, since Tantivy cannot delete by a term of an unsigned field.
    builder.add_integer_field("number", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option=FREQUENCIES)
    return builder.build()


def index_in_memory(puzzles: Iterable[Encoded]) -> Index:
    """Return an index of these puzzles that is kept in memory only."""
    index = Index(tantivy.Index(puzzle_schema()))
    with Writer(index, WRITERS) as writer:
        for puzzle in puzzles:
            writer.add(puzzle.document())
    return index


@dataclass(frozen=True)
class Row:
    """The columns of a stored puzzle that terms are made from. `number` is its number in the database."""

    number: int
    id: str
    fen: str
    blunder: str
    puzzle_fen: str
    solution: str

    def tactics(self) -> Tactics:
        """Return the tactics of the puzzle's solution. Raises `PositionError` if it is damaged."""
        board = parse_position(self.puzzle_fen)
        before = capture_in(self.fen, self.blunder) if self.blunder else None
        return Tactics(board, parse_moves(board, self.solution), before)


@dataclass(frozen=True)
class Encoded:
    """A puzzle's terms by field, separated by blanks. An unreadable puzzle has a `problem` and no terms."""

    number: int
    id: str
    fields: dict[str, str]
    problem: str = ""

    @classmethod
    def of(cls, number: int, key: str, terms: Mapping[str, Iterable[str]]) -> Encoded:
        """Return the puzzle with these terms by field."""
        return cls(number, key, {field: " ".join(words) for field, words in terms.items()})

    def document(self) -> dict[str, object]:
        """Return the values of the document's fields, by name."""
        return {"key": self.id, "number": self.number, **self.fields}


def encode_all(rows: Iterable[Row], expected: int, encoding: Encoding) -> Iterator[Encoded]:
    """Yield the encoded rows in their order, with no more than a few chunks in memory.

    The `expected` number of rows, which may be approximate, decides whether worker processes are started.
    """
    workers = 1 if expected < WORTH_WORKERS else None
    for encoded in in_processes(partial(_encode_chunk, encoding), chunks_of(rows, CHUNK), workers):
        yield from encoded


def _encode_chunk(encoding: Encoding, rows: list[Row]) -> list[Encoded]:
    return [_encode_row(encoding, row) for row in rows]


def _encode_row(encoding: Encoding, row: Row) -> Encoded:
    try:
        tactics = row.tactics()
    except PositionError as error:
        return Encoded(row.number, row.id, {}, str(error))
    return Encoded.of(row.number, row.id, encode(tactics, encoding))


def extent(session: Session) -> tuple[int, int]:
    """Return how many puzzles there are, and the highest number (0 without puzzles)."""
    # Databases count all rows fast, and few other ones are exercises.
    count = session.scalar(select(func.count()).select_from(Puzzle)) or 0
    others = session.scalar(select(func.count()).where(IS_EXERCISE)) or 0
    last = session.scalar(select(Puzzle.number).where(_IS_PUZZLE).order_by(Puzzle.number.desc()).limit(1))
    return count - others, last or 0


def _is_of(session: Session, index: Index) -> bool:
    """Return whether the last puzzle that database and index may share is the same in both.

    After a database is replaced by an older copy, new puzzles get numbers that other puzzles had before.
    """
    last = index.last_number
    known = select(Puzzle.number, Puzzle.id).where(_IS_PUZZLE, Puzzle.number <= last)
    row = session.execute(known.order_by(Puzzle.number.desc()).limit(1)).first()
    indexed = index.documents_between(row.number, row.number + 1, 1) if row else []
    return row is None or not indexed or index.stored("key", indexed[0]) == row.id


def numbers_between(session: Session, first: int, end: int) -> list[int]:
    """Return the numbers of the puzzles from `first` up to, not including, `end`."""
    between = select(Puzzle.number).where(_IS_PUZZLE, Puzzle.number >= first, Puzzle.number < end)
    return list(session.scalars(between))


def rows_numbered(session: Session, numbers: Sequence[int]) -> list[Row]:
    """Return the puzzles with these numbers."""
    return [Row(*row) for row in rows_with(session, _ROWS, Puzzle.number, numbers)]


def numbers_passing(session: Session, filters: PuzzleFilter, limit: int) -> list[int]:
    """Return the numbers of at most `limit` puzzles that pass the filter."""
    return list(session.scalars(filtered(session, select(Puzzle.number), filters).limit(limit)))
