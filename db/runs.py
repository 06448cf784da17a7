"""Mining runs: which go on, and which have ended.

While a process works on its run, it holds a lock: a lock of PostgreSQL, or of a file beside a SQLite
database. The lock is freed however the process ends, so nothing waits for a run that was killed.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from db.models import MiningRun
from db.store import Store

# The class of the locks of runs among the advisory locks of a PostgreSQL database.
_RUNS = 1_667_789_165


class RunState(StrEnum):
    """What became of a mining run."""

    RUNNING = "running"
    ENDED = "ended"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    KILLED = "killed"
    """The process or the computer died."""


@contextmanager
def holding_run(store: Store, number: int) -> Iterator[Callable[[], None]]:
    """Hold the run of this number during the block, so that other processes see that it goes on.

    A server that is restarted forgets the lock. Call the yielded function now and then to renew it.
    """
    with ExitStack() as stack:
        hold: Callable[[], None] = _nothing
        path = _lock_file(store, number)
        if path is not None:
            # Imported only here and below: most commands hold no run.
            from filelock import FileLock

            _remove_left(path, number)
            stack.callback(_remove, path)
            stack.enter_context(FileLock(path))
        elif store.url.get_backend_name() == "postgresql":
            connection = stack.enter_context(store.engine.connect())
            stack.callback(_release, connection)
            hold = partial(_lock, connection, number)
            hold()
        yield hold


def is_held(store: Store, number: int) -> bool:
    """Return whether another process holds the run of this number."""
    path = _lock_file(store, number)
    if path is not None:
        if not path.exists():
            return False
        from filelock import FileLock, Timeout

        try:
            with FileLock(path, timeout=0):
                return False
        except Timeout:
            return True
    if store.url.get_backend_name() != "postgresql":
        return False
    with store.engine.connect() as connection:
        held = text(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :runs"
            " AND objid = :number AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return bool(connection.execute(held, {"runs": _RUNS, "number": number}).scalar())


def state_of(store: Store, run: MiningRun) -> RunState:
    """Return what became of a run."""
    if run.outcome:
        return RunState(run.outcome)
    if run.finished is not None:
        return RunState.ENDED
    return RunState.RUNNING if is_held(store, run.number) else RunState.KILLED


def stored_runs(session: Session, limit: int | None = None) -> list[MiningRun]:
    """Return the mining runs, the newest first."""
    return list(session.scalars(select(MiningRun).order_by(MiningRun.number.desc()).limit(limit)))


def _remove_left(path: Path, number: int) -> None:
    """Remove the lock files left by killed runs; `path` is the lock file of the run `number`."""
    from filelock import FileLock, Timeout

    start = path.name.removesuffix(f"{number}.lock")
    for left in path.parent.glob(f"{glob.escape(start)}*.lock"):
        with suppress(Timeout), FileLock(left, timeout=0):
            _remove(left)


def _remove(lock_file: Path) -> None:
    """Remove a lock file. On Windows, one that is open stays until the next run."""
    with suppress(PermissionError):
        lock_file.unlink(missing_ok=True)


def _nothing() -> None:
    """Do nothing, because a lock on a file need not be renewed."""


def _lock(connection: Connection, number: int) -> None:
    """Lock the run of this number until the connection ends. The next call renews a lost connection."""
    lock = text("SELECT pg_advisory_lock(:runs, :number)")
    try:
        connection.execute(lock, {"runs": _RUNS, "number": number})
        connection.commit()
    except DBAPIError:
        # The server cannot be reached.
        connection.rollback()


def _release(connection: Connection) -> None:
    """Free the lock at once: the server may notice the end of the connection only later."""
    with suppress(DBAPIError):
        connection.execute(text("SELECT pg_advisory_unlock_all()"))
    connection.invalidate()


def _lock_file(store: Store, number: int) -> Path | None:
    return None if store.path is None else store.path.with_name(f"{store.path.name}-run-{number}.lock")
