"""Writing stored puzzles to a file, in the format that its name implies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, binary_output, output
from chess_motif.parallel import chunks_of
from db.models import Puzzle
from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store

# The chapters of a Lichess study; it drops further games of a PGN file without a word.
MOST_CHAPTERS = 64


class Format(StrEnum):
    """The kinds of file that puzzles can be written to.

    A study is a PGN file for Lichess; more than `MOST_CHAPTERS` puzzles become several files, `name-1.pgn`,
    `name-2.pgn` and so on.
    """

    CSV = "csv"
    PGN = "pgn"
    EPD = "epd"
    JSONL = "jsonl"
    APKG = "apkg"
    PDF = "pdf"
    HTML = "html"
    STUDY = "study"


# Formats that are not text.
_BINARY = (Format.APKG, Format.PDF)


@dataclass(frozen=True)
class ExportOptions:
    """What only some formats have; the others ignore it.

    `title` is above the diagrams of a PDF file and on an HTML page, and names an Anki deck; `solver` is whom
    a PDF file or an HTML page is for. A page of a PDF file has up to `per_page` diagrams (4, 6 or 9).
    """

    title: str = "Chess puzzles"
    solver: str = ""
    per_page: int = 6


@dataclass
class ExportReport:
    """Counts of an export, and the files written.

    `left_out` counts the puzzles that the format cannot represent.
    """

    written: int = 0
    left_out: int = 0
    files: list[str] = field(default_factory=list)


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
    options: ExportOptions | None = None,
) -> ExportReport:
    """Write the puzzles that pass the filter, oldest first, as `write_puzzles` does."""
    with store.reading() as session:
        return write_puzzles(path, find_puzzles(session, filters, limit), kind, options)


def write_puzzles(
    path: str,
    puzzles: Iterable[Puzzle],
    kind: Format | str | None = None,
    options: ExportOptions | None = None,
) -> ExportReport:
    """Write puzzles to `path` (`-`: standard output), in their order.

    `kind` is the format; by default, the suffix of the path implies it. A file appears when it is complete,
    or not at all. Raises `InputError` if the format is not known or the file cannot be written, and
    `LibraryMissingError` if the format needs the extra `export`.
    """
    kind = format_of(path) if kind is None else Format(kind)
    options = options or ExportOptions()
    if kind is Format.STUDY:
        return _write_study(path, puzzles)
    read = 0

    def counted() -> Iterator[Puzzle]:
        nonlocal read
        for puzzle in puzzles:
            read += 1
            yield puzzle

    written = _write(path, counted(), kind, options)
    return ExportReport(written, read - written, [path])


def _write(path: str, puzzles: Iterable[Puzzle], kind: Format, options: ExportOptions) -> int:
    write = _writer(kind, options)
    opened: Callable[[str], AbstractContextManager[Any]] = binary_output if kind in _BINARY else output
    with opened(path) as out:
        return write(out, puzzles)


def _writer(kind: Format, options: ExportOptions) -> Callable[[Any, Iterable[Puzzle]], int]:
    """Return the function that writes puzzles to an open file, and returns how many."""
    # Imported only when needed: their libraries are optional or slow to load.
    match kind:
        case Format.CSV:
            from puzzlegen.formats import lichess_csv

            return lichess_csv.write
        case Format.PGN:
            from puzzlegen.formats import pgn

            return pgn.write
        case Format.STUDY:
            from puzzlegen.formats import pgn

            return pgn.write_study
        case Format.EPD:
            from puzzlegen.formats import epd

            return epd.write
        case Format.JSONL:
            from puzzlegen.formats import jsonl

            return jsonl.write
        case Format.APKG:
            from puzzlegen.formats import anki

            return partial(anki.write, title=options.title)
        case Format.PDF:
            from puzzlegen.formats import worksheet

            return partial(
                worksheet.write, title=options.title, solver=options.solver, per_page=options.per_page
            )
        case Format.HTML:
            from puzzlegen.formats import solving_page

            return partial(solving_page.write, title=options.title, solver=options.solver)


def _write_study(path: str, puzzles: Iterable[Puzzle]) -> ExportReport:
    if path == STANDARD_OUTPUT:
        raise InputError("a study may need several files, so that it cannot be written to standard output")
    studies = list(chunks_of(puzzles, MOST_CHAPTERS)) or [[]]
    whole = Path(path)
    report = ExportReport()
    for number, chapters in enumerate(studies, 1):
        name = path if len(studies) == 1 else str(whole.with_stem(f"{whole.stem}-{number}"))
        report.written += _write(name, chapters, Format.STUDY, ExportOptions())
        report.files.append(name)
    return report
