"""A database with puzzles to search among."""

from __future__ import annotations

import pytest
from sample_puzzles import PUZZLES, put, row

from db.store import Store


@pytest.fixture
def filled(store: Store) -> Store:
    put(store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    return store
