"""A database with puzzles to search among."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from db.store import Store
from motifsearch import search as filters
from motifsearch.positions.archiving import add_games
from tests.helpers.sample_games import PGN
from tests.helpers.sample_puzzles import PUZZLES, put, row


@pytest.fixture
def filled(sqlite_store: Store) -> Store:
    put(sqlite_store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    return sqlite_store


@pytest.fixture
def filled_everywhere(store: Store) -> Store:
    """The same in each kind of database, for tests of what is stored."""
    put(store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    return store


@pytest.fixture(autouse=True)
def no_near_duplicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small positions are easily nearly the same; in these tests none is."""
    monkeypatch.setattr(filters, "NEARLY_SAME", -1)


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are slow to start."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def games_file(tmp_path: Path) -> str:
    file = tmp_path / "games.pgn"
    file.write_text(PGN, encoding="utf-8")
    return str(file)


@pytest.fixture
def archived(sqlite_store: Store, games_file: str, one_core: None) -> Store:
    """A store in which the games of `sample_games` are archived."""
    add_games([games_file], sqlite_store)
    return sqlite_store
