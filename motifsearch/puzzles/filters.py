"""Filters of similar puzzles: those of the database, and some that need the position."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache

import chess

from db.models import Puzzle
from db.puzzles import PuzzleFilter
from motifsearch.puzzles.query import Query

# Positions, seen from the solver's side, that differ on at most this many squares are nearly the same. A move
# changes two.
NEARLY_SAME = 4


@dataclass(frozen=True)
class PuzzleFilters:
    """Which puzzles a search may return. Bounds are inclusive.

    `pieces` counts all pieces on the board, kings and pawns included. With `other_games`, puzzles from the
    query's own game are left out. Positions that are nearly the same as the query's or a better result's
    are left out, except with `duplicates`.
    """

    puzzles: PuzzleFilter = field(default_factory=PuzzleFilter)
    pieces: tuple[int | None, int | None] = (None, None)
    other_games: bool = False
    duplicates: bool = False

    def stored(self, query: Query) -> PuzzleFilter:
        """Return the filter of the database for this query."""
        game = query.puzzle.game_number if query.puzzle and self.other_games else None
        return self.puzzles if game is None else replace(self.puzzles, other_than=game)

    def accepts(self, puzzle: Puzzle, better: Collection[Puzzle], query: Query) -> bool:
        """Tell whether a stored puzzle passes the other filters; `better` are the results so far."""
        lowest, highest = self.pieces
        pieces = sum(letter.isalpha() for letter in puzzle.puzzle_fen.split()[0])
        if (lowest is not None and pieces < lowest) or (highest is not None and pieces > highest):
            return False
        if self.duplicates:
            return True
        board = _seen_by_solver(puzzle.puzzle_fen)
        others = [query.board.fen(), *(other.puzzle_fen for other in better)]
        return all(_differing(board, _seen_by_solver(other)) > NEARLY_SAME for other in others)


# Each result is compared with every one after it.
@lru_cache(maxsize=1024)
def _seen_by_solver(fen: str) -> chess.Board:
    board = chess.Board(fen)
    return board if board.turn == chess.WHITE else board.mirror()


def _differing(one: chess.Board, other: chess.Board) -> int:
    """Return on how many squares two positions differ."""
    differing = one.occupied_co[chess.WHITE] ^ other.occupied_co[chess.WHITE]
    differing |= one.occupied_co[chess.BLACK] ^ other.occupied_co[chess.BLACK]
    for kind in chess.PIECE_TYPES:
        differing |= one.pieces_mask(kind, chess.WHITE) ^ other.pieces_mask(kind, chess.WHITE)
        differing |= one.pieces_mask(kind, chess.BLACK) ^ other.pieces_mask(kind, chess.BLACK)
    return chess.popcount(differing)
