"""Rows: what they make of their values, and values that no version of ours has written."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import chess
import pytest
from sqlalchemy import text

from chess_motif.errors import StoreError
from chess_motif.material import Capture
from db.models import ArchivedGame, Game, Puzzle
from db.puzzles import add_puzzles, get_puzzle
from db.store import Store
from tests.helpers.rows import puzzle_row

FEN = "1r4k1/5ppp/8/8/8/8/1P2RPPP/1R4K1 b - - 0 1"


@pytest.mark.parametrize(
    ("blunder", "capture"), [("b8b2", Capture(chess.B2, chess.PAWN)), ("b8b7", None), ("", None)]
)
def test_the_capture_before(blunder: str, capture: Capture | None) -> None:
    assert puzzle_row("one", fen=FEN, blunder=blunder).capture_before() == capture


def with_defences(solution: str, lines: str) -> Puzzle:
    fen = "6k1/5ppp/8/8/8/8/5PPP/1R1Q2K1 w - - 0 1"
    return puzzle_row("one", fen=fen, puzzle_fen=fen, solution=solution, other_defences=lines)


def test_lines_against_other_defences_begin_after_the_first_move() -> None:
    assert with_defences("d1d7 g8f8 b1b8", "").other_defence_lines() == []
    lines = with_defences("d1d7 g8f8 b1b8", "0000 d7e8,g7g6 b1b8").other_defence_lines()
    # The null move stands for no reply.
    assert [[move.uci() for move in line] for line in lines] == [["0000", "d7e8"], ["g7g6", "b1b8"]]


@pytest.mark.parametrize(
    ("solution", "line"),
    [
        ("d1d7 g8f8 b1b8", "h7h5 d7d9"),
        # Nothing is threatened if Black does nothing twice.
        ("d1d7 g8f8 b1b8", "0000 0000"),
        ("d1d7 g8f8 b1b8", "0000"),
        # Black is in check.
        ("b1b8", "0000 d1d7"),
    ],
)
def test_a_line_that_cannot_be_played_is_damage(solution: str, line: str) -> None:
    with pytest.raises(StoreError, match="is damaged"):
        with_defences(solution, line).other_defence_lines()


def test_two_opponents_moves_are_damage() -> None:
    with pytest.raises(StoreError, match="is damaged"):
        puzzle_row("one", fen=FEN, blunder="b8b7 e2e8").opponents_move()


@pytest.mark.parametrize(
    ("read", "moves"),
    [
        *product([ArchivedGame.played], ["e2e4 e7e9", "e2e4 e7e4", "e2e4 e6e5"]),
        # Faster, and without a look at whether a move is legal.
        *product([ArchivedGame.position], ["e2e4 nonsense", "e2e4 e3e4"]),
    ],
)
def test_a_game_with_a_move_that_cannot_be_played_is_damaged(
    read: Callable[[ArchivedGame, int], object], moves: str
) -> None:
    with pytest.raises(StoreError, match="the archived game k is damaged"):
        read(ArchivedGame(start="", moves=moves, game=Game(key="k")), 2)


def test_own_tags_and_themes_are_one_list() -> None:
    puzzle = puzzle_row("one", tags="fork short", themes="endgame fork")
    assert puzzle.all_tags() == ["endgame", "fork", "short"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"game": Game(key="k", white="Ann", event="Club", date="2024")}, "Ann – ?, Club, 2024"),
        ({"game": Game(key="k"), "game_url": "https://lichess.org/x"}, "https://lichess.org/x"),
        ({"source": "lichess", "source_id": "00sHx"}, "lichess 00sHx"),
    ],
)
def test_where_a_puzzle_comes_from(columns: dict[str, Any], words: str) -> None:
    assert puzzle_row("one", **columns).origin() == words


@pytest.mark.parametrize("plies", [0, 1, 3])
def test_a_position_is_that_of_the_game(plies: int) -> None:
    game = ArchivedGame(start="", moves="e2e4 e7e5 g1f3", game=Game(key="a"))
    assert game.position(plies) == game.played(plies)[0]


@pytest.mark.parametrize(
    ("rating", "difficulty", "text"),
    [(1500, 1234.5, "1500"), (None, 1234.5, "~1234"), (None, None, "")],
)
def test_a_rating_counts_for_more_than_an_estimate(
    rating: int | None, difficulty: float | None, text: str
) -> None:
    assert puzzle_row("one", rating=rating, difficulty=difficulty).level_text() == text
    assert puzzle_row("one", rating=rating, difficulty=difficulty).level == (rating or difficulty)


@pytest.fixture
def stored(sqlite_store: Store) -> str:
    row = puzzle_row("one")
    with sqlite_store.session() as session:
        add_puzzles(session, [row])
    return row.id


def change(store: Store, values: str) -> None:
    with store.session() as session:
        session.execute(text(f"UPDATE puzzles SET {values}"))


@pytest.mark.parametrize(
    "values",
    [
        "tags = x'1b5b'",
        "rating = 'many'",
        "gap = 'x'",
        "evaluations = '[1'",
        "nodes = '7'",
        "created = 'soon'",
    ],
)
def test_a_value_of_another_type_is_damage(sqlite_store: Store, stored: str, values: str) -> None:
    change(sqlite_store, values)
    with sqlite_store.reading() as session, pytest.raises(StoreError, match="damaged"):
        get_puzzle(session, stored)


@pytest.mark.parametrize("values", ["puzzle_fen = 'x'", "solution = 'e2e9'", "solution = ''"])
def test_moves_that_cannot_be_played_are_damage(sqlite_store: Store, stored: str, values: str) -> None:
    change(sqlite_store, values)
    with sqlite_store.reading() as session:
        puzzle = get_puzzle(session, stored)
    with pytest.raises(StoreError, match=f"{stored} is damaged"):
        puzzle.moves()


def test_text_is_cleaned(sqlite_store: Store, stored: str) -> None:
    change(sqlite_store, "themes = char(27) || 'fork' || char(8238)")
    with sqlite_store.reading() as session:
        assert get_puzzle(session, stored).themes == "fork"
