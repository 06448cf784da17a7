"""Mates that have a name, recognised by the final position alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess
from chess import Bitboard, Color, PieceType, Square

from puzzlegen.motifs.motif import Motif
from puzzlegen.motifs.replay import AttackMap, Replay

_CORNERS = chess.BB_CORNERS
_EDGE = chess.BB_FILE_A | chess.BB_FILE_H | chess.BB_RANK_1 | chess.BB_RANK_8


@dataclass(frozen=True, slots=True)
class Mate:
    """A mated king, what checks it and what surrounds it.

    `around` are the squares next to the king, `blocked` those of them that its own pieces occupy, `checkers`
    the squares of the checking pieces.
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
        """Return the squares of the winner's pieces of some kinds that defend a square."""
        found = self.attack_map.attackers(not self.loser, square)
        return [at for at in found if self.attack_map.kind(at) in kinds]

    def pieces(self, kind: PieceType) -> list[Square]:
        """Return the squares of the winner's pieces of a kind."""
        return list(self.attack_map.board.pieces(kind, not self.loser))

    def holds_line(self, square: Square) -> bool:
        """Tell whether the piece covers squares next to the king along the file or rank beside it."""
        lines = chess.BB_FILE_ATTACKS[square][0] | chess.BB_RANK_ATTACKS[square][0]
        taken = self.attack_map.attacks[square] & lines & self.around & ~self.blocked
        return _offset(square, self.king)[0] == 1 and bool(taken)

    @property
    def in_corner(self) -> bool:
        """Whether the king is in a corner."""
        return bool(_CORNERS & chess.BB_SQUARES[self.king])

    @property
    def on_edge(self) -> bool:
        """Whether the king is on the edge of the board."""
        return bool(_EDGE & chess.BB_SQUARES[self.king])


def _offset(one: Square, other: Square) -> tuple[int, int]:
    """Return by how many files and ranks two squares differ, the larger number last."""
    files = abs(chess.square_file(one) - chess.square_file(other))
    ranks = abs(chess.square_rank(one) - chess.square_rank(other))
    return min(files, ranks), max(files, ranks)


def is_smothered(mate: Mate) -> bool:
    """Tell whether a knight mates a king that its own pieces leave no square at all."""
    return mate.checker(chess.KNIGHT) is not None and mate.blocked == mate.around


def is_back_rank(mate: Mate) -> bool:
    """Tell whether rook or queen mates along the home rank a king shut in by its own pieces."""
    home = 0 if mate.loser == chess.WHITE else 7
    at = mate.checker(chess.ROOK, chess.QUEEN)
    if at is None or chess.square_rank(mate.king) != home or chess.square_rank(at) != home:
        return False
    front = mate.around & chess.BB_RANKS[1 if home == 0 else 6]
    return chess.popcount(front & mate.blocked) * 2 >= chess.popcount(front) and bool(front & mate.blocked)


def is_arabian(mate: Mate) -> bool:
    """Tell whether a rook next to a cornered king mates, defended by a knight that covers the last square."""
    at = mate.checker(chess.ROOK)
    if at is None or not mate.in_corner or _offset(at, mate.king) != (0, 1):
        return False
    return any(_offset(knight, mate.king) == (2, 2) for knight in mate.defenders(at, chess.KNIGHT))


def is_anastasia(mate: Mate) -> bool:
    """Tell whether rook or queen mates along the edge, while a knight covers the squares beside the king."""
    at = mate.checker(chess.ROOK, chess.QUEEN)
    if at is None or mate.in_corner or not mate.on_edge:
        return False
    files = chess.square_file(mate.king), chess.square_file(at)
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


def is_hook(mate: Mate) -> bool:
    """Tell whether a rook next to the king mates, defended by a knight that a pawn defends."""
    at = mate.checker(chess.ROOK)
    if at is None or _offset(at, mate.king) != (0, 1):
        return False
    return any(
        mate.defenders(knight, chess.PAWN) and chess.square_distance(knight, mate.king) == 1
        for knight in mate.defenders(at, chess.KNIGHT)
    )


def _bishops_cross(mate: Mate) -> bool | None:
    """Tell whether a second bishop covers squares across the check; None where bishops do not mate alone."""
    at = mate.checker(chess.BISHOP)
    if at is None:
        return None
    free = mate.around & ~mate.blocked & ~chess.BB_DIAG_ATTACKS[at][0]
    rising = [
        (to, _rises(bishop, to))
        for bishop in mate.pieces(chess.BISHOP)
        for to in chess.scan_forward(mate.attack_map.attacks[bishop] & free)
    ]
    if not rising or free & ~chess.SquareSet(to for to, _ in rising).mask:
        return None
    return any(rises != _rises(at, mate.king) for _, rises in rising)


def _rises(one: Square, other: Square) -> bool:
    """Tell whether the diagonal of two squares runs in the direction from a1 to h8."""
    return (chess.square_file(one) < chess.square_file(other)) == (one < other)


def is_boden(mate: Mate) -> bool:
    """Tell whether two bishops mate on diagonals that cross."""
    return _bishops_cross(mate) is True


def is_double_bishop(mate: Mate) -> bool:
    """Tell whether two bishops mate on diagonals next to each other."""
    return _bishops_cross(mate) is False


def is_dovetail(mate: Mate) -> bool:
    """Tell whether a queen diagonally next to the king mates, its own pieces on the two squares left."""
    at = mate.checker(chess.QUEEN)
    if at is None or mate.on_edge or _offset(at, mate.king) != (1, 1):
        return False
    return _own_pieces_behind(mate, at)


