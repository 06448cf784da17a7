"""The index: always what the database holds, whatever happened before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import platformdirs
import pytest
import tantivy
from filelock import FileLock
from sqlalchemy import delete, text

from chess_motif.errors import IndexUnavailableError, StoreError
from chess_motif.interruption import INTERRUPTED
from db import games
from db.models import Puzzle
from db.store import Store
from motifsearch.index import directory, sync
from motifsearch.index.directory import write_lock
from motifsearch.puzzles import index
from motifsearch.puzzles.index import Encoded, Row, encode_all, sync_puzzles
from motifsearch.terms.weights import DEFAULT, ENCODINGS, Encoding
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

EXTRA_LINE = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
EXTRA = row(*EXTRA_LINE)
SMOTHERED = PUZZLES["smothered"]


def remove(store: Store, puzzle: str) -> None:
    with store.session() as session:
        session.execute(delete(Puzzle).where(Puzzle.id == puzzle))


def keys(found: directory.Index) -> set[str]:
    """The ids of the indexed puzzles, from the index itself."""
    hits = found.searcher.search(tantivy.Query.all_query(), 1000).hits
    return {found.searcher.doc(address)["key"][0] for _, address in hits}


def stored(store: Store) -> set[str]:
    with store.session() as session:
        return {puzzle.id for puzzle in session.query(Puzzle)}


def test_a_first_index_holds_every_puzzle(filled_everywhere: Store) -> None:
    found, report = sync_puzzles(filled_everywhere)
    assert keys(found) == stored(filled_everywhere)
    assert (report.added, report.puzzles, report.rebuilt) == (len(PUZZLES), len(PUZZLES), True)


def test_it_is_beside_a_sqlite_file_one_for_each_encoding(sqlite_store: Store) -> None:
    put(sqlite_store, EXTRA)
    paths = [sync_puzzles(sqlite_store, encoding)[1].path for encoding in ENCODINGS.values()]
    assert sqlite_store.path is not None
    beside = sqlite_store.path.parent / "puzzles.db.index"
    assert paths == [beside / "default", beside / "paper"]


def test_without_a_file_it_is_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    with Store("sqlite://") as store:
        indexes = tmp_path / "chess-motif" / "index" / store.identity()
        assert directory.index_path(store, "paper") == indexes / "paper"


def test_nothing_new_is_nothing_done(filled_everywhere: Store) -> None:
    sync_puzzles(filled_everywhere)
    _, report = sync_puzzles(filled_everywhere)
    assert (report.added, report.removed, report.rebuilt) == (0, 0, False)


def test_a_new_puzzle_is_added(filled_everywhere: Store) -> None:
    sync_puzzles(filled_everywhere)
    put(filled_everywhere, EXTRA)
    found, report = sync_puzzles(filled_everywhere)
    assert EXTRA.id in keys(found)
    assert (report.added, report.rebuilt) == (1, False)


def test_a_deleted_puzzle_is_removed(filled_everywhere: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MOST_DELETED", 0.5)
    sync_puzzles(filled_everywhere)
    remove(filled_everywhere, id_of("fork"))
    found, report = sync_puzzles(filled_everywhere)
    assert keys(found) == stored(filled_everywhere)
    assert (report.removed, report.rebuilt) == (1, False)


def test_an_index_with_many_deleted_is_rebuilt(filled_everywhere: Store) -> None:
    sync_puzzles(filled_everywhere)
    remove(filled_everywhere, id_of("fork"))
    found, report = sync_puzzles(filled_everywhere)
    assert keys(found) == stored(filled_everywhere)
    assert (report.removed, report.added, report.rebuilt) == (1, len(PUZZLES) - 1, True)
    assert directory.deleted_share(report.path) == 0


CHANGES = [
    ("one deleted, one added", {"fork": 1, "smothered": 2}, ["fork"], {"promotion": 3}),
    ("the newest deleted", {"fork": 1, "smothered": 2}, ["smothered"], {}),
    ("a number that comes late", {"smothered": 10}, [], {"fork": 5}),
    ("the newest deleted, and one comes late", {"smothered": 10}, ["smothered"], {"fork": 5}),
    # An older copy of the database was put back, and others got the numbers.
    (
        "another number 9",
        {"fork": 8, "smothered": 9, "promotion": 10},
        ["smothered", "promotion"],
        {"back rank": 9},
    ),
    (
        "others from 9 on",
        {"fork": 8, "smothered": 9, "promotion": 10},
        ["smothered", "promotion"],
        {"back rank": 9, "scholar's mate": 10, "black's fork": 11},
    ),
]


@pytest.mark.parametrize(("what", "before", "gone", "new"), CHANGES, ids=[what for what, *_ in CHANGES])
def test_an_index_follows_the_database(
    store: Store, what: str, before: dict[str, int], gone: list[str], new: dict[str, int]
) -> None:
    put(store, *(row(*PUZZLES[name], number=number) for name, number in before.items()))
    sync_puzzles(store)
    for name in gone:
        remove(store, id_of(name))
    put(store, *(row(*PUZZLES[name], number=number) for name, number in new.items()))
    assert keys(sync_puzzles(store)[0]) == stored(store)


def test_other_terms_rebuild_it(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    sync_puzzles(filled)
    monkeypatch.setattr(index, "TERMS_VERSION", -1)
    assert sync_puzzles(filled)[1].rebuilt


def test_the_index_of_another_database_is_not_used(filled_everywhere: Store, tmp_path: Path) -> None:
    sync_puzzles(filled_everywhere, directory=tmp_path / "index")
    with Store(f"{tmp_path}/other.db") as other:
        put(other, EXTRA)
        found, _ = sync_puzzles(other, directory=tmp_path / "index")
    assert keys(found) == {EXTRA.id}


@pytest.mark.parametrize("pattern", ["meta.json", directory.ORIGIN_FILE, "*.term", "*.store"])
def test_a_damaged_index_is_rebuilt(filled: Store, pattern: str) -> None:
    _, report = sync_puzzles(filled)
    for file in report.path.glob(pattern):
        # A new file: the old one may still be mapped into memory.
        start = file.read_bytes()[:10]
        file.unlink()
        file.write_bytes(start)
    found, report = sync_puzzles(filled)
    assert report.rebuilt
    assert keys(found) == stored(filled)


def test_a_directory_of_something_else_is_left_alone(filled: Store, tmp_path: Path) -> None:
    precious = tmp_path / "mine" / "default" / "letter.txt"
    precious.parent.mkdir(parents=True)
    precious.write_text("dear")
    with pytest.raises(IndexUnavailableError, match="left alone"):
        sync_puzzles(filled, directory=tmp_path / "mine")
    assert precious.read_text() == "dear"


def test_a_place_that_cannot_be_written_is_named(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailableError, match="file"):
        sync_puzzles(filled, directory=tmp_path / "file")


def test_another_writer_is_named_after_a_wait(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = sync_puzzles(filled)
    put(filled, EXTRA)
    monkeypatch.setattr(sync, "LOCK_WAIT", 0.0)
    with write_lock(report.path, 0), pytest.raises(IndexUnavailableError, match="another process is writing"):
        sync_puzzles(filled)


@pytest.fixture
def building(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileLock]:
    """The lock of an index that is being built for the first time, as it seems."""
    monkeypatch.setattr(sync, "MOMENT", 0.01)
    path = directory.index_path(filled, DEFAULT.name)
    path.parent.mkdir()
    with write_lock(path, 0) as lock:
        yield lock


@pytest.mark.parametrize("allow_stale", [False, True])
def test_who_builds_the_first_index_is_waited_for(
    filled: Store, building: FileLock, allow_stale: bool
) -> None:
    progress = RecordingProgress(on_notice=building.release)
    found, _ = sync_puzzles(filled, allow_stale=allow_stale, progress=progress)
    assert found.count == len(PUZZLES)
    assert [
        line.endswith("another process is writing the index; waiting for it") for line in progress.notices
    ] == [True]


def test_the_wait_ends_when_the_work_is_stopped(filled: Store, building: FileLock) -> None:
    progress = RecordingProgress(stop=lambda progress: len(progress.notices) > 0)
    with pytest.raises(KeyboardInterrupt):
        sync_puzzles(filled, progress=progress)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl-C to one process")
def test_ctrl_c_ends_a_command_that_waits(filled: Store, building: FileLock) -> None:
    command = [sys.executable, "-m", "motifsearch", "similar", id_of("fork"), "--db", str(filled.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "waiting for it" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
    assert process.returncode == INTERRUPTED


def test_an_index_that_another_process_is_writing_can_be_searched(filled: Store) -> None:
    before, report = sync_puzzles(filled)
    put(filled, EXTRA)
    progress = RecordingProgress()
    with write_lock(report.path, 0):
        stale, _ = sync_puzzles(filled, allow_stale=True, progress=progress)
    assert stale.count == before.count
    assert ["another process is updating the index" in line for line in progress.notices] == [True]


DIE_WITH_THE_LOCK = """
    import os, signal, sys
    from pathlib import Path
    from motifsearch.index.directory import write_lock

    write_lock(Path(sys.argv[1]), 0).acquire()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_writer_frees_the_lock(tmp_path: Path) -> None:
    index = tmp_path / "default"
    script = textwrap.dedent(DIE_WITH_THE_LOCK)
    assert subprocess.run([sys.executable, "-c", script, str(index)], check=False).returncode == -9
    with write_lock(index, 0) as lock:
        assert lock.is_locked


