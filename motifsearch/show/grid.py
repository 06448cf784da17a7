"""Boards with captions for a terminal: the query, and below it the results side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from chess_motif.boards import side_by_side, text_board

# The widths of the narrowest and the widest cell, and of the gap between two cells, in columns.
MIN_WIDTH, MAX_WIDTH, GAP = 24, 40, 4

# The largest number of boards in a row.
PER_ROW = 3


@dataclass(frozen=True)
class Cell:
    """A board with lines of text below it, seen from `seen_by` (default: the side to move)."""

    board: chess.Board
    lines: Sequence[str]
    seen_by: chess.Color | None = None

    def text(self, width: int) -> str:
        """Return the board and its lines, wrapped to `width` columns."""
        wrapped = [
            part
            for line in self.lines
            for part in textwrap.wrap(line, width, break_on_hyphens=False, break_long_words=False)
        ]
        return "\n".join([text_board(self.board, self.seen_by), *wrapped])


def grid(query: Cell, results: Sequence[Cell], width: int, summary: str = "") -> str:
    """Return the query, a `summary` if any, and the results in rows, for a terminal of `width` columns.

    Words and web addresses are not broken.
    """
    words = (word for cell in results for line in cell.lines for word in line.split())
    narrowest = max((MIN_WIDTH, *map(len, words)))
    per_row = max(1, min(PER_ROW, (width + GAP) // (narrowest + GAP)))
    cell_width = max(narrowest, min(MAX_WIDTH, (width - GAP * (per_row - 1)) // per_row))
    rows = [query.text(max(cell_width, min(width, 2 * MAX_WIDTH)))]
    if summary:
        rows.append(summary)
    for start in range(0, len(results), per_row):
        row = results[start : start + per_row]
        rows.append(side_by_side([cell.text(cell_width) for cell in row], GAP))
    return "\n\n".join(rows)
