"""Mining: archives of games in, verified puzzles in the store.

However a run ends, the same command resumes it: each game is stored in one transaction together with the
place reached in its archive.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import update

from chess_motif.errors import ArchiveError, ClusterError
from chess_motif.progress import Progress
from db.models import MiningRun, utc_now
from db.store import Store
from puzzlegen.games.archive import open_archive
from puzzlegen.mining.archive_run import ArchiveRun
from puzzlegen.mining.game_worker import WorkerConfig
from puzzlegen.mining.local_pool import LocalPool
from puzzlegen.mining.pool import Pool
from puzzlegen.mining.summary import Summary
from puzzlegen.rules import MiningRules
from puzzlegen.settings import Settings


@dataclass
class MiningReport:
    """The result of a run: its counts over all archives, and those that could not be read to their end."""

    engine: str
    rules: MiningRules
    summary: Summary = field(default_factory=Summary)
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the JSON contract names its parts."""
        return self.summary.as_dict() | {
            "damaged": self.damaged,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "engine": self.engine,
            "rules": self.rules.as_dict(),
        }


def mine(
    archives: Sequence[str],
    store: Store,
    engine_path: str | None = None,
    *,
    rules: MiningRules | None = None,
    workers: int = 1,
    cluster: str | None = None,
    player: str | None = None,
    evaluated_only: bool = False,
    limit: int | None = None,
    restart: bool = False,
    progress: Progress | None = None,
) -> MiningReport:
    """Mine `archives` (paths, or `-`) and store the puzzles.

    `engine_path` is a path or a command name (default: Stockfish, wherever it is). The work is done by
    `workers` processes on this computer, or by the workers of the Dask scheduler at the address `cluster`.
    `limit` ends the run after that many games, counted over the archives from their beginning, those
    of earlier runs included; `restart` forgets how far earlier runs got. `player` keeps to what that
    player could have played, `evaluated_only` to games with `[%eval]` comments. An archive that
    cannot be read is reported, and the next one is mined. Raises `EngineError`, `ClusterError`,
    `StoreError`.
    """
    progress = progress or Progress()
    started = time.monotonic()
    rules = rules or MiningRules()
    with _pool(WorkerConfig(engine_path, rules, player, store.address), workers, cluster, progress) as pool:
        settings = Settings(pool.engine_name(), rules, player, evaluated_only)
        report = MiningReport(settings.engine, rules)
        with store.session() as session:
            run = MiningRun(engine=settings.engine, rules=rules.as_dict())
            session.add(run)
        for path in archives:
            left = None if limit is None else limit - report.summary.games
            if progress.stopping or (left is not None and left <= 0):
                break
            try:
                archive = open_archive(path)
            except ArchiveError as error:
                report.damaged.append(str(error))
                progress.notice(str(error))
                continue
            with archive:
                archive_run = ArchiveRun(archive, store, run.number, settings, progress)
                try:
                    archive_run.mine(pool, left, restart=restart)
                except ArchiveError as error:
                    report.damaged.append(str(error))
                    progress.notice(str(error))
            report.summary.add(archive_run.summary)
    with store.session() as session:
        session.execute(update(MiningRun).where(MiningRun.number == run.number).values(finished=utc_now()))
    report.interrupted = progress.stopping
    report.seconds = time.monotonic() - started
    return report


def _pool(config: WorkerConfig, workers: int, cluster: str | None, progress: Progress) -> Pool:
    if cluster is None:
        return LocalPool(workers, config)
    # Dask is large, and most runs need none.
    try:
        from puzzlegen.mining.dask_pool import DaskPool
    except ImportError as error:
        raise ClusterError("a cluster needs Dask; pip install 'chess-motif[cluster]'") from error
    # The store need not be within reach of other computers.
    return DaskPool(cluster, replace(config, store=None), progress)
