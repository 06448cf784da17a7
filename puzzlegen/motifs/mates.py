"""Named mates, recognised by the final position alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess
from chess import Bitboard, Color, PieceType, Square

from puzzlegen.motifs.replay import AttackMap, Motif, Replay, rule

_EDGE = chess.BB_FILE_A | chess.BB_FILE_H | chess.BB_BACKRANKS


@dataclass(frozen=True, slots=True)
class Mate:
    """A mated king with its surroundings.

    `around` has the squares next to the king, `blocked` those of them that its own pieces occupy, and
    `checkers` the squares of the checking pieces.
    """

    attack_map: AttackMap
    king: Square
    loser: Color
    checkers: tuple[Square, ...]
    around: Bitboard
    blocked: Bitboard

    @classmethod
    def of(cls, attack_map: AttackMap) -> Mate:
        """Return the mate on the board; the side to move must be mated."""
        board = attack_map.board
        king = attack_map.king(board.turn)
        around = chess.BB_KING_ATTACKS[king]
        return cls(
            attack_map,
            king,
            board.turn,
            tuple(chess.scan_forward(board.checkers_mask())),
            around,
            around & board.occupied_co[board.turn],
        )

    def checker(self, *kinds: PieceType) -> Square | None:
        """Return the square of the only checking piece, if it is of one of these kinds."""
        if len(self.checkers) == 1 and self.attack_map.kind(self.checkers[0]) in kinds:
            return self.checkers[0]
        return None

    def defenders(self, square: Square, *kinds: PieceType) -> list[Square]:
        """Return the squares of the winner's pieces of these kinds that defend a square."""
        defenders = self.attack_map.attackers(not self.loser, square)
        return [defender for defender in defenders if self.attack_map.kind(defender) in kinds]

    def pieces(self, kind: PieceType) -> list[Square]:
        """Return the squares of the winner's pieces of a kind."""
        return list(self.attack_map.board.pieces(kind, not self.loser))

    def covers_line(self, square: Square) -> bool:
        """Return whether the piece covers squares next to the king along the file or rank beside it."""
        lines = chess.BB_FILE_ATTACKS[square][0] | chess.BB_RANK_ATTACKS[square][0]
        covered = self.attack_map.attacks[square] & lines & self.around & ~self.blocked
        return _offset(square, self.king)[0] == 1 and bool(covered)

    @property
    def home_rank(self) -> int:
        """The king's back rank: 0 for White, 7 for Black."""
        return 0 if self.loser == chess.WHITE else 7

    @property
    def second_rank(self) -> int:
        """The rank in front of the back rank: 1 for White, 6 for Black."""
        return 1 if self.loser == chess.WHITE else 6

    @property
    def in_corner(self) -> bool:
        """Whether the king is in a corner."""
        return bool(chess.BB_CORNERS & chess.BB_SQUARES[self.king])

    @property
    def on_edge(self) -> bool:
        """Whether the king is on the edge of the board."""
        return bool(_EDGE & chess.BB_SQUARES[self.king])


def _offset(one: Square, other: Square) -> tuple[int, int]:
    """Return by how many files and ranks two squares differ, the smaller number first."""
    files = abs(chess.square_file(one) - chess.square_file(other))
    ranks = abs(chess.square_rank(one) - chess.square_rank(other))
    return min(files, ranks), max(files, ranks)


@dataclass(frozen=True, slots=True)
class MatePattern:
    """A mate that has a name: its definition, and the function that says whether a mate `shows` it."""

    definition: str
    shows: Callable[[Mate], bool]


# Names as on Lichess. A mate may have several.
PATTERNS: dict[str, MatePattern] = {}


def _pattern(name: str, definition: str) -> Callable[[Callable[[Mate], bool]], Callable[[Mate], bool]]:
    """Return a decorator that adds a pattern to `PATTERNS`."""

    def add(shows: Callable[[Mate], bool]) -> Callable[[Mate], bool]:
        PATTERNS[name] = MatePattern(definition, shows)
        return shows

    return add


@_pattern("smotheredMate", "A knight mates a king that is completely surrounded by its own pieces.")
def _is_smothered(mate: Mate) -> bool:
    return mate.checker(chess.KNIGHT) is not None and mate.blocked == mate.around


