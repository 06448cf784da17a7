"""What a game is, python-chess decides: what is read of any text, against its own reader."""

from __future__ import annotations

from pathlib import Path
from random import Random

import chess.pgn
import pytest

from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import SkipGame, read_game
from puzzlegen.games.split import TAG, split_games
from tests.fuzz.case import CORPUS
from tests.fuzz.mutations import mutated
from tests.helpers.odd_games import ODD_GAMES
from tests.helpers.python_chess_games import difference


def test_a_tag_is_what_python_chess_takes_for_one() -> None:
    assert TAG.pattern == chess.pgn.TAG_REGEX.pattern


def read(text: bytes) -> list[str]:
    games = []
    for raw in split_games([text]):
        game = read_game(raw)
        name = game.headers.get("White") or game.headers.get("Event") or "?"
        games.append(" ".join([name, *(move.uci() for move in game.moves)]))
    return games


@pytest.mark.parametrize("name", ODD_GAMES)
def test_what_others_stumbled_over(name: str) -> None:
    text, expected = ODD_GAMES[name]
    assert read(text.encode()) == expected
    assert difference(text.encode()) == ""


@pytest.mark.parametrize("move", ["Кf3", "Ｎe4", "Сe5", "Кг1", "Sf3"])
def test_other_letters_are_no_moves(move: str) -> None:
    (raw,) = split_games([f'[White "A"]\n\n1. {move} *\n'.encode()])
    with pytest.raises(SkipGame, match=f"'{move}' is not a move"):
        read_game(raw)


def seeds() -> list[bytes]:
    return [
        *(text.encode() for text, _ in ODD_GAMES.values()),
        *(file.read_bytes() for name in ("games", "pgn") for file in sorted((CORPUS / name).iterdir())),
    ]


def test_seeds_are_read_as_python_chess_reads_them() -> None:
    assert [found for text in seeds() if (found := difference(text))] == []


def test_changed_files_are_read_as_python_chess_reads_them() -> None:
    random, texts = Random(1), seeds()
    changed = [mutated(random, random.choice(texts), random.choice(texts)) for _ in range(400)]
    assert [(text, found) for text in changed if (found := difference(text))] == []


def test_real_games_are_read_as_python_chess_reads_them(data: Path) -> None:
    for name in ("lichess_games_natural.pgn.zst", "otb_games.pgn.zst"):
        with open_archive(str(data / name)) as archive:
            text = next(archive.chunks())[:200_000]
        assert difference(text) == ""
