"""The choosers that others are compared with."""

from __future__ import annotations

import chess

from engines.human.model import SHIPPED_MODEL, load_human_model
from motifsearch.evaluation.move_quality.choosers import HumanChooser, RandomChooser


def test_random_order_has_every_legal_move() -> None:
    board = chess.Board()
    ranked = RandomChooser().ranked(board)
    assert sorted(ranked, key=chess.Move.uci) == sorted(board.legal_moves, key=chess.Move.uci)


def test_random_order_is_the_same_again() -> None:
    board = chess.Board()
    assert RandomChooser(1).ranked(board) == RandomChooser(1).ranked(board)


def test_another_seed_is_another_order() -> None:
    board = chess.Board()
    assert RandomChooser(1).ranked(board) != RandomChooser(2).ranked(board)


def test_another_position_is_another_order() -> None:
    board = chess.Board()
    before = RandomChooser().ranked(board)
    board.set_fen(board.fen().replace("0 1", "0 2"))
    assert RandomChooser().ranked(board) != before


def test_each_first_move_is_as_likely() -> None:
    first = [RandomChooser(seed).ranked(chess.Board())[0] for seed in range(2_000)]
    counts = [first.count(move) for move in chess.Board().legal_moves]
    # 100 are expected, with a standard deviation of 9.7.
    assert min(counts) > 60
    assert max(counts) < 140


def test_people_are_expected_to_play_the_likeliest_move() -> None:
    model, board = load_human_model(SHIPPED_MODEL), chess.Board()
    (prediction,) = model.predict([board], [1900])
    probabilities = [prediction.moves[move] for move in HumanChooser(model, 1900).ranked(board)]
    assert probabilities == sorted(prediction.moves.values(), reverse=True)


def test_the_rating_counts() -> None:
    board, model = chess.Board(), load_human_model(SHIPPED_MODEL)
    assert HumanChooser(model, 800).ranked(board) != HumanChooser(model, 2400).ranked(board)


def test_the_name_says_the_rating() -> None:
    assert HumanChooser(load_human_model(SHIPPED_MODEL), 1900).name == "human 1900"
