"""Writing stored puzzles to a file, in the format that its name asks for."""

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


# Each writes puzzles to an open file, and returns how many it could write.
_WRITERS: dict[Format, Callable[[TextIO, Iterable[Puzzle]], int]] = {
    Format.CSV: lichess_csv.write,
    Format.PGN: pgn.write,
    Format.EPD: epd.write,
    Format.JSONL: jsonl.write,
}


@dataclass
class ExportReport:
    """Counts of an export. `left_out` puzzles lack what the format needs."""

    written: int = 0
    left_out: int = 0


def format_of(path: str) -> Format:
    """Return the format that a file's name asks for. Raises `InputError`."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    try:
        return Format(suffix)
    except ValueError as error:
        known = ", ".join(kind.value for kind in Format)
        raise InputError(
            f"{path}: which format? End the name in, or give --format, one of: {known}"
        ) from error


def export_puzzles(
    path: str,
    store: Store,
    kind: Format | str | None = None,
    *,
    filters: PuzzleFilter | None = None,
    limit: int | None = None,
) -> ExportReport:
    """Write the puzzles that pass the filter to `path` (`-`: standard output), oldest first.

    Without `kind`, the suffix of the path says which format it is. The file appears when it is complete, or
    not at all. Raises `InputError` when it cannot be written.
    """
    writer = _WRITERS[format_of(path) if kind is None else Format(kind)]
    found = 0

    def puzzles() -> Iterator[Puzzle]:
        nonlocal found
        for puzzle in find_puzzles(session, filters, limit):
            found += 1
            yield puzzle

    with output(path) as out, store.reading() as session:
        written = writer(out, puzzles())
    return ExportReport(written, found - written)
