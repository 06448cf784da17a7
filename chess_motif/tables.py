"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Return rows as aligned text under a header.

    `right` has one letter for each column: `r` aligns it right, any other letter left (the default).
    """
    # Imported when needed: not every command prints a table.
    from tabulate import tabulate

    sides = ["right" if side == "r" else "left" for side in right.ljust(len(header))]
    text = tabulate(list(rows), header, tablefmt="simple", colalign=sides, disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines())
