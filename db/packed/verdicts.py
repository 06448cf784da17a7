"""The verdicts on the positions of a block: what engines found, as compressed text in columns."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import chess

from chess_motif.errors import StoreError
from chess_motif.text import clean

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# The highest level of compression that is not slow.
LEVEL = 19

# The most bytes of the verdicts on a block before compression: thousands for each position.
MOST_BYTES = 1 << 24


class Verdict(NamedTuple):
    """The result of one search of a position.

    `clock` is the halfmove clock, `settings` are the engine's; `nodes`, `lines` (variations) and `depth`
    (plies; None: no limit) are the budget. `found` is the result as text, see `engines.search_cache`.
    """

    clock: int
    settings: str
    nodes: int
    lines: int
    depth: int | None
    found: str


class PackedEntry(NamedTuple):
    """A position and its verdicts."""

    board: chess.Board
    verdicts: list[Verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the position and its verdicts as the keys and values of a JSON object."""
        return {"fen": self.board.fen(), "verdicts": [verdict._asdict() for verdict in self.verdicts]}


def compress(data: bytes) -> bytes:
    """Return bytes in compressed form."""
    return zstd.compress(data, LEVEL)


def decompress(data: bytes, most: int) -> bytes:
    """Return the bytes that were compressed. Raises `StoreError` for damage, or more than `most` bytes."""
    reader = zstd.ZstdDecompressor()
    try:
        text = reader.decompress(data, most)
    except zstd.ZstdError as error:
        raise StoreError("not compressed by Zstandard") from error
    if not reader.eof:
        raise StoreError("cut off, or too long")
    return text


def write_verdicts(verdicts: Sequence[Sequence[Verdict]]) -> bytes:
    """Return the verdicts on some positions as bytes, which are empty if there are no verdicts."""
    rows = [verdict for each in verdicts for verdict in each]
    if not rows:
        return b""
    columns = [[len(each) for each in verdicts], *zip(*rows, strict=True)]
    return compress(json.dumps(columns, separators=(",", ":")).encode())


def read_verdicts(written: bytes, number: int) -> list[list[Verdict]]:
    """Return the verdicts on each of `number` positions. Raises `StoreError` for other bytes."""
    if not written:
        return [[] for _ in range(number)]
    try:
        counts, *columns = json.loads(decompress(written, MOST_BYTES))
        rows = [_checked(Verdict(*row)) for row in zip(*columns, strict=True)]
        if len(counts) != number or sum(counts) != len(rows):
            raise ValueError("another number of verdicts")
        each = iter(rows)
        return [list(islice(each, count)) for count in counts]
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError("not the verdicts on packed positions") from error


def _checked(verdict: Verdict) -> Verdict:
    """Return a verdict with cleaned text. Raises `ValueError` if a field has the wrong type."""
    depth = 0 if verdict.depth is None else verdict.depth
    numbers = (verdict.clock, verdict.nodes, verdict.lines, depth)
    texts = (verdict.settings, verdict.found)
    if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
        raise ValueError("not a number")
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("not text")
    return verdict._replace(settings=clean(verdict.settings), found=clean(verdict.found))
