"""Moving a position to another place on the board: mirrored left to right, shifted, or both.

This is geometry only: the caller checks whether the position is legal there and its solution still holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import chess


@dataclass(frozen=True)
class Placement:
    """A place for a position: mirrored first, then shifted by `files` to the right and `ranks` up."""

    mirrored: bool = False
    files: int = 0
    ranks: int = 0

    @property
    def shifted(self) -> bool:
        """Whether it uses other files or ranks."""
        return bool(self.files or self.ranks)

    def of_line(
        self, board: chess.Board, moves: Sequence[chess.Move]
    ) -> tuple[chess.Board, tuple[chess.Move, ...]] | None:
        """Return a position and a line from it at this place.

        None if a piece or a move would be off the board, or if there are castling rights, which only exist
        in the original place.
        """
        path = (square for move in moves for square in (move.from_square, move.to_square))
        if board.castling_rights or not self._fits([*board.piece_map(), *path]):
            return None
        placed = chess.Board(None)
        placed.set_piece_map({self._square(square): piece for square, piece in board.piece_map().items()})
        placed.turn = board.turn
        placed.ep_square = None if board.ep_square is None else self._square(board.ep_square)
        placed_moves = (
            chess.Move(self._square(move.from_square), self._square(move.to_square), move.promotion)
            for move in moves
        )
        return placed, tuple(placed_moves)

    def _fits(self, squares: Iterable[chess.Square]) -> bool:
        return all(0 <= index < 8 for square in squares for index in self._file_and_rank(square))

    def _square(self, square: chess.Square) -> chess.Square:
        return chess.square(*self._file_and_rank(square))

    def _file_and_rank(self, square: chess.Square) -> tuple[int, int]:
        file = chess.square_file(square)
        return (7 - file if self.mirrored else file) + self.files, chess.square_rank(square) + self.ranks


UNMOVED = Placement()


def placements(*, mirrored: bool, shifted: bool) -> list[Placement]:
    """Return all placements that are mirrored and shifted as asked for, the preferred ones first.

    Sideways shifts come before those up or down, which change what pawns and the back rank mean; far shifts
    come before near ones, which look almost the same.
    """
    steps = range(-7, 8)
    places = (Placement(mirrored, files, ranks) for files in steps for ranks in steps)
    return sorted(
        (place for place in places if place.shifted is shifted),
        key=lambda place: (abs(place.ranks), -abs(place.files)),
    )
