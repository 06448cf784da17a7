"""The store: a database in SQLite or PostgreSQL, upgraded to the newest schema when it is opened.

A `Store` gives sessions of SQLAlchemy. What games and puzzles are, and what is asked of them, is in the other
modules; here are only the inserts and the facts that they share.
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

# How often a transaction is begun that fails for reasons that pass (see `db.connections.is_temporary`).
ATTEMPTS = 3


class Store:
    """A database of games and puzzles. Close it, or use it in a `with` statement.

    A SQLite file that cannot be written where it is, or in a folder that cannot, is `read_only`.
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

        A plain path names a SQLite file. A database that is not there is made, unless `create` is False. With
        `wait`, a server that cannot be reached may be restarting, as it always may once it has been reached.
        Sessions wait for other writers, and for such a server, for `patience` seconds (default: minutes).
        Raises `StoreError` if it cannot be opened.
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
            # Transactions that read from a snapshot, as those of SQLite always do.
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

        A read-only store without one is known by the path of its file.
        """
        # A session that may write would wait for other writers.
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
        """Yield a session that may write. It is committed when the block ends, rolled back if it raises.

        It waits for a server that is restarting. Raises `StoreError` if the store is read-only, or the
        database reports an error.
        """
        if self.read_only:
            raise StoreError(f"{self.shown}: cannot be written: the file or its folder is read-only")
        yield from self._session(self.engine.execution_options(**WRITING))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session for reading, which never blocks writers.

        It sees the database as it was at its first query, whatever is written meanwhile.
        Raises `StoreError` if the database reports an error.
        """
        yield from self._session(self._reader)

    def transact(self, work: Callable[[Session], T], *, reading: bool = False) -> T:
        """Return what `work` returns for a session, which is then committed.

        If the server goes away meanwhile, or ends it because of other transactions, `work` is called again
        with another session: what it does besides must not add up. Raises `StoreError` as `session` does, or
        `reading`.
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
            raise InputError(f"that cannot be stored or found: {_reason(error)}") from error
        except (DBAPIError, PoolTimeout) as error:
            raise StoreError(f"{self.shown}: {_reason(error)}") from error
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r} is not text that can be stored or found") from error

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
        """Make the folder of a SQLite file, unless nothing is to be created."""
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
