"""Chesscone: the published form, the vote, and both joined with the human-move model."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from engines.human.model import HumanModel, load_human_model
from motifsearch.retrieval import chesscone
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.engine import sources
from motifsearch.retrieval.folder import OCCURRENCE, encode_move
from motifsearch.retrieval.memory import Memory, Recollection
from tests.helpers.sample_games import IN_RUY_LOPEZ

AFTER_E4 = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
MATE_IN_ONE = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")


@pytest.fixture(scope="module")
def model() -> HumanModel:
    return load_human_model()


def near(memory: Memory, monkeypatch: pytest.MonkeyPatch, *voters: tuple[str, float]) -> None:
    """Let the memory find these moves, seen from White, at these distances."""
    rows = np.zeros(len(voters), OCCURRENCE)
    for row, (move, _) in zip(rows, voters, strict=True):
        row["move"] = encode_move(chess.Move.from_uci(move), chess.WHITE)
        row["game"] = 1
    distances = np.array([distance for _, distance in voters], np.float32)
    monkeypatch.setattr(memory, "near", lambda board, _: Recollection(board.turn, rows, distances))


def first(player: Chesscone, board: chess.Board, count: int = 1) -> list[str]:
    return [move.uci() for move in player.ranked(board)[:count]]


@pytest.mark.parametrize("form", Form)
def test_all_legal_moves_are_ranked(form: Form, memory: Memory, model: HumanModel) -> None:
    ranked = Chesscone(memory, model, form=form).ranked(AFTER_E4)
    assert sorted(ranked, key=str) == sorted(AFTER_E4.legal_moves, key=str)


def test_the_published_form_plays_the_first_legal_move(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    near(memory, monkeypatch, ("e4e5", 0.1), ("d2d4", 0.2), ("e2e4", 0.3), ("e2e4", 0.4))
    assert first(Chesscone(memory, model, form=Form.PUBLISHED), chess.Board(), 2) == ["d2d4", "e2e4"]


def test_the_published_form_plays_anything_if_no_move_is_legal(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    near(memory, monkeypatch, ("e4e5", 0.1))
    player = Chesscone(memory, model, form=Form.PUBLISHED, careful=False)
    boards = [chess.Board(), AFTER_E4]
    assert all(player.ranked(board)[0] in board.legal_moves for board in boards)


def test_the_vote_is_won_by_the_majority(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    near(memory, monkeypatch, ("d2d4", 0.2), ("e2e4", 0.3), ("e2e4", 0.3))
    assert first(Chesscone(memory, model, form=Form.MEMORY), chess.Board(), 2) == ["e2e4", "d2d4"]


def test_votes_count_beside_the_model(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Chesscone(None, model).ranked(chess.Board())
    near(memory, monkeypatch, (expected[1].uci(), 0.2))
    assert Chesscone(memory, model).ranked(chess.Board())[0] == expected[1]


def test_the_model_counts_beside_the_votes(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    near(memory, monkeypatch, ("a2a4", 0.2), ("e2e4", 0.3))
    assert first(Chesscone(memory, model), chess.Board()) == ["e2e4"]


def test_without_a_memory_the_model_plays(model: HumanModel) -> None:
    assert first(Chesscone(None, model), chess.Board())[0] in ("e2e4", "d2d4")


def test_a_well_known_position_is_judged_by_itself(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    decision = Chesscone(memory, model).decide(AFTER_E4)
    assert (decision.well_known, len(decision.votes)) == (True, 2)


def test_a_rare_position_is_not_well_known(memory: Memory, model: HumanModel) -> None:
    assert not Chesscone(memory, model).decide(AFTER_E4).well_known


def test_a_careful_player_mates(memory: Memory, model: HumanModel) -> None:
    assert first(Chesscone(memory, model, form=Form.MEMORY), MATE_IN_ONE) == ["a1a8"]


def test_a_careless_player_follows_the_games(
    memory: Memory, model: HumanModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    near(memory, monkeypatch, ("a1a7", 0.1))
    player = Chesscone(memory, model, form=Form.MEMORY, careful=False)
    assert first(player, MATE_IN_ONE) == ["a1a7"]


def test_the_games_of_a_move_are_named(memory: Memory, model: HumanModel) -> None:
    decision = Chesscone(memory, model).decide(chess.Board(IN_RUY_LOPEZ))
    lines = [*sources(memory, decision, chess.Move.from_uci("f1g3"))]
    assert lines[0] == "Anand, Viswanathan – Carlsen, Magnus, 2013, 1/2-1/2: the same position at move 14"


def test_similar_positions_are_called_so(memory: Memory, model: HumanModel) -> None:
    board = chess.Board("rn1qrbk1/1bp2ppp/p2p1n2/1p2p3/3PP3/2P2N1P/PPB2PP1/R1BQRNK1 w - - 7 14")
    decision = Chesscone(memory, model).decide(board)
    lines = [*sources(memory, decision, chess.Move.from_uci("f1g3"))]
    assert "a similar position at move" in lines[0]


def test_without_a_memory_no_game_is_named(memory: Memory, model: HumanModel) -> None:
    decision = Chesscone(None, model).decide(AFTER_E4)
    assert [*sources(memory, decision, decision.moves[0])] == []
