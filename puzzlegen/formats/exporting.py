"""Writing stored puzzles to a file, in the format that its name implies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from chess_motif.errors import InputError
from chess_motif.output import output
from db.models import Puzzle
from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store
from puzzlegen.formats import epd, jsonl, lichess_csv, pgn


class Format(StrEnum):
    """The kinds of file that puzzles can be written to."""

    CSV = "csv"
    PGN = "pgn"
    EPD = "epd"
    JSONL = "jsonl"


# Each writes puzzles to an open file and returns how many it wrote.
_WRITERS: dict[Format, Callable[[TextIO, Iterable[Puzzle]], int]] = {
    Format.CSV: lichess_csv.write,
    Format.PGN: pgn.write,
    Format.EPD: epd.write,
    Format.JSONL: jsonl.write,
}


@dataclass
class ExportReport:
    """Counts of an export. `left_out` counts the puzzles that the format cannot represent."""

    written: int = 0
    left_out: int = 0


def format_of(path: str) -> Format:
    """Return the format that the suffix of a path implies. Raises `InputError` if it implies none."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    try:
        return Format(suffix)
    except ValueError as error:
        known = ", ".join(kind.value for kind in Format)
        raise InputError(f"{path}: the name implies no format; the formats are {known}") from error


def export_puzzles(
    path: str,
    store: Store,
    kind: Format | str | None = None,
    *,
    filters: PuzzleFilter | None = None,
    limit: int | None = None,
) -> ExportReport:
    """Write the puzzles that pass the filter, oldest first, as `write_puzzles` does."""
    with store.reading() as session:
        return write_puzzles(path, find_puzzles(session, filters, limit), kind)


def write_puzzles(path: str, puzzles: Iterable[Puzzle], kind: Format | str | None = None) -> ExportReport:
    """Write puzzles to `path` (`-`: standard output), in their order.

    `kind` is the format; by default, the suffix of the path implies it. The file appears when it is
    complete, or not at all. Raises `InputError` if the format is not known or the file cannot be written.
    """
    write = _WRITERS[format_of(path) if kind is None else Format(kind)]
    read = 0

    def counted() -> Iterator[Puzzle]:
        nonlocal read
        for puzzle in puzzles:
            read += 1
            yield puzzle

    with output(path) as out:
        written = write(out, counted())
    return ExportReport(written, read - written)
