"""Searches while another process adds games: they see the last saved state, at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chess_motif.errors import IndexUnavailableError
from db.store import Store
from motifsearch.index import sync
from motifsearch.index.directory import index_path, source_lock
from motifsearch.positions.archiving import add_positions
from motifsearch.positions.index import DIRECTORY
from motifsearch.positions.searcher import PositionSearcher
from tests.helpers.archived_games import ROOKS
from tests.helpers.recording_progress import RecordingProgress

# Adds games, and waits for ever after the first few.
ADD = """
    import os, sys
    from chess_motif.progress import Progress
    from db.store import Store
    from motifsearch.positions.archiving import add_positions

    class Waiting(Progress):
        def update(self, *details):
            print("some games are stored", flush=True)
            sys.stdin.read()

    os.cpu_count = lambda: 1
    add_positions([sys.argv[2]], Store(sys.argv[1]), progress=Waiting())
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop a process")


@pytest.fixture
def new_games(tmp_path: Path) -> str:
    file = tmp_path / "new.pgn"
    file.write_text(f'[White "New"]\n[FEN "{ROOKS}"]\n[SetUp "1"]\n\n1. Ra7 Kf8 *\n\n')
    return str(file)


@contextmanager
def adding(store: Store, games: str) -> Iterator[subprocess.Popen[str]]:
    """Run a process that has stored some games and goes on adding."""
    command = [sys.executable, "-c", textwrap.dedent(ADD), str(store.path), games]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


def indexed(store: Store, progress: RecordingProgress | None = None) -> int:
    with PositionSearcher(store, progress=progress) as searcher:
        return len(searcher.similar(ROOKS, k=100))


@pytest.mark.parametrize("stopped", [False, True])
def test_a_search_uses_the_last_saved_state(archived: Store, new_games: str, stopped: bool) -> None:
    before = indexed(archived)
    progress = RecordingProgress()
    with adding(archived, new_games) as process:
        if stopped:
            process.send_signal(signal.SIGSTOP)
        assert indexed(archived, progress) == before
    assert ["another process is updating" in line for line in progress.notices] == [True]


def test_after_a_killed_process_a_search_indexes_what_it_stored(archived: Store, new_games: str) -> None:
    before = indexed(archived)
    with adding(archived, new_games):
        pass
    assert indexed(archived) > before


def test_without_any_saved_state_a_search_says_so_at_once(
    sqlite_store: Store, new_games: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "LOCK_WAIT", -1)  # for ever
    with (
        adding(sqlite_store, new_games),
        pytest.raises(IndexUnavailableError, match="try again when it has finished"),
    ):
        indexed(sqlite_store)


def test_with_progress_a_search_waits_for_the_first_games(sqlite_store: Store, new_games: str) -> None:
    with adding(sqlite_store, new_games) as process:
        progress = RecordingProgress(on_notice=process.kill)
        assert indexed(sqlite_store, progress) > 0
    assert ["waiting for it" in line for line in progress.notices] == [True]


def test_two_processes_may_add_at_once(archived: Store, games_file: str) -> None:
    with source_lock(index_path(archived, DIRECTORY)):
        report, _ = add_positions([games_file], archived)
    assert report.games > 0
