"""Which puzzles of a file are imported, and that other processes change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.models import DeletedPuzzle
from db.puzzles import find_puzzles
from db.store import Store
from puzzlegen.formats import importing, lichess_csv
from puzzlegen.formats.entry import Parsed
from puzzlegen.formats.importing import ImportFilter, import_puzzles
from puzzlegen.formats.lichess_csv import COLUMNS
from puzzlegen.formats.lines import TableRow
from tests.helpers.paths import SAMPLE_PUZZLES
from tests.helpers.recording_progress import RecordingProgress

# Back-rank mates that differ by a pawn.
STARTS = [
    f"1r4k1/5ppp/{pawn}/4RPPP/1R4K1 b - - 0 1" for pawn in ("8/8/8/8", "p7/8/8/8", "8/p7/8/8", "8/8/p7/8")
]

NUMBERS = [
    # Rating, popularity, plays, themes.
    (900, 95, 300, "mate backRankMate"),
    (1200, 50, 2000, "mate"),
    (1500, 99, 5000, "mate fork"),
    (1800, -20, 40, "pin fork"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = [",".join(COLUMNS)]
    for number, (rating, popularity, plays, themes) in enumerate(NUMBERS):
        lines.append(f"P{number},{STARTS[number]},b8b7 e2e8,{rating},80,{popularity},{plays},{themes},,,")
    file = tmp_path / "puzzles.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def imported(file: Path, store: Store, wanted: ImportFilter) -> list[str]:
    report = import_puzzles(str(file), store, wanted=wanted)
    assert report.stored + report.left_out == report.entries == len(NUMBERS)
    with store.reading() as session:
        return [puzzle.source_id for puzzle in find_puzzles(session)]


def test_what_is_stored_is_not_checked_again(
    file: Path, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_puzzles(str(file), sqlite_store, wanted=ImportFilter(rating=(1000, 1500)))
    checked: list[str] = []

    def parse(row: TableRow) -> Parsed | DeletedPuzzle:
        checked.append(row.cells()["PuzzleId"])
        return lichess_csv.read.parse(row)

    monkeypatch.setitem(importing._READERS, ".csv", lichess_csv.read._replace(parse=parse))
    report = import_puzzles(str(file), sqlite_store)
    assert checked == ["P0", "P3"]
    assert (report.stored, report.known) == (2, 2)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (ImportFilter(rating=(1000, 1500)), ["P1", "P2"]),
        (ImportFilter(popularity=(90, None)), ["P0", "P2"]),
        (ImportFilter(popularity=(None, 50)), ["P1", "P3"]),
        (ImportFilter(plays=(1000, None), rating=(1300, None)), ["P2"]),
        (ImportFilter(tags=("fork",)), ["P2", "P3"]),
        (ImportFilter(tags=("pin,backRankMate",)), ["P0", "P3"]),
        (ImportFilter(tags=("fork", "mate")), ["P2"]),
        (ImportFilter(), ["P0", "P1", "P2", "P3"]),
    ],
)
def test_what_the_file_says_chooses(
    file: Path, sqlite_store: Store, wanted: ImportFilter, ids: list[str]
) -> None:
    assert imported(file, sqlite_store, wanted) == ids


@pytest.mark.parametrize("suffix", [".jsonl", ".pgn"])
def test_other_formats_say_the_same(file: Path, sqlite_store: Store, tmp_path: Path, suffix: str) -> None:
    from puzzlegen.formats.exporting import export_puzzles

    import_puzzles(str(file), sqlite_store)
    other = tmp_path / f"exported{suffix}"
    export_puzzles(str(other), sqlite_store)
    with Store(f"sqlite:///{tmp_path / 'other.db'}") as store:
        assert imported(other, store, ImportFilter(rating=(1000, 1500), tags=("fork",))) == ["P2"]


def test_a_seed_gives_the_same_sample_in_the_order_of_the_file(file: Path, tmp_path: Path) -> None:
    samples = []
    for name, seed in enumerate([*range(8), 3]):
        with Store(f"sqlite:///{tmp_path / f'{name}.db'}") as store:
            samples.append(imported(file, store, ImportFilter(sample=2, seed=seed)))
    assert all(len(sample) == 2 and sample == sorted(sample) for sample in samples)
    assert samples[3] == samples[-1]
    assert len({*map(tuple, samples)}) > 2


def test_a_sample_is_of_what_fits(file: Path, sqlite_store: Store) -> None:
    assert imported(file, sqlite_store, ImportFilter(tags=("fork",), sample=3, seed=1)) == ["P2", "P3"]


def test_other_processes_keep_the_order(
    file: Path, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 1)
    assert imported(file, sqlite_store, ImportFilter()) == ["P0", "P1", "P2", "P3"]


def progress_of(file: Path, store: Store, wanted: ImportFilter, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return what is shown when the whole file is read before the first of its puzzles is stored."""
    monkeypatch.setattr(importing, "BATCH", 1)
    monkeypatch.setattr(importing, "in_processes", lambda parse, batches, workers: map(parse, list(batches)))
    progress = RecordingProgress()
    import_puzzles(str(file), store, progress, wanted)
    return progress.updates


def test_progress_is_what_is_stored_not_what_is_read_ahead(
    file: Path, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = file.stat().st_size
    stored = [round(size * done / 4) for done in (1, 2, 3, 4)]
    assert progress_of(file, sqlite_store, ImportFilter(), monkeypatch) == [0] * 4 + stored


def test_progress_of_a_sample_is_what_is_read_and_then_what_is_stored(
    file: Path, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = file.stat().st_size
    assert progress_of(file, sqlite_store, ImportFilter(sample=2), monkeypatch) == [size] * 4 + [1, 2]


def test_the_sample_puzzles_are_mined_clear_and_rated(sqlite_store: Store) -> None:
    report = import_puzzles(str(SAMPLE_PUZZLES), sqlite_store)
    assert report.stored == report.entries >= 1000
    with sqlite_store.reading() as session:
        puzzles = list(find_puzzles(session))
    assert {puzzle.source for puzzle in puzzles} == {"mined"}
    assert min(puzzle.gap or 0 for puzzle in puzzles) >= 0.6
    assert all(puzzle.level for puzzle in puzzles)
