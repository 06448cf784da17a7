"""Mining one archive with an engine that fails on game after game."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import EngineFailedError
from db.store import Store
from engines.human.model import load_human_model
from puzzlegen.difficulty.rating import load_rating_model
from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult, skipped_game
from puzzlegen.mining.run import FAILURES_IN_A_ROW, ArchiveRun
from puzzlegen.rules import MiningRules
from puzzlegen.candidates import Settings
from tests.helpers.pool_here import PoolHere
from tests.helpers.recording_progress import RecordingProgress


class FailingPool(PoolHere):
    """Workers that find the first game illegal, and whose engine fails on all others."""

    def engine_name(self) -> str:
        return "failing"

    def mine(self, game: RawGame) -> GameResult:
        return skipped_game(game, Skip.ILLEGAL_MOVE if game.number == 1 else Skip.ENGINE, "why")


def test_games_that_the_engine_failed_on_are_mined_again_and_no_others(
    sqlite_store: Store, tmp_path: Path
) -> None:
    archive = tmp_path / "games.pgn"
    archive.write_text("".join(f'[Event "{number}"]\n\n1. e4 *\n\n' for number in range(10)))
    rating_model = load_rating_model(load_human_model())
    settings, progress = Settings("failing", MiningRules()), RecordingProgress()
    for _ in range(2):
        with (
            open_archive(str(archive)) as opened,
            pytest.raises(EngineFailedError, match=f"why; {FAILURES_IN_A_ROW} games in a row"),
        ):
            ArchiveRun(opened, sqlite_store, 1, settings, progress, rating_model).mine(FailingPool())
    assert progress.notices == [
        f"{archive}: game 1 (byte 0): illegal move: why",
        f"{archive}: 1 games were mined before",
    ]
