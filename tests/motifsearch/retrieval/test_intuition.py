"""What the human-move model alone makes of moves."""

from __future__ import annotations

import chess
import pytest

from engines.human.model import HumanModel, load_human_model
from motifsearch.retrieval import chesscone as intuition
from motifsearch.retrieval.chesscone import move_scores

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
ENDING = "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 w - - 0 40"


@pytest.fixture(scope="module")
def model() -> HumanModel:
    return load_human_model()


def scores(model: HumanModel, board: chess.Board) -> dict[str, float]:
    return {move.uci(): score for move, score in move_scores(model, board, 2500).items()}


def test_every_legal_move_has_a_score(model: HumanModel) -> None:
    assert scores(model, chess.Board()).keys() == {move.uci() for move in chess.Board().legal_moves}


def test_mate_is_best(model: HumanModel) -> None:
    scored = scores(model, chess.Board(MATE_IN_ONE))
    assert max(scored, key=scored.__getitem__) == "a1a8"


def test_a_mirror_image_is_played_alike(model: HumanModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intuition, "OUTCOME", 0)
    board = chess.Board(ENDING)
    image = board.copy()
    image.apply_transform(chess.flip_horizontal)
    mirrored = {
        chess.Move(move.from_square ^ 7, move.to_square ^ 7): score
        for move, score in move_scores(model, image, 2500).items()
    }
    assert mirrored == pytest.approx(move_scores(model, board, 2500), abs=1e-3)


def test_reversed_colours_have_the_same_scores(model: HumanModel) -> None:
    board = chess.Board(ENDING)
    reversed_colours = {
        chess.Move(move.from_square ^ 56, move.to_square ^ 56): score
        for move, score in move_scores(model, board.mirror(), 2500).items()
    }
    assert reversed_colours == pytest.approx(move_scores(model, board, 2500), abs=1e-3)


def test_players_of_other_ratings_play_differently(model: HumanModel) -> None:
    board = chess.Board(ENDING)
    assert move_scores(model, board, 800) != move_scores(model, board, 2500)


def test_the_board_is_unchanged(model: HumanModel) -> None:
    board = chess.Board()
    board.push_san("e4")
    move_scores(model, board, 2500)
    assert board.move_stack == [chess.Move.from_uci("e2e4")]
