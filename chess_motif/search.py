"""A search by an engine: everything that its result depends on."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import chess


class Search(NamedTuple):
    """A search of the position `epd` for its best `lines` variations, with a budget of `nodes`.

    `clock` is the number of plies without capture or pawn move, `settings` the engine and its options,
    `depth` the limit in plies, if any. The move number does not matter to an engine.
    """

    epd: str
    clock: int
    settings: str
    nodes: int
    lines: int
    depth: int | None = None

    @classmethod
    def of(
        cls, board: chess.Board, settings: str, nodes: int, lines: int, depth: int | None = None
    ) -> Search:
        """Return the search of a position."""
        return cls(board.epd(), board.halfmove_clock, settings, nodes, lines, depth)

    def board(self) -> chess.Board:
        """Return the position."""
        return chess.Board(f"{self.epd} {self.clock} 1")

    @property
    def key(self) -> bytes:
        """A digest of the search, the same on every computer."""
        text = f"{self.epd} {self.clock}\n{self.settings}\n{self.nodes}\n{self.lines}"
        if self.depth is not None:
            text += f"\ndepth {self.depth}"
        return hashlib.blake2b(text.encode(), digest_size=16).digest()
