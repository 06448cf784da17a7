"""What is shown against other defences, on written-down evaluations."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from puzzlegen.rules import DefenceRules
from puzzlegen.verify.defences import other_defences
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

# The queen attacks the loose rook on a8 and the loose bishop on h5.
FORK = "r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1"

# The knight takes the queen on d5; the rook on c8 may take a pawn for it.
HANGING = "2r1k3/8/8/3q4/8/2N5/2P2PPP/3RK3 w - - 0 1"


def shown(
    fen: str, moves: list[str], said: dict[str, Opinion], rules: DefenceRules | None = None
) -> list[str]:
    line = [chess.Move.from_uci(move) for move in moves]
    found = other_defences(chess.Board(fen), line, ScriptedEngine(said), rules)
    return [" ".join(move.uci() for move in defence) for defence in found]


def of_the_fork() -> dict[str, Opinion]:
    return {
        after(FORK, "d1d5"): {"h5g6": -500, "a8f8": -500, "a8e8": -510, "h5e2": -520},
        after(FORK, "d1d5", "h5g6"): {"d5a8": 500},
        after(FORK, "d1d5", "h5g6", "d5a8"): {"g8h7": -500},
        after(FORK, "d1d5", "a8f8"): {"d5h5": 500},
        after(FORK, "d1d5", "a8f8", "d5h5"): {"f7f6": -500},
        after(FORK, "d1d5", "a8e8"): {"d5h5": 500},
        after(FORK, "d1d5", "a8e8", "d5h5"): {"f7f6": -500},
        after(FORK, "d1d5", "h5e2"): {"d5a8": 520},
        after(FORK, "d1d5", "h5e2", "d5a8"): {"g8h7": -520},
    }


def test_other_replies_are_answered_each_answer_once() -> None:
    # After Be2 the rook is taken, too, and after Re8 the bishop.
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], of_the_fork()) == ["a8f8 d5h5"]
    assert shown(FORK, ["d1d5", "a8f8", "d5h5"], of_the_fork()) == ["h5g6 d5a8"]


def test_there_are_no_more_than_asked_for() -> None:
    # The line of a single move shows neither answer.
    assert shown(FORK, ["d1d5"], of_the_fork()) == ["h5g6 d5a8", "a8f8 d5h5"]
    assert shown(FORK, ["d1d5"], of_the_fork(), replace(DefenceRules(), most=1)) == ["h5g6 d5a8"]


def test_a_reply_that_only_gives_a_piece_up_is_no_defence() -> None:
    # The bishop could take the queen's pawn on f3, where another pawn takes it.
    said = of_the_fork() | {after(FORK, "d1d5"): {"h5f3": -500, "a8f8": -510}}
    said |= {after(FORK, "d1d5", "h5f3"): {"g2f3": 900}, after(FORK, "d1d5", "h5f3", "g2f3"): {"g8h7": -900}}
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], said) == ["a8f8 d5h5"]


@pytest.mark.parametrize(
    ("reply", "answer", "expected"),
    [
        ("c8c2", "d5c7", ["c8c2 d5c7"]),
        # The queen is won already, and the answer is just another move.
        ("e8d7", "g2g3", []),
        # But a capture has to be answered.
        ("c8c2", "g2g3", ["c8c2 g2g3"]),
    ],
)
def test_once_something_is_won_a_quiet_answer_to_a_quiet_reply_is_not_shown(
    reply: str, answer: str, expected: list[str]
) -> None:
    said: dict[str, Opinion] = {
        after(HANGING, "c3d5"): {reply: -700},
        after(HANGING, "c3d5", reply): {answer: 700},
        after(HANGING, "c3d5", reply, answer): {"e8f7" if reply == "c8c2" else "d7e6": -700},
    }
    assert shown(HANGING, ["c3d5"], said) == expected


def test_a_reply_that_saves_everything_has_no_line() -> None:
    said: dict[str, Opinion] = {after(FORK, "d1d5"): {"h5g6": -500, "a8f8": 0}}
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], said) == []


def test_nothing_follows_mate() -> None:
    assert shown("6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1", ["a2a8"], {}) == []
