"""The store: a database in SQLite or PostgreSQL, upgraded to the newest schema when it is opened.

A `Store` gives sessions of SQLAlchemy. The tables and their queries are in the other modules; this module has
only the facts and the fast inserts that those share.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from sqlalchemy import Engine, Table
from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from chess_motif.errors import InputError, StoreError, reason_of
from db.address import default_url, parse_address, shown_address
from db.connections import (
    RESTART_TIMEOUT,
    WRITING,
    connect,
    connect_read_only,
    is_read_only,
    is_temporary,
    reach,
)
from db.models import Base, StoreFact
from db.schema import NO_DATABASE, is_newest, upgrade

T = TypeVar("T")

# The fact under which a store keeps its identity.
IDENTITY = "identity"

# How often a transaction is tried that fails for a temporary reason (see `db.connections.is_temporary`).
ATTEMPTS = 3


class Store:
    """A database of games and puzzles. Close it, or use it in a `with` statement.

    The store is `read_only` if it is a SQLite file that cannot be written to, or whose folder cannot.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        create: bool = True,
        wait: bool = False,
        patience: float | None = None,
    ) -> None:
        """Open the store at `url` (default: `db.address.default_url`), and upgrade it if necessary.

        A plain path names a SQLite file. A missing database is created, unless `create` is False. With
        `wait`, a server that cannot be reached yet is waited for, as sessions always do for a server that
        restarts. Sessions wait up to `patience` seconds (default: minutes) for a server and for other
        writers. Raises `StoreError` if the store cannot be opened.
        """
        self._patience = patience
        self.url = parse_address(url or default_url())
        self.read_only = self.path is not None and is_read_only(self.path)
        try:
            self._prepare_file(create)
            self.engine = (
                connect_read_only(self.path) if self.path and self.read_only else connect(self.url, patience)
            )
        except ImportError as error:
            raise StoreError(f"{self.shown}: {_no_driver(self.url, error)}") from error
        except (SQLAlchemyError, OSError, ValueError, StoreError) as error:
            raise StoreError(f"{self.shown}: cannot be opened: {_reason(error)}") from error
        try:
            if wait:
                reach(self.engine).close()
            if not is_newest(self.engine, create=create, read_only=self.read_only):
                upgrade(self.engine, self.path)
        except (SQLAlchemyError, StoreError) as error:
            self.close()
            raise StoreError(f"{self.shown}: cannot be opened: {_reason(error)}") from error
        self._reader = self.engine
        if self.url.get_backend_name() != "sqlite":
            # Transactions read from a snapshot, as with SQLite.
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")

    @property
    def shown(self) -> str:
        """The URL with its password hidden, for messages."""
        return shown_address(self.url)

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
        """Return the random identity of this store, which is created on first use.

        For a read-only store without an identity, this is the path of its file.
        """
        # A writing session would wait for other writers.
        with self.reading() as session:
            identity = get_fact(session, IDENTITY)
        if identity is None and self.path and self.read_only:
            return hashlib.sha256(bytes(self.path.resolve())).hexdigest()[:16]
        if identity is None:
            with self.session() as session:
                # Another process may have been faster.
                identity = get_fact(session, IDENTITY) or secrets.token_hex(8)
                set_fact(session, IDENTITY, identity)
        return identity

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Yield a session that may write. The end of the block commits the session, an error rolls it back.

        Waits for a server that is restarting. Raises `StoreError` if the store is read-only, or if the
        database reports an error.
        """
        if self.read_only:
            raise StoreError(f"{self.shown}: cannot be written: the file or its folder is read-only")
        yield from self._session(self.engine.execution_options(**WRITING))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session for reading, which never blocks writers.

        The session sees the database as it was at its first query. Raises `StoreError` if the database
        reports an error.
        """
        yield from self._session(self._reader)

    def transact(self, work: Callable[[Session], T], *, reading: bool = False) -> T:
        """Call `work` with a session, commit the session, and return the result.

        If the connection is lost, or the server ends the transaction because of another one, `work` is called
        again with a new session, so its other effects must be repeatable. Raises `StoreError` as `session` or
        `reading` does.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                with self.reading() if reading else self.session() as session:
                    return work(session)
            except StoreError as error:
                if attempts == ATTEMPTS or not is_temporary(error.__cause__):
                    raise

    def _session(self, engine: Engine) -> Iterator[Session]:
        try:
            with (
                reach(engine, self._patience or RESTART_TIMEOUT) as connection,
                Session(connection, expire_on_commit=False) as session,
                session.begin(),
            ):
                yield session
        except DataError as error:
            raise InputError(f"a value cannot be stored or looked up: {_reason(error)}") from error
        except (DBAPIError, PoolTimeout) as error:
            raise StoreError(f"{self.shown}: {_reason(error)}") from error
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r} cannot be stored or looked up: not valid text") from error

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def __repr__(self) -> str:
        return f"<Store {self.shown}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare_file(self, create: bool) -> None:
        """Create the folder of a SQLite file, unless `create` is False."""
        if self.path is None or str(self.path).startswith("file:"):
            return
        if not create and not self.path.exists():
            raise StoreError(NO_DATABASE)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


def _no_driver(url: URL, error: ImportError) -> str:
    extra = "; pip install 'chess-motif[postgresql]'" if url.get_backend_name() == "postgresql" else ""
    return f"the database driver is not installed ({error.name}){extra}"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return reason_of(error)
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split())


def get_fact(session: Session, name: str) -> str | None:
    """Return the value of the fact `name`, None if there is none."""
    fact = session.get(StoreFact, name)
    return None if fact is None else fact.value


def set_fact(session: Session, name: str, value: str) -> None:
    """Store the fact `name`, replacing its earlier value."""
    session.merge(StoreFact(name=name, value=value))


def insert_new(session: Session, rows: Sequence[Base]) -> int:
    """Insert the rows whose keys are new, all of one table; return how many.

    The database numbers rows without a number. This is many times faster than adding the rows to the session;
    the objects do not change, and do not become part of the session.
    """
    if not rows:
        return 0
    # Imported only here: each dialect takes a while to load.
    if session.get_bind().dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    table = cast(Table, rows[0].__table__)
    # The database fills the other columns, such as the number, with their defaults.
    given: set[str] = set().union(*map(vars, rows))
    names = [column.name for column in table.columns if column.name in given]
    values = [{name: getattr(row, name) for name in names} for row in rows]
    statement = insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return len(session.connection().execute(statement, values).all())
