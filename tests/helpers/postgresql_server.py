"""A PostgreSQL server of the tests' own, on a socket in its own folder, and databases on it."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from sqlalchemy import NullPool, create_engine

from db.store import Store

T = TypeVar("T")

TEMPLATE = "migrated"


def program(name: str) -> str | None:
    """Return the path of one of the server's programs, None where it is not installed."""
    places = [str(folder) for folder in Path("/usr/lib/postgresql").glob("*/bin")]
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *places]))
    return str(Path(found).resolve()) if found else None


class PostgreSQLServer:
    """A running server. Its databases are copies of one that has the newest schema.

    `control` starts and stops it.
    """

    def __init__(self, folder: Path, control: Callable[..., None]) -> None:
        self._folder = folder
        self._run = control
        self._numbers = itertools.count(1)
        # Statements on databases as wholes must stand outside of transactions.
        self._control = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool)
        self._execute(f"CREATE DATABASE {TEMPLATE}")
        Store(self._url(TEMPLATE)).close()

    @contextmanager
    def database(self, disk: Path | None = None) -> Iterator[str]:
        """Yield the URL of a new database. It may be on a disk of its own, in a folder that is made there."""
        name = f"test_{next(self._numbers)}"
        space = "pg_default"
        if disk is not None:
            space, place = f"space_{name}", disk / name
            place.mkdir()
            shutil.chown(place, self._folder.owner())
            self._execute(f"CREATE TABLESPACE {space} LOCATION '{place}'")
        self._execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} TABLESPACE {space}")
        yield self._url(name)
        self._execute(f"DROP DATABASE {name} WITH (FORCE)")
        if disk is not None:
            self._execute(f"DROP TABLESPACE {space}")

    def restarting(self, work: Callable[..., T]) -> Callable[..., T]:
        """Return a function that does `work`, the first time after the server was restarted.

        Called in a transaction, it is restarted in the middle of that.
        """
        restarts = [self.restart]

        def done(*arguments: Any, **options: Any) -> T:
            if restarts:
                restarts.pop()(0).join()
            return work(*arguments, **options)

        return done

    def set(self, name: str, value: str) -> None:
        """Change a setting of the server, for transactions that begin later."""
        self._execute(f"ALTER SYSTEM SET {name} = {value}")
        self._execute("SELECT pg_reload_conf()")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the server, which ends all connections, and start it again."""
        self._run("-m", "fast", "stop")
        try:
            yield
        finally:
            self._run("start")

    def restart(self, seconds: float) -> Thread:
        """Stop the server, and start it again after so many seconds, in a thread that is returned."""
        stopped = self.stopped()
        stopped.__enter__()

        def start() -> None:
            time.sleep(seconds)
            stopped.__exit__(None, None, None)

        thread = Thread(target=start)
        thread.start()
        return thread

    def _url(self, name: str) -> str:
        return f"postgresql+psycopg://me@/{name}?host={self._folder}"

    def _execute(self, statement: str) -> None:
        with self._control.connect() as connection:
            connection.exec_driver_sql(statement)


@contextmanager
def running(initdb: str, control: str) -> Iterator[PostgreSQLServer]:
    """Start a server by its programs `initdb` and `pg_ctl`; yield it, and stop it."""
    # The server refuses to run as root, and its user must be able to reach the folder.
    account = None
    if os.getuid() == 0:
        # Imported only here: Windows lacks it.
        import pwd

        names = {entry.pw_name for entry in pwd.getpwall()}
        account = "postgres" if "postgres" in names else "nobody"
    # A socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:
        folder = Path(name)
        if account:
            shutil.chown(folder, account)
        data = folder / "data"

        def run(*command: str | Path) -> None:
            subprocess.run(command, user=account, check=True, stdout=subprocess.DEVNULL, cwd=folder)

        run(initdb, "-D", data, "-A", "trust", "-U", "me", "--no-sync")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c autovacuum=off"
        controlled = partial(run, control, "-D", data, "-w", "-o", settings, "-l", folder / "log")
        controlled("start")
        try:
            yield PostgreSQLServer(folder, controlled)
        finally:
            controlled("-m", "immediate", "stop")
