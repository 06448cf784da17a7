"""Mining on a Dask cluster: a real scheduler and real workers, started here."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chess_motif import cluster
from chess_motif.errors import ClusterError
from db.store import Store
from puzzlegen.cache import pack_store
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import PuzzleJob
from puzzlegen.mining.report import MiningReport
from puzzlegen.mining.run import mine
from puzzlegen.mining.workers import WorkerConfig
from tests.helpers.dask_cluster import NO_DASK, DaskCluster
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.processes import command_line, descendants
from tests.helpers.quick_mining import QUICK, Mined, stored_puzzles
from tests.helpers.recording_progress import RecordingProgress

pytest.importorskip("distributed", reason=NO_DASK)

from puzzlegen.mining import dask as dask_pool

# Seconds after which a game worker that is idle will not be closed any more.
PATIENCE = 60


def run(store: Store, archive: Path, address: str, engine: str | None = None, **options: Any) -> MiningReport:
    return mine([str(archive)], store, engine, rules=QUICK, cluster=address, **options)


def failure(tmp_path: Path, archive: Path, address: str, engine: str | None = None) -> str:
    """Return the one line that a run fails with."""
    with Store(f"{tmp_path}/failed.db") as store, pytest.raises(ClusterError) as caught:
        run(store, archive, address, engine)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_worker_that_is_lost_changes_nothing(
    sqlite_store: Store, archive: Path, stockfish: str, dask: DaskCluster, undisturbed: Mined
) -> None:
    dask.add_workers(2)

    def kill_one(progress: RecordingProgress) -> None:
        if len(progress.updates) >= 3:
            dask.workers[0].kill()

    progress = RecordingProgress(on_update=kill_one)
    report = run(sqlite_store, archive, dask.address, stockfish, progress=progress)
    assert dask.workers[0].wait() == -signal.SIGKILL
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)
    assert report.summary.rejected == undisturbed.report.summary.rejected


def test_workers_look_searches_up_in_a_packed_file(
    sqlite_store: Store, tmp_path: Path, archive: Path, stockfish: str, dask: DaskCluster, undisturbed: Mined
) -> None:
    dask.add_workers(1)
    pack_store(tmp_path / "cache.pos", undisturbed.store)
    report = run(sqlite_store, archive, dask.address, stockfish, cache=tmp_path / "cache.pos")
    assert report.summary.positions_searched < undisturbed.report.summary.positions_searched / 2
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_the_first_stop_finishes_the_games_at_hand(
    tmp_path: Path, archive: Path, stockfish: str, dask: DaskCluster
) -> None:
    dask.add_workers(1)
    progress = RecordingProgress(stop=lambda progress: len(progress.updates) >= 2)
    with Store(f"{tmp_path}/cluster.db") as store:
        report = run(store, archive, dask.address, stockfish, progress=progress)
    assert report.interrupted
    assert report.summary.games <= 4


@pytest.mark.parametrize("dask", [0], indirect=True)
def test_a_game_that_kills_workers_is_set_aside(
    tmp_path: Path, archive: Path, fake_engine: FakeEngine, dask: DaskCluster
) -> None:
    dask.add_workers(2)
    with Store(f"{tmp_path}/cluster.db") as store:
        report = run(store, archive, dask.address, fake_engine("murder@1"))
    assert report.summary.skipped == {"worker died": 1}
    assert report.summary.games == 12


def test_a_worker_without_work_is_closed(
    games: list[bytes], stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_pool, "IDLE_SECONDS", 0.2)
    config = WorkerConfig(stockfish, PuzzleJob(QUICK))

    def engines() -> int:
        return sum("stockfish" in command_line(pid) for pid in descendants(os.getpid()))

    async def work() -> list[int]:
        worker: Any = SimpleNamespace(address="here")
        workers = dask_pool.GameWorkers(config, dask_pool.identify(stockfish))
        workers.setup(worker)
        workers.mine(RawGame(1, 0, games[0]))
        counts = [engines()]
        while engines():
            await asyncio.sleep(0.05)
        counts.append(engines())
        workers.teardown(worker)
        return counts

    assert asyncio.run(asyncio.wait_for(work(), PATIENCE)) == [1, 0]


def test_a_game_that_is_not_finished_in_time_is_skipped(
    games: list[bytes], stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = WorkerConfig(stockfish, PuzzleJob(QUICK))

    async def work() -> list[Skip | None]:
        worker: Any = SimpleNamespace(address="here")
        workers = dask_pool.GameWorkers(config, dask_pool.identify(stockfish))
        workers.setup(worker)
        with monkeypatch.context() as patch:
            patch.setattr(dask_pool, "GAME_SECONDS", 0)
            results = [workers.mine(RawGame(1, 0, games[0]))]
        results.append(workers.mine(RawGame(1, 0, games[0])))
        workers.teardown(worker)
        return [result.skipped for result in results]

    assert asyncio.run(work()) == [Skip.OVERTIME, None]


def test_no_workers_are_waited_for(tmp_path: Path, archive: Path, dask: DaskCluster) -> None:
    progress = RecordingProgress(stop=lambda progress: bool(progress.notices))
    with Store(f"{tmp_path}/cluster.db") as store, pytest.raises(KeyboardInterrupt):
        run(store, archive, dask.address, progress=progress)
    assert [line.split(";")[0] for line in progress.notices] == [f"{dask.address}: no workers"]


def test_a_worker_without_the_engine_is_named(tmp_path: Path, archive: Path, dask: DaskCluster) -> None:
    dask.add_workers(1)
    said = failure(tmp_path, archive, dask.address, "/no/such/engine")
    assert said.startswith("worker tcp://127.0.0.1:")
    assert said.endswith("/no/such/engine: no such engine")


def test_workers_must_have_the_same_engine(
    tmp_path: Path, archive: Path, stockfish: str, fake_engine: FakeEngine, dask: DaskCluster
) -> None:
    Path(fake_engine()).rename(tmp_path / "stockfish")
    dask.add_workers(1)
    dask.add_workers(1, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert "Fake 1.0" in failure(tmp_path, archive, dask.address)


def test_a_worker_that_comes_late_must_have_the_same_engine(
    tmp_path: Path,
    archive: Path,
    stockfish: str,
    fake_engine: FakeEngine,
    dask: DaskCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # So that the run is not over before the worker is seen.
    monkeypatch.setattr(dask_pool, "COUNT_EVERY", 0.05)
    archive.write_bytes(2 * archive.read_bytes())
    Path(fake_engine()).rename(tmp_path / "stockfish")
    dask.add_workers(1)

    def one_more(_: RecordingProgress) -> None:
        if len(dask.workers) == 1:
            dask.add_workers(1, PATH=f"{tmp_path}:{os.environ['PATH']}")

    with (
        Store(f"{tmp_path}/cluster.db") as store,
        pytest.raises(ClusterError, match=r"worker .* has the engine Fake 1\.0, others Stockfish"),
    ):
        run(store, archive, dask.address, progress=RecordingProgress(on_update=one_more))


def test_workers_must_have_the_same_human_move_model(
    tmp_path: Path, archive: Path, stockfish: str, dask: DaskCluster
) -> None:
    (tmp_path / "other.onnx").write_bytes(b"other")
    dask.add_workers(1, CHESS_MOTIF_HUMAN_MODEL=str(tmp_path / "other.onnx"))
    assert "has another human-move model" in failure(tmp_path, archive, dask.address)


def test_workers_must_have_this_version(
    tmp_path: Path, archive: Path, stockfish: str, dask: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask.add_workers(1)
    monkeypatch.setattr(dask_pool, "__version__", "0.0.1")
    assert ", not 0.0.1" in failure(tmp_path, archive, dask.address)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: no Dask scheduler answers"),
        ("somewhere", "somewhere: missing port"),
    ],
)
def test_an_address_without_a_scheduler(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    assert said in failure(tmp_path, archive, address)
