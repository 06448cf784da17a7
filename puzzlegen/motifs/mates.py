"""Named mates, recognised by the final position alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess
from chess import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, PieceType, Square

from puzzlegen.motifs.replay import AttackMap, Motif, Replay

_EDGE = chess.BB_FILE_A | chess.BB_FILE_H | chess.BB_BACKRANKS


class Mate:
    """A mated king with its surroundings.

    `around` has the squares next to the king, `blocked` the occupied ones among them, with pieces of the
    king's own side, and `checkers` the squares of the checking pieces. `home_rank` is the back rank of the
    king's side (0 for White, 7 for Black), and `second_rank` the rank in front. `in_corner` and `on_edge` say
    where the king is.
    """

    def __init__(self, attack_map: AttackMap) -> None:
        """Describe the mate on the board; the side to move must be mated."""
        board = attack_map.board
        self.attack_map = attack_map
        self.loser = board.turn
        self.king = attack_map.king(board.turn)
        self.checkers = tuple(chess.scan_forward(board.checkers_mask()))
        self.around = chess.BB_KING_ATTACKS[self.king]
        self.blocked = self.around & board.occupied_co[board.turn]
        self.home_rank, self.second_rank = (0, 1) if self.loser == chess.WHITE else (7, 6)
        self.in_corner = bool(chess.BB_CORNERS & chess.BB_SQUARES[self.king])
        self.on_edge = bool(_EDGE & chess.BB_SQUARES[self.king])

    def defenders(self, square: Square, kind: PieceType) -> list[Square]:
        """Return the squares of the winner's pieces of a kind that defend a square."""
        defenders = self.attack_map.attackers(not self.loser, square)
        return [defender for defender in defenders if self.attack_map.kind(defender) == kind]

    def pieces(self, kind: PieceType) -> list[Square]:
        """Return the squares of the winner's pieces of a kind."""
        return list(self.attack_map.board.pieces(kind, not self.loser))

    def helpers(self) -> list[Square]:
        """Return the squares of the winner's other pieces that cover squares next to the king."""
        attacks, free = self.attack_map.attacks, self.around & ~self.blocked
        pieces = chess.scan_forward(self.attack_map.board.occupied_co[not self.loser])
        return [square for square in pieces if attacks[square] & free and square not in self.checkers]

    def covers_line(self, square: Square) -> bool:
        """Return whether a piece covers squares next to the king along the file or rank beside the king."""
        lines = chess.BB_FILE_ATTACKS[square][0] | chess.BB_RANK_ATTACKS[square][0]
        covered = self.attack_map.attacks[square] & lines & self.around & ~self.blocked
        return _offset(square, self.king)[0] == 1 and bool(covered)


def _offset(one: Square, other: Square) -> tuple[int, int]:
    """Return the differences of two squares in files and ranks, the smaller difference first."""
    files = abs(chess.square_file(one) - chess.square_file(other))
    ranks = abs(chess.square_rank(one) - chess.square_rank(other))
    return min(files, ranks), max(files, ranks)


# The condition of a pattern on a mate and on the square of the checking piece.
Condition = Callable[[Mate, Square], bool]


@dataclass(frozen=True, slots=True)
class MatePattern:
    """A mate with a name: the kinds of the only checking piece, and a further condition."""

    checkers: tuple[PieceType, ...]
    condition: Condition

    def shows(self, mate: Mate) -> bool:
        """Return whether a mate has this name."""
        checker, *others = mate.checkers
        is_given = not others and mate.attack_map.kind(checker) in self.checkers
        return is_given and self.condition(mate, checker)


# Names as on Lichess. A mate may have several.
PATTERNS: dict[str, MatePattern] = {}


def _pattern(name: str, *checkers: PieceType) -> Callable[[Condition], Condition]:
    """Return a decorator that adds a pattern to `PATTERNS`."""

    def add(condition: Condition) -> Condition:
        PATTERNS[name] = MatePattern(checkers, condition)
        return condition

    return add


@_pattern("smotheredMate", KNIGHT)
def _is_smothered(mate: Mate, checker: Square) -> bool:
    return mate.blocked == mate.around


@_pattern("backRankMate", ROOK, QUEEN)
def _is_back_rank(mate: Mate, checker: Square) -> bool:
    front = mate.around & chess.BB_RANKS[mate.second_rank]
    # Squares that are not attacked must be occupied, since the king is mated.
    is_shut_in = not front & mate.attack_map.defended[not mate.loser]
    return is_shut_in and chess.square_rank(mate.king) == chess.square_rank(checker) == mate.home_rank


@_pattern("arabianMate", ROOK)
def _is_arabian(mate: Mate, checker: Square) -> bool:
    if not mate.in_corner or _offset(checker, mate.king) != (0, 1):
        return False
    return any(_offset(knight, mate.king) == (2, 2) for knight in mate.defenders(checker, KNIGHT))


@_pattern("anastasiaMate", ROOK, QUEEN)
def _is_anastasia(mate: Mate, checker: Square) -> bool:
    file = chess.square_file(mate.king)
    if file not in (0, 7) or chess.square_file(checker) != file:
        return False
    beside = mate.around & ~chess.BB_FILES[file]
    return any(
        chess.popcount(mate.attack_map.attacks[knight] & beside) == 2 for knight in mate.pieces(KNIGHT)
    )


