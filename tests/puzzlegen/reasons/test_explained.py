"""What is told of all that is true of a solution, and what is drawn."""

from __future__ import annotations

from itertools import permutations

import chess
import pytest

from chess_motif.material import Capture
from puzzlegen.reasons.explained import SolutionReasons, facts_of, reasons_of_line
from puzzlegen.reasons.fact import FactKind
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.words import sentence
from tests.helpers.solutions import Solution, parsed
from tests.helpers.tactics import Expected, expected

SMOTHERED = parsed("2r2rk1/3Q1ppp/pq2p3/1p2N3/1P3P2/P1P5/5nPP/RNB2RK1 b - - 4 18", "f2h3 g1h1 b6g1 f1g1 h3f2")
FORK = parsed("8/8/q7/P7/1K6/1N1k4/8/8 w - - 1 59", "b3c5 d3d4 c5a6")
QUEEN_FORKS = "r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1"


def explained(tactics: Tactics) -> list[str]:
    return [reason.sentence for reason in SolutionReasons(tactics).explained()]


def kinds(tactics: Tactics, sentences: list[str]) -> str:
    """Return the kinds of facts of which sentences are made; of two that read alike, that which says most."""
    found = facts_of(tactics)
    pairs = [pair for pair in permutations(found, 2) if pair[0].ply == pair[1].ply]
    made_of = {
        sentence(facts, tactics.replay): "+".join(fact.kind for fact in facts)
        for facts in reversed([*((fact,) for fact in found), *pairs])
    }
    return ", ".join(made_of[each] for each in sentences)


@pytest.mark.parametrize("one", expected("told"), ids=str)
def test_what_is_told(one: Expected) -> None:
    tactics = Tactics(*one.solution)
    assert kinds(tactics, explained(tactics)) == one.name


@pytest.mark.parametrize("one", expected("sentence"), ids=str)
def test_facts_in_one_sentence(one: Expected) -> None:
    assert one.text in explained(Tactics(*one.solution))


def test_what_has_just_taken_is_said_to_stand_undefended_only_if_it_wins_more() -> None:
    position = chess.Board("6k1/8/8/8/4q3/8/8/1B2R1K1 w - - 0 1")
    capture = chess.Move.from_uci("e1e4")
    text = "The queen has taken on e4, where nothing defends it."
    assert reasons_of_line(position, [capture], Capture(chess.E4, chess.PAWN)) == [text]
    assert text not in reasons_of_line(position, [capture], Capture(chess.E4, chess.QUEEN))


def with_defences(fen: str, moves: str, *defences: str) -> list[str]:
    lines = [[chess.Move.from_uci(move) for move in line.split()] for line in defences]
    return [reason.sentence for reason in SolutionReasons(Tactics(*parsed(fen, moves)), lines).explained()]


@pytest.mark.parametrize(
    ("moves", "defence", "last"),
    [
        pytest.param(
            "d1d5 h5g6 d5a8",
            "a8f8 d5h5",
            "Another defence: 1...Rf8 2. Qxh5, which wins a piece.",
            id="another reply",
        ),
        pytest.param(
            "d1d5 a8f8 d5h5 f8e8 h5a5",
            "a8f8 d5h5 f8d8 h5d5",
            "Another defence: 2...Rd8 3. Qd5, which attacks the rook on d8.",
            id="another second reply",
        ),
        pytest.param(
            "d1d5 h5g6 d5a8",
            "0000 d5f7 g8h8 f7f8 a8f8",
            "The threat is 2. Qxf7+ Kh8 3. Qf8+ Rxf8.",
            id="a threat",
        ),
    ],
)
def test_a_line_against_another_defence_is_told_last(moves: str, defence: str, last: str) -> None:
    assert with_defences(QUEEN_FORKS, moves, defence) == [*with_defences(QUEEN_FORKS, moves), last]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("0000 d5h5", id="a threat that is told"),
        pytest.param("h5g6", id="the reply of the solution, without an answer"),
        pytest.param("h5g6 d5a8", id="the solution"),
        pytest.param("a8f8", id="no answer"),
    ],
)
def test_a_line_that_says_nothing_new(line: str) -> None:
    assert with_defences(QUEEN_FORKS, "d1d5 h5g6 d5a8", line) == with_defences(QUEEN_FORKS, "d1d5 h5g6 d5a8")


def test_a_defence_is_answered_once() -> None:
    fen = "5r1k/ppp2p1p/3p4/1B2p3/4P1qb/5R2/PPPP4/R1BQ1K2 b - - 1 18"
    *_, board, lines = with_defences(fen, "f8g8 f1e2 g4e4", "f3g3 g4d1", "d1e2 g4g1", "d2d4 g4f3")
    assert board.startswith("Rg3 allows Qxd1")
    assert lines == "Another defence: 19. d4 Qxf3+."


def test_what_is_said_of_a_reply_gives_way_to_a_line_that_refutes_it() -> None:
    # After Kd8 and Kf8, Nxa8 loses the queen to Bc3; White castles first.
    fen, moves = "r1q1k2r/1p1nppbp/p2P2p1/1N5n/8/4BN2/P1PQ1PPP/1R2K2R w Kk - 0 15", "b5c7 c8c7 d6c7"
    assert "Kd8 and Kf8 allow Nxa8" in with_defences(fen, moves)[-1]
    *_, board, lines = with_defences(fen, moves, "e8f8 e1g1 g7c3 d2c3")
    assert "Nxa8" not in board
    assert lines == "Another defence: 15...Kf8 16. O-O Bc3 17. Qxc3, which wins a piece."
    # A line that answers like this adds nothing.
    assert with_defences(fen, moves, "e8f8 c7a8") == with_defences(fen, moves)


def test_only_what_the_query_shares_is_told() -> None:
    # There the queen, not a rook, is lured from f7.
    lured = parsed("4rbnk/2pq2pp/p2p1p2/1p1P2N1/1P1P4/4BQ1P/P4PP1/5RK1 w - - 0 1", "f3f5 d7f5 g5f7")
    shared = SolutionReasons(Tactics(*SMOTHERED)).explained_like(SolutionReasons(Tactics(*lured)))
    assert kinds(Tactics(*SMOTHERED), [reason.sentence for reason in shared]) == "defender, net"


def test_nothing_is_told_without_a_shared_reason() -> None:
    knight = parsed("8/8/8/7P/2n5/2K3P1/p1N5/1k6 b - - 0 63", "c4e3 c2e3 a2a1q")
    assert not SolutionReasons(Tactics(*FORK)).explained_like(SolutionReasons(Tactics(*knight)))


@pytest.mark.parametrize("solution", [SMOTHERED, FORK], ids=["a mate", "a fork"])
def test_a_puzzle_shares_everything_with_itself(solution: Solution) -> None:
    reasons = SolutionReasons(Tactics(*solution))
    assert reasons.explained_like(reasons) == reasons.explained()


def test_a_sentence_has_the_drawing_of_its_facts() -> None:
    (reason,) = SolutionReasons(Tactics(*FORK)).explained()
    (fact,) = facts_of(Tactics(*FORK), {FactKind.FORK})
    assert reason.drawing == fact.drawing is not None
