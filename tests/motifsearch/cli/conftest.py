"""A database with a training set, the command that uses it, and what the user types."""

from __future__ import annotations

import io

import pytest

from db.store import Store
from motifsearch.trainer.sets import extend_training_set
from tests.helpers.commands import Answer, Command, CommandOn
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game


@pytest.fixture
def trained(sqlite_store: Store) -> Store:
    """A database with a set of Ann's: the fork and the mate that she missed, without other puzzles."""
    store_game(sqlite_store, opportunity_row(*FORK), opportunity_row(*BACK_RANK, ply=30, tags="mate mateIn2"))
    extend_training_set(sqlite_store, "Ann", ["ann"], k=0)
    return sqlite_store


@pytest.fixture
def command(trained: Store, command_on: CommandOn) -> Command:
    return command_on(trained, "motifsearch")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Return a function that types lines for the next command."""

    def type_in(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in
