"""Writing stored puzzles to a file, in the format that its name implies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from itertools import chain
from pathlib import Path

from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, binary_output, output
from chess_motif.parallel import chunks_of
from db.models import DeletedPuzzle, Puzzle
from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store
from puzzlegen.formats import lichess_csv

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


@dataclass(frozen=True)
class ExportOptions:
    """What only some formats have; the others ignore it.

    `title` is above the diagrams of a PDF file and on an HTML page, names an Anki deck, and is the event of
    the games of a PGN file (default there: the name of each puzzle); `solver` is whom a PDF file or an HTML
    page is for. A page of a PDF file has up to `per_page` diagrams (4, 6 or 9). With `facts`, a CSV file has
    more columns than those of Lichess.
    """

    title: str = "Chess puzzles"
    solver: str = ""
    per_page: int = 6
    facts: bool = False


@dataclass
class ExportReport:
    """Counts of an export, and the files written.

    `left_out` counts the puzzles that the format cannot represent, `deleted` those that the file says were
    deleted.
    """

    written: int = 0
    deleted: int = 0
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
    deleted: Iterable[DeletedPuzzle] = (),
) -> ExportReport:
    """Write puzzles to `path` (`-`: standard output), in their order.

    Only JSON lines can say that puzzles were `deleted`; other formats leave them out.
    `kind` is the format; by default, the suffix of the path implies it. A file appears when it is complete,
    or not at all. Raises `InputError` if the format is not known or the file cannot be written, and
    `LibraryMissingError` if the format needs the extra `export`.
    """
    kind = format_of(path) if kind is None else Format(kind)
    options = options or ExportOptions()
    event = "" if options.title == ExportOptions.title else options.title
    if kind is Format.STUDY:
        return _write_study(path, puzzles, event)
    report = ExportReport(files=[path])

    def kept() -> Iterator[Puzzle]:
        for puzzle in puzzles:
            if kind is Format.CSV and not lichess_csv.has_place_for(puzzle, options.facts):
                report.left_out += 1
            else:
                report.written += 1
                yield puzzle

    if kind is Format.CSV:
        with output(path) as text:
            lichess_csv.write(text, kept(), options.facts)
    elif kind is Format.PGN:
        from puzzlegen.formats import pgn

        with output(path) as text:
            pgn.write(text, kept(), event)
    elif kind is Format.EPD:
        from puzzlegen.formats import epd

        with output(path) as text:
            epd.write(text, kept())
    elif kind is Format.JSONL:
        from puzzlegen.formats import jsonl

        gone = list(deleted)
        report.deleted = len(gone)
        with output(path) as text:
            jsonl.write(text, chain(kept(), gone))
    elif kind is Format.HTML:
        from puzzlegen.formats import solving_page

        with output(path) as text:
            solving_page.write(text, kept(), options.title, options.solver)
    elif kind is Format.PDF:
        from puzzlegen.formats import worksheet

        with binary_output(path) as out:
            worksheet.write(out, kept(), options.title, options.solver, options.per_page)
    else:
        from puzzlegen.formats import anki

        with binary_output(path) as out:
            anki.write(out, kept(), options.title)
    return report


def _write_study(path: str, puzzles: Iterable[Puzzle], event: str) -> ExportReport:
    if path == STANDARD_OUTPUT:
        raise InputError("a study may need several files, so that it cannot be written to standard output")
    studies = list(chunks_of(puzzles, MOST_CHAPTERS)) or [[]]
    whole = Path(path)
    report = ExportReport()
    for number, chapters in enumerate(studies, 1):
        name = path if len(studies) == 1 else str(whole.with_stem(f"{whole.stem}-{number}"))
        with output(name) as out:
            import_module("puzzlegen.formats.pgn").write_study(out, chapters, event)
        report.written += len(chapters)
        report.files.append(name)
    return report
