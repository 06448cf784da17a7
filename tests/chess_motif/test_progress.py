"""Progress where stderr is not a terminal, and the bar where it is."""

from __future__ import annotations

import io
import signal
import sys
from typing import Any

import pytest

from chess_motif.interruption import interruptible
from chess_motif.progress import MOST_NOTICES, TerminalProgress, duration


class Clock:
    """Does not move until it is set."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize(
    ("begun", "later", "line"),
    [
        # An earlier run did 900 bytes; this one needs ten minutes for 50.
        (
            (900, 1000, "B", "90 games"),
            (950, 1000, "B", "95 games"),
            "95.0% of the file, 95 games, 10 minutes to go",
        ),
        ((250, 1000, "B", "25 games"), (250, 1000, "B", "25 games"), "25.0% of the file, 25 games"),
        ((50, 200, "query"), (100, 200, "query"), "50.0% of the 200 queries, 20 minutes to go"),
        ((500, None, "B", "40 games"), (600, None, "B", "50 games"), "50 games"),
    ],
    ids=["what this run did", "nothing done yet", "what is counted", "no total"],
)
def test_the_end_is_estimated(
    begun: tuple[Any, ...],
    later: tuple[Any, ...],
    line: str,
    clock: Clock,
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = TerminalProgress(clock)
    progress.update("games.pgn", *begun)
    clock.seconds = 600
    progress.update("games.pgn", *later)
    assert capsys.readouterr().err == f"games.pgn: {line}\n"


def test_there_is_an_early_line_and_then_one_a_minute(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = TerminalProgress(clock)
    for clock.seconds in range(0, 120, 5):
        progress.update("games.pgn", int(clock.seconds), 1000, "B")
    shares = [line.split()[1] for line in capsys.readouterr().err.splitlines()]
    assert shares == ["0.5%", "6.5%"]


def test_the_last_line_shows_the_final_state(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(clock) as progress:
        progress.update("games.pgn", 0, 1000, "B")
        clock.seconds = 10
        progress.update("games.pgn", 500, 1000, "B", "50 games")
        progress.update("games.pgn", 1000, 1000, "B", "90 games")
    assert capsys.readouterr().err.splitlines()[-1] == "games.pgn: 100.0% of the file, 90 games"


def test_a_short_task_prints_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with TerminalProgress(clock) as progress:
        progress.update("games.pgn", 1000, 1000, "B", "90 games")
    assert capsys.readouterr().err == ""


def test_a_bar_is_labelled_with_the_name_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with TerminalProgress() as progress:
        progress.update("a/very/long/path/to/games.pgn", 1, 2, "B")
    assert "\rgames.pgn:" in terminal.getvalue()


def test_the_bar_does_not_count_earlier_runs_as_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with TerminalProgress() as progress:
        progress.update("games.pgn", 900, 1000, "B")
    assert "90%" in terminal.getvalue()
    assert "?B/s" in terminal.getvalue()


def test_a_flood_of_notices_is_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    progress = TerminalProgress()
    for number in range(2 * MOST_NOTICES):
        progress.notice(f"game {number}: illegal move")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_NOTICES + 1
    assert lines[-1] == "(no more notices are shown; the summary counts them all)"


def test_a_notice_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    TerminalProgress().notice("\x1b]0;title\x07games\u202e.pgn: no such file")
    assert capsys.readouterr().err == "]0;titlegames.pgn: no such file\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_asks_to_stop_and_the_second_stops(number: signal.Signals) -> None:
    with interruptible(), TerminalProgress() as progress, progress.finishing_on_interrupt():
        assert not progress.stopping
        signal.raise_signal(number)
        assert progress.stopping
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (20, "less than a minute"),
        (40, "1 minute"),
        (90, "2 minutes"),
        (3_590, "1 hour"),
        (7_500, "2 hours and 5 minutes"),
        (200_000, "2 days and 7 hours"),
    ],
)
def test_durations_as_one_would_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text
