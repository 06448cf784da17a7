"""Maia's networks, which are not part of the project, predict what is known of them."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from engines.human.model import HumanModel, load_human_model


@pytest.fixture(scope="module")
def maia(data: Path) -> HumanModel:
    file = data / "maia" / "maia-1500.pb.gz"
    if not file.exists():
        pytest.skip("the folder of CHESS_MOTIF_DATA has no network of Maia")
    return load_human_model(file)


def test_the_first_moves_of_players_rated_1500(maia: HumanModel) -> None:
    (prediction,) = maia.predict([chess.Board()])
    likely = [(move.uci(), round(chance, 2)) for move, chance in list(prediction.moves.items())[:2]]
    assert likely == [("e2e4", 0.65), ("d2d4", 0.23)]


def test_the_answer_to_the_first_move(maia: HumanModel) -> None:
    board = chess.Board()
    board.push_san("e4")
    (prediction,) = maia.predict([board])
    assert board.san(next(iter(prediction.moves))) == "e5"


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "O-O"),
        ("rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N1P3/PP3PPP/R1BQKBNR b KQkq - 0 4", "O-O"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e8=Q"),
        ("8/8/8/8/8/8/1p4k1/K1N5 b - - 0 1", "bxc1=Q+"),
    ],
)
def test_people_make_obvious_moves(maia: HumanModel, fen: str, move: str) -> None:
    board = chess.Board(fen)
    (prediction,) = maia.predict([board])
    assert board.san(next(iter(prediction.moves))) == move


def test_the_value_is_that_of_the_side_to_move(maia: HumanModel) -> None:
    queen_up = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    queen_down = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    winning, losing = maia.predict([queen_up, queen_down])
    assert winning.value > 0.5 > -0.5 > losing.value


def test_the_same_call_returns_the_same(maia: HumanModel) -> None:
    boards = [chess.Board(), chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]
    assert maia.predict(boards) == maia.predict(boards)
