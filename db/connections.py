"""Connections to a database: a SQLite file, writable or read-only, or a PostgreSQL server.

A SQLite file is in WAL mode, in which readers and one writer do not wait for each other. Even a reader writes
files beside the database (`-wal`, `-shm`). Where that is impossible, the file is opened as immutable.

A server is restarted now and then: once it has been reached, a new connection waits until it is back.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError

from chess_motif.errors import StoreError
from chess_motif.output import note
from db.address import shown_address

# Seconds that a writer waits for another writer (SQLite allows one at a time).
BUSY_TIMEOUT = 60

# Seconds that a server may need to restart, and the first and the longest pause between attempts to reach it.
# The pauses double.
RESTART_TIMEOUT = 120
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

# Errors (SQLSTATE) that end a transaction because of other transactions: a conflict, and a deadlock.
CONFLICTS = {"40001", "40P01"}

# Connections that the threads of a process may have at once.
MOST_CONNECTIONS = 90

# The execution option of connections that will write.
WRITING = {"writing": True}


def connect(url: URL, patience: float | None = None) -> Engine:
    """Return the engine of a database. A writer waits for other writers for `patience` seconds.

    The default is `BUSY_TIMEOUT` for SQLite, and the server's own timeout for PostgreSQL. Raises
    `sqlalchemy.exc.SQLAlchemyError`, `ImportError`, `ValueError`.
    """
    pool: dict[str, Any] = {"pool_size": MOST_CONNECTIONS, "pool_timeout": patience or BUSY_TIMEOUT}
    if url.database in (None, "", ":memory:"):
        # In memory, each connection would have a database of its own.
        pool = {}
    if url.get_backend_name() != "sqlite":
        locks = {} if patience is None else {"options": f"-c lock_timeout={round(1000 * patience)}"}
        return create_engine(url, pool_pre_ping=True, connect_args=locks, **pool)
    engine = create_engine(url, connect_args={"timeout": patience or BUSY_TIMEOUT}, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")

    return _prepared(engine)


def connect_read_only(file: Path) -> Engine:
    """Return the engine of a SQLite file that cannot be written where it is.

    Raises `StoreError` if a writer was killed and SQLite cannot recover what it had written, and
    `sqlalchemy.exc.SQLAlchemyError`.
    """
    file = file.resolve()

    def opened() -> sqlite3.Connection:
        log, shared = beside(file, "-wal"), beside(file, "-shm")
        if log.exists() and log.stat().st_size and not shared.exists():
            raise StoreError(f"it was not closed; open it once where {log.name} can be written")
        # This file exists while somebody who may write has the database open.
        mode = "mode=ro" if shared.exists() else "mode=ro&immutable=1"
        uri = f"{file.as_uri()}?{mode}"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT, check_same_thread=False)

    # A new connection each time: others may have opened the file since the last one.
    return _prepared(create_engine("sqlite://", creator=opened, poolclass=NullPool))


def reach(engine: Engine, patience: float = RESTART_TIMEOUT) -> Connection:
    """Return a connection. Waits up to `patience` seconds for a server that is restarting.

    Raises `sqlalchemy.exc.SQLAlchemyError`.
    """
    if engine.dialect.name == "sqlite":
        return engine.connect()
    began, pause = time.monotonic(), FIRST_PAUSE
    while True:
        try:
            return engine.connect()
        except OperationalError:
            if time.monotonic() - began + pause > patience:
                raise
            # Imported only here because it is seldom needed.
            from multiprocessing import parent_process

            # Only the main process says so, not its workers.
            if pause == FIRST_PAUSE and parent_process() is None:
                lost = shown_address(engine.url)
                note(f"{lost}: cannot be reached; trying again for {patience:.0f} seconds")
        # The pauses are random, since other processes try, too.
        time.sleep(pause * random.uniform(0.5, 1))
        pause = min(2 * pause, LONGEST_PAUSE)


def is_temporary(error: BaseException | None) -> bool:
    """Return whether the same transaction may succeed if it is begun again.

    This is True if the connection was lost, or if the server ended the transaction because of another one.
    """
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in CONFLICTS


def is_read_only(file: Path) -> bool:
    """Return whether a SQLite file exists, and either the file or its folder cannot be written to."""
    file = file.resolve()
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def beside(file: Path, suffix: str) -> Path:
    """Return the path of a file with a suffix added to its name."""
    return file.with_name(f"{file.name}{suffix}")


def _prepared(engine: Engine) -> Engine:
    """Return the engine of a SQLite file, after a first connection."""

    # The driver begins transactions late, and not at all for schema changes. We begin them ourselves.
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that first reads and then writes would fail if another one has written in between.
        writing = connection.get_execution_options().keys() & WRITING.keys()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    with engine.connect() as connection:
        connection.execute(select(1))
    return engine


def _use_wal(connection: sqlite3.Connection) -> None:
    # SQLite's own timeout does not apply when two processes switch a new file to WAL at once.
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            # A file of another program is not changed.
            if not tables or "alembic_version" in tables:
                connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
