"""A replayed solution: its plies, with the attacks on the board before and after each.

All rules for motifs use the same replay, so that attacks are computed only once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import chess
from chess import Bitboard, Color, PieceType, Square

from chess_motif.boards import board_after, mating_moves
from chess_motif.material import PIECE_VALUES, Capture, capture_by

# Values for comparing attacks. A king is worth more than anything, since it cannot capture a defended piece.
WORTH = PIECE_VALUES | {chess.KING: 100}

# Pieces that move along lines.
SLIDERS = (chess.BISHOP, chess.ROOK, chess.QUEEN)


class AttackMap:
    """A position with `attacks`: by occupied square, the squares that the piece attacks, pinned or not."""

    def __init__(self, board: chess.Board) -> None:
        """Compute the attacks of `board`, which must not change afterwards."""
        self.board = board
        self.attacks: dict[Square, Bitboard] = {
            square: board.attacks_mask(square) for square in chess.scan_forward(board.occupied)
        }

    @cached_property
    def symbols(self) -> dict[Square, str]:
        """By occupied square, the symbol of its piece, such as `N` for a white and `n` for a black knight."""
        return {square: piece.symbol() for square, piece in self.board.piece_map().items()}

    @cached_property
    def defended(self) -> dict[Color, Bitboard]:
        """By side, the squares that the side attacks: its own pieces on these squares are defended."""
        defended = {chess.WHITE: chess.BB_EMPTY, chess.BLACK: chess.BB_EMPTY}
        white = self.board.occupied_co[chess.WHITE]
        for square, attacked in self.attacks.items():
            defended[bool(white >> square & 1)] |= attacked
        return defended

    @cached_property
    def legal_moves(self) -> list[chess.Move]:
        """The legal moves."""
        return list(self.board.legal_moves)

    @cached_property
    def check(self) -> bool:
        """Whether the side to move is in check."""
        return self.board.is_check()

    @cached_property
    def stuck(self) -> bool:
        """Whether the side to move has no legal move."""
        return not any(self.board.generate_legal_moves())

    @property
    def mate(self) -> bool:
        """Whether the side to move is mated."""
        return self.check and self.stuck

    @property
    def stalemate(self) -> bool:
        """Whether the side to move is stalemated."""
        return not self.check and self.stuck

    @cached_property
    def passed(self) -> chess.Board | None:
        """The position if the side to move passes; None if it is in check, or the game is over."""
        if self.stuck or self.board.is_insufficient_material() or self.board.is_seventyfive_moves():
            return None
        return self._waits

    @cached_property
    def _waits(self) -> chess.Board | None:
        return None if self.check else board_after(self.board, [chess.Move.null()])

    @cached_property
    def mating_moves(self) -> list[chess.Move]:
        """The moves of the other side that would mate if the side to move passed; none if it is in check."""
        return [] if self._waits is None else list(mating_moves(self._waits))

    @cached_property
    def pinners(self) -> dict[Color, dict[Square, Square]]:
        """By side, the squares of the pieces that are pinned to their king, each with the pinning piece."""
        return {color: dict(self._pinned(color)) for color in chess.COLORS}

    def _pinned(self, color: Color) -> Iterator[tuple[Square, Square]]:
        board, king = self.board, self.king(color)
        straight = chess.BB_FILE_ATTACKS[king][0] | chess.BB_RANK_ATTACKS[king][0]
        sliders = straight & (board.rooks | board.queens)
        sliders |= chess.BB_DIAG_ATTACKS[king][0] & (board.bishops | board.queens)
        for slider in chess.scan_forward(sliders & board.occupied_co[not color]):
            between = chess.between(slider, king) & board.occupied
            if chess.popcount(between) == 1 and between & board.occupied_co[color]:
                yield chess.msb(between), slider

    def pin_mask(self, color: Color, square: Square) -> Bitboard:
        """Return the line on which a piece is pinned to its king; all squares if it is not pinned."""
        pinner = self.pinners[color].get(square)
        return chess.BB_ALL if pinner is None else chess.ray(pinner, square)

    def repeats(self, other: AttackMap) -> bool:
        """Return whether two positions are the same, with the same moves."""
        # The occupied squares are compared first, since writing positions as text takes long.
        return self.board.occupied == other.board.occupied and self.board.epd() == other.board.epd()

    def attackers(self, color: Color, square: Square) -> list[Square]:
        """Return the squares of a side's pieces that attack a square."""
        pieces, target = self.board.occupied_co[color], chess.BB_SQUARES[square]
        return [at for at, attacked in self.attacks.items() if attacked & target and pieces >> at & 1]

    def kind(self, square: Square) -> PieceType:
        """Return the kind of the piece on an occupied square."""
        kind = self.board.piece_type_at(square)
        assert kind is not None
        return kind

    def king(self, color: Color) -> Square:
        """Return the square of a side's king."""
        square = self.board.king(color)
        assert square is not None
        return square

    def is_defended(self, square: Square) -> bool:
        """Return whether a piece of its own side defends the piece on a square."""
        return bool(self.defended[bool(self.board.color_at(square))] & chess.BB_SQUARES[square])

    def bite(self, attacker: Square, square: Square) -> int:
        """Return the value that a capture wins, less the capturing piece if the captured one is defended."""
        return WORTH[self.kind(square)] - (WORTH[self.kind(attacker)] if self.is_defended(square) else 0)

    def is_hanging(self, square: Square) -> bool:
        """Return whether the piece on a square hangs: some capture wins something. A king never hangs."""
        if self.kind(square) == chess.KING:
            return False
        attackers = self.attackers(not self.board.color_at(square), square)
        return any(self.bite(attacker, square) > 0 for attacker in attackers)


