"""The command `puzzlegen rate`, and what the others say of difficulty."""

from __future__ import annotations

import json
import os

import pytest

from chess_motif.notation import parse_position
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.formats.entry import parsed_puzzle
from tests.helpers.commands import Command, CommandOn


@pytest.fixture
def puzzlegen(sqlite_store: Store, command_on: CommandOn, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    position = parse_position("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1")
    with sqlite_store.session() as session:
        add_puzzles(session, [parsed_puzzle(position, ["e1e8"], "pgn", "").puzzle])
    return command_on(sqlite_store, "puzzlegen")


@pytest.fixture
def rated(puzzlegen: Command) -> Command:
    assert json.loads(puzzlegen("rate", "--json").out) == {"estimated": 1}
    return puzzlegen


def test_rated_puzzles_are_rated_again_only_on_request(rated: Command) -> None:
    assert "--all" in rated("rate").out
    assert "of 1 puzzle" in rated("rate", "--all").out


def test_the_estimate_is_shown(rated: Command) -> None:
    (puzzle,) = json.loads(rated("list", "--json").out)
    assert puzzle["difficulty"] > 0
    assert puzzle["difficulty_margin"] > 0
    shown = rated("show", puzzle["id"]).out
    assert f"about {puzzle['difficulty']:.0f}, probably between" in shown
    assert f"{puzzle['first_move_chance']:.0%} of people would play it" in shown


def test_the_estimate_counts_where_there_is_no_rating(rated: Command) -> None:
    assert len(json.loads(rated("list", "--json", "--rating", "1-").out)) == 1


def test_puzzles_without_an_estimate_are_counted(puzzlegen: Command) -> None:
    done = puzzlegen("list", "--rating", "1-")
    assert "1 puzzle was left out" in done.err
    assert "puzzlegen rate" in done.err