@_pattern("hookMate", ROOK)
def _is_hook(mate: Mate, checker: Square) -> bool:
    if _offset(checker, mate.king) != (0, 1):
        return False
    return any(
        mate.defenders(knight, PAWN) and chess.square_distance(knight, mate.king) == 1
        for knight in mate.defenders(checker, KNIGHT)
    )


def _bishops_cross(mate: Mate, checker: Square) -> bool | None:
    """Return whether two bishops mate on crossing diagonals; None if they do not mate alone."""
    free = mate.around & ~mate.blocked & ~chess.BB_DIAG_ATTACKS[checker][0]
    rising = [
        (to, _rises(bishop, to))
        for bishop in mate.pieces(BISHOP)
        for to in chess.scan_forward(mate.attack_map.attacks[bishop] & free)
    ]
    if not rising or free & ~chess.SquareSet(to for to, _ in rising).mask:
        return None
    return any(rises != _rises(checker, mate.king) for _, rises in rising)


def _rises(one: Square, other: Square) -> bool:
    """Return whether the diagonal through two squares runs in the direction of a1–h8."""
    return (chess.square_file(one) < chess.square_file(other)) == (one < other)


@_pattern("bodenMate", BISHOP)
def _is_boden(mate: Mate, checker: Square) -> bool:
    return _bishops_cross(mate, checker) is True


@_pattern("doubleBishopMate", BISHOP)
def _is_double_bishop(mate: Mate, checker: Square) -> bool:
    return _bishops_cross(mate, checker) is False


@_pattern("dovetailMate", QUEEN)
def _is_dovetail(mate: Mate, checker: Square) -> bool:
    if mate.on_edge or _offset(checker, mate.king) != (1, 1):
        return False
    return _own_pieces_behind(mate, checker)


def _own_pieces_behind(mate: Mate, queen: Square) -> bool:
    """Return whether a queen next to the king covers all but two squares, both with the king's own pieces."""
    uncovered = mate.around & ~mate.attack_map.attacks[queen] & ~chess.ray(queen, mate.king)
    return chess.popcount(uncovered) == 2 and uncovered & mate.blocked == uncovered


@_pattern("epauletteMate", QUEEN)
def _is_epaulette(mate: Mate, checker: Square) -> bool:
    if not mate.on_edge or _offset(checker, mate.king)[0] != 0:
        return False
    file, rank = chess.square_file(mate.king), chess.square_rank(mate.king)
    line = chess.BB_RANKS[rank] if chess.square_file(checker) == file else chess.BB_FILES[file]
    shoulders = mate.around & line
    return chess.popcount(shoulders) == 2 and shoulders & mate.blocked == shoulders


@_pattern("swallowstailMate", QUEEN)
def _is_swallowtail(mate: Mate, checker: Square) -> bool:
    return _offset(checker, mate.king) == (0, 1) and _own_pieces_behind(mate, checker)


@_pattern("operaMate", ROOK)
def _is_opera(mate: Mate, checker: Square) -> bool:
    return bool(mate.defenders(checker, BISHOP)) and _offset(checker, mate.king) == (0, 1)


@_pattern("pillsburysMate", ROOK)
def _is_pillsbury(mate: Mate, checker: Square) -> bool:
    file = chess.square_file(mate.king)
    corners = chess.scan_forward(chess.BB_CORNERS & mate.around & ~chess.BB_FILES[file])
    return chess.square_file(checker) == file and any(mate.defenders(at, BISHOP) for at in corners)


@_pattern("morphysMate", BISHOP)
def _is_morphy(mate: Mate, checker: Square) -> bool:
    return mate.in_corner and any(map(mate.covers_line, mate.pieces(ROOK)))


@_pattern("killBoxMate", ROOK)
def _is_kill_box(mate: Mate, checker: Square) -> bool:
    if chess.square_distance(checker, mate.king) > 2:
        return False
    return any(_offset(queen, checker) == (2, 2) for queen in mate.defenders(checker, QUEEN))


@_pattern("vukovicMate", ROOK)
def _is_vukovic(mate: Mate, checker: Square) -> bool:
    return mate.on_edge and any(
        chess.between(knight, mate.king) == chess.BB_SQUARES[checker] for knight in mate.pieces(KNIGHT)
    )


@_pattern("blindSwineMate", ROOK)
def _is_blind_swine(mate: Mate, checker: Square) -> bool:
    rooks = [rook for rook in mate.pieces(ROOK) if chess.square_rank(rook) == mate.second_rank]
    return checker in rooks and len(rooks) > 1 and chess.square_rank(mate.king) == mate.home_rank


@_pattern("cornerMate", KNIGHT)
def _is_corner(mate: Mate, checker: Square) -> bool:
    return mate.in_corner and any(map(mate.covers_line, mate.pieces(ROOK) + mate.pieces(QUEEN)))


def named_mates(replay: Replay) -> Iterator[Motif]:
    """Find the patterns that the final position shows, if it is mate."""
    if not replay.mates:
        return
    mate = Mate(replay.end)
    last, kind = replay.plies[-1], replay.end.kind(mate.checkers[0])
    for name, pattern in PATTERNS.items():
        if kind in pattern.checkers and pattern.shows(mate):
            yield Motif(name, last.number, kind, (), mate.king)