@_pattern(
    "backRankMate",
    "A rook or queen mates along the back rank. The king's own pieces occupy every square in front "
    "of it, and none of them is attacked.",
)
def _is_back_rank(mate: Mate) -> bool:
    home = mate.home_rank
    checker = mate.checker(chess.ROOK, chess.QUEEN)
    if checker is None or chess.square_rank(mate.king) != home or chess.square_rank(checker) != home:
        return False
    front = mate.around & chess.BB_RANKS[mate.second_rank]
    return chess.popcount(front & mate.blocked) * 2 >= chess.popcount(front) and bool(front & mate.blocked)


@_pattern("arabianMate", "A rook next to a cornered king mates, defended by a knight on the king's diagonal.")
def _is_arabian(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    if checker is None or not mate.in_corner or _offset(checker, mate.king) != (0, 1):
        return False
    return any(_offset(knight, mate.king) == (2, 2) for knight in mate.defenders(checker, chess.KNIGHT))


@_pattern(
    "anastasiaMate",
    "A rook or queen mates along an edge file, and a knight covers squares beside the king.",
)
def _is_anastasia(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK, chess.QUEEN)
    if checker is None or mate.in_corner or not mate.on_edge:
        return False
    files = chess.square_file(mate.king), chess.square_file(checker)
    if files[0] != files[1] or files[0] not in (0, 7):
        return False
    inside = 1 if files[0] == 0 else 6
    beside = mate.around & chess.BB_FILES[inside]
    if not beside & mate.blocked:
        return False
    return any(
        chess.popcount(mate.attack_map.attacks[knight] & beside) == 2
        and chess.square_rank(knight) == chess.square_rank(mate.king)
        for knight in mate.pieces(chess.KNIGHT)
    )


@_pattern("hookMate", "A rook next to the king mates, defended by a knight that a pawn defends.")
def _is_hook(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    if checker is None or _offset(checker, mate.king) != (0, 1):
        return False
    return any(
        mate.defenders(knight, chess.PAWN) and chess.square_distance(knight, mate.king) == 1
        for knight in mate.defenders(checker, chess.KNIGHT)
    )


def _bishops_cross(mate: Mate) -> bool | None:
    """Return whether two bishops mate on crossing diagonals; None if they do not mate by themselves."""
    checker = mate.checker(chess.BISHOP)
    if checker is None:
        return None
    free = mate.around & ~mate.blocked & ~chess.BB_DIAG_ATTACKS[checker][0]
    rising = [
        (to, _rises(bishop, to))
        for bishop in mate.pieces(chess.BISHOP)
        for to in chess.scan_forward(mate.attack_map.attacks[bishop] & free)
    ]
    if not rising or free & ~chess.SquareSet(to for to, _ in rising).mask:
        return None
    return any(rises != _rises(checker, mate.king) for _, rises in rising)


def _rises(one: Square, other: Square) -> bool:
    """Return whether the diagonal through two squares runs in the direction of a1–h8."""
    return (chess.square_file(one) < chess.square_file(other)) == (one < other)


@_pattern("bodenMate", "Two bishops mate on diagonals that cross.")
def _is_boden(mate: Mate) -> bool:
    return _bishops_cross(mate) is True


@_pattern("doubleBishopMate", "Two bishops mate on parallel diagonals.")
def _is_double_bishop(mate: Mate) -> bool:
    return _bishops_cross(mate) is False


@_pattern(
    "dovetailMate",
    "A queen diagonally next to the king mates, and the king's own pieces block the rest.",
)
def _is_dovetail(mate: Mate) -> bool:
    checker = mate.checker(chess.QUEEN)
    if checker is None or mate.on_edge or _offset(checker, mate.king) != (1, 1):
        return False
    return _own_pieces_behind(mate, checker)


def _own_pieces_behind(mate: Mate, queen: Square) -> bool:
    """Return whether a queen next to the king leaves it two squares, both occupied by its own pieces."""
    uncovered = mate.around & ~mate.attack_map.attacks[queen] & ~chess.ray(queen, mate.king)
    return chess.popcount(uncovered) == 2 and uncovered & mate.blocked == uncovered


@_pattern("epauletteMate", "A queen mates a king on the edge that has its own pieces on both sides.")
def _is_epaulette(mate: Mate) -> bool:
    checker = mate.checker(chess.QUEEN)
    if checker is None or not mate.on_edge or _offset(checker, mate.king)[0] != 0:
        return False
    file, rank = chess.square_file(mate.king), chess.square_rank(mate.king)
    line = chess.BB_RANKS[rank] if chess.square_file(checker) == file else chess.BB_FILES[file]
    shoulders = mate.around & line
    return chess.popcount(shoulders) == 2 and shoulders & mate.blocked == shoulders


@_pattern(
    "swallowstailMate",
    "A queen orthogonally next to the king mates, and the king's own pieces block the rest.",
)
def _is_swallowtail(mate: Mate) -> bool:
    checker = mate.checker(chess.QUEEN)
    return checker is not None and _offset(checker, mate.king) == (0, 1) and _own_pieces_behind(mate, checker)


@_pattern("operaMate", "A rook next to a king on its back rank mates, defended by a bishop.")
def _is_opera(mate: Mate) -> bool:
    home = mate.home_rank
    checker = mate.checker(chess.ROOK)
    if checker is None or chess.square_rank(mate.king) != home or chess.square_rank(checker) != home:
        return False
    is_defended = bool(mate.defenders(checker, chess.BISHOP))
    return is_defended and _offset(checker, mate.king) == (0, 1) and not mate.in_corner


@_pattern(
    "pillsburysMate",
    "A rook mates along the file of a king next to the corner, which a bishop covers.",
)
def _is_pillsbury(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    file = chess.square_file(mate.king)
    if checker is None or not mate.on_edge or chess.square_file(checker) != file:
        return False
    corners = chess.BB_CORNERS & mate.around & ~chess.BB_FILES[file]
    return bool(
        corners and any(mate.defenders(corner, chess.BISHOP) for corner in chess.scan_forward(corners))
    )


@_pattern("morphysMate", "A bishop mates a cornered king that a rook cuts off along the next file or rank.")
def _is_morphy(mate: Mate) -> bool:
    checker = mate.checker(chess.BISHOP)
    if checker is None or not mate.in_corner:
        return False
    return any(
        chess.square_distance(mate.king, rook) > 1 and mate.covers_line(rook)
        for rook in mate.pieces(chess.ROOK)
    )


@_pattern("killBoxMate", "A rook defended by a queen mates, both in corners of a 3 × 3 box around the king.")
def _is_kill_box(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    if checker is None or chess.square_distance(checker, mate.king) > 2:
        return False
    queens = mate.defenders(checker, chess.QUEEN)
    return any(
        _offset(queen, checker) == (2, 2) and chess.square_distance(queen, mate.king) <= 2 for queen in queens
    )


@_pattern("vukovicMate", "A rook mates a king on the edge, with a knight directly behind the rook.")
def _is_vukovic(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    if checker is None or not mate.on_edge or mate.in_corner or _EDGE & chess.BB_SQUARES[checker]:
        return False
    return any(
        chess.between(knight, mate.king) == chess.BB_SQUARES[checker] for knight in mate.pieces(chess.KNIGHT)
    )


@_pattern("blindSwineMate", "Two rooks on the seventh rank mate a king on the eighth.")
def _is_blind_swine(mate: Mate) -> bool:
    checker = mate.checker(chess.ROOK)
    rooks = [rook for rook in mate.pieces(chess.ROOK) if chess.square_rank(rook) == mate.second_rank]
    return checker in rooks and len(rooks) > 1 and chess.square_rank(mate.king) == mate.home_rank


@_pattern(
    "cornerMate",
    "A knight mates a cornered king, and a rook or queen covers the file or rank beside it.",
)
def _is_corner(mate: Mate) -> bool:
    checker = mate.checker(chess.KNIGHT)
    if checker is None or not mate.in_corner or mate.blocked == mate.around:
        return False
    return any(mate.covers_line(piece) for kind in (chess.ROOK, chess.QUEEN) for piece in mate.pieces(kind))


@rule()
def named_mates(replay: Replay) -> Iterator[Motif]:
    """Find the patterns that the final position shows, if it is mate. Their definitions are in `PATTERNS`."""
    if not replay.mates:
        return
    mate = Mate.of(replay.end)
    last = replay.plies[-1]
    for name, pattern in PATTERNS.items():
        if pattern.shows(mate):
            notable = name != "backRankMate" or _is_shut_in(mate)
            yield Motif(name, last.number, replay.end.kind(mate.checkers[0]), (), mate.king, notable)


def _is_shut_in(mate: Mate) -> bool:
    """Return whether its own pieces alone keep a king on the back rank: no square in front is attacked."""
    front = mate.around & chess.BB_RANKS[mate.second_rank]
    return front & ~mate.blocked == 0 and front & mate.attack_map.defended[not mate.loser] == 0
