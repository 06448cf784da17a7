"""The goals of a solution: the moves by which the solver reaches something, and what its last move threatens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import chess
from chess import Bitboard, PieceType, Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.defences import gain
from puzzlegen.motifs.replay import AttackMap, Ply, Replay


class Aim(StrEnum):
    """What a move of the solver reaches; if it is more than one of these, the first."""

    MATE = "mate"
    PROMOTE = "promote"
    CAPTURE = "capture"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Goal:
    """A move of the solver that reaches something.

    If it is only `threatened`, it would be the solver's next move if the opponent passed, and its number is one
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
        """The square of what is captured; of the enemy king, where the aim is a check or mate."""
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
        """The squares whose defenders matter: where the piece goes and, for mate, those between it and the king."""
        squares = chess.BB_SQUARES[self.ply.target]
        if self.aim is Aim.MATE:
            for checker in self.ply.after.board.checkers():
                squares |= chess.between(checker, self.king)
        return squares


def goals_of(replay: Replay) -> list[Goal]:
    """Return the goals of a solution, in the order of its moves, and last what is threatened at its end."""
    goals = [Goal(ply, aim) for ply in replay.solver_plies if (aim := _aim(ply))]
    return [*goals, *_threat(replay)]


def decisive(goals: Sequence[Goal], replay: Replay) -> Goal | None:
    """Return the goal that decides, None if there is no goal.

    That is mate, or else the last promotion, or else the capture that wins most, less what is recaptured at
    once (of equal ones the last), or else the last check.
    """
    mates, promotions, checks = (
        [goal for goal in goals if goal.aim is aim] for aim in (Aim.MATE, Aim.PROMOTE, Aim.CHECK)
    )
    if mates or promotions:
        return (mates or promotions)[-1]
    won = [(net_gain(goal.ply, replay), goal.number, goal) for goal in goals if goal.aim is Aim.CAPTURE]
    winning = [capture for capture in won if capture[0] > 0]
    if winning:
        return max(winning, key=lambda capture: capture[:2])[2]
    return (checks or goals or [None])[-1]


def net_gain(ply: Ply, replay: Replay) -> int:
    """Return what a move wins, less what is recaptured on its square by the reply; in pawns."""
    reply = replay.at(ply.number + 1)
    return gain(ply) - (gain(reply) if reply and reply.target == ply.target else 0)


def _threat(replay: Replay) -> list[Goal]:
    """Return what the last move threatens: mate, or else the capture that wins most; nothing after a check."""
    board = replay.end.board.copy(stack=False)
    if board.turn == replay.solver or board.is_game_over() or board.is_check():
        return []
    board.push(chess.Move.null())
    passed = AttackMap(board)
    mate = next((move for move in _moves(board) if board.gives_check(move) and _mates(board, move)), None)
    if mate is not None:
        return [Goal(_next_ply(replay, passed, mate), Aim.MATE, threatened=True)]
    captures = [(_wins(passed, move), move) for move in _moves(board) if board.is_capture(move)]
    best = max(captures, key=lambda capture: capture[0], default=(0, None))
    if best[1] is None or best[0] <= 0:
        return []
    return [Goal(_next_ply(replay, passed, best[1]), Aim.CAPTURE, threatened=True)]


def _moves(board: chess.Board) -> list[chess.Move]:
    """Return the legal moves in the same order for both sides: of equal threats, the first one counts."""
    if board.turn == chess.WHITE:
        return list(board.legal_moves)
    return [
        chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)
        for move in board.mirror().legal_moves
    ]


def _mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def _wins(attack_map: AttackMap, capture: chess.Move) -> int:
    """Return what a capture wins, in pawns, if a defended capturing piece is lost for it."""
    board = attack_map.board
    won = PIECE_VALUES[board.piece_type_at(capture.to_square) or chess.PAWN]
    if attack_map.defended[not board.turn] >> capture.to_square & 1:
        won -= PIECE_VALUES.get(attack_map.kind(capture.from_square), won)
    return won


def _next_ply(replay: Replay, before: AttackMap, move: chess.Move) -> Ply:
    after = before.board.copy(stack=False)
    after.push(move)
    kind, captured = before.kind(move.from_square), before.board.piece_type_at(move.to_square)
    return Ply(len(replay.plies), move, kind, captured, before, AttackMap(after))


def _aim(ply: Ply) -> Aim | None:
    if ply.after.board.is_checkmate():
        return Aim.MATE
    if ply.move.promotion:
        return Aim.PROMOTE
    if ply.captured:
        return Aim.CAPTURE
    return Aim.CHECK if ply.check else None
