"""Runs: a process holds its run as long as it lives, however it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from db.models import MiningRun, utc_now
from db.runs import RunState, holding_run, is_held, state_of, stored_runs
from db.store import Store

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
    assert state_of(store, run) is RunState.KILLED


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
