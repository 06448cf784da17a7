"""Puzzles that are indexed while they are stored: the same index as if they were indexed later."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from db.puzzles import find_puzzles
from db.store import Store
from motifsearch.index.directory import index_path, write_lock
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.observer import indexed
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.search import SearchRequest
from puzzlegen import indexer
from puzzlegen.formats.importing import ImportFilter, ImportReport, import_puzzles
from puzzlegen.indexer import Observer
from tests.helpers.commands import CommandOn
from tests.helpers.paths import SAMPLE_PUZZLES
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_puzzles import put, put_quick, row

LATER = row("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")


def import_some(store: Store, observer: Observer | None = None) -> ImportReport:
    return import_puzzles(str(SAMPLE_PUZZLES), store, wanted=ImportFilter(sample=100), observer=observer)


def import_indexed(store: Store) -> ImportReport:
    return indexed(store, partial(import_some, store), RecordingProgress())


def answers(store: Store) -> list[list[tuple[str, float]]]:
    """Return the results of searches by some of the puzzles, with their scores."""
    with PuzzleSearcher(store) as searcher, store.reading() as session:
        ids = [name for (name,) in session.connection().exec_driver_sql("SELECT id FROM puzzles LIMIT 20")]
        return [[(hit.puzzle.id, hit.score) for hit in searcher.similar(SearchRequest(name))] for name in ids]


def test_the_index_is_that_of_a_later_search(tmp_path: Path) -> None:
    with Store(str(tmp_path / "one.db")) as one, Store(str(tmp_path / "two.db")) as two:
        report = import_indexed(one)
        import_some(two)
        sync_puzzles(two)
        _, synced = sync_puzzles(one)
        assert (synced.added, synced.rebuilt, synced.puzzles) == (0, False, report.stored)
        assert answers(one) == answers(two)


def test_puzzles_that_were_stored_before_are_indexed(sqlite_store: Store) -> None:
    put_quick(sqlite_store)
    sync_puzzles(sqlite_store)
    put(sqlite_store, LATER)
    import_indexed(sqlite_store)
    assert sync_puzzles(sqlite_store)[1].added == 0


def test_puzzles_that_another_process_stores_meanwhile_are_indexed(sqlite_store: Store) -> None:
    def work(observer: Observer | None) -> ImportReport:
        put(sqlite_store, LATER)
        return import_some(sqlite_store, observer)

    report = indexed(sqlite_store, work, RecordingProgress())
    _, synced = sync_puzzles(sqlite_store)
    assert (synced.added, synced.puzzles) == (0, report.stored + 1)


def test_puzzles_that_nobody_has_searched_are_not_indexed(sqlite_store: Store) -> None:
    put(sqlite_store, LATER)
    import_indexed(sqlite_store)
    assert not index_path(sqlite_store, "default").exists()


def test_an_index_that_another_process_writes_is_left_to_it(sqlite_store: Store) -> None:
    put(sqlite_store, LATER)
    sync_puzzles(sqlite_store)
    with write_lock(index_path(sqlite_store, "default"), 0):
        report = import_indexed(sqlite_store)
    assert sync_puzzles(sqlite_store)[1].added == report.stored > 0


def test_after_a_kill_the_next_search_indexes_the_rest(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(made: Mapping[str, Any]) -> None:
        raise Killed

    def work(observer: Observer | None) -> None:
        assert observer is not None

        monkeypatch.setattr(observer, "stored", killed)
        import_some(sqlite_store, observer)

    with pytest.raises(Killed):
        indexed(sqlite_store, work, RecordingProgress())
    _, synced = sync_puzzles(sqlite_store)
    assert synced.added == synced.puzzles > 0


def test_the_command_indexes_what_it_imports(
    sqlite_store: Store, command_on: CommandOn, tmp_path: Path
) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#;")
    done = command_on(sqlite_store, "puzzlegen")("import", str(file))
    assert "Next: motifsearch similar" in done.out
    assert sync_puzzles(sqlite_store)[1].added == 0


def test_of_two_lines_with_the_same_first_move_the_stored_one_is_indexed(
    sqlite_store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text(
        "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - pv Qe8+ Rxe8 Rxe8#;\n"
        "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - pv Qe8+;\n"
    )
    indexed(
        sqlite_store,
        lambda observer: import_puzzles(str(file), sqlite_store, observer=observer),
        RecordingProgress(),
    )
    with sqlite_store.reading() as session:
        (puzzle,) = find_puzzles(session)
    found, _ = sync_puzzles(sqlite_store)
    assert puzzle.solution == "e2e8 d8e8 e1e8"
    assert found.frequency("motif_mate", "mates:r") == 1


def test_without_an_indexer_puzzles_are_stored(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "entry_points", lambda group: [])
    report = indexer.indexed(sqlite_store, partial(import_some, sqlite_store), RecordingProgress())
    assert report.stored > 0
    assert not index_path(sqlite_store, "default").exists()
