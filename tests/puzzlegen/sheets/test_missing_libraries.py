"""Formats whose libraries are not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chess_motif.errors import LibraryMissingError
from puzzlegen.formats.exporting import write_puzzles
from tests.helpers.sheet_puzzles import named


@pytest.mark.parametrize(
    ("library", "module", "kind"),
    [("genanki", "anki", "apkg"), ("fpdf", "worksheet", "pdf"), ("anyascii", "worksheet", "pdf")],
)
def test_a_missing_library_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str, module: str, kind: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"puzzlegen.sheets.{module}", raising=False)
    monkeypatch.delattr(f"puzzlegen.sheets.{module}", raising=False)
    with pytest.raises(LibraryMissingError, match=r"pip install 'chess-motif\[export\]'"):
        write_puzzles(str(tmp_path / f"puzzles.{kind}"), [named("fork")])
    assert list(tmp_path.iterdir()) == []


def test_a_page_needs_no_library(tmp_path: Path) -> None:
    assert write_puzzles(str(tmp_path / "puzzles.html"), [named("fork")]).written == 1
