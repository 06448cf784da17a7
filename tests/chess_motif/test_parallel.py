"""Results in order from a bounded window, whatever fails or stops on the way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from chess_motif import parallel
from chess_motif.errors import ArchiveError, WorkerDiedError
from chess_motif.parallel import PIECES, chunks_of, in_order, in_processes, read_ahead, starting_workers
from tests.helpers.orphans import orphans
from tests.helpers.paths import ROOT
from tests.helpers.systems import UNIX


def broken() -> Iterator[int]:
    yield from range(3)
    raise ArchiveError("cut off")


def squared(number: int) -> int:
    return number * number


def test_results_come_in_order() -> None:
    def slower_first(number: int) -> int:
        time.sleep(0.02 / (1 + number))
        return number * number

    with ThreadPoolExecutor(3) as threads:
        found = list(in_order(lambda number: threads.submit(slower_first, number), range(20), lambda: 5))
    assert found == [(number, number * number) for number in range(20)]


@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_an_error_of_the_items_comes_after_the_results_before_it(ahead: int) -> None:
    done: list[tuple[int, str]] = []
    with ThreadPoolExecutor(2) as threads:
        results = in_order(lambda number: threads.submit(str, number), broken(), lambda: ahead)
        with pytest.raises(ArchiveError, match="cut off"):
            done.extend(results)
    assert done == [(0, "0"), (1, "1"), (2, "2")]


def test_no_more_items_are_taken_than_the_window_holds() -> None:
    taken: list[int] = []

    def items() -> Iterable[int]:
        for number in range(100):
            taken.append(number)
            yield number

    never: Future[int] = Future()
    results = in_order(lambda number: never, items(), lambda: 4)
    waiting = threading.Thread(target=next, args=(results, None), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert taken == [0, 1, 2, 3]
    never.set_result(0)
    waiting.join()


def test_after_a_stop_what_was_begun_is_finished_and_nothing_else() -> None:
    stop = threading.Event()
    release = threading.Event()
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        stop.set()
        release.wait()
        return number

    def soon() -> bool:
        if stop.is_set():
            release.set()
        return stop.is_set()

    with ThreadPoolExecutor(1) as threads:
        found = list(in_order(lambda number: threads.submit(work, number), range(100), lambda: 8, soon))
    assert found == [(number, number) for number in begun]
    assert len(begun) < 8


@pytest.mark.parametrize("workers", [1, 2])
def test_processes_give_the_results_before_an_error(workers: int) -> None:
    done: list[int] = []
    with pytest.raises(ArchiveError):
        done.extend(in_processes(squared, broken(), workers))
    results = in_processes(squared, broken(), workers)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    results.close()


def test_a_worker_that_is_killed_is_an_error() -> None:
    with pytest.raises(WorkerDiedError, match="a worker process was killed"):
        list(in_processes(os._exit, [1, 1, 1], 2))


SCRIPT = """
from functools import partial
from operator import call
from chess_motif.parallel import in_processes

def double(number):
    return 2 * number

"""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("print(*in_processes(abs, [-2, -4], 2))", id="without a guard"),
        pytest.param("if __name__ == '__main__': print(*in_processes(double, [1, 2], 2))", id="work"),
        pytest.param(
            "if __name__ == '__main__': print(*in_processes(partial(call, double), [1, 2], 2))",
            id="what the work works with",
        ),
    ],
)
def test_a_script_may_have_its_own_work(tmp_path: Path, line: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + line)
    assert subprocess.check_output([sys.executable, script], cwd=ROOT, env={"PYTHONPATH": "."}) == b"2 4\n"


@UNIX
def test_ctrl_c_does_not_reach_a_worker_that_is_starting() -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    with starting_workers(abs):
        worker = subprocess.Popen([sys.executable, "-c", program])
    assert worker.wait() == 0


def test_workers_end_when_their_parent_is_killed() -> None:
    program = """
import time
from chess_motif.parallel import in_processes
list(in_processes(time.sleep, 9 * [600], 2))
"""
    assert orphans(program, "spawn_main") == []


def test_a_chunk_that_is_cut_short_by_an_error_comes_before_it() -> None:
    chunks = chunks_of(broken(), 2)
    assert [next(chunks), next(chunks)] == [[0, 1], [2]]
    with pytest.raises(ArchiveError):
        next(chunks)


def test_chunks_hold_everything_once() -> None:
    assert list(chunks_of(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks_of(range(4), 2)) == [[0, 1], [2, 3]]


def test_pieces_read_ahead_come_in_order() -> None:
    pieces = [bytes([number]) for number in range(100)]
    assert list(read_ahead(iter(pieces))) == pieces


def test_an_error_in_reading_comes_after_what_was_before_it() -> None:
    def failing() -> Iterator[bytes]:
        yield b"one"
        raise OSError("two")

    pieces = read_ahead(failing())
    assert next(pieces) == b"one"
    with pytest.raises(OSError, match="two"):
        next(pieces)


def test_no_more_than_a_few_pieces_are_held() -> None:
    read: list[int] = []

    def endless() -> Iterator[bytes]:
        while True:
            read.append(1)
            yield b"x"

    pieces = read_ahead(endless())
    next(pieces)
    pieces.close()
    assert len(read) <= PIECES + 1


def test_the_thread_ends_with_the_reading() -> None:
    before = threading.active_count()
    pieces = read_ahead(iter([b"x"] * 100))
    next(pieces)
    pieces.close()
    assert threading.active_count() == before


def test_on_macos_a_worker_ends_though_its_engine_has_just_died(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    statuses = list[int]()
    monkeypatch.setattr("os.killpg", forbidden)
    monkeypatch.setattr("os._exit", statuses.append)
    monkeypatch.setattr(parallel, "process_groups", {1})
    parallel._end()
    assert statuses == [1]


def test_there_are_no_more_processes_than_windows_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    # Imported before the system is faked.
    import_module("concurrent.futures.process")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("os.cpu_count", lambda: 128)
    assert list(in_processes(squared, [])) == []