def _own_pieces_behind(mate: Mate, queen: Square) -> bool:
    """Tell whether the king's own pieces are on the two squares that a queen next to it leaves."""
    left = mate.around & ~mate.attack_map.attacks[queen] & ~chess.ray(queen, mate.king)
    return chess.popcount(left) == 2 and left & mate.blocked == left


def is_epaulette(mate: Mate) -> bool:
    """Tell whether a queen mates in front of a king with its own pieces on both shoulders."""
    at = mate.checker(chess.QUEEN)
    if at is None or not mate.on_edge or _offset(at, mate.king)[0] != 0:
        return False
    file, rank = chess.square_file(mate.king), chess.square_rank(mate.king)
    line = chess.BB_RANKS[rank] if chess.square_file(at) == file else chess.BB_FILES[file]
    shoulders = mate.around & line
    return chess.popcount(shoulders) == 2 and shoulders & mate.blocked == shoulders


def is_swallowtail(mate: Mate) -> bool:
    """Tell whether a queen straight next to the king mates, its own pieces on the squares behind."""
    at = mate.checker(chess.QUEEN)
    return at is not None and _offset(at, mate.king) == (0, 1) and _own_pieces_behind(mate, at)


def is_opera(mate: Mate) -> bool:
    """Tell whether a rook next to a king on its home rank mates, defended by a bishop."""
    home = 0 if mate.loser == chess.WHITE else 7
    at = mate.checker(chess.ROOK)
    if at is None or chess.square_rank(mate.king) != home or chess.square_rank(at) != home:
        return False
    return _offset(at, mate.king) == (0, 1) and bool(mate.defenders(at, chess.BISHOP)) and not mate.in_corner


def is_pillsbury(mate: Mate) -> bool:
    """Tell whether a rook mates along the file a king next to the corner, which a bishop covers."""
    at = mate.checker(chess.ROOK)
    file = chess.square_file(mate.king)
    if at is None or not mate.on_edge or chess.square_file(at) != file:
        return False
    corners = _CORNERS & mate.around & ~chess.BB_FILES[file]
    return bool(
        corners and any(mate.defenders(corner, chess.BISHOP) for corner in chess.scan_forward(corners))
    )


def is_morphy(mate: Mate) -> bool:
    """Tell whether a bishop mates a cornered king that a rook shuts in along the next file or rank."""
    at = mate.checker(chess.BISHOP)
    if at is None or not mate.in_corner:
        return False
    return any(
        chess.square_distance(mate.king, rook) > 1 and mate.holds_line(rook)
        for rook in mate.pieces(chess.ROOK)
    )


def is_kill_box(mate: Mate) -> bool:
    """Tell whether rook and queen, which defends it, mate from the corners of a box of 3 × 3 squares."""
    at = mate.checker(chess.ROOK)
    if at is None or chess.square_distance(at, mate.king) > 2:
        return False
    queens = mate.defenders(at, chess.QUEEN)
    return any(
        _offset(queen, at) == (2, 2) and chess.square_distance(queen, mate.king) <= 2 for queen in queens
    )


def is_vukovic(mate: Mate) -> bool:
    """Tell whether a rook before a king on the edge mates, a knight right behind the rook."""
    at = mate.checker(chess.ROOK)
    if at is None or not mate.on_edge or mate.in_corner or _EDGE & chess.BB_SQUARES[at]:
        return False
    return any(
        chess.between(knight, mate.king) == chess.BB_SQUARES[at] for knight in mate.pieces(chess.KNIGHT)
    )


def is_blind_swine(mate: Mate) -> bool:
    """Tell whether two rooks on the seventh rank mate a king on the eighth."""
    home = 0 if mate.loser == chess.WHITE else 7
    seventh = 1 if home == 0 else 6
    at = mate.checker(chess.ROOK)
    rooks = [rook for rook in mate.pieces(chess.ROOK) if chess.square_rank(rook) == seventh]
    return at is not None and at in rooks and len(rooks) > 1 and chess.square_rank(mate.king) == home


def is_corner(mate: Mate) -> bool:
    """Tell whether a knight mates a cornered king, while a rook or queen holds the file or rank beside it."""
    at = mate.checker(chess.KNIGHT)
    if at is None or not mate.in_corner or mate.blocked == mate.around:
        return False
    return any(mate.holds_line(piece) for kind in (chess.ROOK, chess.QUEEN) for piece in mate.pieces(kind))


# Names as on Lichess. A mate may have several.
PATTERNS: dict[str, Callable[[Mate], bool]] = {
    "smotheredMate": is_smothered,
    "backRankMate": is_back_rank,
    "arabianMate": is_arabian,
    "anastasiaMate": is_anastasia,
    "hookMate": is_hook,
    "bodenMate": is_boden,
    "doubleBishopMate": is_double_bishop,
    "dovetailMate": is_dovetail,
    "epauletteMate": is_epaulette,
    "swallowstailMate": is_swallowtail,
    "operaMate": is_opera,
    "pillsburysMate": is_pillsbury,
    "morphysMate": is_morphy,
    "killBoxMate": is_kill_box,
    "vukovicMate": is_vukovic,
    "blindSwineMate": is_blind_swine,
    "cornerMate": is_corner,
}


def named_mates(replay: Replay) -> Iterator[Motif]:
    """Find the patterns that the final position shows, if it is mate."""
    if not replay.mates:
        return
    mate = Mate.of(replay.end)
    last = replay.plies[-1]
    for name, shows in PATTERNS.items():
        if shows(mate):
            yield Motif(name, last.number, replay.end.kind(mate.checkers[0]), (), mate.king)
