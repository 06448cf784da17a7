"""The goals of a solution: captures, checks, promotions and mates, and what the last move threatens.

`Pieces` follows the pieces through the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import chess
from chess import Bitboard, PieceType, Square

from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.motifs.worth import net_gain, total_gain


class Aim(StrEnum):
    """What a move of the solver achieves; if it achieves several of these, the first."""

    MATE = "mate"
    PROMOTE = "promote"
    CAPTURE = "capture"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Goal:
    """A move of the solver that achieves something.

    A goal that is only `threatened` would be the solver's next move if the opponent passed; its number is one
    more than that of the last move.
    """

    ply: Ply
    aim: Aim
    threatened: bool = False

    @property
    def number(self) -> int:
        """The number of the ply, from 0."""
        return self.ply.number

    @property
    def target(self) -> Square:
        """The square of the enemy king for a check or mate, else the square to which the move goes."""
        return self.king if self.aim in (Aim.MATE, Aim.CHECK) else self.ply.target

    @property
    def target_kind(self) -> PieceType | None:
        """The piece on the target square, None for a promotion without capture."""
        return chess.KING if self.aim in (Aim.MATE, Aim.CHECK) else self.ply.captured

    @property
    def king(self) -> Square:
        """The square of the enemy king before the move."""
        return self.ply.before.king(not self.ply.before.board.turn)

    @property
    def contested(self) -> Bitboard:
        """The squares whose defenders matter: the move's target and, for mate, the squares up to the king."""
        squares = chess.BB_SQUARES[self.ply.target]
        if self.aim is Aim.MATE:
            for checker in self.ply.after.board.checkers():
                squares |= chess.between(checker, self.king)
        return squares


def goals_of(replay: Replay) -> list[Goal]:
    """Return the goals of a solution, in the order of its moves, and last the threat at its end."""
    goals = [Goal(ply, aim) for ply in replay.solver_plies if (aim := _aim(ply))]
    return [*goals, *_threat(replay)]


def decisive(goals: Sequence[Goal], replay: Replay) -> Goal | None:
    """Return the goal that decides, None if there is no goal.

    The first of these that exists: mate; the last promotion; the threat at the end, if the solver has won
    nothing yet; the capture that wins most after a recapture (the last of equal ones); the last check.
    """
    reached = {aim: [goal for goal in goals if goal.aim is aim and not goal.threatened] for aim in Aim}
    if best := reached[Aim.MATE] or reached[Aim.PROMOTE]:
        return best[-1]
    if goals and goals[-1].threatened and total_gain(replay) <= 0:
        return goals[-1]
    captures = [goal for goal in reached[Aim.CAPTURE] if net_gain(goal.ply, replay) > 0]
    if captures:
        return max(captures, key=lambda goal: (net_gain(goal.ply, replay), goal.number))
    rest = reached[Aim.CHECK] or goals
    return rest[-1] if rest else None


def _threat(replay: Replay) -> list[Goal]:
    """Return what the last move threatens: mate, or the capture that wins most; nothing after a check."""
    waits = replay.end.passed
    if waits is None or waits.turn != replay.solver:
        return []
    before = AttackMap(waits)

    def order(move: chess.Move) -> tuple[int, ...]:
        """Return a sort key: the piece that moved comes first; left and right do not matter."""
        moved = move.from_square == replay.plies[-1].target
        places = (_place(square, replay.solver) for square in (move.from_square, move.to_square))
        return not moved, before.kind(move.from_square), *(part for place in places for part in place)

    aim, moves = Aim.MATE, replay.end.mating_moves
    if not moves:
        captures = waits.generate_legal_captures()
        bites = {move: before.bite(move.from_square, move.to_square) for move in captures}
        most = max(bites.values(), default=0)
        aim, moves = Aim.CAPTURE, [move for move, bite in bites.items() if bite == most > 0]
    if not moves:
        return []
    return [Goal(Ply.of(len(replay.plies), before, min(moves, key=order)), aim, threatened=True)]


def _place(square: Square, side: chess.Color) -> tuple[int, int]:
    file, rank = chess.square_file(square), chess.square_rank(square)
    return rank if side == chess.WHITE else 7 - rank, min(file, 7 - file)


def _aim(ply: Ply) -> Aim | None:
    if ply.mates:
        return Aim.MATE
    if ply.move.promotion:
        return Aim.PROMOTE
    if ply.captured:
        return Aim.CAPTURE
    return Aim.CHECK if ply.check else None


class Pieces:
    """Where each piece is before each ply, and at the end (the ply after the last).

    A piece is identified by its square in the puzzle position, also after a promotion.
    """

    def __init__(self, replay: Replay) -> None:
        """Follow the pieces of a solution."""
        on = {square: square for square in chess.scan_forward(replay.start.board.occupied)}
        self._on = [on]
        for ply in replay.plies:
            before, after = ply.before.board, ply.after.board
            stayed = before.occupied_co[chess.WHITE] & after.occupied_co[chess.WHITE]
            stayed |= before.occupied_co[chess.BLACK] & after.occupied_co[chess.BLACK]
            arrived = {target: on[origin] for origin, target in _moves(ply)}
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
        """Return the last ply before `number` with which a piece moved, and its square then, or None."""
        for earlier in range(number - 1, -1, -1):
            origin = self._at[earlier][piece]
            if origin != self._at[earlier + 1][piece]:
                return earlier, origin
        return None


def _moves(ply: Ply) -> Iterator[tuple[Square, Square]]:
    """Yield the squares from and to which each piece moves; castling moves two pieces."""
    yield ply.origin, ply.target
    if ply.before.board.is_castling(ply.move):
        rank = chess.square_rank(ply.origin)
        rook, beside = ("h", "f") if ply.before.board.is_kingside_castling(ply.move) else ("a", "d")
        yield chess.parse_square(f"{rook}{rank + 1}"), chess.parse_square(f"{beside}{rank + 1}")
