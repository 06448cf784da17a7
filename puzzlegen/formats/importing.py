"""Storing the puzzles of a file, in the format implied by the file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from chess_motif.errors import ArchiveError, InputError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.games import game_numbers
from db.models import DeletedPuzzle, Puzzle
from db.puzzles import add_puzzles, delete_outdated, known_names, update_puzzles
from db.store import Store
from puzzlegen.formats import epd, jsonl, lichess_csv, pgn
from puzzlegen.formats.entry import Parsed, Reader, facts_of
from puzzlegen.formats.lines import read_entries
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.indexer import Observer
from puzzlegen.reasons.tactics import Tactics

# By suffix, before the suffix of a compression. Files with other names are read as CSV.
_READERS: dict[str, Reader] = {
    ".csv": lichess_csv.read,
    ".pgn": pgn.read,
    ".epd": epd.read,
    ".jsonl": jsonl.read,
}

# Entries that one process checks at a time, and that are stored in one transaction.
BATCH = 2_000

# An item of a file with its place.
_Item = tuple[str, Any]

# The place and the puzzle (or the error) of an item, with what an observer makes of the puzzle's tactics.
_Entry = tuple[str, Puzzle | DeletedPuzzle | InputError, Any]

# The least and the greatest value, None without a bound.
Bounds = tuple[float | None, float | None]
UNBOUND: Bounds = (None, None)


@dataclass
class ImportReport:
    """Counts of an import: entries read, puzzles stored, puzzles already known, and entries skipped.

    `left_out` counts entries that were not wanted, `done` wanted ones that are dealt with (the file is read
    ahead), `updated` known puzzles of which the file has a newer version, and `deleted` puzzles that were
    deleted because the file says so. `damage` says why the file could not be read to its end; it is empty if
    it could.
    """

    entries: int = 0
    left_out: int = 0
    done: int = 0
    stored: int = 0
    known: int = 0
    updated: int = 0
    deleted: int = 0
    skipped: int = 0
    damage: str = ""


@dataclass(frozen=True)
class ImportFilter:
    """Conditions on the puzzles of a file, by what the file says about them. Unknown values fail a condition.

    A puzzle needs all of `tags`, each of which may be several themes of which one is enough. With `sample`, a
    random sample of this size is imported, which is always the same for the same `seed`.
    """

    rating: Bounds = UNBOUND
    popularity: Bounds = UNBOUND
    plays: Bounds = UNBOUND
    tags: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0

    @property
    def takes_all(self) -> bool:
        """Whether there is no condition on what the file says."""
        return not self.tags and self.rating == self.popularity == self.plays == UNBOUND

    def fits(self, facts: Mapping[str, str]) -> bool:
        """Return whether a puzzle with these facts (`puzzlegen.formats.entry`) meets the conditions."""
        themes = set(facts.get("Themes", "").split())
        return (
            _is_within(facts.get("Rating", ""), self.rating)
            and _is_within(facts.get("Popularity", ""), self.popularity)
            and _is_within(facts.get("NbPlays", ""), self.plays)
            and not any(themes.isdisjoint(tag.split(",")) for tag in self.tags)
        )


def is_puzzle_file(path: str) -> bool:
    """Return whether a path has the suffix of a file of puzzles."""
    return not _READERS.keys().isdisjoint(Path(path.lower()).suffixes)


def import_puzzles(
    path: str,
    store: Store,
    progress: Progress | None = None,
    wanted: ImportFilter | None = None,
    observer: Observer | None = None,
) -> ImportReport:
    """Store the puzzles of a file, which may be compressed, and return the counts.

    The format is EPD, PGN or JSON lines (`.jsonl`) if the name has that suffix, and Lichess CSV otherwise.
    All puzzles are `wanted` by default. Many puzzles are checked on all cores. An unusable entry is reported
    as a notice and skipped. An entry of a CSV file of Lichess that is stored, by its id there, is not checked
    again, so that an import that was killed is resumed quickly. If JSON lines have later changes than the
    store, including deletions, these are applied. Damage ends the import; all puzzles before it are stored.
    Raises `TableError` if a CSV file lacks required columns, `ArchiveError` if the file cannot be opened,
    `WorkerDiedError`, and `StoreError`.
    """
    report = ImportReport()
    reader = _reader_of(path)
    for _ in _imported(
        path, reader, store, report, progress or Progress(), wanted or ImportFilter(), observer
    ):
        pass
    return report


def imported_ids(path: str, store: Store, progress: Progress | None = None) -> list[str]:
    """Store the puzzles of a file as `import_puzzles` does; return all their ids, in the file's order.

    Raises `ArchiveError` if the file is damaged, too; all puzzles before the damage are stored.
    """
    report = ImportReport()
    reader = _reader_of(path)._replace(name=None)
    puzzles = _imported(path, reader, store, report, progress or Progress(), ImportFilter())
    ids = [puzzle.id for puzzle in puzzles]
    if report.damage:
        raise ArchiveError(report.damage)
    return ids


def _reader_of(path: str) -> Reader:
    suffixes = Path(path.lower()).suffixes
    return next((_READERS[suffix] for suffix in suffixes if suffix in _READERS), lichess_csv.read)


def _imported(
    path: str,
    reader: Reader,
    store: Store,
    report: ImportReport,
    progress: Progress,
    wanted: ImportFilter,
    observer: Observer | None = None,
) -> Iterator[Puzzle]:
    """Store the puzzles of a file, count them in the report, and yield them."""
    with open_archive(path) as archive:
        try:
            items = _wanted_items(reader, archive, report, progress, wanted)
            if reader.name is not None:
                items = _new_items(reader.name, reader.source, store, items, report)
            for entries in _parsed(partial(_parse, reader, observer.make if observer else None), items):
                puzzles: list[Puzzle] = []
                deleted: list[DeletedPuzzle] = []
                made: dict[str, Any] = {}
                for place, puzzle, of_puzzle in entries:
                    if isinstance(puzzle, InputError):
                        progress.notice(f"{archive.name}: {place}: {puzzle}")
                        report.skipped += 1
                    elif isinstance(puzzle, DeletedPuzzle):
                        deleted.append(puzzle)
                    else:
                        puzzles.append(puzzle)
                        # Of several with the same first move, the first one is stored.
                        made.setdefault(puzzle.id, of_puzzle)
                _store(store, puzzles, deleted, report)
                report.done += len(entries)
                if observer is not None:
                    observer.stored(made)
                yield from puzzles
                _show(archive, report, progress, wanted)
        except ArchiveError as error:
            report.damage = str(error)


def _wanted_items(
    reader: Reader, archive: Archive, report: ImportReport, progress: Progress, wanted: ImportFilter
) -> Iterator[_Item]:
    """Yield the wanted items of a file, in order, and count all items."""

    def fitting() -> Iterator[_Item]:
        for place, item in reader.items(archive):
            report.entries += 1
            if wanted.takes_all or _fits(reader, item, wanted):
                yield place, item
            else:
                report.left_out += 1
            if report.entries % BATCH == 0:
                _show(archive, report, progress, wanted)

    if wanted.sample is None:
        return fitting()
    chosen = _sample(fitting(), wanted.sample, wanted.seed)
    report.left_out = report.entries - len(chosen)
    return iter(chosen)


def _fits(reader: Reader, item: Any, wanted: ImportFilter) -> bool:
    """Return whether an item is wanted. Unreadable items are, so that they are reported."""
    try:
        if reader.facts is not None:
            return wanted.fits(reader.facts(item))
        parsed = reader.parse(item)
    except InputError:
        return True
    return isinstance(parsed, Parsed) and wanted.fits(facts_of(parsed.puzzle))


def _new_items(
    name_of: Callable[[Any], str], source: str, store: Store, items: Iterable[_Item], report: ImportReport
) -> Iterator[_Item]:
    """Yield the items that are not stored, by the names that the source has for them; count the others."""
    for some in chunks_of(items, BATCH):
        names = [name_of(item) for _, item in some]
        known = store.transact(partial(known_names, source=source, names=names), reading=True)
        new = [item for item, name in zip(some, names, strict=True) if name not in known]
        report.known += len(some) - len(new)
        report.done += len(some) - len(new)
        yield from new


def _sample(items: Iterable[_Item], size: int, seed: int) -> list[_Item]:
    """Return a random sample, in the order of the items, without keeping all items (reservoir sampling)."""
    random = Random(seed)
    kept: list[tuple[int, _Item]] = []
    for number, item in enumerate(items):
        if number < size:
            kept.append((number, item))
        elif (place := random.randrange(number + 1)) < size:
            kept[place] = (number, item)
    return [item for _, item in sorted(kept, key=lambda one: one[0])]


def _parsed(parse: Callable[[list[_Item]], list[_Entry]], items: Iterator[_Item]) -> Iterator[list[_Entry]]:
    """Yield the puzzles of items in batches. Many items are parsed by a process on each core."""
    batches = chunks_of(items, BATCH)
    first = next(batches, [])
    workers = 1 if len(first) < BATCH else None
    yield from in_processes(parse, chain([first], batches), workers)


def _parse(reader: Reader, make: Callable[[Tactics], Any] | None, items: list[_Item]) -> list[_Entry]:
    return [
        (place, entry.puzzle, make and make(entry.tactics))
        if isinstance(entry, Parsed)
        else (place, entry, None)
        for place, entry in read_entries(items, reader.parse)
    ]


def _show(archive: Archive, report: ImportReport, progress: Progress, wanted: ImportFilter) -> None:
    """Show how much of the file is done, or how much was read to choose a sample, and then what is done."""
    detail = f"{report.stored:,} stored"
    # Known puzzles are skipped quickly, which says nothing about the time for the rest.
    name = archive.name if report.stored or not report.known else f"{archive.name} (known puzzles)"
    if wanted.sample is None:
        share = (report.done + report.left_out) / max(1, report.entries)
        progress.update(name, round(share * archive.consumed()), archive.size, "B", detail)
    elif report.done:
        progress.update(archive.name, report.done, wanted.sample, "puzzle", detail)
    else:
        progress.update(archive.name, archive.consumed(), archive.size, "B", detail)


def _is_within(text: str, bounds: Bounds) -> bool:
    """Return whether a number is within bounds. A text without a number is only within open bounds."""
    if bounds == UNBOUND:
        return True
    lowest, highest = bounds
    try:
        number = float(text)
    except ValueError:
        return False
    return (lowest is None or number >= lowest) and (highest is None or number <= highest)


def _store(
    store: Store, puzzles: Sequence[Puzzle], deleted: Sequence[DeletedPuzzle], report: ImportReport
) -> None:
    """Store puzzles with their games, and delete puzzles, in one transaction; count them in the report."""

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
