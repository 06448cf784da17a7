"""Whose games are in a file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from chess_motif.errors import ArchiveError
from puzzlegen.games.players import FoundPlayer, find_players, readable_twice
from tests.helpers.windows import is_open


def pgn(*names: tuple[str, str]) -> str:
    return "".join(f'[White "{white}"]\n[Black "{black}"]\n\n1. e4 e5 *\n\n' for white, black in names)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "games.pgn"
    path.write_text(
        pgn(
            ("Example, Anna", "Bob"),
            ("Bob", "Anna Example"),
            ("Example, Anna", "Example, Zoe"),
            ("Annabel", "Bob"),
            ("Bob", "Carl {Anna}"),
        )
    )
    return str(path)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("anna", [FoundPlayer("Example, Anna", 3)]),
        ("example", [FoundPlayer("Example, Anna", 3), FoundPlayer("Example, Zoe", 1)]),
        ("zoe EXAMPLE", [FoundPlayer("Example, Zoe", 1)]),
        ("ann", []),
    ],
)
def test_players_are_found_by_whole_words(file: str, words: str, found: list[FoundPlayer]) -> None:
    assert find_players([file], words) == found


def test_a_missing_file_is_an_error_only_if_nothing_is_found(file: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "no.pgn")
    assert find_players([missing, file], "zoe") == [FoundPlayer("Example, Zoe", 1)]
    with pytest.raises(ArchiveError, match="no such file"):
        find_players([missing, file], "nobody")


def test_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    text = pgn(("Anna", "Bob"))
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode())), encoding="utf-8")
    )
    with readable_twice(["-"]) as files:
        assert find_players(files, "anna") == find_players(files, "anna") == [FoundPlayer("Anna", 1)]


def test_the_copy_of_standard_input_is_closed_for_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"x")), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", given)
    with readable_twice(["-"]) as [copy]:
        assert not is_open(Path(copy))
