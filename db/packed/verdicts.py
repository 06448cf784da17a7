"""The verdicts on the positions of a block: what engines found, as compressed text in columns."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import chess

from chess_motif.errors import StoreError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# The highest level that is not slow.
LEVEL = 19


class Verdict(NamedTuple):
    """The result of one search of a position.

    `clock` is that of the fifty-move rule, `settings` those of the engine; `nodes`, `lines` (variations) and
    `depth` (plies; None: no limit) are the budget. `found` is the result as text, see `engines.search_cache`.
    """

    clock: int
    settings: str
    nodes: int
    lines: int
    depth: int | None
    found: str


class Entry(NamedTuple):
    """A position, and the verdicts on it."""

    board: chess.Board
    verdicts: list[Verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the position and its verdicts as the keys and values of a JSON object."""
        return {"fen": self.board.fen(), "verdicts": [verdict._asdict() for verdict in self.verdicts]}


def compress(data: bytes) -> bytes:
    """Return some bytes compressed."""
    return zstd.compress(data, LEVEL)


def decompress(data: bytes) -> bytes:
    """Return what was compressed. Raises `StoreError` if the bytes are damaged."""
    try:
        return zstd.decompress(data)
    except zstd.ZstdError as error:
        raise StoreError("not compressed by Zstandard") from error


def write_verdicts(verdicts: Sequence[Sequence[Verdict]]) -> bytes:
    """Return the verdicts on some positions as bytes; none if there are no verdicts."""
    rows = [verdict for each in verdicts for verdict in each]
    if not rows:
        return b""
    columns = [[len(each) for each in verdicts], *zip(*rows, strict=True)]
    return compress(json.dumps(columns, separators=(",", ":")).encode())


def read_verdicts(written: bytes, number: int) -> list[list[Verdict]]:
    """Return the verdicts on each of `number` positions. Raises `StoreError` if these are not the bytes."""
    if not written:
        return [[] for _ in range(number)]
    try:
        counts, *columns = json.loads(decompress(written))
        rows = iter([Verdict(*row) for row in zip(*columns, strict=True)])
        verdicts = [[next(rows) for _ in range(count)] for count in counts]
    except (ValueError, TypeError, StopIteration) as error:
        raise StoreError("not the verdicts on packed positions") from error
    if len(verdicts) != number:
        raise StoreError("not the verdicts on packed positions")
    return verdicts
