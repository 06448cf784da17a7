"""What mining the games comes to when nothing disturbs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from db.store import Store
from puzzlegen.mining.run import mine
from puzzlegen.rules import MiningRules
from tests.helpers.pool_here import mining_in
from tests.helpers.quick_mining import QUICK, SLOWER, Mined


@contextmanager
def mined(folder: Path, games: list[bytes], engine: str, rules: MiningRules) -> Iterator[Mined]:
    """Mine all games."""
    archive = folder / "games.pgn"
    archive.write_bytes(b"".join(games))
    with Store(f"{folder}/puzzles.db") as store:
        with mining_in():
            report = mine([str(archive)], store, engine, rules=rules)
        yield Mined(store, report)


@pytest.fixture(scope="session")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, games: list[bytes], stockfish: str
) -> Iterator[Mined]:
    with mined(tmp_path_factory.mktemp("quick"), games, stockfish, QUICK) as result:
        yield result


@pytest.fixture(scope="session")
def slower_undisturbed(
    tmp_path_factory: pytest.TempPathFactory, games: list[bytes], stockfish: str
) -> Iterator[Mined]:
    with mined(tmp_path_factory.mktemp("slower"), games, stockfish, SLOWER) as result:
        yield result
