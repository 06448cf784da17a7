"""Mining with a memory of earlier searches."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import PackedFileError
from db.packed.file import PackedFile
from db.store import Store
from puzzlegen.cache import pack_store
from puzzlegen.mining.run import mine
from tests.helpers.quick_mining import QUICK, Mined, stored_puzzles
from tests.helpers.recording_progress import RecordingProgress


@pytest.fixture
def memory(undisturbed: Mined, tmp_path: Path) -> Path:
    path = tmp_path / "memory.pos"
    pack_store(path, undisturbed.store)
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_searched_is_not_searched_again(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined, memory: Path, workers: int
) -> None:
    report = mine([str(archive)], sqlite_store, stockfish, rules=QUICK, workers=workers, memory=memory)
    assert (report.summary.searches, report.summary.nodes) == (0, 0)
    assert report.summary.reused == undisturbed.report.summary.searches
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_what_is_damaged_is_searched_again(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined, memory: Path
) -> None:
    data, progress = bytearray(memory.read_bytes()), RecordingProgress()
    with PackedFile(memory) as packed:
        data[packed.slots[0].at] ^= 1
    memory.write_bytes(data)
    report = mine([str(archive)], sqlite_store, stockfish, rules=QUICK, memory=memory, progress=progress)
    assert report.summary.searches > 0
    assert sum("damaged at bytes" in notice for notice in progress.notices) == 1
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_a_memory_that_is_not_there_ends_the_run(
    sqlite_store: Store, archive: Path, stockfish: str, tmp_path: Path
) -> None:
    with pytest.raises(PackedFileError, match="cannot be read: no such file"):
        mine([str(archive)], sqlite_store, stockfish, memory=tmp_path / "nothing.pos")
