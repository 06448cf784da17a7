"""Boards with captions for a terminal: the query, and below it the results side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import chess

from chess_motif.boards import side_by_side, text_board

# Columns: the narrowest and the widest board with its caption, and the gap between two.
NARROWEST, WIDEST, GAP = 24, 40, 4

# The most boards in a row.
PER_ROW = 3

# The most matched terms shown.
MOST_TERMS = 12


class Match(Protocol):
    """A term that query and result share, and what it adds to the score."""

    @property
    def term(self) -> str:
        """The term, as in the query."""

    @property
    def score(self) -> float:
        """What it adds."""


@dataclass(frozen=True)
class Cell:
    """A board with lines of text below it, seen from the side of `seen_by` (default: the side to move)."""

    board: chess.Board
    lines: Sequence[str]
    seen_by: chess.Color | None = None

    def text(self, width: int) -> str:
        """Return the board and its lines, wrapped to `width` columns."""
        return text_board(self.board, self.seen_by) + "\n" + _wrapped(self.lines, width)


def grid(query: Cell, found: Sequence[Cell], width: int) -> str:
    """Return the boards for a terminal of `width` columns."""
    per_row = max(1, min(PER_ROW, (width + GAP) // (NARROWEST + GAP)))
    cell = max(NARROWEST, min(WIDEST, (width - GAP * (per_row - 1)) // per_row))
    rows = [query.text(max(cell, min(width, 2 * WIDEST)))]
    for start in range(0, len(found), per_row):
        rows.append(side_by_side([one.text(cell) for one in found[start : start + per_row]], GAP))
    return "\n\n".join(rows)


def to_move(board: chess.Board) -> str:
    """Return whose move it is, in words."""
    return f"{'White' if board.turn else 'Black'} to move"


def term_lines(matched: Sequence[Match]) -> list[str]:
    """Return the terms with the highest scores, one a line, and a line for the rest."""
    lines = [f"{match.score:6.2f} {match.term}" for match in matched[:MOST_TERMS]]
    if len(matched) > MOST_TERMS:
        rest = sum(match.score for match in matched[MOST_TERMS:])
        lines.append(f"{rest:6.2f} {len(matched) - MOST_TERMS} more")
    return lines


def _wrapped(lines: Sequence[str], width: int) -> str:
    wrapped = (textwrap.wrap(_printable(line), width, break_on_hyphens=False) for line in lines)
    return "\n".join(part for parts in wrapped for part in parts)


def _printable(line: str) -> str:
    """Remove control characters, which a terminal would obey: names come from files."""
    return "".join(letter for letter in line if letter.isprintable())
