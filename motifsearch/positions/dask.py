"""The shards of the index of positions on a Dask cluster: workers build them, and actors keep them open.

Each worker opens the database itself. The folder of a shard is on a disk that the workers share, or on the
disk of one worker. A worker that builds or opens a shard locks its folder, as on one computer.
Importing this module requires Dask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import distributed
from distributed import KilledWorker, get_worker

from chess_motif import __version__
from chess_motif.cluster import COUNT_EVERY, Cluster, check_version, naming_worker, one_line
from chess_motif.errors import ClusterError, StoreError
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.games import Share
from db.store import Store
from motifsearch.index.directory import LOCK_WAIT, Index, index_path
from motifsearch.index.shards import OpenShards
from motifsearch.index.sync import open_synced
from motifsearch.positions.index import (
    DIRECTORY,
    ArchivedPositions,
    PositionsReport,
    indexed_positions,
    remove_others,
    shard_count,
)

T = TypeVar("T")
R = TypeVar("R")

# Seconds to wait for the lock of a shard before building it. A worker may still be building the shard after
# the cluster has lost it, and a file server keeps the locks of a computer that is gone (NFS 4: 90 seconds).
BUILD_WAIT = 300.0

# Raised when an actor is lost: its worker cannot be reached, is known to be lost, or has been replaced by
# another worker at the same address.
_LOST_ACTOR = (OSError, RuntimeError, KeyError, CancelledError)


@dataclass(frozen=True)
class ShardedIndex:
    """What a worker must know of an index to build or open a shard.

    `database` is the address of the database with its password, and is never shown.
    """

    version: str
    database: str = field(repr=False)
    identity: str
    path: Path
    shards: int

    @classmethod
    def of(cls, store: Store, directory: Path | None) -> ShardedIndex:
        """Return the index of a store; `directory` holds all indexes (see `index_path`)."""
        database = store.address if store.path is None else str(store.path.absolute())
        path = index_path(store, DIRECTORY, directory).absolute()
        return cls(__version__, database, store.identity(), path, shard_count(store))

    @property
    def report(self) -> PositionsReport:
        """A report before any work is done."""
        return PositionsReport(self.path, self.shards)

    def name(self, number: int) -> str:
        """Return the name of a shard; the first shard has the number 0."""
        return f"shard {number + 1} of {self.shards}"

    def owners(self, answers: Mapping[str, tuple[str, Sequence[bool]]]) -> list[list[str]]:
        """Return for each shard the workers that have its folder, given what `folders_here` returns on each.

        Raises `ClusterError` if a worker has another version.
        """
        for worker, (version, _) in answers.items():
            check_version(self.version, version, worker)
        return [
            sorted(worker for worker, (_, there) in answers.items() if there[number])
            for number in range(self.shards)
        ]

    def opened(self, number: int, *, allow_stale: bool) -> tuple[OpenShards, PositionsReport, list[str]]:
        """Bring a shard up to date and open it, on this worker; return what was done, and the notices.

        Raises `ClusterError`, naming this worker.
        """
        progress, report = _Notices(), self.report
        with naming_worker():
            check_version(self.version, __version__, get_worker().address)
            with Store(self.database, create=False, wait=True) as store:
                if store.identity() != self.identity:
                    raise StoreError(f"{store.shown}: not the same database as here")
                # Dask starts a worker for each of the other cores.
                source = ArchivedPositions(store, Share(number, self.shards), workers=1)
                index, report.rebuilt = open_synced(
                    report.folders[number],
                    source,
                    progress,
                    allow_stale=allow_stale,
                    whole=self.path,
                    wait=LOCK_WAIT if allow_stale else BUILD_WAIT,
                )
        opened = OpenShards([index])
        report.games, report.positions = source.games, source.positions
        report.indexed = indexed_positions(opened)
        return opened, report, progress.lines

    def build(self, number: int) -> tuple[PositionsReport, list[str]]:
        """Build a shard, or bring it up to date, on this worker; return what was done, and the notices."""
        return self.opened(number, allow_stale=False)[1:]


class _Notices(Progress):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def notice(self, line: str) -> None:
        self.lines.append(line)


def folders_here(folders: Sequence[Path]) -> tuple[str, list[bool]]:
    """Return the version of this worker, and for each folder whether it exists here."""
    return __version__, [folder.exists() for folder in folders]


def build_on_cluster(
    cluster: Cluster, store: Store, directory: Path | None, progress: Progress
) -> PositionsReport:
    """Bring the index of positions up to date, each shard on a worker; return a report.

    Waits until there is a worker. If a worker is lost, another worker builds its shard. Raises
    `ClusterError`, and `KeyboardInterrupt` if asked to stop while waiting.
    """
    started = perf_counter()
    index = ShardedIndex.of(store, directory)
    total = index.report
    owners = index.owners(cluster.first_answers(folders_here, total.folders))
    with cluster.reaching():
        # Another worker may build a shard if the workers that have it are lost.
        building = {
            cluster.client.submit(
                index.build, number, workers=workers or None, allow_other_workers=bool(workers), pure=False
            ): number
            for number, workers in enumerate(owners)
        }
    progress.update("indexing", 0, index.shards, "shard")
    for done, future in enumerate(_finished(cluster, [*building]), start=1):
        with cluster.reaching():
            error = future.exception()
            if isinstance(error, KilledWorker):
                cost = counted(error.allowed_failures + 1, "worker")
                raise ClusterError(f"{index.name(building[future])} was given up: it cost {cost}")
            if error is not None:
                raise ClusterError(one_line(error)) from error
            report, notices = future.result()
        for line in notices:
            progress.notice(line)
        total.games += report.games
        total.positions += report.positions
        total.indexed += report.indexed
        total.rebuilt |= report.rebuilt
        progress.update("indexing", done, index.shards, "shard")
    cluster.answers(remove_others, total)
    total.seconds = perf_counter() - started
    return total


def _finished(
    cluster: Cluster, futures: Sequence[distributed.Future[Any]]
) -> Iterator[distributed.Future[Any]]:
    """Yield futures as they finish or fail; give a notice when there are no workers."""
    waiting = set(futures)
    while waiting:
        with cluster.reaching(), cluster.client.as_current(), suppress(TimeoutError):
            distributed.wait(waiting, return_when="FIRST_COMPLETED", timeout=COUNT_EVERY)
        cluster.count_threads()
        done = {future for future in waiting if future.done()}
        yield from done
        waiting -= done


class ShardActor:
    """Keeps a shard open on a worker, as an actor of Dask."""

    def __init__(self, index: ShardedIndex, number: int, allow_stale: bool) -> None:
        self._shards, _, self._notices = index.opened(number, allow_stale=allow_stale)

    def notices(self) -> list[str]:
        """Return the notices that were given when the shard was opened."""
        return self._notices

    async def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item."""
        # In another thread, since a worker has one thread for the calls of all its actors.
        return await asyncio.to_thread(self._shards.each, work, items)


