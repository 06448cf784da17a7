"""What tests share. Tests that need more than Python say so by the fixture they ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chess_motif.errors import EngineMissingError
from db.store import Store
from engines.locate import find_engine

FAKE_ENGINE = Path(__file__).parent / "fake_engine.py"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/puzzles.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def stockfish() -> str:
    try:
        return find_engine()
    except EngineMissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real games and puzzles, which is not part of the project."""
    folder = os.environ.get("CHESS_MOTIF_DATA")
    if not folder:
        pytest.skip("CHESS_MOTIF_DATA does not name a folder with real games and puzzles")
    return Path(folder)


@pytest.fixture
def fake_engine(tmp_path: Path):
    """Return a function that makes an engine which misbehaves as told (see fake_engine.py)."""

    def make(*faults: str) -> str:
        script = tmp_path / "engine"
        state = tmp_path / "searches"
        script.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" "{FAKE_ENGINE}" "{state}" {" ".join(faults)}\n'
        )
        script.chmod(0o755)
        return str(script)

    return make