def test_an_update_that_failed_can_be_repeated_at_once(sqlite_store: Store) -> None:
    put(sqlite_store, row(*PUZZLES["back rank"]))
    with sqlite_store.session() as session:
        session.execute(text("UPDATE puzzles SET solution = x'00'"))
    with pytest.raises(StoreError) as failed:
        sync_puzzles(sqlite_store)
    with sqlite_store.session() as session:
        session.execute(text("UPDATE puzzles SET solution = 'a1a8'"))
    assert sync_puzzles(sqlite_store)[1].puzzles == 1
    # Until here, the traceback has kept what the first attempt had opened.
    assert failed


@pytest.mark.parametrize(
    "bad",
    [{"puzzle_fen": "not a position"}, {"solution": "e2e4"}, {"solution": "nonsense"}, {"solution": ""}],
)
def test_an_unreadable_puzzle_is_skipped_and_reported_once(
    filled_everywhere: Store, bad: dict[str, str]
) -> None:
    facts = {"puzzle_fen": EXTRA.puzzle_fen, "solution": EXTRA.solution} | bad
    put(filled_everywhere, puzzle_row(EXTRA.id, **facts))
    progress = RecordingProgress()
    _, first = sync_puzzles(filled_everywhere, progress=progress)
    sync_puzzles(filled_everywhere, progress=progress)
    assert first.unreadable == 1
    assert len(progress.notices) == 1
    assert EXTRA.id in progress.notices[0]


