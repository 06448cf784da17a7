"""Reading an archive from its checkpoint on, which one run at a time claims."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from chess_motif.errors import ArchiveError
from chess_motif.progress import Progress
from db.models import Checkpoint
from db.store import Store
from puzzlegen.games.archive import ArchiveWalk, open_archive
from tests.helpers.sample_games import MISSED_MATE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    archive = tmp_path / "games.pgn"
    archive.write_text(MISSED_MATE)
    return archive


@contextmanager
def walk(store: Store, file: Path, run_number: int) -> Iterator[ArchiveWalk]:
    with open_archive(str(file)) as archive:
        yield ArchiveWalk(archive, store, "settings", Progress(), run_number=run_number)


def test_a_run_that_was_taken_for_dead_ends_where_another_one_goes_on(store: Store, file: Path) -> None:
    with walk(store, file, 1) as first, walk(store, file, 2) as second:
        with store.session() as session:
            second.save(session, 100, 1, {"games": 1})
        with pytest.raises(ArchiveError, match="taken over by run 2"), store.session() as session:
            first.save(session, 50, 1, {})
    with store.reading() as session:
        assert session.scalars(select(Checkpoint.offset)).one() == 100


def test_two_runs_that_begin_at_the_same_moment(store: Store, file: Path) -> None:
    both = threading.Barrier(2)

    def begin(number: int) -> int:
        with Store(store.address) as own:
            both.wait()
            with walk(own, file, number):
                return number

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(begin, (1, 2))) == [1, 2]
    with store.reading() as session:
        assert len(session.scalars(select(Checkpoint)).all()) == 1
