"""SQLite files that can only be read: alone, beside a process that writes them, and after one was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from chess_motif.errors import StoreError
from db.models import Game
from db.store import Store
from tests.helpers.read_only import read_only

# Leaves its last transaction in the log, since nobody closes the file.
KILLED = f"""
import os, sys
from db.models import Game
from db.store import Store
with Store(sys.argv[1]).session() as session:
    session.add(Game(key="killed"))
os.kill(os.getpid(), {int(signal.SIGKILL)})
"""


def add(store: Store, key: str) -> None:
    with store.session() as session:
        session.add(Game(key=key))


def count(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count(Game.number))) or 0


@pytest.fixture
def folder(sqlite_store: Store) -> Path:
    assert sqlite_store.path is not None
    return sqlite_store.path.parent


def test_it_can_be_read_and_not_written(sqlite_store: Store, folder: Path) -> None:
    add(sqlite_store, "one")
    sqlite_store.close()
    with read_only(folder), Store(str(sqlite_store.path)) as reader:
        assert (reader.read_only, count(reader)) == (True, 1)
        with pytest.raises(StoreError, match="cannot be written"):
            add(reader, "two")


def test_what_others_write_is_seen(sqlite_store: Store, folder: Path) -> None:
    add(sqlite_store, "one")
    with read_only(folder), Store(str(sqlite_store.path)) as reader:
        assert count(reader) == 1
        add(sqlite_store, "two")
        assert count(reader) == 2


def test_it_has_an_identity_that_stays(sqlite_store: Store, folder: Path) -> None:
    sqlite_store.close()
    with read_only(folder):
        identities = {Store(str(sqlite_store.path)).identity() for _ in range(2)}
    assert len(identities) == 1


@pytest.fixture
def killed(sqlite_store: Store, folder: Path) -> Path:
    """The folder of a file whose writer was killed."""
    sqlite_store.close()
    subprocess.run([sys.executable, "-c", KILLED, str(sqlite_store.path)], check=False)
    assert (folder / "puzzles.db-wal").stat().st_size
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_what_a_killed_process_wrote_is_seen(killed: Path) -> None:
    with read_only(killed), Store(str(killed / "puzzles.db")) as reader:
        assert count(reader) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_log_that_cannot_be_read_is_not_ignored(killed: Path) -> None:
    (killed / "puzzles.db-shm").unlink()
    with read_only(killed), pytest.raises(StoreError, match="open it once where puzzles"):
        Store(str(killed / "puzzles.db"))


def test_one_of_an_earlier_version_says_what_to_do(sqlite_store: Store, folder: Path) -> None:
    with sqlite_store.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0004'"))
    sqlite_store.close()
    with read_only(folder), pytest.raises(StoreError, match="copy it to another folder"):
        Store(str(sqlite_store.path))


def test_a_link_to_it_is_like_the_file(
    sqlite_store: Store, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sqlite_store.close()
    link = tmp_path_factory.mktemp("elsewhere") / "link.db"
    link.symlink_to(folder / "puzzles.db")
    with read_only(folder), Store(str(link)) as reader:
        assert (reader.read_only, count(reader)) == (True, 0)
