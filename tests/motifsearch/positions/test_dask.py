"""Positions on a Dask cluster: a real scheduler, and real workers that build and search shards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chess_motif.cluster import Cluster
from chess_motif.errors import ClusterError
from chess_motif.progress import Progress
from db.store import Store
from motifsearch.index.directory import TANTIVY_FILE, Index, write_lock
from motifsearch.positions import ranking, searcher
from motifsearch.positions.archiving import add_positions
from motifsearch.positions.index import PositionsReport
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from tests.helpers.archived_games import archive, random_moves
from tests.helpers.commands import CommandOn
from tests.helpers.dask_cluster import NO_DASK, DaskCluster, cluster_in
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.rows import game_row

pytest.importorskip("distributed", reason=NO_DASK)

from motifsearch.positions import dask as on_cluster

GAMES = 40
QUERY = "r1bq1rk1/pp2bppp/2n1pn2/8/2BP4/2N2N2/PP3PPP/R1BQR1K1 w - - 0 15"


@pytest.fixture
def filled(sqlite_store: Store) -> Store:
    archive(sqlite_store, *(game_row(f"game {seed}", "", random_moves(seed)) for seed in range(GAMES)))
    return sqlite_store


def build(store: Store, directory: Path, **options: Any) -> PositionsReport:
    """Index what is archived in four shards."""
    return add_positions([], store, shards=4, directory=directory, **options)[1]


def found(hits: list[PositionHit]) -> list[object]:
    return [(hit.rank, hit.score, hit.game.number, hit.ply, hit.parts, hit.matched) for hit in hits]


def search(searcher: PositionSearcher) -> list[object]:
    return found(searcher.similar(QUERY, k=GAMES, why=True))


@pytest.fixture
def here(filled: Store, tmp_path: Path) -> list[object]:
    """What is found without a cluster."""
    build(filled, tmp_path / "here")
    with PositionSearcher(filled, tmp_path / "here") as searcher:
        return search(searcher)


@pytest.fixture
def two(dask: DaskCluster) -> DaskCluster:
    dask.add_workers(2)
    return dask


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two workers for all tests that end none: starting a cluster takes longer than such a test."""
    with cluster_in(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.add_workers(2)
        yield cluster


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    assert process.wait() == -signal.SIGKILL


def test_the_workers_find_what_is_found_here(
    filled: Store, tmp_path: Path, here: list[object], lasting: DaskCluster
) -> None:
    report = build(filled, tmp_path / "index", cluster=lasting.address)
    expected = build(filled, tmp_path / "here")
    assert (report.games, report.indexed, report.rebuilt) == (GAMES, expected.indexed, True)
    assert build(filled, tmp_path / "index", cluster=lasting.address).games == 0
    with PositionSearcher(filled, tmp_path / "index", cluster=lasting.address) as searcher:
        assert search(searcher) == here
        assert searcher.missing == []
        archive(filled, game_row("new", "", random_moves(GAMES)))
        searcher.refresh()
        newer = search(searcher)
    with PositionSearcher(filled, tmp_path / "here") as searcher:
        assert search(searcher) == newer != here


def test_a_damaged_shard_is_built_again(
    filled: Store, tmp_path: Path, here: list[object], lasting: DaskCluster
) -> None:
    report = build(filled, tmp_path / "index", cluster=lasting.address)
    (report.folders[2] / TANTIVY_FILE).write_text("{")
    progress = RecordingProgress()
    with PositionSearcher(filled, tmp_path / "index", progress, cluster=lasting.address) as searcher:
        assert search(searcher) == here
    assert [line.endswith("; rebuilding it") for line in progress.notices] == [True]


def test_a_worker_that_dies_between_two_questions_changes_nothing(
    filled: Store,
    tmp_path: Path,
    here: list[object],
    two: DaskCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build(filled, tmp_path / "index", cluster=two.address)
    real = ranking.candidates

    def candidates(*arguments: Any) -> Any:
        if two.workers[0].poll() is None:
            kill(two.workers[0])
        return real(*arguments)

    monkeypatch.setattr(searcher, "candidates", candidates)
    progress = RecordingProgress()
    with PositionSearcher(filled, tmp_path / "index", progress, cluster=two.address) as opened:
        assert search(opened) == here
    assert two.workers[0].poll() == -signal.SIGKILL
    assert progress.notices == []


def die_once(shard: Index, marker: Path) -> int:
    """End the first worker that is asked, in the middle of its work."""
    try:
        marker.mkdir()
    except FileExistsError:
        return shard.count
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_a_worker_that_dies_at_work_changes_nothing(filled: Store, tmp_path: Path, two: DaskCluster) -> None:
    report = build(filled, tmp_path / "index", cluster=two.address)
    with Cluster(two.address, Progress()) as cluster:
        shards = on_cluster.ClusterShards(cluster, filled, tmp_path / "index", Progress(), allow_stale=True)
        assert sum(shards.each(die_once, [tmp_path / "marker"])) == report.indexed
        assert shards.missing == []
    assert sorted(worker.poll() is None for worker in two.workers) == [False, True]


def remove(report: PositionsReport, shard: int) -> None:
    """Remove the folder of a shard, counted from 1. Who has it open can go on searching it."""
    shutil.rmtree(report.folders[shard - 1])


def test_a_shard_that_no_worker_has_is_named(
    filled: Store, tmp_path: Path, here: list[object], two: DaskCluster
) -> None:
    report = build(filled, tmp_path / "index", cluster=two.address)
    progress = RecordingProgress()
    with PositionSearcher(filled, tmp_path / "index", progress, cluster=two.address) as searcher:
        remove(report, 2)
        for worker in two.workers:
            kill(worker)
        two.add_workers(1)
        some = searcher.similar(QUERY, k=GAMES)
        (line,) = progress.notices
        assert line.startswith("shard 2 of 4 cannot be searched: worker tcp://127.0.0.1:")
        assert line.endswith(f" was lost, and no other one has {report.folders[1]}")
        assert searcher.missing == [line]
        assert {hit.game.number % 4 for hit in some} == {0, 2, 3}
        build(filled, tmp_path / "index", cluster=two.address)
        searcher.refresh()
        assert search(searcher) == here


def test_without_progress_a_missing_shard_is_a_warning(
    filled: Store, tmp_path: Path, lasting: DaskCluster
) -> None:
    remove(build(filled, tmp_path / "index", cluster=lasting.address), 1)
    with (
        PositionSearcher(filled, tmp_path / "index", cluster=lasting.address) as searcher,
        pytest.warns(UserWarning, match=r"shard 1 of 4 cannot be searched: no worker has /"),
    ):
        searcher.similar(QUERY)


def test_the_command_names_the_missing_shard(
    filled: Store, tmp_path: Path, lasting: DaskCluster, command_on: CommandOn
) -> None:
    options = ["--index", str(tmp_path / "index"), "--cluster", lasting.address]
    add = command_on(filled, "motifsearch", "positions", "add")
    similar = command_on(filled, "motifsearch", "positions", "similar")
    (tmp_path / "more.pgn").write_text('[White "New"]\n\n1. e4 e5 *\n\n')
    done = add(str(tmp_path / "more.pgn"), "--shards", "4", *options)
    assert done.status == 0
    assert f"--cluster {lasting.address}" in done.out
    remove(build(filled, tmp_path / "index"), 4)
    done = similar(QUERY, "--json", *options)
    assert done.status == 0
    line = f"shard 4 of 4 cannot be searched: no worker has {tmp_path}/index/positions-4of4"
    assert line in done.err
    assert line in done.out


def failure(store: Store, directory: Path, address: str) -> str:
    with pytest.raises(ClusterError) as caught:
        PositionSearcher(store, directory, cluster=address)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_nothing_to_search(filled: Store, tmp_path: Path, dask: DaskCluster) -> None:
    assert failure(filled, tmp_path, dask.address) == f"{dask.address}: no workers"
    dask.add_workers(1)
    missing = f"shard 1 of 1 cannot be searched: no worker has {tmp_path}/positions"
    assert failure(filled, tmp_path, dask.address) == f"nothing can be searched; {missing}"


def test_a_scheduler_that_is_lost(filled: Store, tmp_path: Path, two: DaskCluster) -> None:
    build(filled, tmp_path / "index", cluster=two.address)
    with PositionSearcher(filled, tmp_path / "index", cluster=two.address) as searcher:
        kill(two.processes[0])
        with pytest.raises(ClusterError, match="lost the Dask scheduler"):
            searcher.similar(QUERY)


# A worker with this dies when it has written the first games of a shard, and before it commits them.
DYING = """
import os, signal
from motifsearch.index.directory import Writer
Writer.commit = lambda self: os.kill(os.getpid(), signal.SIGKILL)
"""


def add_dying_worker(dask: DaskCluster, folder: Path) -> None:
    (folder / "dying.py").write_text(DYING)
    dask.add_workers(1, DASK_DISTRIBUTED__WORKER__PRELOAD=str(folder / "dying.py"))


def test_a_worker_that_dies_while_it_builds_changes_nothing(
    filled: Store, tmp_path: Path, here: list[object], dask: DaskCluster
) -> None:
    add_dying_worker(dask, tmp_path)
    dask.add_workers(1)
    report = build(filled, tmp_path / "index", cluster=dask.address)
    assert dask.workers[0].wait() == -signal.SIGKILL
    assert report.games == GAMES
    with PositionSearcher(filled, tmp_path / "index", cluster=dask.address) as searcher:
        assert search(searcher) == here


@pytest.mark.parametrize("dask", [0], indirect=True)
def test_a_shard_that_costs_workers_is_given_up(filled: Store, tmp_path: Path, dask: DaskCluster) -> None:
    add_dying_worker(dask, tmp_path)
    with pytest.raises(ClusterError, match=r"shard \d of 4 was given up: it cost 1 worker"):
        build(filled, tmp_path / "index", cluster=dask.address)


def test_a_shard_that_another_process_writes_is_waited_for(
    filled: Store, tmp_path: Path, lasting: DaskCluster
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    lock = write_lock(index / "positions-2of4", 0)
    lock.acquire()

    def release(progress: RecordingProgress) -> None:
        # The other three are built meanwhile.
        if progress.updates[-1] == 3:
            assert not (index / "positions-2of4").exists()
            lock.release()

    report = build(filled, index, cluster=lasting.address, progress=RecordingProgress(on_update=release))
    assert report.games == GAMES


def test_workers_must_have_this_version(
    filled: Store, tmp_path: Path, dask: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask.add_workers(1)
    monkeypatch.setattr(on_cluster, "__version__", "0.0.1")
    assert ", not 0.0.1" in failure(filled, tmp_path, dask.address)


def test_workers_must_have_this_database(
    filled: Store, tmp_path: Path, lasting: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(filled, tmp_path / "index", cluster=lasting.address)
    monkeypatch.setattr(Store, "identity", lambda store: "another")
    assert "not the same database as here" in failure(filled, tmp_path / "index", lasting.address)


def test_a_password_is_never_shown(
    filled: Store,
    postgresql_server: PostgreSQLServer,
    tmp_path: Path,
    two: DaskCluster,
) -> None:
    (tmp_path / "file").touch()
    with postgresql_server.database() as url, Store(url.replace("me@", "me:hidden@")) as store:
        with pytest.raises(ClusterError, match=r"worker tcp://.*: the index cannot be written") as caught:
            build(store, tmp_path / "file", cluster=two.address)
        assert "hidden" in store.address
    assert "hidden" not in str(caught.value)
    log = (tmp_path / "log").read_text()
    assert "the index cannot be written" in log
    assert "hidden" not in log
