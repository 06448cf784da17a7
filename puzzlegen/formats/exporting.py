"""Writing stored puzzles to a file, in the format implied by the file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, binary_output, output
from chess_motif.parallel import chunks_of
from chess_motif.text import clean_name
from db.changes import deleted_since, last_change
from db.models import DeletedPuzzle, Puzzle
from db.puzzles import PuzzleFilter
from db.selection import Selection, read_puzzles
from db.store import Store
from puzzlegen.formats import lichess_csv

# The most chapters of a Lichess study. Lichess silently drops further games of a PGN file.
MOST_CHAPTERS = 64

# The diagrams that a page of a PDF file may have.
DIAGRAMS = (4, 6, 9)


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
    """Options of some formats, which the other formats ignore.

    `title` is the title of a PDF file or an HTML page, the name of an Anki deck, or the event of the games of
    a PGN file (default there: the name of each puzzle); `solver` is the name on a PDF file or an HTML page. A
    page of a PDF file has up to `per_page` diagrams (4, 6 or 9).
    """

    title: str = "Chess puzzles"
    solver: str = ""
    per_page: int = 6

    def __post_init__(self) -> None:
        """Clean the texts. Raises `InputError` for another number of diagrams."""
        object.__setattr__(self, "title", clean_name(self.title))
        object.__setattr__(self, "solver", clean_name(self.solver))
        if self.per_page not in DIAGRAMS:
            raise InputError(f"per_page must be one of {', '.join(map(str, DIAGRAMS))}, not {self.per_page}")

    @property
    def event(self) -> str:
        """The event of the games of a PGN file; empty: the name of each puzzle."""
        return "" if self.title == ExportOptions.title else self.title


class _Writer(NamedTuple):
    """A module whose function `write` takes the file, the puzzles and `arguments`."""

    module: str
    arguments: Callable[[ExportOptions], tuple[Any, ...]] = lambda options: ()
    is_binary: bool = False


# The modules are imported only when needed: some use large or optional libraries.
_WRITERS = {
    Format.CSV: _Writer("lichess_csv"),
    Format.PGN: _Writer("pgn", lambda options: (options.event,)),
    Format.EPD: _Writer("epd"),
    Format.JSONL: _Writer("jsonl"),
    Format.HTML: _Writer("solving_page", lambda options: (options.title, options.solver)),
    Format.PDF: _Writer(
        "worksheet", lambda options: (options.title, options.solver, options.per_page), is_binary=True
    ),
    Format.APKG: _Writer("anki", lambda options: (options.title,), is_binary=True),
}


@dataclass
class ExportReport:
    """Counts of an export, and the files written.

    `left_out` counts the puzzles that the format cannot represent, `deleted` the deleted puzzles that the
    file lists. `last_change` is the number of the last change that was seen, from which the next export may
    continue (`since`); it is None for puzzles that were not read from a store.
    """

    written: int = 0
    deleted: int = 0
    left_out: int = 0
    files: list[str] = field(default_factory=list)
    last_change: int | None = None


def format_of(path: str) -> Format:
    """Return the format that the suffix of a path implies. Raises `InputError` if it implies none."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    try:
        return Format(suffix)
    except ValueError as error:
        known = ", ".join(kind.value for kind in Format)
        raise InputError(f"{path}: no format has this suffix; the formats are {known}") from error


def export_puzzles(
    path: str,
    store: Store,
    kind: Format | str | None = None,
    *,
    selection: Selection | PuzzleFilter | None = None,
    since: int | None = None,
    options: ExportOptions | None = None,
) -> ExportReport:
    """Write the puzzles of a selection, or all that pass a filter, as `write_puzzles` does.

    The default is everything, including exercises. With `since`, only puzzles are written that were stored,
    changed or deleted after the change with that number; the report says with which number to continue.
    Raises `InputError`, too, if the selection also has a `limit` or `sample`: puzzles left out would never
    follow.
    """
    if not isinstance(selection, Selection):
        selection = Selection(selection or PuzzleFilter(kind=None))
    if since is not None:
        if selection.limit is not None or selection.sample is not None:
            raise InputError("an export since a change cannot have a limit or a sample")
        selection = replace(selection, filters=replace(selection.filters, since=since))

    def known(session: Session) -> tuple[int, list[DeletedPuzzle]]:
        return last_change(session), [] if since is None else list(deleted_since(session, since))

    # Read first, so that puzzles that change during the export come again next time.
    last, deleted = store.transact(known, reading=True)
    report = write_puzzles(path, read_puzzles(store, selection), kind, options, deleted)
    report.last_change = last
    return report


def write_puzzles(
    path: str,
    puzzles: Iterable[Puzzle],
    kind: Format | str | None = None,
    options: ExportOptions | None = None,
    deleted: Iterable[DeletedPuzzle] = (),
) -> ExportReport:
    """Write puzzles to `path` (`-`: standard output), in their order.

    Only JSON lines can list `deleted` puzzles; other formats leave these out. `kind` is the format, by
    default the one implied by the path's suffix. The file appears complete or not at all. Raises `InputError`
    if the format is not known or the file cannot be written.
    """
    kind = format_of(path) if kind is None else arguments.one_of(Format, kind=kind)
    options = options or ExportOptions()
    if kind is Format.STUDY:
        return _write_study(path, puzzles, options)
    report = ExportReport(files=[path])

    def kept() -> Iterator[Puzzle]:
        for puzzle in puzzles:
            if kind is Format.CSV and not lichess_csv.has_place_for(puzzle):
                report.left_out += 1
            else:
                report.written += 1
                yield puzzle

    entries: Iterator[Puzzle | DeletedPuzzle] = kept()
    if kind is Format.JSONL:
        gone = list(deleted)
        report.deleted = len(gone)
        entries = chain(entries, gone)
    writer = _WRITERS[kind]
    write = import_module(f"puzzlegen.formats.{writer.module}").write
    with (binary_output if writer.is_binary else output)(path) as out:
        write(out, entries, *writer.arguments(options))
    return report


def _write_study(path: str, puzzles: Iterable[Puzzle], options: ExportOptions) -> ExportReport:
    if path == STANDARD_OUTPUT:
        raise InputError("a study may need several files, so it cannot be written to standard output")
    studies = list(chunks_of(puzzles, MOST_CHAPTERS)) or [[]]
    whole = Path(path)
    report = ExportReport()
    for number, chapters in enumerate(studies, 1):
        name = path if len(studies) == 1 else str(whole.with_stem(f"{whole.stem}-{number}"))
        with output(name) as out:
            import_module("puzzlegen.formats.pgn").write_study(out, chapters, options.event)
        report.written += len(chapters)
        report.files.append(name)
    return report
