"""A memory of three games, which tests only read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval import build
from motifsearch.retrieval.memory import Memory
from tests.helpers.sample_games import PGN


@pytest.fixture(scope="session")
def built(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database `games.db` and its memory `memory`."""
    folder = tmp_path_factory.mktemp("memory")
    shutil.copy(migrated, folder / "games.db")
    (folder / "games.pgn").write_text(PGN)
    with Store(str(folder / "games.db")) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
        add_games([str(folder / "games.pgn")], store)
        build.build_memory(store, folder / "memory")
    return folder


@pytest.fixture
def memory(built: Path) -> Iterator[Memory]:
    with Store(str(built / "games.db")) as store:
        yield Memory(store, built / "memory")
