"""The human-move model alone: how it scores moves, and what result it expects."""

from __future__ import annotations

import chess
import pytest

from engines.human.model import HumanModel, load_human_model
from motifsearch.retrieval import policy
from motifsearch.retrieval.policy import PolicyPlayer, expected_results, policy_scores

MATE_IN_ONE = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
ENDING = "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 w - - 0 40"


@pytest.fixture(scope="module")
def model() -> HumanModel:
    return load_human_model()


def test_it_begins_with_a_pawn_of_the_centre(model: HumanModel) -> None:
    assert PolicyPlayer(model, 2500).decide(chess.Board()).moves[0].uci() in ("e2e4", "d2d4")


def test_the_end_of_a_game_is_no_matter_of_opinion(model: HumanModel) -> None:
    board = chess.Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")
    mate, stalemate = (board.parse_san(san) for san in ("Qc8#", "Qc7"))
    assert expected_results(model, board, [mate, stalemate], 2500) == [1.0, 0.0]


def scores(model: HumanModel, board: chess.Board) -> dict[str, float]:
    return {move.uci(): score for move, score in policy_scores(model, board, 2500).items()}


def test_every_legal_move_has_a_score(model: HumanModel) -> None:
    assert scores(model, chess.Board()).keys() == {move.uci() for move in chess.Board().legal_moves}


def test_mate_is_best(model: HumanModel) -> None:
    scored = scores(model, MATE_IN_ONE)
    assert max(scored, key=scored.__getitem__) == "a1a8"


def test_a_mirror_image_is_played_alike(model: HumanModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "OUTCOME", 0)
    board = chess.Board(ENDING)
    image = board.copy()
    image.apply_transform(chess.flip_horizontal)
    mirrored = {
        chess.Move(move.from_square ^ 7, move.to_square ^ 7): score
        for move, score in policy_scores(model, image, 2500).items()
    }
    assert mirrored == pytest.approx(policy_scores(model, board, 2500), abs=1e-3)


def test_reversed_colours_have_the_same_scores(model: HumanModel) -> None:
    board = chess.Board(ENDING)
    reversed_colours = {
        chess.Move(move.from_square ^ 56, move.to_square ^ 56): score
        for move, score in policy_scores(model, board.mirror(), 2500).items()
    }
    assert reversed_colours == pytest.approx(policy_scores(model, board, 2500), abs=1e-3)


def test_players_of_other_ratings_play_differently(model: HumanModel) -> None:
    board = chess.Board(ENDING)
    assert policy_scores(model, board, 800) != policy_scores(model, board, 2500)


def test_the_board_is_unchanged(model: HumanModel) -> None:
    board = chess.Board()
    board.push_san("e4")
    policy_scores(model, board, 2500)
    assert board.move_stack == [chess.Move.from_uci("e2e4")]
