"""Chesscone: the published form, the vote, and the vote joined with the policy."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import chess
import numpy as np
import pytest

from engines.human.model import HumanModel, load_human_model
from motifsearch.retrieval import chesscone
from motifsearch.retrieval.chesscone import (
    RATED,
    REACH,
    WINNERS,
    Chesscone,
    Form,
    vote,
    voters_among,
)
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.folder import OCCURRENCE, UNKNOWN, encode_move
from motifsearch.retrieval.memory import Memory, Neighbours
from motifsearch.retrieval.policy import PolicyPlayer

START = chess.Board()
AFTER_E4 = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
MATE_IN_ONE = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")


@pytest.fixture(scope="module")
def model() -> HumanModel:
    return load_human_model()


Decide = Callable[..., list[str]]


@pytest.fixture
def decide(memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch) -> Decide:
    """A function that returns the moves of a player, in order, if the memory finds moves at distances."""

    def decided(
        *voters: tuple[str, float],
        board: chess.Board = START,
        form: Form = Form.JOINED,
        careful: bool = True,
    ) -> list[str]:
        if voters:
            monkeypatch.setattr(memory, "near", lambda board, _: neighbours(board, *voters))
        decision = Chesscone(memory, model, form=form, careful=careful).decide(board)
        return [move.uci() for move in decision.moves]

    return decided


def neighbours(
    board: chess.Board, *voters: tuple[str, float], points: int = UNKNOWN, elo: int = UNKNOWN
) -> Neighbours:
    rows = np.zeros(len(voters), OCCURRENCE)
    for row, (move, _) in zip(rows, voters, strict=True):
        row["move"] = encode_move(chess.Move.from_uci(move), board.turn)
    rows["points"], rows["elo"], rows["game"] = points, elo, 1
    return Neighbours(board.turn, rows, np.array([distance for _, distance in voters], np.float32))


@pytest.mark.parametrize("form", Form)
def test_all_legal_moves_are_ranked(form: Form, decide: Decide) -> None:
    assert sorted(decide(board=AFTER_E4, form=form)) == sorted(map(str, AFTER_E4.legal_moves))


def test_the_published_form_plays_the_first_legal_move(decide: Decide) -> None:
    voters = ("e4e5", 0.1), ("d2d4", 0.2), ("e2e4", 0.3), ("e2e4", 0.4)
    assert decide(*voters, form=Form.PUBLISHED)[:2] == ["d2d4", "e2e4"]


@pytest.mark.parametrize("board", [START, AFTER_E4])
def test_the_published_form_plays_anything_if_no_move_is_legal(board: chess.Board, decide: Decide) -> None:
    played = decide(("e4e5", 0.1), board=board, form=Form.PUBLISHED, careful=False)[0]
    assert chess.Move.from_uci(played) in board.legal_moves


def test_the_vote_is_won_by_the_majority(decide: Decide) -> None:
    voters = ("d2d4", 0.2), ("e2e4", 0.3), ("e2e4", 0.3)
    assert decide(*voters, form=Form.MEMORY)[:2] == ["e2e4", "d2d4"]


def test_votes_count_beside_the_model(model: HumanModel, decide: Decide) -> None:
    expected = PolicyPlayer(model, RATING).decide(START).moves
    assert decide((expected[1].uci(), 0.2))[0] == expected[1].uci()


def test_the_model_counts_beside_the_votes(decide: Decide) -> None:
    assert decide(("a2a4", 0.2), ("e2e4", 0.3))[0] == "e2e4"


def test_a_well_known_position_is_judged_by_itself(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    decision = Chesscone(memory, model).decide(AFTER_E4)
    assert (decision.well_known, len(decision.votes)) == (True, 2)


def test_a_rare_position_is_not_well_known(memory: Memory, model: HumanModel) -> None:
    assert not Chesscone(memory, model).decide(AFTER_E4).well_known


def test_a_careful_player_mates(decide: Decide) -> None:
    assert decide(board=MATE_IN_ONE, form=Form.MEMORY)[0] == "a1a8"


def test_a_careless_player_follows_the_games(decide: Decide) -> None:
    assert decide(("a1a7", 0.1), board=MATE_IN_ONE, form=Form.MEMORY, careful=False)[0] == "a1a7"


def shares(board: chess.Board, *voters: tuple[str, float]) -> dict[str, float]:
    asked = voters_among(board, neighbours(board, *voters))
    return {move.uci(): share for move, share in vote(board, asked).items()}


@pytest.mark.parametrize(
    ("board", "voters", "expected"),
    [
        pytest.param(START, [("e4e5", 0), ("d2d4", 1)], {"d2d4": 1}, id="not legal"),
        pytest.param(START, [("e4e5", 0)], {}, id="none legal"),
        pytest.param(AFTER_E4, [("e7e5", 0)], {"e7e5": 1}, id="Black moves from its own side"),
        pytest.param(
            START, [("e2e4", 1), ("d2d4", 1), *2 * [("e2e4", 1)]], {"e2e4": 0.75, "d2d4": 0.25}, id="shares"
        ),
    ],
)
def test_shares_are_of_the_votes_for_legal_moves(
    board: chess.Board, voters: list[tuple[str, float]], expected: dict[str, float]
) -> None:
    assert shares(board, *voters) == expected


def test_nearer_positions_count_more() -> None:
    near = 1 / (1 + exp(-0.2 / REACH))
    assert shares(START, ("e2e4", 0.3), ("d2d4", 0.5))["e2e4"] == pytest.approx(near)


def test_only_so_many_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "VOTERS", 2)
    assert shares(START, ("e2e4", 1), ("e4e5", 1), ("e2e4", 1), ("d2d4", 1)) == {"e2e4": 1}


def test_all_occurrences_of_the_position_itself_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "VOTERS", 2)
    assert shares(START, ("e2e4", 0), ("e2e4", 0), ("d2d4", 0), ("c2c4", 1))["d2d4"] == pytest.approx(1 / 3)


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
    asked = neighbours(chess.Board(), ("e2e4", 1), ("d2d4", 1))
    asked.rows[field] = [better, worse]
    votes = vote(chess.Board(), asked)
    first, second = (votes[chess.Move.from_uci(move)] for move in ("e2e4", "d2d4"))
    assert first / second == pytest.approx(exp(ratio))
