from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chess_motif.errors import DownloadError, InputError, LibraryMissingError
from chess_motif.progress import Progress
from puzzlegen.games.online import download_games
from puzzlegen.games.server import Account
from tests.helpers.game_servers import USER, Lichess
from tests.helpers.paths import ROOT

ACCOUNT = Account("lichess", USER)


def test_the_folder_is_made(lichess: Lichess, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "games"
    assert download_games(ACCOUNT, folder, None, Progress(), lichess.site())[0].parent == folder


def test_a_folder_that_cannot_be_used(lichess: Lichess, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: file exists"):
        download_games(ACCOUNT, tmp_path / "file", None, Progress(), lichess.site())


def test_the_library_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    for module in ("server", "lichess"):
        monkeypatch.delitem(sys.modules, f"puzzlegen.online.{module}", raising=False)
    with pytest.raises(LibraryMissingError, match=r"chess-motif\[online\]"):
        download_games(ACCOUNT, tmp_path, None, Progress())


def test_the_library_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, puzzlegen.games.online; sys.exit('httpx' in sys.modules)"
    subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, check=True)


def test_a_proxy_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "gopher://proxy")
    with pytest.raises(DownloadError, match="the proxy that is set cannot be used"):
        download_games(ACCOUNT, tmp_path, None, Progress())
