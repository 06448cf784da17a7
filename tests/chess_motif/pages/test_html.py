"""Tests of HTML pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import InputError
from chess_motif.pages import write_page


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_page(tmp_path / "none" / "page.html", "")
