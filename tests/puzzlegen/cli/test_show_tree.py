"""`puzzlegen show --tree`: the tree as text, as JSON and as a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.store import Store
from tests.helpers.commands import Command, CommandOn
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.sample_puzzles import id_of, put_quick

SMOTHERED = id_of("smothered")


@pytest.fixture
def show(sqlite_store: Store, command_on: CommandOn) -> Command:
    put_quick(sqlite_store)
    return command_on(sqlite_store, "puzzlegen", "show", SMOTHERED)


def test_the_tree_and_its_attributes_follow_the_puzzle(stockfish: str, show: Command) -> None:
    shown = show("--tree").out
    assert "1 solver     1. Nf7# (#1) *\n" in shown
    assert shown.index("Puzzle") < shown.index("1 solver") < shown.index("TreeSize") < shown.index("Next:")


def test_the_tree_as_json(stockfish: str, show: Command) -> None:
    shown = json.loads(show("--tree", "--json").out)
    assert shown["id"] == SMOTHERED
    assert [move["san"] for move in shown["tree"]["moves"]] == ["Nf7#"]
    assert shown["tree"]["attributes"]["TreeSize"] == 1


def test_without_the_option_there_is_no_tree(show: Command) -> None:
    assert "tree" not in json.loads(show("--json").out)


def test_the_tree_on_a_page(stockfish: str, show: Command, tmp_path: Path) -> None:
    page = tmp_path / "tree.html"
    assert f"Written to {page}" in show("--tree", "--html", str(page)).out
    assert "Nf7#</text>" in page.read_text()


def test_searches_are_not_repeated(fake_engine: FakeEngine, show: Command, tmp_path: Path) -> None:
    engine = fake_engine()
    first = show("--tree", "--engine", engine).out
    searches = (tmp_path / "searches").stat().st_size
    assert show("--tree", "--engine", engine).out == first
    assert (tmp_path / "searches").stat().st_size == searches > 0
