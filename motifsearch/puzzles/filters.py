"""Filters for similar puzzles: those of the database, and some that need the position."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache

import chess

from db.models import Puzzle
from db.puzzles import PuzzleFilter
from motifsearch.puzzles.query import PuzzleQuery

# Positions that differ on at most this many squares, both with the solver as White, are nearly the same. A
# move changes two squares.
NEARLY_SAME = 4


@dataclass(frozen=True)
class PuzzleFilters:
    """Which puzzles a search may return. Bounds are inclusive.

    `puzzles` are the filters of the database. `pieces` bounds the number of all pieces on the board, kings
    and pawns included. With `other_games`, puzzles from the query's own game are left out. Unless
    `duplicates` is set, so are positions that are nearly the same as that of the query or of a better result.
    """

    puzzles: PuzzleFilter = field(default_factory=PuzzleFilter)
    pieces: tuple[int | None, int | None] = (None, None)
    other_games: bool = False
    duplicates: bool = False

    def stored(self, query: PuzzleQuery) -> PuzzleFilter:
        """Return the part of the filters that the database applies."""
        game = query.puzzle.game_number if query.puzzle and self.other_games else None
        return self.puzzles if game is None else replace(self.puzzles, other_than=game)

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
        board = _solver_as_white(puzzle.puzzle_fen)
        others = [query.board.fen(), *(other.puzzle_fen for other in better)]
        return all(_differing(board, _solver_as_white(other)) > NEARLY_SAME for other in others)


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
