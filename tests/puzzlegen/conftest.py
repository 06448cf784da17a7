"""Games to mine."""

from __future__ import annotations

from pathlib import Path

import pytest
from backports import zstd

from tests.helpers.paths import SAMPLE_GAMES


@pytest.fixture(scope="session")
def games() -> list[bytes]:
    """The first evaluated sample games, one text each."""
    text = zstd.decompress(SAMPLE_GAMES.read_bytes())
    texts = [b'[Event "' + game for game in text.split(b'[Event "')[1:]]
    return [game for game in texts if b"[%eval" in game][:12]


@pytest.fixture
def archive(tmp_path: Path, games: list[bytes]) -> Path:
    file = tmp_path / "games.pgn"
    file.write_bytes(b"".join(games))
    return file
