"""Lines of text files and rows of CSV files, for every reader of puzzles, pairs, positions and grades."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from chess_motif.errors import ArchiveError, InputError, TableError
from chess_motif.text import clean
from puzzlegen.games.archive import Archive

# The most characters of a line. The longest one in the Lichess database has some 600.
LONGEST_LINE = 100_000

Item = TypeVar("Item")
Read = TypeVar("Read")


def lines_of(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield the lines of a UTF-8 file that are not blank, cleaned, each with its place, such as `line 3`.

    Lines end with a line feed, a carriage return, or both. Raises `ArchiveError` where the file is damaged,
    or if a line has more than `LONGEST_LINE` characters.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")("replace"), True)
    rest, number = "", 0
    for chunk in archive.chunks():
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in whole:
            number += 1
            yield from _line(archive, number, line)
        if len(rest) > LONGEST_LINE:
            break
    yield from _line(archive, number + 1, rest + decoder.decode(b"", final=True))


def read_entries(
    items: Iterable[tuple[str, Item]], read: Callable[[Item], Read]
) -> Iterator[tuple[str, Read | InputError]]:
    """Yield the place of each item of a file with what `read` returns, or the error that it raises."""
    for place, item in items:
        try:
            entry = read(item)
        except InputError as error:
            yield place, error
        else:
            yield place, entry


class TableRow(NamedTuple):
    """A line of a CSV file, with the names of the columns."""

    header: tuple[str, ...]
    line: str

    def cells(self) -> dict[str, str]:
        """Return the cells by the names of their columns. Raises `TableError` for too many or too few."""
        cells = _cells(self.line)
        if len(cells) != len(self.header):
            raise TableError(f"{len(cells)} columns instead of {len(self.header)}")
        return dict(zip(self.header, cells, strict=True))


def table_rows(
    archive: Archive, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[str, TableRow]]:
    """Yield the rows of a CSV file, each with its place.

    A row is one line, so that a stray quotation mark spoils no other row. The names of the `required` and
    `optional` columns may be in any case. Raises `TableError` if a required one is missing, and
    `ArchiveError` as `lines_of` does.
    """
    lines = lines_of(archive)
    _, first = next(lines, ("", ""))
    named = {column.lower(): column for column in (*required, *optional)}
    header = tuple(named.get(cell.strip().lower(), cell.strip()) for cell in _cells(first))
    missing = [column for column in required if column not in header]
    if missing:
        raise TableError(f"{archive.name}: no column {', '.join(missing)}; it needs {', '.join(required)}")
    for place, line in lines:
        yield place, TableRow(header, line)


def _line(archive: Archive, number: int, line: str) -> Iterator[tuple[str, str]]:
    if len(line) > LONGEST_LINE:
        raise ArchiveError(f"{archive.name}: line {number} has more than {LONGEST_LINE:,} characters")
    line = clean(line).strip()
    if line:
        yield f"line {number}", line


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise TableError(f"not CSV: {error}") from error
