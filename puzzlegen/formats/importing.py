"""Storing the puzzles of a file, whose name implies the format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from chess_motif.errors import ArchiveError, InputError
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from db.games import game_numbers
from db.models import DeletedPuzzle, Puzzle
from db.puzzles import add_puzzles, delete_outdated, update_puzzles
from db.store import Store
from puzzlegen.formats import epd, jsonl, lichess_csv, pgn
from puzzlegen.formats.entry import Entry
from puzzlegen.games.archive import Archive, open_archive

# By suffix, before that of a compression if any. Files with other names are read as CSV.
_READERS: dict[str, Callable[[Archive], Iterator[Entry]]] = {
    ".csv": lichess_csv.read,
    ".pgn": pgn.read,
    ".epd": epd.read,
    ".jsonl": jsonl.read,
}

# Entries whose puzzles are stored in one transaction.
BATCH = 2_000


@dataclass
class ImportReport:
    """Counts of an import: entries read, puzzles stored, puzzles already known, and entries skipped.

    Of the known puzzles, `updated` ones have changed, since the file has them as they became later. `deleted`
    counts puzzles that the file says were deleted.

    `damage` is why the file could not be read to its end, empty if it could.
    """

    entries: int = 0
    stored: int = 0
    known: int = 0
    updated: int = 0
    deleted: int = 0
    skipped: int = 0
    damage: str = ""


def is_puzzle_file(path: str) -> bool:
    """Return whether the name of a file is that of a file of puzzles."""
    return not _READERS.keys().isdisjoint(Path(path.lower()).suffixes)


def import_puzzles(path: str, store: Store, progress: Progress | None = None) -> ImportReport:
    """Store the puzzles of a file, which may be compressed, and return the counts.

    The format is EPD, PGN or JSON lines (`.jsonl`) if the name has that suffix, and Lichess CSV otherwise. An
    entry that cannot be used is reported as a notice and skipped. What JSON lines say of later changes than
    those that are stored is taken over, deletions included. Damage ends the import; everything before it is
    stored. Raises `TableError` if a CSV file lacks the required columns, `ArchiveError` if the file
    cannot be opened, and `StoreError`.
    """
    report = ImportReport()
    for _ in _imported(path, store, report, progress or Progress()):
        pass
    return report


def imported_ids(path: str, store: Store, progress: Progress | None = None) -> list[str]:
    """Store the puzzles of a file as `import_puzzles` does; return the ids of all of them, in its order.

    Raises `ArchiveError`, too, where the file is damaged; everything before is stored.
    """
    report = ImportReport()
    ids = [puzzle.id for puzzle in _imported(path, store, report, progress or Progress())]
    if report.damage:
        raise ArchiveError(report.damage)
    return ids


def _imported(path: str, store: Store, report: ImportReport, progress: Progress) -> Iterator[Puzzle]:
    """Store the puzzles of a file, count them in the report, and yield them."""
    suffixes = Path(path.lower()).suffixes
    read = next((_READERS[suffix] for suffix in suffixes if suffix in _READERS), lichess_csv.read)
    with open_archive(path) as archive:
        try:
            for entries in chunks_of(read(archive), BATCH):
                puzzles: list[Puzzle] = []
                deleted: list[DeletedPuzzle] = []
                for place, puzzle in entries:
                    if isinstance(puzzle, InputError):
                        progress.notice(f"{archive.name}: {place}: {puzzle}")
                    elif isinstance(puzzle, DeletedPuzzle):
                        deleted.append(puzzle)
                    else:
                        puzzles.append(puzzle)
                report.entries += len(entries)
                report.skipped += len(entries) - len(puzzles) - len(deleted)
                _store(store, puzzles, deleted, report)
                yield from puzzles
                progress.update(
                    archive.name, archive.consumed(), archive.size, "B", f"{report.stored} puzzles"
                )
        except ArchiveError as error:
            report.damage = str(error)


def _store(
    store: Store, puzzles: Sequence[Puzzle], deleted: Sequence[DeletedPuzzle], report: ImportReport
) -> None:
    """Store puzzles with their games, and delete puzzles, in one transaction; count what was done."""

    def keep(session: Session) -> tuple[int, int, int]:
        numbers = game_numbers(session, [puzzle.game for puzzle in puzzles if puzzle.game])
        for puzzle in puzzles:
            if puzzle.game:
                puzzle.game_number = numbers[puzzle.game.key]
        changed = update_puzzles(session, [puzzle for puzzle in puzzles if puzzle.updated])
        stored = add_puzzles(session, puzzles)
        return changed, stored, delete_outdated(session, deleted)

    changed, stored, gone = store.transact(keep)
    report.stored += stored
    report.known += len(puzzles) - stored
    report.updated += changed
    report.deleted += gone
