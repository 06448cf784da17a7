"""Boards with captions for a terminal: the query's, and below it those of what was found, side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import chess

from chess_motif.boards import side_by_side, text_board

# Columns: the least and the most that a board with its caption takes, and what lies between two.
NARROWEST, WIDEST, GAP = 24, 40, 4

# Boards in a row where there is room.
PER_ROW = 3

# Terms shown of those that matched.
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
    """A board, the lines below it, and from whose side it is seen (default: that of who is to move)."""

    board: chess.Board
    lines: Sequence[str]
    seen_by: chess.Color | None = None

    def drawn(self, width: int) -> str:
        """Return board and lines, which are wrapped to `width` columns."""
        return text_board(self.board, self.seen_by) + "\n" + _wrapped(self.lines, width)


def grid(query: Cell, found: Sequence[Cell], width: int) -> str:
    """Return the boards for a terminal of `width` columns."""
    per_row = max(1, min(PER_ROW, (width + GAP) // (NARROWEST + GAP)))
    cell = max(NARROWEST, min(WIDEST, (width - GAP * (per_row - 1)) // per_row))
    rows = [query.drawn(max(cell, min(width, 2 * WIDEST)))]
    for start in range(0, len(found), per_row):
        rows.append(side_by_side([one.drawn(cell) for one in found[start : start + per_row]], GAP))
    return "\n\n".join(rows)


def to_move(board: chess.Board) -> str:
    """Return whose move it is."""
    return f"{'White' if board.turn else 'Black'} to move"


def term_lines(matched: Sequence[Match]) -> list[str]:
    """Return the terms that count most with their scores, a line each, and one for the rest."""
    lines = [f"{match.score:6.2f} {match.term}" for match in matched[:MOST_TERMS]]
    if len(matched) > MOST_TERMS:
        rest = sum(match.score for match in matched[MOST_TERMS:])
        lines.append(f"{rest:6.2f} {len(matched) - MOST_TERMS} more")
    return lines


def _wrapped(lines: Sequence[str], width: int) -> str:
    wrapped = (textwrap.wrap(_printable(line), width, break_on_hyphens=False) for line in lines)
    return "\n".join(part for parts in wrapped for part in parts)


def _printable(line: str) -> str:
    """Leave out what could command the terminal: names come from files."""
    return "".join(letter for letter in line if letter.isprintable())
