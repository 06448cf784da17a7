from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from chess_motif.errors import InputError
from chess_motif.logs import LOGGER, log_event, logging_to
from chess_motif.progress import TerminalProgress


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_events_are_appended_with_their_fields(tmp_path: Path) -> None:
    file = tmp_path / "log"
    for number in (1, 2):
        with logging_to(file):
            log_event("saved", run=number)
    assert [(line["event"], line["run"], line["level"]) for line in lines(file)] == [
        ("saved", 1, "info"),
        ("saved", 2, "info"),
    ]
    assert str(lines(file)[0]["time"]).endswith("+00:00")


def test_every_notice_is_logged(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with logging_to(file), TerminalProgress() as progress:
        for number in range(100):
            progress.notice(f"game {number}\x1b[2J: no moves")
    assert len(lines(file)) == 100
    assert (lines(file)[7]["event"], lines(file)[7]["level"]) == ("game 7[2J: no moves", "warning")


def test_a_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with logging_to(file):
        log_event("one")
        file.rename(tmp_path / "log.1")
        log_event("two")
    assert [line["event"] for line in lines(file)] == ["two"]


def test_without_a_file_nothing_is_logged() -> None:
    with logging_to(None):
        assert not LOGGER.isEnabledFor(logging.INFO)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"), logging_to(tmp_path / "no" / "log"):
        pass
