"""Taking puzzles from a file into the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chess_motif.errors import ArchiveError
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.archive import Archive, open_archive
from puzzlegen.lichess_csv import BadRowError, read_rows

# Puzzles stored in one transaction.
BATCH = 2_000


@dataclass
class ImportReport:
    """Counts of an import: rows read, puzzles stored, those the store had before, rows passed over."""

    rows: int = 0
    stored: int = 0
    known: int = 0
    skipped: int = 0
    damage: str = ""


def import_puzzles(
    path: str,
    store: Store,
    noticed: Callable[[str], None] = lambda line: None,
    progressed: Callable[[Archive, ImportReport], None] = lambda archive, report: None,
) -> ImportReport:
    """Store the puzzles of a Lichess CSV file (compressed or not) and return what came of it.

    A row that cannot be used is named by `noticed`, a line each, and the next one taken; damage ends
    the import with everything before it stored. Raises `TableError`, `ArchiveError`, `StoreError`.
    """
    report = ImportReport()
    batch = []
    with open_archive(path) as archive:
        rows = read_rows(archive)
        more = True
        while more:
            try:
                number, row = next(rows, (0, None))
            except ArchiveError as error:
                report.damage, row = str(error), None
            more = row is not None
            if isinstance(row, BadRowError):
                report.rows += 1
                report.skipped += 1
                noticed(f"{archive.name}: line {number}: {row}")
            elif row is not None:
                report.rows += 1
                batch.append(row)
            if len(batch) >= BATCH or (batch and not more):
                with store.session() as session:
                    stored = add_puzzles(session, batch)
                report.stored += stored
                report.known += len(batch) - stored
                batch = []
                progressed(archive, report)
    return report
