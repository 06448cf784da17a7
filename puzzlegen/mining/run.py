"""Mining runs: from archives of games to verified puzzles in the store.

However a run ends, the same command resumes it: results are stored in one transaction with the checkpoint of
their archive.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chess_motif.errors import ArchiveError, ClusterError
from chess_motif.progress import Progress
from db.packed.file import PackedFile
from db.store import Store
from engines.human.model import load_human_model
from puzzlegen.difficulty.rating_model import load_rating_model
from puzzlegen.games.archive import open_archive
from puzzlegen.mining.archive_run import ArchiveRun
from puzzlegen.mining.game_worker import WorkerConfig
from puzzlegen.mining.local_pool import LocalPool
from puzzlegen.mining.pool import Pool
from puzzlegen.mining.storing import stored_run
from puzzlegen.mining.summary import Summary
from puzzlegen.rules import MiningRules
from puzzlegen.settings import Settings


@dataclass
class MiningReport:
    """The result of a run: its counts over all archives, and messages for those that could not be read."""

    engine: str
    rules: MiningRules
    summary: Summary = field(default_factory=Summary)
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
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
    memory: Path | None = None,
    progress: Progress | None = None,
) -> MiningReport:
    """Mine `archives` (paths, or `-` for standard input) and store the puzzles.

    `engine_path` is a path or a command name (default: Stockfish, wherever it is installed). The games are
    mined by `workers` processes on this computer, or by the workers of the Dask scheduler at the address
    `cluster`, where `engine_path` and `memory` are then paths. `limit` ends the run after that many games,
    counted from the beginning of the first archive, games of earlier runs included; `restart` ignores the
    checkpoints of earlier runs. `player` (words of a name, any case) restricts the run to puzzles that this
    player could have solved, `evaluated_only` to games with `[%eval]` comments. A position is not searched if
    the packed file `memory` has a verdict on it by this engine, with as many nodes or more. An archive that
    cannot be read or holds no game is reported, and the next one is mined. Raises `EngineError`,
    `ClusterError`, `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    started = time.monotonic()
    rules = rules or MiningRules()
    rating_model = load_rating_model(load_human_model())
    config = WorkerConfig(engine_path, rules, player, store.address, memory)
    if memory is not None and cluster is None:
        with PackedFile(memory) as file:
            for damage in file.damage():
                progress.notice(damage)
    with _pool(config, workers, cluster, progress) as pool:
        settings = Settings(pool.engine_name(), rules, player, evaluated_only)
        report = MiningReport(settings.engine, rules)
        with stored_run(store, settings.engine, rules.as_dict()) as number:
            for path in archives:
                remaining = None if limit is None else limit - report.summary.games
                if progress.stopping or (remaining is not None and remaining <= 0):
                    break
                try:
                    with open_archive(path) as archive:
                        archive_run = ArchiveRun(
                            archive, store, number, settings, progress, rating_model, remaining
                        )
                        try:
                            archive_run.mine(pool, restart=restart)
                        finally:
                            report.summary.add(archive_run.summary)
                except ArchiveError as error:
                    report.damaged.append(str(error))
                    progress.notice(str(error))
    report.interrupted = progress.stopping
    report.seconds = time.monotonic() - started
    return report


def _pool(config: WorkerConfig, workers: int, cluster: str | None, progress: Progress) -> Pool:
    if cluster is None:
        return LocalPool(workers, config)
    # Imported when needed: Dask is large and optional.
    try:
        from puzzlegen.mining.dask_pool import DaskPool
    except ImportError as error:
        raise ClusterError("a cluster needs Dask; pip install 'chess-motif[cluster]'") from error
    # Other computers may not be able to reach the store.
    return DaskPool(cluster, replace(config, store=None), progress)
