"""Damage to the files of an index: it is noticed, the index is rebuilt once, and results stay the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chess_motif.errors import IndexDamagedError, IndexUnavailableError
from db.store import Store
from motifsearch.index.directory import MANAGED_FILE, ORIGIN_FILE, TANTIVY_FILE
from motifsearch.index.manifest import KINDS, MANIFEST_FILE, remove_manifest
from motifsearch.positions.searcher import PositionSearcher
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.search import SearchRequest
from tests.helpers.archived_games import ROOKS
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_puzzles import id_of


def found(store: Store, progress: RecordingProgress | None = None) -> list[tuple[str, float]]:
    with PuzzleSearcher(store, progress=progress) as searcher:
        return [(hit.puzzle.id, hit.score) for hit in searcher.similar(SearchRequest(id_of("fork")))]


def notices_after(store: Store, damage: Damage) -> list[str]:
    """Return the notices of a search after the folder of the index was damaged, which finds the same."""
    # Windows changes no files of an index that is open.
    before, path = found(store), sync_puzzles(store)[1].path
    damage(path)
    progress = RecordingProgress()
    assert found(store, progress) == before
    return progress.notices


Damage = Callable[[Path], object]


def file_in(path: Path, pattern: str) -> Path:
    return next(path.glob(pattern))


def replace(file: Path, contents: bytes) -> None:
    # A new file: the old one may still be mapped into memory.
    file.unlink()
    file.write_bytes(contents)


def flip(file: Path, bit: int = 0) -> None:
    contents = bytearray(file.read_bytes())
    contents[bit // 8 % len(contents)] ^= 1 << bit % 8
    replace(file, bytes(contents))


def truncate(file: Path) -> None:
    replace(file, file.read_bytes()[:-5])


def unnoticed(file: Path, damage: Damage) -> None:
    """Damage a file as a bad disk does: without changing its time."""
    status = file.stat()
    damage(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("damage", [flip, truncate, Path.unlink])
@pytest.mark.parametrize("kind", [*KINDS, TANTIVY_FILE])
def test_a_search_rebuilds_a_damaged_index(filled: Store, kind: str, damage: Damage) -> None:
    (notice,) = notices_after(filled, lambda path: damage(file_in(path, f"*{kind}")))
    assert notice.endswith("; rebuilding it")
    progress = RecordingProgress()
    found(filled, progress)
    assert progress.notices == []


def test_a_search_for_positions_rebuilds_a_damaged_index(archived: Store) -> None:
    with PositionSearcher(archived) as searcher:
        before = [(hit.game.number, hit.ply, hit.score) for hit in searcher.similar(ROOKS)]
    assert archived.path is not None
    flip(file_in(archived.path.with_name(f"{archived.path.name}.index"), "positions/*.term"))
    progress = RecordingProgress()
    with PositionSearcher(archived, progress=progress) as searcher:
        assert [(hit.game.number, hit.ply, hit.score) for hit in searcher.similar(ROOKS)] == before
    assert len(progress.notices) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_update_notices_what_a_bad_disk_has_changed(filled: Store, kind: str) -> None:
    path = sync_puzzles(filled)[1].path
    unnoticed(file_in(path, f"*.{kind}"), flip)
    progress = RecordingProgress()
    assert sync_puzzles(filled, progress=progress)[1].rebuilt
    assert kind in progress.notices[0]


def test_damage_that_is_met_while_searching_is_repaired(filled: Store) -> None:
    def damage(path: Path) -> None:
        file = file_in(path, "*.store")
        unnoticed(file, lambda file: replace(file, b"\xff" * file.stat().st_size))

    assert len(notices_after(filled, damage)) == 1


def test_damage_that_remains_is_an_error_after_one_attempt(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def search(*arguments: object) -> None:
        searches.append(arguments)
        raise IndexDamagedError("still damaged")

    monkeypatch.setattr(PuzzleSearcher, "_similar", search)
    with pytest.raises(IndexDamagedError, match="still damaged"):
        found(filled)
    assert len(searches) == 2


def test_damage_after_a_killed_update_is_noticed(filled: Store) -> None:
    def damage(path: Path) -> None:
        remove_manifest(path)
        flip(file_in(path, "*.idx"))

    assert len(notices_after(filled, damage)) == 1


def test_files_that_were_only_touched_are_not_damaged(filled: Store) -> None:
    path = sync_puzzles(filled)[1].path
    for file in path.iterdir():
        os.utime(file)
    progress = RecordingProgress()
    assert not sync_puzzles(filled, progress=progress)[1].rebuilt
    assert progress.notices == []


def test_an_index_without_a_manifest_gets_one(filled: Store) -> None:
    path = sync_puzzles(filled)[1].path
    remove_manifest(path)
    assert not sync_puzzles(filled)[1].rebuilt
    assert (path / MANIFEST_FILE).exists()


@pytest.mark.parametrize("name", [ORIGIN_FILE, MANIFEST_FILE, TANTIVY_FILE, MANAGED_FILE])
def test_any_file_of_ours_may_be_missing(filled: Store, name: str) -> None:
    notices_after(filled, lambda path: (path / name).unlink())


def test_an_empty_directory_is_filled(filled: Store) -> None:
    def empty(path: Path) -> None:
        shutil.rmtree(path)
        path.mkdir()
        (path / ".tantivy-meta.lock").touch()

    notices_after(filled, empty)


def test_a_file_instead_of_the_directory_is_left_alone(filled: Store) -> None:
    path = sync_puzzles(filled)[1].path
    shutil.rmtree(path)
    path.write_text("dear")
    with pytest.raises(IndexUnavailableError, match="left alone"):
        found(filled)
    assert path.read_text() == "dear"


def test_an_index_that_cannot_be_written_can_be_searched(filled: Store) -> None:
    def lock(path: Path) -> None:
        lock = path.with_name(f"{path.name}.lock")
        lock.unlink()
        lock.mkdir()
        remove_manifest(path)

    notices_after(filled, lock)


def test_the_command_says_so_in_one_line(filled: Store) -> None:
    path = sync_puzzles(filled)[1].path
    truncate(file_in(path, "*.pos"))
    command = [sys.executable, "-m", "motifsearch", "similar", id_of("fork"), "--db", str(filled.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{path}: the search index is damaged (")


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pattern=st.sampled_from([*(f"*.{kind}" for kind in KINDS), "*.json"]),
    bit=st.integers(0, 1_000_000),
)
def test_no_flipped_bit_changes_a_result(filled: Store, pattern: str, bit: int) -> None:
    def damage(path: Path) -> None:
        for file in path.glob(pattern):
            flip(file, bit)

    notices_after(filled, damage)


@pytest.mark.usefixtures("windows_files")
def test_on_windows_an_index_gets_its_name_when_its_files_are_closed(filled: Store) -> None:
    assert sync_puzzles(filled)[1].path.exists()


@pytest.mark.usefixtures("windows_files")
def test_on_windows_an_open_index_is_replaced_later(filled: Store) -> None:
    index, report = sync_puzzles(filled)
    rebuilt, _ = sync_puzzles(filled, rebuild=True)
    assert rebuilt.count == index.count
    del index, rebuilt
    damaged = file_in(report.path, "*.term")
    truncate(damaged)
    sync_puzzles(filled)
    assert [folder.name for folder in report.path.parent.iterdir() if folder.is_dir()] == [report.path.name]
