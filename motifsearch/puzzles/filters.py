"""Filters for similar puzzles: those of the database, and some that need the position."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from math import inf

import chess

from db.models import Puzzle
from db.puzzles import PuzzleFilter
from motifsearch.puzzles.query import PuzzleQuery

# Positions that differ on at most this many squares, both with the solver as White, are nearly the same. A
# move changes two squares.
NEARLY_SAME = 4

# Points of rating by which a puzzle is clearly easier or harder than another.
CLEARLY = 100


class Than(StrEnum):
    """How hard a puzzle is to be, compared with the query."""

    EASIER = "easier"
    HARDER = "harder"


@dataclass(frozen=True)
class PuzzleFilters:
    """Which puzzles a search may return. Bounds are inclusive.

    `than_query` asks for puzzles that are clearly easier or harder than the query, by `CLEARLY`.

    `puzzles` are the filters of the database. `pieces` bounds the number of all pieces on the board, kings
    and pawns included. With `other_games`, puzzles from the query's own game are left out. Unless
    `duplicates` is set, so are positions that are nearly the same as that of the query or of a better result.
    """

    puzzles: PuzzleFilter = field(default_factory=PuzzleFilter)
    pieces: tuple[int | None, int | None] = (None, None)
    other_games: bool = False
    duplicates: bool = False
    than_query: Than | None = None

    def stored(self, query: PuzzleQuery) -> PuzzleFilter:
        """Return the part of the filters that the database applies. Raises `HumanModelError`."""
        stored = self.puzzles
        if query.puzzle and query.puzzle.game_number is not None and self.other_games:
            stored = replace(stored, other_than=query.puzzle.game_number)
        if self.than_query is not None:
            easiest, hardest = stored.difficulty
            if self.than_query is Than.EASIER:
                hardest = min(query.level - CLEARLY, inf if hardest is None else hardest)
            else:
                easiest = max(query.level + CLEARLY, -inf if easiest is None else easiest)
            stored = replace(stored, difficulty=(easiest, hardest))
        return stored

    def accepts(self, puzzle: Puzzle, better: Collection[Puzzle], query: PuzzleQuery) -> bool:
        """Return whether a stored puzzle passes the other filters, given the `better` results.

        Raises `StoreError` if it is damaged.
        """
        lowest, highest = self.pieces
        pieces = chess.popcount(puzzle.position().occupied)
        if (lowest is not None and pieces < lowest) or (highest is not None and pieces > highest):
            return False
        if self.duplicates:
            return True
        others = [query.board.fen(), *(other.puzzle_fen for other in better)]
        return not any(nearly_same(puzzle.puzzle_fen, other) for other in others)


def nearly_same(one: str, other: str) -> bool:
    """Return whether two positions (FEN) differ on few squares, both with the solver as White."""
    return _differing(_solver_as_white(one), _solver_as_white(other)) <= NEARLY_SAME


# Cached, since each result is compared with all better ones.
@lru_cache(maxsize=1024)
def _solver_as_white(fen: str) -> chess.Board:
    board = chess.Board(fen)
    return board if board.turn == chess.WHITE else board.mirror()


def _differing(one: chess.Board, other: chess.Board) -> int:
    """Return the number of squares on which two positions differ."""
    differing = one.occupied_co[chess.WHITE] ^ other.occupied_co[chess.WHITE]
    differing |= one.occupied_co[chess.BLACK] ^ other.occupied_co[chess.BLACK]
    for kind in chess.PIECE_TYPES:
        differing |= one.pieces_mask(kind, chess.WHITE) ^ other.pieces_mask(kind, chess.WHITE)
        differing |= one.pieces_mask(kind, chess.BLACK) ^ other.pieces_mask(kind, chess.BLACK)
    return chess.popcount(differing)
