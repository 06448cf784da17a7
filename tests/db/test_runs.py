"""Runs: a process holds its run as long as it lives, however it ends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from db.models import MiningRun, utc_now
from db.runs import RunState, holding_run, is_held, state_of, stored_runs
from db.store import Store
from tests.helpers.postgresql_server import PostgreSQLServer

# Seconds in which a server must notice that a process was killed.
PATIENCE = 30

HOLD = """
import sys
from db.runs import holding_run
from db.store import Store
with Store(sys.argv[1]) as store, holding_run(store, 1):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(store: Store) -> Iterator[subprocess.Popen[str]]:
    """Start a process that holds the run 1 until its input ends."""
    command = [sys.executable, "-c", HOLD, store.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def stored_run(store: Store, **columns: object) -> MiningRun:
    with store.session() as session:
        session.add(MiningRun(engine="x", rules={}, **columns))  # type: ignore[arg-type]
    with store.reading() as session:
        return stored_runs(session)[0]


def test_a_run_that_another_process_holds_is_running(store: Store) -> None:
    run = stored_run(store)
    with another_process(store) as process:
        assert state_of(store, run) is RunState.RUNNING
        process.communicate("")
    assert state_of(store, run) is RunState.KILLED


def test_a_killed_process_holds_nothing(store: Store) -> None:
    run = stored_run(store)
    with another_process(store) as process:
        process.kill()
        process.wait()
    deadline = time.monotonic() + PATIENCE
    while state_of(store, run) is RunState.RUNNING and time.monotonic() < deadline:
        time.sleep(0.05)
    assert state_of(store, run) is RunState.KILLED


def test_a_server_that_is_restarted_forgets_a_run_until_it_is_held_again(
    postgresql_store: Store, postgresql_server: PostgreSQLServer
) -> None:
    with holding_run(postgresql_store, 1) as hold:
        with postgresql_server.stopped():
            # It is away: next time.
            hold()
        assert not is_held(postgresql_store, 1)
        hold()
        assert is_held(postgresql_store, 1)
    assert not is_held(postgresql_store, 1)


def test_the_next_run_removes_what_a_killed_one_left_and_no_other(sqlite_store: Store) -> None:
    assert sqlite_store.path is not None
    left = sqlite_store.path.with_name(f"{sqlite_store.path.name}-run-7.lock")
    left.touch()
    with another_process(sqlite_store) as process:
        with holding_run(sqlite_store, 8):
            assert not left.exists()
            assert is_held(sqlite_store, 1)
        process.communicate("")


@pytest.mark.usefixtures("windows_files")
def test_a_lock_file_that_windows_does_not_remove_stops_no_run(sqlite_store: Store) -> None:
    assert sqlite_store.path is not None
    left, own = (
        sqlite_store.path.with_name(f"{sqlite_store.path.name}-run-{number}.lock") for number in (7, 8)
    )
    left.touch()
    with ExitStack() as until_the_end:
        with holding_run(sqlite_store, 8):
            until_the_end.enter_context(own.open("rb"))
        assert own.exists()


def test_nothing_is_left_behind(store: Store) -> None:
    with holding_run(store, 1):
        pass
    assert not is_held(store, 1)
    assert store.path is None or not list(store.path.parent.glob("*.lock"))


def test_a_run_of_an_earlier_version_has_ended(store: Store) -> None:
    assert state_of(store, stored_run(store, finished=utc_now())) is RunState.ENDED


def test_the_newest_run_comes_first(store: Store) -> None:
    for _ in range(3):
        stored_run(store)
    with store.reading() as session:
        assert [run.number for run in stored_runs(session, 2)] == [3, 2]
