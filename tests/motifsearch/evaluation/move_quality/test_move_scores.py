"""The scores of all legal moves."""

from __future__ import annotations

import chess
import pytest

from engines.engine import MOST_CENTIPAWNS, Engine
from motifsearch.evaluation.move_quality.move_scores import MATE, MOST_LOST, MoveScores, score_moves
from tests.helpers.move_choosers import BACK_RANK, move_scores
from tests.helpers.scripted_engine import ScriptedEngine

E4, D4, C4, A4 = (chess.Move.from_uci(uci) for uci in ("e2e4", "d2d4", "c2c4", "a2a4"))


def scored(opinion: dict[str, int | str]) -> MoveScores:
    return score_moves(chess.Board(), ScriptedEngine({chess.STARTING_FEN: opinion}))


def test_the_best_move_has_rank_1() -> None:
    assert move_scores(e2e4=30, d2d4=20).rank(E4) == 1


def test_moves_with_the_same_score_have_the_better_rank() -> None:
    scores = move_scores(e2e4=30, d2d4=20, c2c4=20, a2a4=10)
    assert [scores.rank(move) for move in (E4, D4, C4, A4)] == [1, 2, 2, 4]


def test_the_rank_of_a_random_move_is_the_mean_of_all_ranks() -> None:
    assert move_scores(e2e4=30, d2d4=20, c2c4=20, a2a4=10).random_rank() == pytest.approx(9 / 4)


def test_a_loss_is_to_the_best_move() -> None:
    assert move_scores(e2e4=30, d2d4=-20).loss(D4) == 50


def test_mate_missed_in_a_won_position_is_no_loss() -> None:
    assert move_scores(e2e4=MATE - 1, d2d4=MOST_LOST + 200).loss(D4) == 0


def test_a_loss_is_limited() -> None:
    assert move_scores(e2e4=MATE - 1, d2d4=1 - MATE).loss(D4) == 2 * MOST_LOST


def test_scores_are_best_first() -> None:
    assert [*scored({"a2a4": -5, "d2d4": 20, "e2e4": 30}).scores.values()] == [30, 20, -5]


def test_of_moves_with_the_same_score_the_engines_first_is_best() -> None:
    assert scored({"d2d4": 30, "e2e4": 30}).best == D4


def test_a_mate_is_beyond_all_centipawns() -> None:
    scores = scored({"d2d4": MOST_CENTIPAWNS, "e2e4": "#1000"})
    assert (scores.best, scores.rank(D4)) == (E4, 2)


def test_a_quicker_mate_is_better() -> None:
    assert scored({"e2e4": "#3", "d2d4": "#2"}).best == D4


def test_being_mated_later_is_better() -> None:
    assert scored({"e2e4": "#-2", "d2d4": "#-3"}).best == D4


def test_every_legal_move_is_asked_for() -> None:
    assert len(score_moves(chess.Board(), ScriptedEngine({})).scores) == 20


def test_stockfish_scores_every_move(stockfish: str) -> None:
    board = chess.Board(BACK_RANK)
    with Engine(stockfish) as engine:
        scores = score_moves(board, engine)
    assert scores.scores.keys() == {*board.legal_moves}
    assert (scores.best, scores.scores[scores.best]) == (chess.Move.from_uci("a1a8"), MATE - 1)


def test_stockfish_scores_a_position_the_same_after_another(stockfish: str) -> None:
    board = chess.Board()
    with Engine(stockfish) as engine:
        alone = score_moves(board, engine)
        board.push_uci("e2e4")
        score_moves(board, engine)
        board.pop()
        assert score_moves(board, engine) == alone
