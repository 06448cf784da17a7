"""A database with puzzles to search among."""

from __future__ import annotations

import pytest
from sample_puzzles import PUZZLES, put, row

from db.store import Store
from motifsearch import wanted


@pytest.fixture
def filled(store: Store) -> Store:
    put(store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    return store


@pytest.fixture(autouse=True)
def alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small positions are easily nearly the same; only exactly the same ones are here."""
    monkeypatch.setattr(wanted, "NEARLY_SAME", -1)
