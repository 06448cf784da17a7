"""What happened in the games found, with the colours of the query."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from db.models import ArchivedGame, Game
from motifsearch.positions.searcher import PositionHit, PositionQuery
from motifsearch.positions.summary import Results, is_left_out, summarise
from tests.helpers.archived_games import ROOKS

REVERSED_ROOKS = chess.Board(ROOKS).mirror().fen()


def hit(result: str, moves: str = "", start: str = ROOKS) -> PositionHit:
    """Return a hit; it is reversed if it starts from the mirrored position."""
    game = ArchivedGame(start=start, moves=moves, game=Game(key="k", result=result))
    return PositionHit(1, 1.0, game, 0, {}, reversed=start == REVERSED_ROOKS)


def test_results_are_counted() -> None:
    results = summarise([hit(result) for result in ("1-0", "1-0", "1/2-1/2", "0-1", "*", "")]).results
    assert results == Results(white_won=2, drawn=1, black_won=1, unknown=2)
    assert results.games == 6
    assert results.score() == 2.5 / 4


def test_results_are_exchanged_where_colours_are_reversed() -> None:
    summary = summarise([hit(result, start=REVERSED_ROOKS) for result in ("1-0", "1/2-1/2", "0-1", "0-1")])
    assert summary.results == Results(white_won=2, drawn=1, black_won=1, unknown=0)
    assert summary.reversed == 4


def test_without_a_result_there_is_no_score() -> None:
    assert summarise([hit("*")]).results.score() is None
    assert summarise([]).results.score() is None


def test_next_moves_are_counted_across_colours_the_most_frequent_first() -> None:
    found = [hit("1-0", "g1f1"), hit("1-0", "a1a8"), hit("1-0", "a8a1", start=REVERSED_ROOKS), hit("1-0")]
    moves = summarise(found).next_moves
    assert [(move.san, move.side, move.results.games) for move in moves] == [
        ("Ra8", chess.WHITE, 2),
        ("Kf1", chess.WHITE, 1),
    ]
    assert [move.score for move in moves] == [0.5, 1.0]


def test_the_score_of_a_move_is_that_of_its_side() -> None:
    blacks_move = replace(hit("0-1", "a1a7 g8f8"), ply=1)
    (move,) = summarise([blacks_move]).next_moves
    assert (move.san, move.side, move.score) == ("Kf8", chess.BLACK, 1.0)


@pytest.mark.parametrize(
    ("board", "move", "expected"),
    [
        (chess.Board(), None, True),
        (chess.Board(ROOKS), None, False),
        (chess.Board(ROOKS.replace("R5K1", "1R4K1")), 9, True),
        # In the archive, whatever the number of its move, also with colours reversed.
        (chess.Board(ROOKS), 9, False),
        (chess.Board(REVERSED_ROOKS), 9, True),
    ],
)
def test_an_opening_position_is_left_out_unless_it_is_found(
    board: chess.Board, move: int | None, expected: bool
) -> None:
    hits = [hit("1-0"), hit("1-0", start=REVERSED_ROOKS)]
    assert is_left_out(PositionQuery(board, move=move), hits, 12) is expected
