"""The vote: which occurrences count, and how much."""

from __future__ import annotations

from math import exp

import chess
import numpy as np
import pytest

from motifsearch.retrieval import chesscone as voting
from motifsearch.retrieval.chesscone import RATED, REACH, WINNERS, vote
from motifsearch.retrieval.folder import OCCURRENCE, UNKNOWN, encode_move
from motifsearch.retrieval.memory import Recollection

WHITE = chess.Board()
BLACK = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")


def recollection(
    board: chess.Board, *voters: tuple[str, float], points: int = UNKNOWN, elo: int = UNKNOWN
) -> Recollection:
    rows = np.zeros(len(voters), OCCURRENCE)
    for row, (move, _) in zip(rows, voters, strict=True):
        row["move"] = encode_move(chess.Move.from_uci(move), board.turn)
    rows["points"], rows["elo"] = points, elo
    return Recollection(board.turn, rows, np.array([distance for _, distance in voters], np.float32))


def shares(board: chess.Board, *voters: tuple[str, float]) -> dict[str, float]:
    return {move.uci(): share for move, share in vote(board, recollection(board, *voters)).items()}


def test_shares_are_of_the_votes() -> None:
    assert shares(WHITE, ("e2e4", 1), ("d2d4", 1), ("e2e4", 1), ("e2e4", 1)) == {"e2e4": 0.75, "d2d4": 0.25}


def test_nearer_positions_count_more() -> None:
    near = 1 / (1 + exp(-0.2 / REACH))
    assert shares(WHITE, ("e2e4", 0.3), ("d2d4", 0.5))["e2e4"] == pytest.approx(near)


def test_moves_that_are_not_legal_do_not_count() -> None:
    assert shares(WHITE, ("e4e5", 0), ("d2d4", 1)) == {"d2d4": 1}


def test_without_a_legal_move_there_is_no_vote() -> None:
    assert shares(WHITE, ("e4e5", 0)) == {}


def test_black_moves_from_its_own_side() -> None:
    assert shares(BLACK, ("e7e5", 0)) == {"e7e5": 1}


def test_only_so_many_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voting, "VOTERS", 2)
    assert shares(WHITE, ("e2e4", 1), ("e4e5", 1), ("e2e4", 1), ("d2d4", 1)) == {"e2e4": 1}


def test_all_occurrences_of_the_position_itself_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voting, "VOTERS", 2)
    assert shares(WHITE, ("e2e4", 0), ("e2e4", 0), ("d2d4", 0), ("c2c4", 1))["d2d4"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("field", "better", "worse", "ratio"),
    [
        ("points", 2, 1, WINNERS),
        ("points", 1, 0, WINNERS),
        ("points", UNKNOWN, 1, 0),
        ("elo", 2800, 2400, RATED),
        ("elo", UNKNOWN, 2400, 0),
    ],
)
def test_good_players_count_more(field: str, better: int, worse: int, ratio: float) -> None:
    asked = recollection(WHITE, ("e2e4", 1), ("d2d4", 1))
    asked.rows[field] = [better, worse]
    votes = vote(WHITE, asked)
    first, second = (votes[chess.Move.from_uci(move)] for move in ("e2e4", "d2d4"))
    assert first / second == pytest.approx(exp(ratio))