class ClusterShards:
    """The shards of an index, each open on a worker that has its folder.

    If a worker is lost, each of its shards is opened on another worker that has the folder. If no other
    worker has the folder, the shard is `missing` from then on. Notices go to `progress`. Raises
    `ClusterError` if there is no worker, the scheduler is lost, or no shard can be searched.
    """

    def __init__(
        self, cluster: Cluster, store: Store, directory: Path | None, progress: Progress, *, allow_stale: bool
    ) -> None:
        self._cluster = cluster
        index = ShardedIndex.of(store, directory)
        answers = cluster.answers(folders_here, index.report.folders)
        if not answers:
            raise ClusterError(f"{cluster.address}: no workers")
        self._shards = [
            _Shard(cluster, index, number, owners, allow_stale)
            for number, owners in enumerate(index.owners(answers))
        ]
        self._of_each(_Shard.opened)
        for line in chain.from_iterable(shard.notices for shard in self._shards):
            progress.notice(line)

    @property
    def missing(self) -> Sequence[str]:
        """Why a shard cannot be searched, a line for each such shard."""
        return [shard.missing for shard in self._shards if shard.missing]

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard that is not missing."""
        return list(chain.from_iterable(self._of_each(lambda shard: shard.each(work, items))))

    def _of_each(self, ask: Callable[[_Shard], Awaitable[R]]) -> list[R]:
        """Ask all shards at once, and return their answers."""

        async def asked() -> list[R]:
            with self._cluster.client.as_current():
                return await asyncio.gather(*map(ask, self._shards))

        answers: list[R] = self._cluster.client.sync(asked)
        if len(missing := self.missing) == len(self._shards):
            raise ClusterError(f"nothing can be searched; {missing[0]}")
        return answers


class _Shard:
    """A shard that is open on one of its `owners`; if that worker is lost, on another owner.

    `missing` says why no worker can open the shard, and is empty otherwise. The coroutines run in the event
    loop of the client.
    """

    def __init__(
        self, cluster: Cluster, index: ShardedIndex, number: int, owners: Sequence[str], allow_stale: bool
    ) -> None:
        self._cluster, self._index, self._number = cluster, index, number
        self._owners, self._allow_stale = owners, allow_stale
        self._actor: Any = None
        self._worker = ""
        self._opening = asyncio.Lock()
        # Why a worker no longer has the shard open, or failed to open it.
        self._failed: dict[str, str] = {}
        self.missing = ""
        self.notices: list[str] = []

    async def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item, or no results if the shard is missing."""
        while (actor := await self.opened()) is not None:
            try:
                results: list[R] = await self._answer(self._worker, actor.each(work, items))
                return results
            except _LOST_ACTOR:
                # Another search may have noticed the loss before.
                if actor is self._actor:
                    self._actor, self._failed[self._worker] = None, f"worker {self._worker} was lost"
        return []

    async def opened(self) -> Any:
        """Return the actor, once it has opened the shard, or None if the shard is missing."""
        async with self._opening:
            while self._actor is None and not self.missing:
                if self._failed:
                    answers = await asyncio.to_thread(
                        self._cluster.answers, folders_here, self._index.report.folders
                    )
                    self._owners = self._index.owners(answers)[self._number]
                free = [worker for worker in self._owners if worker not in self._failed]
                if free:
                    await self._open_on(free[self._number % len(free)])
                else:
                    self.missing = self._why_missing()
            return self._actor

    async def _open_on(self, worker: str) -> None:
        """Open the shard on a worker, or remember why that failed."""
        opening = self._cluster.client.submit(
            ShardActor,
            self._index,
            self._number,
            self._allow_stale,
            workers=[worker],
            actor=True,
            pure=False,
        )
        try:
            actor = await self._answer(worker, opening)
            self.notices += await self._answer(worker, actor.notices())
            self._actor, self._worker = actor, worker
        except ClusterError as error:
            self._failed[worker] = str(error)
        except (KilledWorker, *_LOST_ACTOR):
            self._failed[worker] = f"worker {worker} was lost"

    async def _answer(self, worker: str, question: Awaitable[T]) -> T:
        """Return what a worker answers. Raises `ConnectionError` if the worker is lost meanwhile."""
        answer = asyncio.ensure_future(question)
        while not (await asyncio.wait([answer], timeout=COUNT_EVERY))[0]:
            # Dask would try to reach the worker for half a minute, or wait for another at this address.
            if worker not in await self._cluster.client.nthreads():
                answer.cancel()
                raise ConnectionError
        return answer.result()

    def _why_missing(self) -> str:
        folder = self._index.report.folders[self._number]
        why = f"no worker has {folder}"
        if self._failed:
            why = f"{[*self._failed.values()][-1]}, and no other one has {folder}"
        return f"{self._index.name(self._number)} cannot be searched: {why}"
