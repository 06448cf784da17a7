"""Nothing is lost: whichever process is killed, the next run leaves what an undisturbed one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.processes import KINDS, RUN, processes_of
from db.store import Store
from tests.helpers.paths import ROOT
from tests.helpers.pool_here import analysing_here
from tests.helpers.quick_chances import analyse, games_analysed, stored_chances


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, games: list[bytes], stockfish: str
) -> list[tuple[object, ...]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "games.pgn").write_bytes(b"".join(games))
    with Store(f"{folder}/puzzles.db") as store, analysing_here():
        analyse(store, str(folder / "games.pgn"), stockfish)
        return stored_chances(store)


@pytest.mark.parametrize("victim", KINDS)
def test_a_process_that_is_killed_changes_nothing(
    sqlite_store: Store, archive: Path, stockfish: str, victim: str, undisturbed: list[tuple[object, ...]]
) -> None:
    arguments = [str(archive), str(sqlite_store.path), stockfish]
    process = subprocess.Popen([sys.executable, "-m", "tests.helpers.quick_chances", *arguments], cwd=ROOT)
    while games_analysed(sqlite_store) == 0 or not (found := processes_of(process.pid, victim)):
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(found[0], signal.SIGKILL)
    status = process.wait()
    if victim == RUN:
        assert status == -signal.SIGKILL
        assert games_analysed(sqlite_store) < len(undisturbed)
        with analysing_here():
            analyse(sqlite_store, str(archive), stockfish)
    else:
        assert status == 0
    assert len(undisturbed) > 0
    assert stored_chances(sqlite_store) == undisturbed
