"""What a run says of itself where stderr is not a terminal, and the bar where it is."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from puzzlegen.cli.pace import duration
from puzzlegen.cli.progress import Progress
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.mining.summary import Summary


class Clock:
    """Stands still until it is set."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """An archive of 1,000 bytes that has been read to its end."""
    file = tmp_path / "games.pgn"
    file.write_bytes(b"x" * 1000)
    with open_archive(str(file)) as opened:
        assert sum(map(len, opened.chunks())) == 1000
        yield opened


def said(capsys: pytest.CaptureFixture[str], archive: Archive) -> str:
    return capsys.readouterr().err.removeprefix(f"{archive.name}: ").strip()


def test_the_end_is_estimated_from_what_this_run_did(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    # An earlier run did 900 bytes; this one needs ten minutes for 50.
    archive.finish_text(900)
    progress.progressed(archive, Summary(games=90))
    clock.seconds = 600
    archive.finish_text(950)
    progress.progressed(archive, Summary(games=95, candidates=7, puzzles=3))
    expected = "95.0% of the archive, 95 games, 7 candidates, 3 puzzles, 10 min to go"
    assert said(capsys, archive) == expected


def test_what_was_only_read_is_not_done(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    clock.seconds = 60
    archive.finish_text(250)
    progress.progressed(archive, Summary(games=25))
    assert said(capsys, archive) == "25.0% of the archive, 25 games, 0 candidates, 0 puzzles"


def test_with_a_limit_games_are_counted(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(limit=200, clock=clock)
    progress.progressed(archive, Summary(games=50))
    clock.seconds = 3600
    progress.progressed(archive, Summary(games=100))
    expected = "50.0% of the games wanted, 100 games, 0 candidates, 0 puzzles, 2 h 0 min to go"
    assert said(capsys, archive) == expected


def test_a_limit_counts_the_games_of_earlier_archives(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    progress = Progress(limit=200, clock=clock)
    progress.progressed(archive, Summary(games=50))
    clock.seconds = 60
    with open_archive(archive.name) as next_one:
        progress.progressed(next_one, Summary(games=100))
    assert said(capsys, archive).startswith("75.0% of the games wanted, 100 games")


def test_an_audit_counts_puzzles(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    progress.audited(1, 5)
    clock.seconds = 120
    progress.audited(3, 5)
    assert capsys.readouterr().err == "audit: 60.0% of the puzzles, 3 puzzles, 2 min to go\n"


def test_archiving_counts_games(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    clock.seconds = 60
    archive.finish_text(500)
    progress.archived(archive, 40, 30)
    assert said(capsys, archive) == "50.0% of the archive, 40 games, 30 archived"


def test_there_is_one_line_a_minute(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    for clock.seconds in range(0, 150, 10):
        progress.progressed(archive, Summary())
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_the_bar_does_not_count_earlier_runs_as_speed(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    archive.finish_text(900)
    with Progress() as progress:
        progress.progressed(archive, Summary(games=90))
    assert "90%" in terminal.getvalue()
    assert "?B/s" in terminal.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (20, "less than a minute"),
        (90, "2 min"),
        (59 * 60 + 40, "1 h 0 min"),
        (7_500, "2 h 5 min"),
        (200_000, "2 d 8 h"),
    ],
)
def test_durations_as_one_would_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text
