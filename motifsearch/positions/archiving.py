"""Archiving games, so that their positions can be searched for.

Games are stored in batches together with a checkpoint, so that an interrupted command can be resumed. A game
that is already archived is not stored again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import chess
import chess.pgn
from sqlalchemy.orm import Session

from chess_motif.arguments import not_text
from chess_motif.cluster import Cluster
from chess_motif.errors import ArchiveError
from chess_motif.notation import uci_line
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.games import archive_games, count_archived, get_archived, last_archived
from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.index.directory import index_path, source_growing
from motifsearch.positions.index import (
    DIRECTORY,
    PositionsReport,
    grow_shards,
    opening_moves,
    set_opening_moves,
    set_shards,
    shard_count,
    sync_positions,
)
from puzzlegen.games.archive import Archive, ArchiveWalk, check_archives, fingerprint, open_archive
from puzzlegen.games.filter import ArchiveFilter
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, played_game, read_game, skip_notice
from puzzlegen.games.split import TAIL, RawGame, split_games

ALL_GAMES = ArchiveFilter()

# Games skipped for these reasons are only counted, not listed.
NOT_WANTED = (Skip.LOWER_RATED, Skip.OTHER_SPEED)

# Games that a worker reads at a time, and that are stored in one transaction.
CHUNK = 200


@dataclass
class AddReport:
    """The counts of all archives, earlier calls included.

    `skipped` are the games that could not be used, by reason, with `examples`. `damaged` has a message for
    each archive that could not be read to the end.
    """

    games: int = 0
    archived: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)

    @property
    def known(self) -> int:
        """Games that had already been archived, from this or another file."""
        return self.games - self.archived - self.skipped.total()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "known": self.known, "skipped": dict(self.skipped.most_common())}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue the counts that were saved with a checkpoint."""
        self.games, self.archived = saved.get("games", 0), saved.get("archived", 0)
        self.skipped = Counter(saved.get("skipped", {}))
        self.examples = dict(saved.get("examples", {}))

    def add(self, other: AddReport) -> None:
        """Add the counts of another archive."""
        self.games += other.games
        self.archived += other.archived
        self.skipped += other.skipped
        self.examples = other.examples | self.examples
        self.damaged += other.damaged


