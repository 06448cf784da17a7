"""The command `puzzlegen runs`, and what `mine` writes for those who watch it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.models import MiningRun, utc_now
from db.store import Store
from tests.helpers.commands import Command, CommandOn
from tests.helpers.fake_engine import FakeEngine

SUMMARY = {"games": 12, "puzzles": 3, "nodes": 4_000_000, "rejected": {"another move wins too": 5}}


@pytest.fixture
def puzzlegen(sqlite_store: Store, command_on: CommandOn) -> Command:
    """The command, on a run that has ended and one that was killed."""
    with sqlite_store.session() as session:
        ended = MiningRun(engine="Fish 1", rules={}, finished=utc_now(), outcome="ended", summary=SUMMARY)
        session.add_all([ended, MiningRun(engine="Fish 1", rules={})])
    return command_on(sqlite_store, "puzzlegen")


def test_runs_are_listed_with_what_became_of_them(puzzlegen: Command) -> None:
    rows = [line.split() for line in puzzlegen("runs").out.splitlines() if line.strip()[:1].isdigit()]
    assert [row[:2] for row in rows] == [["2", "killed"], ["1", "ended"]]
    assert "4,000,000" in rows[1]


def test_a_run_with_its_rejections(puzzlegen: Command) -> None:
    done = puzzlegen("runs", "1")
    assert "rejected: another move wins too" in done.out
    assert json.loads(puzzlegen("runs", "1", "--json").out)["rejected"] == SUMMARY["rejected"]


def test_without_runs_it_says_so(sqlite_store: Store, command_on: CommandOn) -> None:
    assert "no mining run" in command_on(sqlite_store, "puzzlegen")("runs").out


def test_a_run_says_which_options_its_engine_had(
    puzzlegen: Command, archive: Path, fake_engine: FakeEngine
) -> None:
    engine = ["--engine", fake_engine(), "--workers", "1"]
    for options in ([], ["--engine-option", "order of moves=backward"]):
        # The same file is mined again: what comes of it may differ.
        assert json.loads(puzzlegen("mine", str(archive), *engine, *options, "--json").out)["nodes"] > 0
    assert json.loads(puzzlegen("runs", "3", "--json").out)["engine"] == "Fake 1.0"
    assert json.loads(puzzlegen("runs", "4", "--json").out)["engine"] == "Fake 1.0, Order of Moves Backward"


def test_a_run_is_logged(puzzlegen: Command, archive: Path, tmp_path: Path, stockfish: str) -> None:
    log = tmp_path / "log"
    given = ["--engine", stockfish, "--limit", "1", "--workers", "1", "--log", str(log)]
    puzzlegen("mine", str(archive), *given)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["event"] for event in events] == ["run began", "archive began", "run ended"]
    assert (events[-1]["outcome"], events[-1]["games"]) == ("ended", 1)
