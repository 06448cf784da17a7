"""What a stored puzzle says of itself."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import StoreError
from chess_motif.material import Capture
from db.models import Game, Puzzle

FEN = "1r4k1/5ppp/8/8/8/8/1P2RPPP/1R4K1 b - - 0 1"


def puzzle(**columns: object) -> Puzzle:
    return Puzzle(
        **{"tags": "", "themes": "", "game_url": "", "source": "lichess", "source_id": ""} | columns
    )


@pytest.mark.parametrize(
    ("blunder", "capture"), [("b8b2", Capture(chess.B2, chess.PAWN)), ("b8b7", None), ("", None)]
)
def test_the_capture_before(blunder: str, capture: Capture | None) -> None:
    assert puzzle(fen=FEN, blunder=blunder).capture_before() == capture


def test_more_than_one_move_before_the_puzzle_is_damage() -> None:
    with pytest.raises(StoreError, match="more than one move"):
        puzzle(id="bad", fen=FEN, blunder="b8b7 e2e8").opponents_move()


def test_own_tags_and_themes_are_one_list() -> None:
    assert puzzle(tags="fork short", themes="endgame fork").all_tags() == ["endgame", "fork", "short"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"game": Game(white="Ann", black="", event="Club", date="2024.01.02")}, "Ann – ?, Club, 2024.01.02"),
        ({"game": Game(white="", black=""), "game_url": "https://lichess.org/x"}, "https://lichess.org/x"),
        ({"source_id": "00sHx"}, "lichess 00sHx"),
    ],
)
def test_where_a_puzzle_comes_from(columns: dict[str, object], words: str) -> None:
    assert puzzle(**columns).origin() == words
