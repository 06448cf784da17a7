"""Tables for a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

# The width of a terminal where nothing says how wide it is: output to a file or a pipe is not cut.
UNLIMITED = 100_000

# Spaces between two columns.
_GAP = 2


@dataclass(frozen=True)
class Column:
    """A column of a table, `right`-aligned or not.

    On a narrow terminal, cells may be cut after a word, and columns with an `order` may be left out, the
    highest order first.
    """

    header: str
    cells: Sequence[str]
    right: bool = False
    order: int = 0

    @property
    def width(self) -> int:
        """The width of the widest cell."""
        return max(map(len, (self.header, *self.cells)))

    @property
    def least_width(self) -> int:
        """The width at which each cell shows its first word."""
        return self.cut_to(0).width

    def cut_to(self, width: int) -> Column:
        """Return the column with cells of at most `width` characters."""
        return replace(self, cells=[_cut(cell, width) for cell in self.cells])


def table(header: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Return rows as aligned text under a header.

    `right` has one letter for each column: `r` aligns right, any other letter left (the default).
    """
    sides = right.ljust(len(header))
    return _aligned(
        [
            Column(title, [str(cell) for cell in cells], side == "r")
            for side, (title, *cells) in zip(sides, zip(header, *rows, strict=True), strict=True)
        ]
    )


def fitted_table(columns: Sequence[Column], width: int) -> tuple[str, list[str]]:
    """Return a table for a terminal of `width` columns, and the headers of the columns that do not fit.

    No word or web address is cut.
    """
    shown = list(columns)
    while sum(column.least_width + _GAP for column in shown) - _GAP > width and any(c.order for c in shown):
        shown.remove(max(shown, key=lambda column: column.order))
    widths = _shared(
        [(column.least_width, column.width) for column in shown], width - _GAP * (len(shown) - 1)
    )
    cut = [column.cut_to(share) for column, share in zip(shown, widths, strict=True)]
    return _aligned(cut), [column.header for column in columns if column not in shown]


def terminal_width() -> int:
    """Return the width of the terminal in columns, by the variable COLUMNS or else by the terminal."""
    return shutil.get_terminal_size((UNLIMITED, 0)).columns


def _aligned(columns: Sequence[Column]) -> str:
    padded = []
    for column in columns:
        pad = str.rjust if column.right else str.ljust
        lines = (column.header, "-" * column.width, *column.cells)
        padded.append([pad(line, column.width) for line in lines])
    return "\n".join((" " * _GAP).join(line).rstrip() for line in zip(*padded, strict=True))


def _shared(widths: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Return a width for each column, from its least to its full width. The widest columns are cut first."""
    shares = [full for _, full in widths]
    while sum(shares) > room:
        spare = [index for index, (least, _) in enumerate(widths) if shares[index] > least]
        if not spare:
            break
        shares[max(spare, key=shares.__getitem__)] -= 1
    return shares


def _cut(text: str, width: int) -> str:
    """Return as many words as fit, at least one; an ellipsis replaces the others."""
    if len(text) <= width:
        return text
    first, *others = text.split() or [""]
    if not others:
        return first
    return textwrap.shorten(text, max(width, len(first) + 1), placeholder="…", break_on_hyphens=False)
