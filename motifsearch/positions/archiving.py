"""Archiving games, so that their positions can be searched for.

Games are stored in batches together with the place reached in their archive: whatever ends a run, the same
command goes on where it stopped. A game that is archived already is not stored again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import chess

from chess_motif.errors import ArchiveError
from chess_motif.parallel import chunks_of, work_in_order
from db.games import archive_games
from db.models import Checkpoint
from db.store import Store
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.checkpoint import TAIL, fingerprint
from puzzlegen.games.pgn import SkipGame, read_game
from puzzlegen.games.resume import resume
from puzzlegen.games.split import RawGame, split_games

# Under this name it is kept how far an archive was read.
SETTINGS = fingerprint(b"positions")

# Games read by a worker at a time, and stored in one transaction.
CHUNK = 200


@dataclass
class AddReport:
    """Counts over all archives, those of earlier runs included. `damaged` could not be read to the end."""

    games: int = 0
    archived: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    @property
    def known(self) -> int:
        """Games that were archived before, from this or another file."""
        return self.games - self.archived - self.skipped.total()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "known": self.known, "skipped": dict(self.skipped.most_common())}

    def add(self, other: AddReport) -> None:
        """Take in the counts of another archive."""
        self.games += other.games
        self.archived += other.archived
        self.skipped += other.skipped
        self.examples = other.examples | self.examples
        self.damaged += other.damaged


@dataclass(frozen=True)
class Listener:
    """What a caller may want to see: the archive and its counts after each batch, lines about bad input."""

    progressed: Callable[[Archive, AddReport], None] = lambda archive, report: None
    noticed: Callable[[str], None] = lambda line: None


def add_games(
    archives: Iterable[str], store: Store, *, restart: bool = False, listener: Listener | None = None
) -> AddReport:
    """Archive the games of `archives` (paths, or `-`) in `store`; return what came of it.

    Each archive is read on from where it was left, or with `restart` from its beginning. One that cannot be
    read is reported and the next one taken. Raises `StoreError`.
    """
    listener = listener or Listener()
    total = AddReport()
    for name in archives:
        report = AddReport()
        try:
            with open_archive(name) as archive:
                _add(archive, store, report, listener, restart)
        except ArchiveError as error:
            report.damaged.append(str(error))
            listener.noticed(str(error))
        total.add(report)
    return total


@dataclass(frozen=True)
class _Read:
    """What came of some games: rows for the store, why others were passed over, and where they end."""

    rows: list[dict[str, Any]]
    skipped: list[tuple[int, int, str, str]]
    number: int
    end: int
    tail: bytes


def read_games(games: Sequence[RawGame]) -> _Read:
    """Return the games of some texts as columns of the tables of games."""
    rows, skipped = [], []
    for raw in games:
        try:
            game = read_game(raw)
        except SkipGame as reason:
            skipped.append((raw.number, raw.offset, reason.reason.value, reason.detail))
            continue
        start = game.start.fen()
        rows.append(
            game.row()
            | {
                "start": "" if start == chess.STARTING_FEN else start,
                "moves": " ".join(move.uci() for move in game.moves),
            }
        )
    tail = b"".join(raw.text[-TAIL:] for raw in games[-TAIL:])[-TAIL:]
    return _Read(rows, skipped, games[-1].number, games[-1].end, tail)


def _add(archive: Archive, store: Store, report: AddReport, listener: Listener, restart: bool) -> None:
    left = resume(store, archive, SETTINGS, listener.noticed, restart=restart)
    _recall(report, left.checkpoint)
    if report.games:
        listener.noticed(f"{archive.name}: {report.games} games were read before")
    if left.text is None:
        return
    failure: list[ArchiveError] = []

    def until_failure(games: Iterator[RawGame]) -> Iterator[RawGame]:
        try:
            yield from games
        except ArchiveError as error:
            failure.append(error)

    games = until_failure(split_games(left.text, left.checkpoint.offset, left.checkpoint.games))
    tail = b""
    with closing(work_in_order(read_games, chunks_of(games, CHUNK))) as results:
        for read in results:
            tail = (tail + read.tail)[-TAIL:]
            with store.session() as session:
                report.archived += archive_games(session, read.rows)
                _count(report, read, archive.name)
                checkpoint = session.get_one(Checkpoint, left.checkpoint.number)
                checkpoint.offset, checkpoint.before = read.end, fingerprint(tail)
                checkpoint.games, checkpoint.summary = report.games, report.as_dict()
            for number, offset, reason, detail in read.skipped:
                place = f"{archive.name}: game {number} (byte {offset})"
                listener.noticed(f"{place}: {reason}" + (f": {detail}" if detail else ""))
            archive.finish_text(read.end)
            listener.progressed(archive, report)
    if failure:
        # Only now: what comes before the damage is with the workers when it is found.
        raise failure[0]
    with store.session() as session:
        session.get_one(Checkpoint, left.checkpoint.number).finished_size = archive.size


def _count(report: AddReport, read: _Read, archive: str) -> None:
    report.games = read.number
    for number, _, reason, _ in read.skipped:
        report.skipped[reason] += 1
        report.examples.setdefault(reason, f"{archive}: game {number}")


def _recall(report: AddReport, checkpoint: Checkpoint) -> None:
    kept = checkpoint.summary
    report.games, report.archived = kept.get("games", 0), kept.get("archived", 0)
    report.skipped = Counter(kept.get("skipped", {}))
    report.examples = dict(kept.get("examples", {}))