@pytest.mark.parametrize(("least", "updates"), [(1, [2, 4, 6, 8, 8]), (len(PUZZLES) + 1, [])])
def test_progress_is_reported_where_there_is_much_to_do(
    filled: Store, monkeypatch: pytest.MonkeyPatch, least: int, updates: list[int]
) -> None:
    monkeypatch.setattr(sync, "WORTH_A_BAR", least)
    monkeypatch.setattr(index, "CHUNK", 2)
    progress = RecordingProgress()
    sync_puzzles(filled, progress=progress)
    assert progress.updates == updates


KILLED_AFTER_FIVE = """
    import os, signal, sys
    from pathlib import Path
    from db.store import Store
    from motifsearch.index import directory
    from motifsearch.puzzles import index

    index.COMMIT_EVERY = 2
    add, added = directory.Writer.add, []

    def add_or_die(self, puzzle):
        if len(added) == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        added.append(puzzle)
        add(self, puzzle)

    directory.Writer.add = add_or_die
    index.sync_puzzles(Store(sys.argv[1]), rebuild="rebuild" in sys.argv)
"""


def die_while_indexing(store: Store, *arguments: str) -> None:
    script = textwrap.dedent(KILLED_AFTER_FIVE)
    url = store.url.render_as_string(hide_password=False)
    died = subprocess.run([sys.executable, "-c", script, url, *arguments], check=False)
    assert died.returncode == -9


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_first_run_is_resumed(filled_everywhere: Store) -> None:
    die_while_indexing(filled_everywhere)
    found, report = sync_puzzles(filled_everywhere)
    assert keys(found) == stored(filled_everywhere)
    assert report.added == len(PUZZLES) - 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_what_a_first_run_has_saved_can_be_searched(filled: Store) -> None:
    die_while_indexing(filled)
    with write_lock(directory.index_path(filled, DEFAULT.name), 0):
        assert sync_puzzles(filled, allow_stale=True)[0].count == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_update_is_resumed(store: Store) -> None:
    put(store, EXTRA)
    sync_puzzles(store)
    put(store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    die_while_indexing(store)
    found, report = sync_puzzles(store)
    assert keys(found) == stored(store)
    assert report.added == len(PUZZLES) - 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_rebuild_leaves_the_old_index(filled: Store) -> None:
    sync_puzzles(filled)
    die_while_indexing(filled, "rebuild")
    found, report = sync_puzzles(filled)
    assert (report.added, report.rebuilt) == (0, False)
    assert keys(found) == stored(filled)


def test_a_server_that_is_restarted_meanwhile_is_waited_for(
    postgresql_store: Store, postgresql_server: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(postgresql_store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    monkeypatch.setattr(games, "BATCH", 2)
    monkeypatch.setattr(index, "CHUNK", 2)
    monkeypatch.setattr(index, "_encode_chunk", postgresql_server.restarting(index._encode_chunk))
    found, report = sync_puzzles(postgresql_store)
    assert keys(found) == stored(postgresql_store)
    assert report.added == len(PUZZLES)


def test_an_interruption_saves_its_work(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(rows: Iterable[Row], expected: int, encoding: Encoding) -> Iterator[Encoded]:
        yield from islice(encode_all(rows, expected, encoding), 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(index, "encode_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sync_puzzles(filled)
    assert sync_puzzles(filled)[1].added == len(PUZZLES) - 3


def test_workers_encode_the_same_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row(number, f"p{number}", "", "", *PUZZLES["fork"]) for number in range(7)]
    alone = list(encode_all(rows, len(rows), DEFAULT))
    monkeypatch.setattr(index, "WORTH_WORKERS", 0)
    monkeypatch.setattr(index, "CHUNK", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert list(encode_all(rows, len(rows), DEFAULT)) == alone
