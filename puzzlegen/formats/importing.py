"""Taking puzzles from a file into the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chess_motif.errors import ArchiveError, InputError
from chess_motif.progress import Progress
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.formats.entry import Entry
from puzzlegen.formats.lichess_csv import read_csv
from puzzlegen.formats.position_files import read_epd, read_pgn
from puzzlegen.games.archive import Archive, open_archive

# Puzzles stored in one transaction.
BATCH = 2_000


@dataclass
class ImportReport:
    """Counts of an import: entries read, puzzles stored, those the store had before, and passed over."""

    entries: int = 0
    stored: int = 0
    known: int = 0
    skipped: int = 0
    damage: str = ""


def import_puzzles(
    path: str,
    store: Store,
    progress: Progress | None = None,
) -> ImportReport:
    """Store the puzzles of a file and return what came of it.

    By its name it is EPD or PGN, and else Lichess' CSV; each may be compressed. An entry that cannot be
    used is reported as a notice, and the next one read; damage ends the import with
    everything before it stored. Raises `TableError`, `ArchiveError`, `StoreError`.
    """
    report, progress = ImportReport(), progress or Progress()
    batch = []
    with open_archive(path) as archive:
        entries = _reader(path)(archive)
        more = True
        while more:
            try:
                place, row = next(entries, ("", None))
            except ArchiveError as error:
                report.damage, row = str(error), None
            more = row is not None
            if isinstance(row, InputError):
                report.entries += 1
                report.skipped += 1
                progress.notice(f"{archive.name}: {place}: {row}")
            elif row is not None:
                report.entries += 1
                batch.append(row)
            if len(batch) >= BATCH or (batch and not more):
                with store.session() as session:
                    stored = add_puzzles(session, batch)
                report.stored += stored
                report.known += len(batch) - stored
                batch = []
                progress.update(
                    archive.name, archive.consumed(), archive.size, "B", f"{report.stored} puzzles"
                )
    return report


def _reader(path: str) -> Callable[[Archive], Iterator[Entry]]:
    suffixes = Path(path.lower()).suffixes
    if ".epd" in suffixes:
        return read_epd
    return read_pgn if ".pgn" in suffixes else read_csv