@dataclass(frozen=True, slots=True)
class Ply:
    """A move of a solution, with the positions before and after it.

    `number` counts from 0; `kind` is the piece that moves; `captured` is None if the move does not capture.
    """

    number: int
    move: chess.Move
    kind: PieceType
    captured: PieceType | None
    before: AttackMap
    after: AttackMap

    @classmethod
    def of(cls, number: int, before: AttackMap, move: chess.Move) -> Ply:
        """Play a legal move in a position."""
        capture = capture_by(before.board, move)
        after = AttackMap(board_after(before.board, [move]))
        return cls(number, move, before.kind(move.from_square), capture and capture.kind, before, after)

    @property
    def origin(self) -> Square:
        """The square that the piece moves from."""
        return self.move.from_square

    @property
    def target(self) -> Square:
        """The square that the piece moves to."""
        return self.move.to_square

    @property
    def check(self) -> bool:
        """Whether the move gives check."""
        return self.after.check

    @property
    def mates(self) -> bool:
        """Whether the move mates."""
        return self.after.mate

    @property
    def quiet(self) -> bool:
        """Whether the move neither captures, checks nor promotes."""
        return self.captured is None and self.move.promotion is None and not self.check


class Replay:
    """A solution from its position to its end; the solver moves first. Moves must be legal.

    `capture_before` is the capture by the opponent's last move, None if there was none or it is not known.
    """

    def __init__(
        self, position: chess.Board, moves: Sequence[chess.Move], capture_before: Capture | None = None
    ) -> None:
        self.capture_before = capture_before
        self.solver = position.turn
        self.start = before = AttackMap(position.copy(stack=False))
        self.plies: list[Ply] = []
        for number, move in enumerate(moves):
            self.plies.append(Ply.of(number, before, move))
            before = self.plies[-1].after
        self.end = before

    @property
    def solver_plies(self) -> list[Ply]:
        """The solver's plies."""
        return self.plies[::2]

    def at(self, number: int) -> Ply | None:
        """Return the ply with this number, None beyond the end."""
        return self.plies[number] if number < len(self.plies) else None

    def pairs(self) -> list[tuple[Ply, Ply, Ply]]:
        """Return each move of the solver with the reply and the solver's next move."""
        return list(zip(self.plies[::2], self.plies[1::2], self.plies[2::2], strict=False))

    def takes_next(self, ply: Ply, square: Square) -> bool:
        """Return whether the solver's next move takes the piece that is on a square after a ply."""
        reply, follow_up = self.at(ply.number + 1), self.at(ply.number + 2)
        if reply is None or follow_up is None or follow_up.captured is None:
            return False
        return follow_up.target == (reply.target if reply.origin == square else square)

    def recapture_square(self, number: int) -> Square | None:
        """Return the square on which the ply before this one captured, None if it did not capture."""
        if number == 0:
            return self.capture_before.square if self.capture_before else None
        before = self.plies[number - 1]
        return before.target if before.captured else None

    @property
    def mates(self) -> bool:
        """Whether the solution ends in mate."""
        return self.end.mate


class Motif(NamedTuple):
    """A motif: its name, the ply (from 0) that shows it, the pieces that take part, and the square.

    `by` is a piece of the solver, `to` has pieces of the opponent, unless the rule says otherwise. A motif
    that is not `notable` is only used to find similar puzzles, and gives no tag. A motif that does not
    `explain` why a line wins gives no tag to a line that is not forced.
    """

    name: str
    ply: int
    by: PieceType
    to: tuple[PieceType, ...] = ()
    square: Square | None = None
    notable: bool = True
    explains: bool = True


# A rule yields every motif of one kind, or of a few kinds, in a solution.
Rule = Callable[[Replay], Iterator[Motif]]


def back_rank(color: Color) -> Bitboard:
    """Return the squares of a side's back rank."""
    return chess.BB_RANK_1 if color == chess.WHITE else chess.BB_RANK_8
