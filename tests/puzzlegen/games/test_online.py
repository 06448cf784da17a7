"""Accounts, and what downloads from both sites have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chess_motif.errors import DownloadError, InputError
from chess_motif.progress import Progress
from puzzlegen.games.accounts import Account, account_of
from puzzlegen.games.online import download_games
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


def test_the_library_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, motifsearch.trainer.train; sys.exit(bool({'httpx2', 'pydantic'} & {*sys.modules}))"
    subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, check=True)


def test_a_proxy_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "gopher://proxy")
    with pytest.raises(DownloadError, match="the configured proxy cannot be used"):
        download_games(ACCOUNT, tmp_path, None, Progress())


@pytest.mark.parametrize("text", ["lichess:Some_User-1", "Lichess:some_user-1"])
def test_case_does_not_matter(text: str) -> None:
    assert account_of(text) == Account("lichess", "some_user-1")


@pytest.mark.parametrize("text", ["games.pgn", "lichess", "other:user", "C:\\games.pgn", ""])
def test_other_texts_are_no_accounts(text: str) -> None:
    assert account_of(text) is None


@pytest.mark.parametrize(
    "user",
    ["", "a", "a" * 31, "../../etc", "a/b", "a?b", "a b", "ab\n", "a\0b", "ünal", "a.b", "a%2fb"],
)
def test_hostile_names_are_refused(user: str) -> None:
    with pytest.raises(InputError, match="is not a user name"):
        account_of(f"chesscom:{user}")


def test_an_unknown_site_is_refused() -> None:
    with pytest.raises(InputError, match="unknown site 'icc'; the sites are lichess and chesscom"):
        Account("icc", "user")
