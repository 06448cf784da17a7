"""Following the pieces through a solution."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from puzzlegen.motifs.replay import Ply, Replay


class Pieces:
    """Where each piece is before each ply, and at the end (the ply after the last).

    A piece is known by its square in the puzzle position, and remains the same when it promotes.
    """

    def __init__(self, replay: Replay) -> None:
        """Follow the pieces of a solution."""
        on = {square: square for square in chess.scan_forward(replay.start.board.occupied)}
        self._on = [on]
        for ply in replay.plies:
            moved = dict(_moves(ply))
            before, after = ply.before.board, ply.after.board
            stayed = before.occupied_co[chess.WHITE] & after.occupied_co[chess.WHITE]
            stayed |= before.occupied_co[chess.BLACK] & after.occupied_co[chess.BLACK]
            arrived = {target: on[origin] for origin, target in moved.items()}
            on = {square: piece for square, piece in on.items() if stayed >> square & 1} | arrived
            self._on.append(on)
        self._at = [{piece: square for square, piece in on.items()} for on in self._on]

    def on(self, number: int, square: Square) -> Square:
        """Return the piece on an occupied square before a ply."""
        return self._on[number][square]

    def square(self, number: int, piece: Square) -> Square | None:
        """Return the square of a piece before a ply, None if it has been captured."""
        return self._at[number].get(piece)

    def last_move(self, number: int, piece: Square) -> tuple[int, Square] | None:
        """Return the ply before `number` with which a piece last moved, and its square then; None if none."""
        for earlier in range(number - 1, -1, -1):
            origin = self._at[earlier][piece]
            if origin != self._at[earlier + 1][piece]:
                return earlier, origin
        return None


def _moves(ply: Ply) -> Iterator[tuple[Square, Square]]:
    """Yield the squares that each piece moves from and to; two pieces when castling."""
    yield ply.origin, ply.target
    if ply.before.board.is_castling(ply.move):
        rank = chess.square_rank(ply.origin)
        rook, beside = ("h", "f") if ply.before.board.is_kingside_castling(ply.move) else ("a", "d")
        yield chess.parse_square(f"{rook}{rank + 1}"), chess.parse_square(f"{beside}{rank + 1}")
