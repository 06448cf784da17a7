"""Facts about a solution that are worth telling, and the course of the solution in which they are found.

A fact has values (its kind, the move, relations between squares, answers to other replies), and words and a
drawing made of these values. Facts are chosen by their values; nothing reads the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from functools import cached_property
from typing import NamedTuple

import chess
from chess import Bitboard, Color, Square

from chess_motif.boards import board_after, checks, has_mate, mating_moves
from chess_motif.captures import settled_balance, settles_at_least
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import WORTH, AttackMap
from puzzlegen.motifs.threats import mates_in_two
from puzzlegen.reasons.reason import Reason
from puzzlegen.reasons.tactics import Tactics

# The most positions that one finder may look at in a solution, which takes at most 70 ms. The slowest finder
# needs more than 300 in one of a hundred puzzles.
_MOST_POSITIONS = 1_500

# The least gain, in pawns, that is worth telling. A single pawn counts only if few pieces are left.
_WORTH_SAYING = 2
_FEW_PIECES = 2


class FactKind(StrEnum):
    """What a fact says. `puzzlegen.reasons.table` has a row for each kind."""

    # Found by searching captures and other replies.
    NET = "net"
    UNSTOPPABLE = "unstoppable"
    OVERLOADED = "overloaded"
    COSTLY_DEFENCE = "costly-defence"
    MATE_THREAT = "mate-threat"
    LAST_CHECK = "last-check"
    ZUGZWANG = "zugzwang"
    TRAPPED = "trapped"
    TIED_DOWN = "tied-down"
    BACKED = "backed"
    SKEWER = "skewer"
    FORK = "fork"
    STOPS_MATE = "stops-mate"
    KNIGHT_CHECK = "knight-check"
    PINNED = "pinned"
    THREAT = "threat"
    MATE_IN_TWO = "mate-in-two"
    TIED = "tied"
    NOT_AT_ONCE = "not-at-once"
    ONLY_ANSWER = "only-answer"
    FLIGHTS = "flights"
    OTHER_ANSWERS = "other-answers"
    BEFORE_TAKING_BACK = "before-taking-back"
    CLEARS = "clears"
    KING_HELD_OFF = "king-held-off"
    DRIVEN = "driven"
    FORCED_BLOCK = "forced-block"
    IN_RETURN = "in-return"
    PASSED = "passed"
    UNDEFENDED = "undefended"
    WORTH_MORE = "worth-more"
    OUTNUMBERED = "outnumbered"
    SAVES = "saves"

    # Made of reasons: one kind for each part (`puzzlegen.reasons.reason.Part`).
    DEFENDER = "defender"
    SHUT = "shut"
    OPENED = "opened"
    DOUBLE = "double"
    TARGET = "target"
    ATTACKER = "attacker"


class Verb(Enum):
    """The kind of a relation between squares."""

    # The first square is attacked; mate is threatened on it; the piece on it is pinned, or cannot go away.
    ATTACKED = auto()
    MATE = auto()
    PINNED = auto()
    HELD = auto()
    # The piece on the first square guards the second one, or backs up what is on it.
    GUARDS = auto()
    # The piece on the first square is cut off from the second one, or its line there is opened.
    CUT_OFF = auto()
    OPENED = auto()


class Relation(NamedTuple):
    """What a fact says about one or two squares. Two facts with the same relations say the same."""

    verb: Verb
    square: Square
    other: Square | None = None


def related(verb: Verb, squares: Iterable[Square]) -> frozenset[Relation]:
    """Return the same relation for several squares."""
    return frozenset(Relation(verb, square) for square in squares)


class Joint(StrEnum):
    """How the words of a fact follow those for the move, in the order in which facts are joined."""

    # After the captured piece; a check is not mentioned.
    WHICH = ", which "
    COMMA = ", "
    SEMICOLON = "; "
    AND = " and "
    # After “with check”.
    ALSO = " and also "
    BEFORE = " before "
    # The words are a whole sentence without the full stop.
    ALONE = ""


class Role(StrEnum):
    """The meaning of a drawing."""

    # A piece that stops guarding a square.
    DEFENDER = "defender"
    # A piece of the opponent that is lured, driven or forced somewhere.
    LURED = "lured"
    # An opened line of the solver, a pin, a guarded square, or attacked pieces.
    ATTACK = "attack"


class Drawing(NamedTuple):
    """The drawing of a fact: arrows from square to square, and marked squares. Either may be empty."""

    role: Role
    arrows: tuple[tuple[Square, Square], ...] = ()
    squares: tuple[Square, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A fact about the move with the number `ply` (-1: about the line as a whole).

    `text` has the words that follow those for the move, in the way of `joint`. `answers` has replies to the
    move outside the solution, each with the answer to it. `reason` is None for a fact found by a search.
    """

    kind: FactKind
    ply: int
    text: str
    joint: Joint = Joint.AND
    relations: frozenset[Relation] = frozenset()
    drawing: Drawing | None = None
    answers: Mapping[chess.Move, chess.Move] = field(default_factory=dict, hash=False)
    reason: Reason | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The key by which two solutions share this fact."""
        reason = self.reason
        return (self.kind, reason.cause, reason.goal.aim) if reason else (self.kind,)


class TooManyPositionsError(Exception):
    """The budget of positions is used up."""


class Course:
    """A solution in which facts are found: its replay and reasons, and the captures in any position."""

    def __init__(self, tactics: Tactics) -> None:
        """Prepare a solution. Positions are searched only when needed."""
        self.replay, self.reasons = tactics.replay, tactics.reasons
        self.solver: Color = self.replay.solver
        self.renew_budget()

    def renew_budget(self) -> None:
        """Renew the budget of positions for the next finder."""
        self._budget: Iterator[int] = iter(range(_MOST_POSITIONS))

    @cached_property
    def least(self) -> int:
        """The least gain, in pawns, that is worth telling."""
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
        """Return whether `settled` is at least `balance`, which is faster. Raises `TooManyPositionsError`."""
        is_enough = settles_at_least(board, self.solver, balance, self._budget)
        self.spend()
        return is_enough

    def spend(self) -> None:
        """Take a position from the budget. Raises `TooManyPositionsError` if the budget is used up."""
        if next(self._budget, None) is None:
            raise TooManyPositionsError

    def pays(self, board: chess.Board, move: chess.Move, least: int) -> bool:
        """Return whether a capture or promotion of the solver wins at least `least` pawns in the end."""
        return self.settles_at(board_after(board, [move]), material_balance(board, self.solver) + least)

    def pays_on(self, board: chess.Board, square: Square, least: int) -> bool:
        """Return whether a capture on a square by the solver wins at least `least` pawns."""
        return any(self.pays(board, move, least) for move in captures_on(board, square))

    def enough(self, board: chess.Board) -> int:
        """Return the balance at which the solver has gained enough, compared with a position."""
        return material_balance(board, self.solver) + self.least

    def reaches(self, board: chess.Board, move: chess.Move, balance: int) -> bool:
        """Return whether a move of the solver leads to at least this balance after all captures."""
        return self.settles_at(board_after(board, [move]), balance)

    def costs(self, board: chess.Board, balance: int | None = None) -> bool:
        """Return whether, after every reply, the solver mates or reaches a balance (default: `enough`)."""
        balance = self.enough(board) if balance is None else balance
        replies = (board_after(board, [reply]) for reply in board.legal_moves)
        return all(has_mate(after) or self.settles_at(after, balance) for after in replies)

    def mate(self, board: chess.Board) -> chess.Move | None:
        """Return a move of the side to move that mates, None if there is none."""
        return next(iter(self.in_order(mating_moves(board))), None)

    def refutation(self, board: chess.Board, most: int) -> chess.Move | None:
        """Return a move of the opponent that mates, or else the best capture, or None.

        The balance after the capture must be `most` or less.
        """
        if mate := self.mate(board):
            return mate
        best = None
        for capture in self.in_order(board.generate_legal_captures()):
            after = board_after(board, [capture])
            if not self.settles_at(after, most + 1):
                best, most = capture, self.settled(after) - 1
        return best

    def forced_mate(self, board: chess.Board) -> chess.Move | None:
        """Return a check of the side to move after which every answer allows mate, None if there is none."""
        for move in self.in_order(checks(board)):
            self.spend()
            if mates_in_two(board, move):
                return move
        return None

    def draws(
        self,
        role: Role,
        number: int,
        *,
        arrows: Iterable[tuple[Square, Square]] = (),
        squares: Iterable[Square] = (),
    ) -> Drawing | None:
        """Return the drawing of a fact about the position before a ply, None if it would be empty.

        Pieces that move before are left out, because the drawing is shown on the first position. If only one
        of several squares could be marked, none is, since this would say something else.
        """
        arrows = tuple((tail, head) for tail, head in arrows if self.unmoved(number, tail))
        squares = tuple(squares)
        squares = squares if all(self.unmoved(number, square) for square in squares) else ()
        return Drawing(role, arrows, squares) if arrows or squares else None

    def unmoved(self, number: int, square: Square) -> bool:
        """Return whether the piece on a square before a ply has not moved since the puzzle position."""
        return self.reasons.pieces.on(number, square) == square

    def place(self, square: Square) -> tuple[int, int]:
        """Return a key that orders squares from the solver's side, whatever the colours."""
        rank = chess.square_rank(square)
        return rank if self.solver == chess.WHITE else 7 - rank, chess.square_file(square)

    def in_order(self, moves: Iterable[chess.Move]) -> list[chess.Move]:
        """Return moves in an order that does not depend on the colours."""

        def key(move: chess.Move) -> tuple[tuple[int, int], tuple[int, int], int]:
            return self.place(move.from_square), self.place(move.to_square), -(move.promotion or 0)

        return sorted(moves, key=key)

    def by_worth(self, attack_map: AttackMap, squares: Bitboard | Iterable[Square]) -> list[Square]:
        """Return the squares of some pieces, the most valuable first."""
        return sorted(
            chess.SquareSet(squares), key=lambda at: (-PIECE_VALUES[attack_map.kind(at)], self.place(at))
        )

    def cheapest(self, attack_map: AttackMap, squares: Iterable[Square]) -> Square:
        """Return the square of the least valuable of some pieces, a king only if it is alone."""
        return min(squares, key=lambda at: (WORTH[attack_map.kind(at)], self.place(at)))


def captures_on(board: chess.Board, square: Square) -> list[chess.Move]:
    """Return the legal captures on a square."""
    return list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[square]))
