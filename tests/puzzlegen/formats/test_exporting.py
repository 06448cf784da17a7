"""Writing stored puzzles to a file, whatever the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import InputError, StoreError
from db.puzzles import PuzzleFilter, add_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format, export_puzzles, format_of
from tests.helpers.rows import puzzle_row


def test_a_filter_applies(filled: Store, tmp_path: Path) -> None:
    report = export_puzzles(f"{tmp_path}/x.epd", filled, Format.EPD, selection=PuzzleFilter(source="lichess"))
    assert report.written == 0


def test_a_failed_export_leaves_the_old_file(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "out.epd"
    file.write_text("old")
    with filled.session() as session:
        add_puzzles(session, [puzzle_row("bad", fen="x", puzzle_fen="x", solution="b1b8")])
    with pytest.raises(StoreError, match="bad is damaged"):
        export_puzzles(str(file), filled, Format.EPD)
    assert [path.name for path in tmp_path.iterdir() if "epd" in path.name] == ["out.epd"]
    assert file.read_text() == "old"


def test_a_folder_that_is_not_there(filled: Store) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        export_puzzles("/no/such/folder/out.epd", filled, Format.EPD)


@pytest.mark.parametrize("name", ["puzzles", "puzzles.txt", "-"])
def test_an_unknown_format_names_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="csv, pgn, epd, jsonl, apkg, pdf, html"):
        format_of(name)
