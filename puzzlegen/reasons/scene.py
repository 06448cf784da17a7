"""A reason together with the solution that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import chess
from chess import Square

from puzzlegen.motifs.replay import Ply, Replay
from puzzlegen.reasons.goal import Goal
from puzzlegen.reasons.pieces import Pieces
from puzzlegen.reasons.reason import Reason


@dataclass(frozen=True)
class Scene:
    """A reason with the solution that it is about."""

    reason: Reason
    replay: Replay
    pieces: Pieces

    @property
    def goal(self) -> Goal:
        """The goal that the reason is for."""
        return self.reason.goal

    @property
    def ply(self) -> Ply:
        """The ply of the reason; the goal's may come after the end of the solution."""
        return self.replay.at(self.reason.ply) or self.goal.ply

    @property
    def guarded(self) -> Square | None:
        """The square for the sake of which the piece of the reason is a defender.

        None if that is a square between, and the piece a pawn or a king, which cannot go there.
        """
        before, square, kind = self.ply.before, self.reason.square, self.reason.kind
        line = before.board.pin_mask(not self.replay.solver, square)
        attacked = before.attacks[square] & self.goal.contested & line
        target = self.goal.ply.target
        if attacked >> target & 1:
            return target
        if kind in (chess.PAWN, chess.KING) or not attacked:
            return None
        return min(chess.scan_forward(attacked), key=lambda at: chess.square_distance(at, target))

    @property
    def attacker_square(self) -> Square:
        """The square of the piece that reaches the goal, before the ply of the reason."""
        attacker = self.pieces.on(self.goal.number, self.goal.ply.origin)
        square = self.pieces.square(self.ply.number, attacker)
        assert square is not None
        return square


def pinner_of(board: chess.Board, square: Square) -> Square:
    """Return the square of the piece that pins the one on a square to its king."""
    color = board.color_at(square)
    assert color is not None
    king = board.king(color)
    assert king is not None
    line = board.pin_mask(color, square) & board.occupied_co[not color]
    alone = chess.BB_SQUARES[square]
    return next(at for at in chess.scan_forward(line) if chess.between(at, king) & board.occupied == alone)
