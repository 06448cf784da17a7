"""What is shown against other defences, on written-down evaluations."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from motifsearch.trainer.analysis.defences import other_defences
from motifsearch.trainer.analysis.rules import DefenceRules
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

# The queen attacks the loose rook on a8 and the loose bishop on h5.
FORK = "r5k1/5pp1/7p/7b/8/8/5PPP/3Q2K1 w - - 0 1"

# The knight takes the queen on d5; the rook on c8 may take a pawn for it.
HANGING = "2r1k3/8/8/3q4/8/2N5/2P2PPP/3RK3 w - - 0 1"


def shown(
    fen: str,
    moves: list[str],
    said: dict[str, Opinion],
    rules: DefenceRules | None = None,
    answers: dict[str, str] | None = None,
) -> list[str]:
    """Return the lines; `answers` has replies to the first move."""
    line = [chess.Move.from_uci(move) for move in moves]
    known = {
        chess.Move.from_uci(move): chess.Move.from_uci(answer) for move, answer in (answers or {}).items()
    }
    found = other_defences(chess.Board(fen), line, ScriptedEngine(said), {1: known}, rules=rules)
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
    assert shown(FORK, ["d1d5"], of_the_fork(), replace(DefenceRules(), most=2)) == ["h5g6 d5a8"]


@pytest.mark.parametrize(
    ("reply", "answer", "expected"),
    [
        # The queen takes it, and the rook still hangs.
        ("h5d1", "d5d1", ["a8f8 d5h5"]),
        # Nor does it help that the bishop defends the rook here.
        ("h5f3", "g2f3", ["a8f8 d5h5"]),
    ],
)
def test_a_reply_that_only_gives_a_piece_up_is_no_defence(
    reply: str, answer: str, expected: list[str]
) -> None:
    said = of_the_fork() | {after(FORK, "d1d5"): {reply: -500, "a8f8": -510}}
    said |= {after(FORK, "d1d5", reply): {answer: 900}, after(FORK, "d1d5", reply, answer): {"g8h7": -900}}
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], said) == expected


def test_what_comes_between_in_a_check_is_a_defence() -> None:
    # The knight defends the bishop on b4, and is lost for it.
    fen = "rnbqk2r/ppp2ppp/5n2/3Pp3/1b2P3/2N5/PP3PPP/R1BQKBNR w KQkq - 1 7"
    said: dict[str, Opinion] = {
        after(fen, "d1a4"): {"c7c6": -300, "b8c6": -310},
        after(fen, "d1a4", "b8c6"): {"d5c6": 400},
        after(fen, "d1a4", "b8c6", "d5c6"): {"b4c3": -400},
    }
    assert shown(fen, ["d1a4", "c7c6", "a4b4"], said) == ["b8c6 d5c6"]


def test_a_check_that_gives_a_piece_up_is_no_defence() -> None:
    # Rxg3+ only loses the rook, too.
    fen = "6k1/8/6r1/7b/8/6P1/5P1P/3Q2K1 w - - 0 1"
    said: dict[str, Opinion] = {
        after(fen, "d1h5"): {"g6g3": -900},
        after(fen, "d1h5", "g6g3"): {"h2g3": 900},
    }
    assert shown(fen, ["d1h5"], said) == []


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


def test_a_quiet_first_move_threatens_something() -> None:
    # The queen threatens mate on g7 and the rook on a4; the solution takes the rook.
    fen = "6k1/5ppp/8/7N/r7/8/5PPP/3Q2K1 w - - 0 1"
    said: dict[str, Opinion] = {
        after(fen, "d1g4"): {"g7g6": -600},
        after(fen, "d1g4", "g7g6"): {"g4a4": 600},
        after(fen, "d1g4", "0000"): {"g4g7": "#1"},
    }
    assert shown(fen, ["d1g4", "g7g6", "g4a4"], said) == ["0000 g4g7"]
    # What the solution shows needs no other line.
    assert shown(fen, ["d1g4", "a4a8", "g4g7"], said | {after(fen, "d1g4"): {"a4a8": -600}}) == []


def test_the_second_move_is_answered_in_other_ways_too() -> None:
    fen = "6k1/5pp1/7p/8/q7/4P3/1Q3PPP/6K1 w - - 0 1"
    solution = ["b2b8", "g8h7", "b8b1", "g7g6", "b1a1"]
    said: dict[str, Opinion] = {
        after(fen, "b2b8"): {"g8h7": 0},
        after(fen, "b2b8", "g8h7", "b8b1"): {"g7g6": -10, "f7f5": -900},
        after(fen, "b2b8", "g8h7", "b8b1", "f7f5"): {"b1f5": 900},
        after(fen, "b2b8", "g8h7", "b8b1", "f7f5", "b1f5"): {"h7g8": -900},
    }
    assert shown(fen, solution, said) == ["g8h7 b8b1 f7f5 b1f5"]


def test_the_answer_is_a_plain_capture_if_there_is_one() -> None:
    said = of_the_fork() | {
        after(FORK, "d1d5"): {"h5g6": -500},
        after(FORK, "d1d5", "h5g6"): {"g2g4": 510, "d5a8": 500},
    }
    assert shown(FORK, ["d1d5"], said) == ["h5g6 d5a8"]
    # But not if it is much worse.
    said[after(FORK, "d1d5", "h5g6")] = {"g2g4": 510, "d5a8": 150}
    said[after(FORK, "d1d5", "h5g6", "g2g4")] = {"a8f8": -510}
    said[after(FORK, "d1d5", "h5g6", "g2g4", "a8f8")] = {"g4g5": 510}
    assert shown(FORK, ["d1d5"], said) == ["h5g6 g2g4"]
    # If it comes next, it is shown.
    said[after(FORK, "d1d5", "h5g6", "g2g4")] = {"g6h7": -510}
    said[after(FORK, "d1d5", "h5g6", "g2g4", "g6h7")] = {"d5a8": 510}
    assert shown(FORK, ["d1d5"], said) == ["h5g6 g2g4 g6h7 d5a8"]


def test_a_natural_reply_has_an_answer_though_that_wins_nothing_yet() -> None:
    said = of_the_fork() | {
        after(FORK, "d1d5"): {"g8f8": -390, "g7g5": -400, "g8h7": -405, "g8h8": -410},
        **{after(FORK, "d1d5", reply): {"g2g3": 400} for reply in ("g8f8", "g7g5", "g8h7", "g8h8")},
    }
    found = shown(FORK, ["d1d5"], said)
    assert [line[:9] for line in found] == ["g8f8 g2g3"]
    # The best two are natural.
    said[after(FORK, "d1d5", "g7g5")] = {"h2h4": 400}
    said[after(FORK, "d1d5", "g8h7")] = {"h2h3": 400}
    found = shown(FORK, ["d1d5"], said)
    assert [line[:9] for line in found] == ["g8f8 g2g3", "g7g5 h2h4"]


def test_what_sentences_tell_has_a_line_only_if_it_is_refuted() -> None:
    answers = {"a8f8": "d5h5"}
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], of_the_fork(), answers=answers) == []
    said = of_the_fork() | {
        after(FORK, "d1d5", "a8f8", "d5h5"): {"f7f6": 500},
        after(FORK, "d1d5", "a8f8"): {"g2g4": 400, "d5h5": -500},
        after(FORK, "d1d5", "a8f8", "g2g4"): {"h5g4": -400},
    }
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], said, answers=answers) == ["a8f8 g2g4"]


def test_a_threatened_piece_goes_first() -> None:
    said = of_the_fork() | {
        after(FORK, "d1d5"): {"a8f8": -490, "h5g6": -500},
        after(FORK, "d1d5", "0000"): {"d5h5": 500},
        after(FORK, "d1d5", "0000", "d5h5"): {"a8f8": -500},
    }
    assert shown(FORK, ["d1d5"], said) == ["0000 d5h5", "h5g6 d5a8", "a8f8 d5h5"]


def test_a_piece_that_hangs_may_be_taken() -> None:
    # The engine does not think of the knight on a1.
    fen = "r5k1/5pp1/7p/7b/8/8/5PPP/N2Q2K1 w - - 0 1"
    said: dict[str, Opinion] = {
        after(fen, "d1d5"): {"h5g6": -500},
        after(fen, "d1d5", "a8a1"): {"d5d1": 400},
    }
    assert shown(fen, ["d1d5"], said)[0].startswith("a8a1 d5d1")


def test_a_reply_that_saves_everything_has_no_line() -> None:
    said: dict[str, Opinion] = {after(FORK, "d1d5"): {"h5g6": -500, "a8f8": 0}}
    assert shown(FORK, ["d1d5", "h5g6", "d5a8"], said) == []


def test_nothing_follows_mate() -> None:
    assert shown("6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1", ["a2a8"], {}) == []
