from __future__ import annotations

import chess
import pytest

from motifsearch.show.grid import Cell, grid

URL = "lichess.org/abcdefgh/black#123"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_an_address_is_in_one_piece(width: int) -> None:
    cell = Cell(chess.Board(), ["1. abc", URL])
    text = grid(Cell(chess.Board(), ["Position"]), [cell] * 3, width)
    assert text.count(URL) == 3
    assert max(map(len, text.splitlines())) <= max(width, len(URL))
