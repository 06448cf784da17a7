from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import make_url, select, text

from chess_motif.errors import InputError, StoreError
from db import connections
from db.address import default_url
from db.models import Base, Game
from db.sets import TrainingSet
from db.store import Store


def test_migrations_make_the_tables_of_the_models(store: Store) -> None:
    # Its module maps all the other tables.
    assert TrainingSet.metadata is Base.metadata
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_sqlite_store_is_in_wal_mode(sqlite_store: Store) -> None:
    with sqlite_store.engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"


def test_the_database_of_another_program_is_not_changed_by_a_reader(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE notes (text)")
    before = file.read_bytes()
    with pytest.raises(StoreError, match="no database of chess-motif"):
        Store(str(file), create=False)
    assert file.read_bytes() == before


def test_a_failed_session_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.session() as session:
            session.add(Game(key="a"))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.reading() as session:
        assert session.scalars(select(Game)).all() == []


def test_readers_do_not_hold_up_a_writer(store: Store) -> None:
    with store.reading() as reader:
        assert reader.scalars(select(Game)).all() == []
        with store.session() as writer:
            writer.add(Game(key="a"))
        assert reader.scalars(select(Game)).all() == []


def test_the_identity_stays(store: Store) -> None:
    with Store(store.url.render_as_string(hide_password=False)) as again:
        assert again.identity() == store.identity()


def test_the_identity_is_known_while_another_process_writes(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = sqlite_store.identity()
    monkeypatch.setattr(connections, "BUSY_TIMEOUT", 0)
    with sqlite_store.session() as session, Store(str(sqlite_store.path)) as reader:
        session.add(Game(key="a"))
        session.flush()
        assert reader.identity() == identity


def test_stores_differ_in_identity(store: Store, tmp_path: Path) -> None:
    assert store.identity() != Store(f"{tmp_path}/other.db").identity()


def open_store(url: str) -> str:
    with Store(url) as store:
        return store.identity()


def test_two_processes_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert len(set(pool.map(open_store, [url] * 8))) == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nosuchdatabase://x", "not the URL of a"),
        ("://", "not the URL of a"),
        ("postgresql+psycopg://me:secret@127.0.0.1:port/x", "not the URL of a"),
        ("mysql://me@host/x", "not the URL of a"),
        ("\udce9.db", "not the URL of a"),
        ("sqlite:///x.db?timeout=soon", "cannot be opened"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/x?connect_timeout=1", "cannot be opened"),
        ("postgresql+psycopg://127.0.0.1:1/x?password=secret&connect_timeout=1", "cannot be opened"),
        ("/", "is a directory"),
        ("sqlite:////proc/nowhere/puzzles.db", "cannot be opened"),
    ],
)
def test_a_store_that_cannot_be_opened_is_one_line_without_a_password(url: str, said: str) -> None:
    with pytest.raises(StoreError) as caught:
        Store(url)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text('[Event "x"]\n' * 200)
    with pytest.raises(StoreError, match="not a database"):
        Store(str(file))


def test_a_store_says_where_it_is_without_its_password(sqlite_store: Store) -> None:
    assert repr(sqlite_store) == f"<Store {sqlite_store.path}>"
    sqlite_store.url = make_url("postgresql://me:secret@example.org/puzzles?password=secret")
    assert repr(sqlite_store).startswith("<Store postgresql://me:")
    assert "secret" not in repr(sqlite_store)


def test_words_that_are_not_text_are_one_line(store: Store) -> None:
    with pytest.raises(InputError, match="not valid text"), store.reading() as session:
        session.scalars(select(Game).where(Game.white == "\udce9")).all()


def test_the_environment_names_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHESS_MOTIF_DB", "sqlite:///elsewhere.db")
    assert default_url() == "sqlite:///elsewhere.db"
