"""Storing the puzzles of a file, whose name says in which format it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chess_motif.errors import ArchiveError, InputError
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.formats import epd, lichess_csv, pgn
from puzzlegen.formats.entry import Entry
from puzzlegen.games.archive import Archive, open_archive

# By the end of the file's name, without that of a compressed file. Any other name is read as CSV.
_READERS: dict[str, Callable[[Archive], Iterator[Entry]]] = {
    ".csv": lichess_csv.read,
    ".pgn": pgn.read,
    ".epd": epd.read,
}

# Entries read, and their puzzles stored in one transaction.
BATCH = 2_000


@dataclass
class ImportReport:
    """Counts of an import: entries read, puzzles stored, those stored before, and entries skipped.

    `damage` says why the file could not be read to its end, if so.
    """

    entries: int = 0
    stored: int = 0
    known: int = 0
    skipped: int = 0
    damage: str = ""


def import_puzzles(path: str, store: Store, progress: Progress | None = None) -> ImportReport:
    """Store the puzzles of a file and return what came of it.

    By its name it is EPD or PGN, and else Lichess' CSV; it may be compressed. An entry that cannot be used
    is reported as a notice and skipped. Damage ends the import; everything before it is stored. Raises
    `TableError`, `ArchiveError`, `StoreError`.
    """
    report, progress = ImportReport(), progress or Progress()
    with open_archive(path) as archive:
        try:
            for entries in chunks_of(_reader(path)(archive), BATCH):
                rows = []
                for place, row in entries:
                    if isinstance(row, InputError):
                        progress.notice(f"{archive.name}: {place}: {row}")
                    else:
                        rows.append(row)
                with store.session() as session:
                    stored = add_puzzles(session, rows)
                report.entries += len(entries)
                report.skipped += len(entries) - len(rows)
                report.stored += stored
                report.known += len(rows) - stored
                progress.update(
                    archive.name, archive.consumed(), archive.size, "B", f"{report.stored} puzzles"
                )
        except ArchiveError as error:
            report.damage = str(error)
    return report


def _reader(path: str) -> Callable[[Archive], Iterator[Entry]]:
    suffixes = Path(path.lower()).suffixes
    return next((_READERS[suffix] for suffix in suffixes if suffix in _READERS), lichess_csv.read)
