"""A PostgreSQL server that is restarted: sessions wait for it, and what was not committed is done again."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from chess_motif.errors import StoreError
from db import store as stores
from db.models import Game
from db.store import Store
from tests.helpers.postgresql_server import PostgreSQLServer


def count(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count(Game.number))) or 0


def test_a_session_waits_for_the_server(
    postgresql_store: Store, postgresql_server: PostgreSQLServer, capfd: pytest.CaptureFixture[str]
) -> None:
    # There is a connection that the restart ends.
    assert count(postgresql_store) == 0
    starting = postgresql_server.restart(seconds=1)
    with postgresql_store.session() as session:
        session.add(Game(key="a"))
    starting.join()
    assert count(postgresql_store) == 1
    assert capfd.readouterr().err.count("cannot be reached; trying again") == 1


def test_a_worker_that_is_started_meanwhile_waits_too(
    postgresql_store: Store, postgresql_server: PostgreSQLServer
) -> None:
    starting = postgresql_server.restart(seconds=1)
    with Store(postgresql_store.address, wait=True) as opened:
        assert count(opened) == 0
    starting.join()


def test_what_was_not_committed_is_done_again(postgresql_store: Store) -> None:
    attempts = []

    def work(session: Session) -> str:
        session.add(Game(key="a"))
        session.flush()
        backend = session.scalar(text("SELECT pg_backend_pid()"))
        attempts.append(backend)
        if len(attempts) == 1:
            with postgresql_store.session() as other:
                other.execute(text(f"SELECT pg_terminate_backend({backend}, 5000)"))
        session.add(Game(key="b"))
        return "done"

    assert postgresql_store.transact(work) == "done"
    assert len(attempts) == 2
    assert count(postgresql_store) == 2


def test_two_transactions_that_wait_for_each_other_both_succeed(postgresql_store: Store) -> None:
    with postgresql_store.session() as session:
        session.add_all([Game(key="a"), Game(key="b")])
    both_have_begun = threading.Barrier(2)
    attempts = []

    def change(*keys: str) -> None:
        def work(session: Session) -> None:
            attempts.append(keys)
            for key in keys:
                session.execute(update(Game).where(Game.key == key).values(event="changed"))
                # Until both have locked a game, when they begin for the first time.
                if key == keys[0] and len(attempts) <= 2:
                    both_have_begun.wait()

        postgresql_store.transact(work)

    other = threading.Thread(target=change, args="ba")
    other.start()
    change("a", "b")
    other.join()
    # On a busy computer, they may wait for each other again.
    assert len(attempts) > 2


def test_another_error_is_not_tried_again(store: Store) -> None:
    attempts = []

    def work(session: Session) -> None:
        attempts.append(1)
        session.add_all([Game(key="a"), Game(key="a")])

    with pytest.raises(StoreError):
        store.transact(work)
    assert len(attempts) == 1
    assert count(store) == 0


def test_a_server_that_stays_away_is_an_error(
    postgresql_store: Store, postgresql_server: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "RESTART_TIMEOUT", 0.5)
    with postgresql_server.stopped():
        with pytest.raises(StoreError, match=r"refused|No such file"):
            count(postgresql_store)
        monkeypatch.setattr(stores, "RESTART_TIMEOUT", 60)
        # It was never reached, so it need not be the right address.
        with pytest.raises(StoreError, match="cannot be opened"):
            Store(postgresql_store.address)
