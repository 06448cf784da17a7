"""From a player's games to her training set: download, find opportunities, report, extend the set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import platformdirs

from chess_motif.progress import Progress
from db.models import utc_now
from db.store import Store
from engines.options import EngineChoice
from motifsearch.trainer.analysis.opportunities import OpportunityReport, find_opportunities
from motifsearch.trainer.report import OpportunityTables, opportunity_tables
from motifsearch.trainer.sets import DEFAULT_COUNT, SetReport, extend_training_set, own_set
from puzzlegen.games.accounts import account_of
from puzzlegen.games.online import RECENT, download_games


@dataclass(frozen=True)
class Training:
    """The `analysis` of a player's new games, the tables of all her opportunities, and her training set.

    `added` is None if the analysis was interrupted, or if none of the games is the player's.
    """

    analysis: OpportunityReport
    opportunities: OpportunityTables
    added: SetReport | None

    def as_dict(self) -> dict[str, Any]:
        """Return the training as the keys and values of its JSON object."""
        return {
            "analysis": self.analysis,
            "opportunities": self.opportunities,
            "set": self.added,
        }


def train(
    games: Sequence[str],
    store: Store,
    players: Sequence[str],
    *,
    name: str | None = None,
    k: int = DEFAULT_COUNT,
    engine: EngineChoice = None,
    workers: int = 1,
    limit: int | None = None,
    since: date | None = None,
    restart: bool = False,
    level: float | None = None,
    index: Path | None = None,
    progress: Progress | None = None,
) -> Training:
    """Find the tactics that a player missed, and make a training set of these and of similar puzzles.

    `games` are paths of archives, `-` for standard input, or accounts (`lichess:USER`, `chesscom:USER`) whose
    games are downloaded, from the day `since` on. `players` are full names of the player as in the games;
    `name` is the name of the set (default: the first of `players`). `k` puzzles are picked for each missed
    opportunity, about at the player's `level` (default: the rating of her newest games). The other arguments
    are as in `find_opportunities`. Games that were analysed before, and opportunities that are in the set,
    are left as they are. Raises `InputError`, `DownloadError`, `EngineError`, `HumanModelError`,
    `IndexUnavailableError`, `LibraryMissingError`, `StoreError`.
    """
    progress = progress or Progress()
    analysis = find_opportunities(
        game_files(games, store, progress, since),
        store,
        players,
        engine,
        workers=workers,
        limit=limit,
        restart=restart,
        progress=progress,
    )
    opportunities, added = opportunity_tables(store, players, level), None
    if not analysis.interrupted and (analysis.summary.games or analysis.known_games):
        added = extend_training_set(
            store,
            name or own_set(store, players[0]),
            players,
            k=k,
            level=opportunities.level,
            index=index,
            progress=progress,
        )
    return Training(analysis, opportunities, added)


def games_folder(store: Store) -> Path:
    """Return the folder beside the database in which downloaded games are kept for later runs."""
    return (store.path.parent if store.path else platformdirs.user_data_path("chess-motif")) / "games"


def game_files(
    games: Sequence[str], store: Store, progress: Progress, since: date | None = None
) -> list[str]:
    """Return the files of `games`, after downloading those of `lichess:USER` and `chesscom:USER`.

    Downloaded games are stored beside the database; later, only new games are downloaded. Games are
    downloaded from the day `since` on (default: `RECENT`). Raises `InputError` and `DownloadError`.
    """
    since = since or (utc_now() - RECENT).date()
    files: list[str] = []
    for name in games:
        account = account_of(name)
        if account is None:
            files.append(name)
        else:
            files += map(str, download_games(account, games_folder(store), since, progress))
    return files


def players_of(games: Sequence[str]) -> list[str]:
    """Return the user names among `games`, such as `lichess:USER`."""
    return [account.user for account in map(account_of, games) if account is not None]
