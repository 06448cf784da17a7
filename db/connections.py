"""Connections to a database: a SQLite file that is written or can only be read, or a PostgreSQL server.

A SQLite file is in WAL mode: readers and one writer do not wait for each other. Even to read it, SQLite
writes files beside it (`-wal`, `-shm`). Where it cannot, it reads the file as immutable.

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

# Seconds that a writer waits for another one (SQLite allows one at a time).
BUSY_TIMEOUT = 60

# Seconds for which a server that cannot be reached may be restarting, and the first and the longest pause
# between two attempts to reach it, which double.
RESTART_TIMEOUT = 120
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

# Errors of a server that end a transaction because of others: a conflict (SQLSTATE), and a deadlock.
CONFLICTS = {"40001", "40P01"}

# Connections that the threads of a process may have at once.
MOST_CONNECTIONS = 90

# Execution option of a connection that will write.
WRITING = {"writing": True}


def connect(url: URL, patience: float | None = None) -> Engine:
    """Return the engine of a database. A writer waits for others for `patience` seconds.

    By default, that is `BUSY_TIMEOUT` for SQLite, and as long as the server allows for others. Raises
    `sqlalchemy.exc.SQLAlchemyError`, `ImportError`, `ValueError`.
    """
    pool: dict[str, Any] = {"pool_size": MOST_CONNECTIONS, "pool_timeout": patience or BUSY_TIMEOUT}
    if url.database in (None, "", ":memory:"):
        # Each connection would be to a database of its own.
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

    Raises `StoreError` if a process that wrote it was killed and SQLite cannot recover what that had written,
    and `sqlalchemy.exc.SQLAlchemyError`.
    """
    file = file.resolve()

    def opened() -> sqlite3.Connection:
        log, shared = beside(file, "-wal"), beside(file, "-shm")
        if log.exists() and log.stat().st_size and not shared.exists():
            raise StoreError(f"it was not closed; open it once where {log.name} can be written")
        # Whoever has the file open has made these, and may write.
        mode = "mode=ro" if shared.exists() else "mode=ro&immutable=1"
        uri = f"{file.as_uri()}?{mode}"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT, check_same_thread=False)

    # A new connection each time: others may have opened the file since the last one.
    return _prepared(create_engine("sqlite://", creator=opened, poolclass=NullPool))


def reach(engine: Engine, patience: float = RESTART_TIMEOUT) -> Connection:
    """Return a connection, for which a server that is restarting is waited for, for `patience` seconds.

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
            # Imported only here: it is seldom needed.
            from multiprocessing import parent_process

            # One process says so for all those that it has started.
            if pause == FIRST_PAUSE and parent_process() is None:
                lost = shown_address(engine.url)
                note(f"{lost}: cannot be reached; trying again for {patience:.0f} seconds")
        # Others try, too.
        time.sleep(pause * random.uniform(0.5, 1))
        pause = min(2 * pause, LONGEST_PAUSE)


def is_temporary(error: BaseException | None) -> bool:
    """Return whether the same transaction may succeed if it is begun again.

    So it is if the connection to a server was lost, or if the server ended it because of others.
    """
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in CONFLICTS


def is_read_only(file: Path) -> bool:
    """Return whether a SQLite file exists that cannot be written where it is, or nothing beside it."""
    file = file.resolve()
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def beside(file: Path, suffix: str) -> Path:
    """Return the path of the file that has the name of another one and a suffix."""
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
        # A transaction that reads before it writes fails if another one has written in between.
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
            # The file of another program stays as it is.
            if not tables or "alembic_version" in tables:
                connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