def add_positions(
    games: Iterable[str | chess.pgn.Game],
    store: Store,
    *,
    after_move: int | None = None,
    shards: int | None = None,
    directory: Path | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> tuple[AddReport, PositionsReport]:
    """Archive games, see `add_games`, and index their positions; return a report of each step.

    `games` are games of python-chess, or paths of archives of games.

    `after_move` sets how many opening moves (of both sides) are left out of the index, for all games archived
    earlier or later. `shards` sets the number of shards of the index, which otherwise grows with the archive.
    Changing either number rebuilds the index; meanwhile, searches use its last saved state. `directory` holds
    the indexes (default: beside the database). If `cluster`, the address of a Dask scheduler, is given, its
    workers build the shards; the workers must reach the database and the folder of the index. Raises what
    `add_games` raises, `IndexUnavailableError`, and `ClusterError`.
    """
    progress = progress or Progress()
    with ExitStack() as opened:
        connected = None if cluster is None else opened.enter_context(Cluster(cluster, progress))
        if after_move is not None and after_move != opening_moves(store):
            set_opening_moves(store, after_move)
            progress.notice(
                f"from now on, positions after move {after_move} are indexed; the index is rebuilt"
            )
        opened.enter_context(source_growing(index_path(store, DIRECTORY, directory)))
        report = add_games(games, store, progress=progress)
        _divide(store, shards, progress)
        if connected is None:
            _, indexed = sync_positions(store, directory, progress=progress)
        else:
            # Imported when needed: Dask is large and optional.
            from motifsearch.positions.dask import build_on_cluster

            indexed = build_on_cluster(connected, store, directory, progress)
    return report, indexed


def _divide(store: Store, shards: int | None, progress: Progress) -> None:
    """Set the number of shards of the index, as given or as the archive needs."""
    before = shard_count(store)
    if shards is not None:
        set_shards(store, shards)
    else:
        with store.reading() as session:
            games = count_archived(session)
        grow_shards(store, games)
    after = shard_count(store)
    if after != before:
        parts = "1 shard" if after == 1 else f"{after} shards"
        progress.notice(f"from now on, the index has {parts}; it is rebuilt")


def add_games(
    games: Iterable[str | chess.pgn.Game],
    store: Store,
    *,
    wanted: ArchiveFilter = ALL_GAMES,
    progress: Progress | None = None,
) -> AddReport:
    """Archive those of `games` that are `wanted`; they are games of python-chess, or paths of archives.

    A path may be `-` for standard input. Reading an archive resumes at its checkpoint. An archive that is
    damaged or holds no game is reported and skipped. Returns the counts. Raises `ArchiveError` if none of the
    archives exists, `InputError` for a game that cannot be used, `StoreError`.
    """
    not_text(games=games)
    adding = _Adding(store, wanted, progress or Progress())
    # Neighbours of the same type are stored together, which takes fewer transactions.
    for is_path, some in groupby(games, key=lambda one: isinstance(one, str)):
        if is_path:
            adding.add_archives([str(name) for name in some])
        else:
            adding.add_played(some)
    return adding.total


@dataclass
class _Adding:
    """Archives the `wanted` games, and counts them in `total`."""

    store: Store
    wanted: ArchiveFilter
    progress: Progress
    total: AddReport = field(default_factory=AddReport)

    def add_played(self, games: Iterable[str | chess.pgn.Game]) -> None:
        """Archive games of python-chess."""
        for chunk in chunks_of(games, CHUNK):
            rows = []
            for played in map(played_game, (game for game in chunk if not isinstance(game, str))):
                row = played.row()
                self.total.games += 1
                if refused := self.wanted.refuses(row):
                    self.total.skipped[refused] += 1
                else:
                    rows.append(_archived(played, row))
            self.total.archived += self.store.transact(partial(archive_games, games=rows))

    def add_archives(self, names: Sequence[str]) -> None:
        """Archive the games of archives. Raises `ArchiveError` if none of the archives exists."""
        check_archives(names)
        for name in names:
            report = AddReport()
            try:
                with open_archive(name) as archive:
                    self._read(archive, report)
            except ArchiveError as error:
                report.damaged.append(str(error))
                self.progress.notice(str(error))
            self.total.add(report)

    def _read(self, archive: Archive, report: AddReport) -> None:
        """Archive the games of one archive, from its checkpoint on."""
        walk = ArchiveWalk(archive, self.store, _settings(self.wanted), self.progress)
        report.restore(walk.summary)
        if report.games:
            self.progress.notice(f"{archive.name}: {report.games} games were read before")
        if walk.text is not None:
            games = chunks_of(split_games(walk.text, walk.offset, walk.games), CHUNK)
            with closing(in_processes(partial(read_games, wanted=self.wanted), games)) as results:
                for read in results:
                    self._save(read, walk, report)
            walk.finish()
            self._show(archive, report)
        walk.check_games(report.games - report.skipped[Skip.NOT_A_GAME])

    def _save(self, read: _GamesRead, walk: ArchiveWalk, report: AddReport) -> None:
        """Store a chunk of games together with the checkpoint after it."""
        name = walk.archive.name
        walk.advance(read.tail)
        report.games = read.number
        for number, _, reason, _ in read.skipped:
            report.skipped[reason] += 1
            report.examples.setdefault(reason, f"{name}: game {number}")

        def keep(session: Session) -> int:
            archived = report.archived + archive_games(session, read.archived)
            walk.save(session, read.end, read.number, replace(report, archived=archived).as_dict())
            return archived

        report.archived = self.store.transact(keep)
        for number, offset, reason, detail in read.skipped:
            if reason not in NOT_WANTED:
                self.progress.notice(skip_notice(name, number, offset, reason, detail))
        walk.archive.finish_text(read.end)
        self._show(walk.archive, report)

    def _show(self, archive: Archive, report: AddReport) -> None:
        detail = f"{report.games} games, {report.archived} archived"
        self.progress.update(archive.name, archive.finished(), archive.size, "B", detail)


def last_position(store: Store) -> chess.Board | None:
    """Return the last position of the last archived game, None if there is no game."""
    with store.reading() as session:
        number = last_archived(session)
        game = get_archived(session, [number]).get(number)
    return None if game is None else game.played(len(game.moves.split()))[0]


def _settings(wanted: ArchiveFilter) -> str:
    """Return the part of a checkpoint's key that distinguishes archiving a file from mining the same file."""
    chosen = "" if wanted == ALL_GAMES else f" {wanted}"
    return fingerprint(f"positions{chosen}".encode())


@dataclass(frozen=True)
class _GamesRead:
    """A chunk of games: those to archive, the skipped games, and the checkpoint at the end.

    A skipped game is given by its number, its byte offset in the text, the reason, and details.
    """

    archived: list[ArchivedGame]
    skipped: list[tuple[int, int, Skip, str]]
    number: int
    end: int
    tail: bytes


def read_games(games: Sequence[RawGame], wanted: ArchiveFilter = ALL_GAMES) -> _GamesRead:
    """Parse one or more games; those that are not `wanted` are skipped."""
    archived: list[ArchivedGame] = []
    skipped = []
    for raw in games:
        try:
            game = read_game(raw)
        except SkipGame as reason:
            skipped.append((raw.number, raw.offset, reason.reason, reason.detail))
            continue
        row = game.row()
        if refused := wanted.refuses(row):
            skipped.append((raw.number, raw.offset, refused, ""))
            continue
        archived.append(_archived(game, row))
    tail = b"".join(raw.tail for raw in games[-TAIL:])[-TAIL:]
    return _GamesRead(archived, skipped, games[-1].number, games[-1].end, tail)


def _archived(game: PlayedGame, row: Game) -> ArchivedGame:
    start = game.start.fen()
    return ArchivedGame(
        start="" if start == chess.STARTING_FEN else start,
        moves=uci_line(game.moves),
        game=row,
    )
