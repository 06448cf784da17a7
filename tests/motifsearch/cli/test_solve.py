"""The command `solve`: what is printed, and what is stored."""

from __future__ import annotations

import json

import pytest

from db.days import day_of, days_later, end_of_day
from db.store import Store
from tests.helpers.clock import FakeClock
from tests.helpers.commands import Answer, Command
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row
from tests.helpers.zones import computer_in


def test_solving_a_set(command: Command, answer: Answer) -> None:
    answer("hint", "Ke2", "Nonsense", "Nc7+", "e2e8")
    status, out, _ = command("solve", "Ann")
    assert status == 0
    assert "Black plays 1...Ra8" in out
    assert "Hint: the knight on d5" in out
    assert "No. " in out
    assert "'Nonsense' is not a move" in out
    assert "Motif: fork" in out
    assert "In the game you played 2. g3" in out
    assert "\n1 of 2 puzzles right at once\nYour rating: " in out


def test_what_was_solved_is_not_due(command: Command, answer: Answer) -> None:
    answer("Nc7+", "Qe8")
    command("solve", "Ann")
    _, out, _ = command("sets", "list", "--json")
    (status,) = json.loads(out)
    assert (status["due"], status["new"]) == (0, 0)
    assert command("solve", "Ann").out.startswith("Nothing is due. Next: ")


@pytest.mark.parametrize(
    ("zone", "day"), [("Pacific/Auckland", "2026-01-06"), ("America/Los_Angeles", "2026-01-05")]
)
def test_days_are_those_of_this_computer(
    command: Command, answer: Answer, monkeypatch: pytest.MonkeyPatch, zone: str, day: str
) -> None:
    clock = FakeClock(monkeypatch)
    answer("show", "show")
    with computer_in(zone):
        again = str(day_of(days_later(clock.now, 1)))
        assert command("solve", "Ann").out.count(f"\nAgain on {again}\n") == 2
        assert command("sets", "results", "Ann").out.splitlines()[2].endswith(day)
        (results,) = json.loads(command("sets", "results", "Ann", "--json").out)
        assert {one["last"] for one in results["results"]} == {day}
        assert json.loads(command("sets", "list", "--json").out)[0]["next"] == again
        assert command("solve", "Ann").out == f"Nothing is due. Next: {again}\n"
        # Not at noon, when a day is over, but from its beginning on.
        clock.now = end_of_day(clock.now)
        assert json.loads(command("sets", "list", "--json").out)[0]["due"] == 2


def test_a_puzzle_that_was_given_up_counts_as_wrong(command: Command, answer: Answer) -> None:
    answer("show", "quit")
    assert "0 of 1 puzzle right at once\nYour rating: " in command("solve", "Ann").out


def test_quitting_before_a_move_records_nothing(command: Command, answer: Answer) -> None:
    answer("hint", "quit")
    assert "right at once" not in command("solve", "Ann").out
    assert json.loads(command("sets", "list", "--json")[1])[0]["new"] == 2


@pytest.mark.parametrize("lines", [("Ke2", "quit"), ("Ke2",), ("hint", "hint", "quit")])
def test_quitting_a_failed_puzzle_records_the_failure(
    command: Command, answer: Answer, lines: tuple[str, ...]
) -> None:
    answer(*lines)
    assert "The puzzle counts as wrong." in command("solve", "Ann").out
    (attempt,) = json.loads(command("sets", "results", "Ann", "--json").out)
    assert (attempt["student"], attempt["wrong"]) == ("ann", 1)


@pytest.fixture
def two_moves(command: Command, trained: Store) -> Command:
    """The command on a store with a set `lesson`: a puzzle of two moves, queen to e8 and the rook's mate."""
    put(trained, row(*PUZZLES["back rank, two moves"], rating=1000))
    command("sets", "create", "lesson")
    command("sets", "add", "lesson", id_of("back rank, two moves"))
    return command


def test_the_reply_is_said(two_moves: Command, answer: Answer) -> None:
    answer("qe8", "back", "Qe8", "Rxe8")
    out = two_moves("solve", "lesson").out
    assert out.count("Yes. Black replies 1...Rxe8") == 2
    assert "1 of 1 puzzle right at once\nYour rating: " in out


def test_a_wrong_move_is_refuted(two_moves: Command, answer: Answer, stockfish: str) -> None:
    answer("Qxh7", "Qe7", "Qh5", "quit")
    out = two_moves("solve", "lesson").out
    assert "'Qxh7' is not legal here" in out
    assert out.count("> No. ") == 2


def test_without_an_engine_a_wrong_move_is_only_wrong(command: Command, answer: Answer) -> None:
    answer("Ke2", "quit")
    _, out, err = command("solve", "Ann", "--engine", "/no/engine")
    assert "No. Try again." in out
    assert "no explanation: /no/engine: no such engine" in err


def test_what_else_may_be_typed(command: Command, answer: Answer) -> None:
    answer("", "help", "back", "e2", "c7", "quit")
    out = command("solve", "Ann").out
    assert out.count("White to move, find a good move") == 2
    assert "hint: the piece to move" in out
    assert "This is the beginning." in out
    assert "Only Ke2 is possible" in out
    assert "> No" not in out


def test_going_back_shows_the_puzzle_before(command: Command, answer: Answer) -> None:
    answer("Nc7", "back", "quit")
    assert "The puzzle before:" in command("solve", "Ann").out


def test_no_line_is_longer_than_the_terminal(command: Command, answer: Answer) -> None:
    answer("help", "Nc7", "help", "Qe8", "quit")
    lines = command("solve", "Ann").out.splitlines()
    # What is typed ends the line of the prompt on a terminal.
    assert max(len(line.removeprefix("> ")) for line in lines) <= 80


def test_somebody_else_solves_a_set(command: Command, answer: Answer) -> None:
    answer("Nc7", "Qe8")
    assert "In the game Ann played 2. g3" in command("solve", "Ann", "--for", "Bob").out
    assert json.loads(command("sets", "list", "--json")[1])[0]["new"] == 2
    assert command("solve", "Ann", "--for", "Bob").out.startswith("Nothing is due. Next: ")


def test_a_set_without_puzzles(command: Command) -> None:
    command("sets", "create", "empty")
    status, _, err = command("solve", "empty")
    assert (status, err) == (1, "motifsearch: the set 'empty' has no puzzles\n")
