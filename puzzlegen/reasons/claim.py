"""Claims about a solution, such as “Nothing defends the rook on d8.”: each is checked on the board.

The reasons of `reason`, which are also search terms, follow from attacks and the moves of the solution alone.
Claims also say what would happen after other moves, and search the captures there. A solution for which that
takes too long has fewer claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import chess
from chess import Bitboard, Color, Square

from chess_motif.boards import board_after, checks, has_mate
from chess_motif.captures import settled_balance, settles_at_least
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import AttackMap, Replay
from puzzlegen.motifs.threats import mates_in_two
from puzzlegen.reasons.drawing import Drawing
from puzzlegen.reasons.goal import Goal
from puzzlegen.reasons.reason import Reasons

# Positions that are looked at for one solution, with all its claims; that takes at most 70 ms. Of 1,500
# puzzles, six would say something else with many more.
_MOST_POSITIONS = 1_500

# What is won, in pawns, to be worth saying; a pawn counts only where few pieces are left besides kings and
# pawns.
_WORTH_SAYING = 2
_FEW_PIECES = 2


class Kind(StrEnum):
    """What a claim says."""

    # Why a mated king has no way out.
    NET = "net"
    # A pawn that nothing can keep from promoting.
    UNSTOPPABLE = "unstoppable"
    # A pawn that no other pawn can stop.
    PASSED = "passed"
    # A piece that must do two things at once.
    OVERLOADED = "overloaded"
    # An attacked piece that has no safe square.
    TRAPPED = "trapped"
    # A mate that is threatened and can be parried only at a loss of material.
    COSTLY_DEFENCE = "costly-defence"
    # An attacked piece that has to keep defending something, and cannot where it is safe.
    TIED_DOWN = "tied-down"
    # A check at the end that also attacks something, after which every answer loses material.
    LAST_CHECK = "last-check"
    # What a move that gives no check threatens: mate, perhaps with something else; or one or two pieces, or a
    # promotion.
    MATE_THREAT = "mate-threat"
    # A check that is threatened, after which every answer allows mate.
    MATE_IN_TWO = "mate-in-two"
    THREAT = "threat"
    # What the first move parries: mate, a promotion, or the loss of a piece.
    STOPS_MATE = "stops-mate"
    STOPS_PAWN = "stops-pawn"
    SAVES = "saves"
    # An answer to a check: what every other answer allows.
    ONLY_ANSWER = "only-answer"
    # What the other answers to a check allow, or those that meet a threat; or an offer that must be taken.
    OTHER_ANSWERS = "other-answers"
    # What an attacked piece allows wherever it goes.
    FLIGHTS = "flights"
    # A check or a capture that comes before a piece takes back.
    BEFORE_TAKING_BACK = "before-taking-back"
    # Checks that come again and again.
    PERPETUAL = "perpetual"
    # Whatever the opponent moves loses something.
    ZUGZWANG = "zugzwang"
    # A piece that may not take, because of the move that follows.
    TIED = "tied"
    # A piece that may not be taken, because it is defended and worth less than what takes it.
    BACKED = "backed"
    # What the solver takes elsewhere after the piece that moved first has been taken.
    IN_RETURN = "in-return"
    # A piece that is captured because it guards the square that the solver goes to next.
    GUARD_TAKEN = "guard-taken"
    # A capture that comes only second, and what it would allow if it came first.
    NOT_AT_ONCE = "not-at-once"
    # A king that a check drives to where the next one reaches it.
    DRIVEN = "driven"
    # Two pieces that a move attacks at once.
    FORK = "fork"
    # A piece that cannot leave, because another one stands behind it.
    PINNED = "pinned"
    # What stands behind an attacked piece on the same line.
    SKEWER = "skewer"
    # A capture that uncovers a check, so that nothing can take back; or a check at the end that opens a line.
    UNCOVERS = "uncovers"
    # A square that the first move makes free for the next one.
    CLEARS = "clears"
    # A pawn that becomes a knight to give check.
    KNIGHT_CHECK = "knight-check"
    # A piece next to the king that the king cannot take.
    KING_HELD_OFF = "king-held-off"
    # A piece of the solver that was pinned, and no longer is when it captures.
    FREED = "freed"
    # A check that can only be met by putting a piece in the way, where it is lost.
    FORCED_BLOCK = "forced-block"
    # A target that nothing defends, that is attacked more often than defended, or worth more than what
    # captures it.
    UNDEFENDED = "undefended"
    OUTNUMBERED = "outnumbered"
    WORTH_MORE = "worth-more"
    # What each side loses in a series of captures.
    EXCHANGE = "exchange"


class Claim(NamedTuple):
    """A true sentence about the ply with this number, and what is drawn for it, if anything.

    `answered` has the replies to that ply, besides the one of the solution, that it says the answer to, each
    with that answer.
    """

    kind: Kind
    ply: int
    text: str
    drawing: Drawing | None = None
    answered: Mapping[chess.Move, chess.Move] = MappingProxyType({})


class TooManyPositionsError(Exception):
    """So many captures are possible that what they win is not known."""


class Course:
    """A solution as claims look at it: its replay and reasons, and what captures win in any position."""

    def __init__(self, replay: Replay, reasons: Reasons) -> None:
        """Look at a solution; positions are searched only when asked for."""
        self.replay, self.reasons = replay, reasons
        self.solver: Color = replay.solver
        self._budget: Iterator[int] = iter(range(_MOST_POSITIONS))

    @property
    def decisive(self) -> Goal | None:
        """The goal that decides."""
        return self.reasons.decisive

    @cached_property
    def least(self) -> int:
        """The least number of pawns that is worth saying that it is won."""
        board = self.replay.start.board
        pieces = chess.popcount(board.occupied & ~(board.kings | board.pawns))
        return 1 if pieces <= _FEW_PIECES else _WORTH_SAYING

    @cached_property
    def balance(self) -> int:
        """By how many pawns the solver is ahead in the puzzle position."""
        return material_balance(self.replay.start.board, self.solver)

    def settled(self, board: chess.Board) -> int:
        """Return by how many pawns the solver is ahead after all captures that pay.

        Raises `TooManyPositionsError`.
        """
        value = settled_balance(board, self.solver, self._budget)
        self.spend()
        return value

    def settles_at(self, board: chess.Board, balance: int) -> bool:
        """Return whether `settled` is `balance` or more. Asking this takes less time; raises the same."""
        is_enough = settles_at_least(board, self.solver, balance, self._budget)
        self.spend()
        return is_enough

    def spend(self) -> None:
        """Count a position that is looked at. Raises `TooManyPositionsError` if it is one too many."""
        if next(self._budget, None) is None:
            raise TooManyPositionsError

    def wins(self, board: chess.Board, move: chess.Move) -> int:
        """Return how many pawns a capture or promotion of the solver wins, less what the opponent regains."""
        return self.settled(board_after(board, [move])) - material_balance(board, self.solver)

    def pays(self, board: chess.Board, move: chess.Move, least: int) -> bool:
        """Return whether a capture or promotion of the solver `wins` at least so many pawns."""
        return self.settles_at(board_after(board, [move]), material_balance(board, self.solver) + least)

    def pays_on(self, board: chess.Board, square: Square, least: int) -> bool:
        """Return whether a capture on a square by the solver, to move, wins at least so many pawns."""
        captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
        return any(self.pays(board, move, least) for move in captures)

    def enough(self, board: chess.Board) -> int:
        """Return the balance with which the solver has won what is worth saying since a position."""
        return material_balance(board, self.solver) + self.least

    def reaches(self, board: chess.Board, move: chess.Move, balance: int) -> bool:
        """Return whether a move of the solver mates, or leads to a balance after all captures."""
        after = board_after(board, [move])
        return after.is_checkmate() or self.settles_at(after, balance)

    def costs(self, board: chess.Board, balance: int | None = None) -> bool:
        """Return whether the solver mates or reaches a balance (default: `enough`) after any reply."""
        balance = self.enough(board) if balance is None else balance
        replies = (board_after(board, [reply]) for reply in board.legal_moves)
        return all(has_mate(after) or self.settles_at(after, balance) for after in replies)

    def unmoved(self, number: int, square: Square) -> bool:
        """Return whether what is on a square before a ply has been there since the puzzle position."""
        return self.reasons.pieces.on(number, square) == square

    def place(self, square: Square) -> tuple[int, int]:
        """Order squares, from the solver's side, whatever the colours."""
        rank = chess.square_rank(square)
        return rank if self.solver == chess.WHITE else 7 - rank, chess.square_file(square)

    def in_order(self, moves: Iterable[chess.Move]) -> list[chess.Move]:
        """Return moves in an order that does not depend on the colours."""

        def key(move: chess.Move) -> tuple[tuple[int, int], tuple[int, int], int]:
            return self.place(move.from_square), self.place(move.to_square), -(move.promotion or 0)

        return sorted(moves, key=key)

    def by_worth(self, attack_map: AttackMap, squares: Bitboard) -> list[Square]:
        """Return the squares of some pieces, the most valuable first."""
        found = chess.scan_forward(squares)
        return sorted(found, key=lambda at: (-PIECE_VALUES[attack_map.kind(at)], self.place(at)))

    def cheapest(self, attack_map: AttackMap, squares: Iterable[Square]) -> Square:
        """Return the square of the least valuable of some pieces; kings come last."""

        def key(square: Square) -> tuple[bool, int, tuple[int, int]]:
            kind = attack_map.kind(square)
            return kind == chess.KING, PIECE_VALUES[kind], self.place(square)

        return min(squares, key=key)


def forced_mate(course: Course, board: chess.Board) -> chess.Move | None:
    """Return a check of the side to move after which every answer allows mate, None if there is none."""
    for move in course.in_order(checks(board)):
        course.spend()
        if mates_in_two(board, move):
            return move
    return None
