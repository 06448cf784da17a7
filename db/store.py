"""The store: a database in SQLite or PostgreSQL, upgraded to the newest schema when it is opened.

A `Store` gives sessions of SQLAlchemy. What games and puzzles are, and what is asked of them, is in the other
modules; here are only the inserts and the facts that they share.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import platformdirs
from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, make_url, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from chess_motif import __version__
from chess_motif.errors import StoreError, reason_of
from db.models import Base, StoreFact

URL_VARIABLE = "CHESS_MOTIF_DB"

# The kinds of database that rows can be inserted into.
BACKENDS = ("sqlite", "postgresql")

# The fact under which a store keeps its identity.
IDENTITY = "identity"

# Seconds that a writer waits for another one (SQLite allows one at a time).
BUSY_TIMEOUT = 60

# The newest revision in migrations/versions. It is repeated here so that alembic need not be loaded to open
# a store that is up to date.
HEAD = "0015"

# The fact that says which version of chess-motif made the schema. Every later version can be read by this one
# as far as this fact and the revision.
VERSION = "version"

# Execution option of a connection that will write.
WRITING = {"writing": True}

MIGRATIONS = Path(__file__).parent / "migrations"


def default_url() -> str:
    """Return the URL from the environment, or that of a SQLite file in the user's data directory."""
    return (
        os.environ.get(URL_VARIABLE) or f"sqlite:///{platformdirs.user_data_path('chess-motif')}/puzzles.db"
    )


class Store:
    """A database of games and puzzles. Close it, or use it in a `with` statement."""

    def __init__(self, url: str | None = None) -> None:
        """Open the store at `url` (default: `default_url()`), which is created or upgraded if necessary.

        A plain path names a SQLite file. Raises `StoreError` if it cannot be opened.
        """
        self.url = _parse(url or default_url())
        try:
            self._make_folder()
            self.engine = _connect(self.url)
        except ImportError as error:
            raise StoreError(f"{self.shown}: {_no_driver(self.url, error)}") from error
        except (SQLAlchemyError, OSError, ValueError) as error:
            raise StoreError(f"{self.shown}: cannot be opened: {_reason(error)}") from error
        try:
            upgrade(self.engine)
        except (SQLAlchemyError, StoreError) as error:
            self.close()
            raise StoreError(f"{self.shown}: cannot be opened: {_reason(error)}") from error
        self._reader = self.engine
        if self.url.get_backend_name() != "sqlite":
            # Transactions that read from a snapshot, as those of SQLite always do.
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")

    @property
    def shown(self) -> str:
        """The URL with its password hidden, for messages."""
        return self.url.difference_update_query(["password"]).render_as_string()

    @property
    def address(self) -> str:
        """The URL with its password, for other processes that open this store."""
        return self.url.render_as_string(hide_password=False)

    @property
    def path(self) -> Path | None:
        """The file of a SQLite store, None for a server or a store in memory."""
        database = self.url.database
        if self.url.get_backend_name() != "sqlite" or not database or database == ":memory:":
            return None
        return Path(database)

    def identity(self) -> str:
        """Return the random identity of this store, which is created on first use."""
        # A session that may write would wait for other writers.
        with self.reading() as session:
            identity = get_fact(session, IDENTITY)
        if identity is None:
            with self.session() as session:
                # Another process may have been faster.
                identity = get_fact(session, IDENTITY) or secrets.token_hex(8)
                set_fact(session, IDENTITY, identity)
        return identity

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Yield a session that may write. It is committed when the block ends, rolled back if it raises.

        Raises `StoreError` if the database reports an error.
        """
        yield from self._session(self.engine.execution_options(**WRITING))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session for reading, which never blocks writers.

        It sees the database as it was at its first query, whatever is written meanwhile.
        Raises `StoreError` if the database reports an error.
        """
        yield from self._session(self._reader)

    def _session(self, engine: Engine) -> Iterator[Session]:
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                yield session
        except DBAPIError as error:
            raise StoreError(f"{self.shown}: {_reason(error)}") from error
        except UnicodeEncodeError as error:
            raise StoreError(f"{error.object!r} is not text that can be stored or found") from error

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def __repr__(self) -> str:
        return f"<Store {self.shown}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_folder(self) -> None:
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _parse(text: str) -> URL:
    try:
        text.encode()
        url = make_url(text if "://" in text else f"sqlite:///{text}")
        if url.get_backend_name() not in BACKENDS:
            raise ValueError(url.drivername)
    except (ArgumentError, ValueError) as error:
        hidden = re.sub(r"(?<=://)([^:@]*):.*@", r"\1:***@", text)
        known = "sqlite:///FILE, postgresql://USER@HOST/NAME"
        raise StoreError(f"{hidden}: not the URL of a SQLite or PostgreSQL database ({known})") from error
    return url


def _connect(url: URL) -> Engine:
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT})

    # The driver begins transactions late, and not at all for schema changes. We begin them ourselves.
    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
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
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _no_driver(url: URL, error: ImportError) -> str:
    extra = "; pip install 'chess-motif[postgresql]'" if url.get_backend_name() == "postgresql" else ""
    return f"the database driver is not installed ({error.name}){extra}"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return reason_of(error)
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split())


def upgrade(engine: Engine) -> None:
    """Upgrade the database to `HEAD` if necessary. Several processes may do so at once.

    Raises `StoreError` if a newer version has made the database, and `sqlalchemy.exc.SQLAlchemyError` if the
    database reports an error.
    """
    with engine.connect() as connection:
        if current(connection) == HEAD:
            return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.execution_options(**WRITING).connect() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, HEAD)
            with Session(connection) as session, session.begin():
                set_fact(session, VERSION, __version__)
            connection.commit()
        except CommandError as error:
            # Alembic does not know the revision.
            connection.rollback()
            raise StoreError(_newer(connection)) from error
        except DBAPIError:
            connection.rollback()
            # On a server, another process may have been faster.
            if current(connection) != HEAD:
                raise


def _newer(connection: Connection) -> str:
    with Session(connection) as session:
        version = get_fact(session, VERSION)
    maker = f"chess-motif {version}" if version else "a newer version of chess-motif"
    return f"made by {maker}, and this is {__version__}; pip install --upgrade chess-motif"


def current(connection: Connection) -> str | None:
    """Return the schema revision of the database, None if it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def get_fact(session: Session, name: str) -> str | None:
    """Return the value of the fact `name`, None if there is none."""
    fact = session.get(StoreFact, name)
    return None if fact is None else fact.value


def set_fact(session: Session, name: str, value: str) -> None:
    """Store the fact `name`, replacing its earlier value."""
    session.merge(StoreFact(name=name, value=value))


def insert_new(session: Session, rows: Sequence[Base]) -> int:
    """Insert those of the rows, all of one table, whose keys are new; return how many.

    The database numbers them, unless they have numbers. The rows themselves do not change, and do not become
    part of the session: this is many times faster than adding them to it.
    """
    if not rows:
        return 0
    # Imported when needed: each dialect takes a while to load.
    if session.get_bind().dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    table = cast(Table, rows[0].__table__)
    # The other columns, such as the number, are left to the database and to their defaults.
    given: set[str] = set().union(*map(vars, rows))
    names = [column.name for column in table.columns if column.name in given]
    values = [{name: getattr(row, name) for name in names} for row in rows]
    statement = insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return len(session.connection().execute(statement, values).all())
