"""The five families of a position's terms, and the feature sets made of them.

Each family is a field of the index. A feature set gives a weight to each family that a search uses. The terms
are those of `terms.static`. For the positions of a game, a move updates only the terms of the pieces that it
affects, which takes a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import chess
from chess import Bitboard, Board, Square

from motifsearch.terms.static import REACH, empty_board_lines, position_terms, pushes
from puzzlegen.motifs.replay import AttackMap


class Family(StrEnum):
    """A kind of terms; its value is the name of its field."""

    PLACED = "placed"
    REACH = "reach"
    ATTACK = "attack"
    DEFENCE = "defence"
    XRAY = "xray"


class Pieces(StrEnum):
    """Which pieces a search compares: all of them by a feature set, or the pawn structure alone."""

    ALL = "all"
    PAWNS = "pawns"


# The field of the pawns' placements. Its length is the number of pawns, so that BM25 ranks the same structure
# before one with further pawns.
PAWN_FIELD = "pawns"


class FeatureSet(StrEnum):
    """The seven runs of Ganguly, Leveling & Jones, SIGIR 2014, under their names there, and our own."""

    TRUE_POS = "TruePos"
    RCHBLE_POS = "RchblePos"
    ATTK = "Attk"
    DFNS = "Dfns"
    RAY_ATTK = "RayAttk"
    COMB_NO_RAY = "CombNoRay"
    COMB_ALL = "CombAll"
    DEFAULT = "Default"


def _equal(*families: Family) -> Mapping[Family, float]:
    return dict.fromkeys(families, 1.0)


# "Pos. Wt." in Table 2 of the paper: placements, and reach terms with their weights.
_WEIGHTED_POSITIONS = (Family.PLACED, Family.REACH)

# The weight of each family in a feature set; families that are not listed are not used. The published feature
# sets are those of Table 2.
WEIGHTS: dict[FeatureSet, Mapping[Family, float]] = {
    FeatureSet.TRUE_POS: _equal(Family.PLACED),
    FeatureSet.RCHBLE_POS: _equal(*_WEIGHTED_POSITIONS),
    FeatureSet.ATTK: _equal(*_WEIGHTED_POSITIONS, Family.ATTACK),
    FeatureSet.DFNS: _equal(*_WEIGHTED_POSITIONS, Family.DEFENCE),
    FeatureSet.RAY_ATTK: _equal(*_WEIGHTED_POSITIONS, Family.XRAY),
    FeatureSet.COMB_NO_RAY: _equal(*_WEIGHTED_POSITIONS, Family.ATTACK, Family.DEFENCE),
    FeatureSet.COMB_ALL: _equal(*Family),
    # For how these weights were chosen, see docs/how-it-works/positions.md.
    FeatureSet.DEFAULT: {Family.PLACED: 1.0, Family.REACH: 0.7, Family.DEFENCE: 0.1, Family.XRAY: 0.2},
}

_BY_MARK = {">": Family.ATTACK, "<": Family.DEFENCE, "=": Family.XRAY}

_BLANK = [chess.square_name(square) + " " for square in chess.SQUARES]
_REACH = {piece: [word + " " for word in words] for piece, words in REACH.items()}
# The squares in front of a pawn that decide whether it can be pushed.
_PUSHES = {
    (letter, square): pushes(Board(None), square, letter == "P") for letter, square in REACH if letter in "Pp"
}
_LINES = {(letter, square): empty_board_lines(letter, square) for letter, square in REACH}


def query_families(board: Board) -> dict[Family, list[str]]:
    """Return the terms of a query by family. Only documents have reach terms, which placements match."""
    families: dict[Family, list[str]] = {family: [] for family in Family}
    for term in position_terms(AttackMap(board)):
        families[_BY_MARK.get(term[1], Family.PLACED)].append(term)
    return families


def pawn_terms(placements: Iterable[str]) -> list[str]:
    """Return the placements of pawns."""
    return [placement for placement in placements if placement[0] in "Pp"]


class _Piece:
    """A piece's terms by family, and the squares on which `_update_near` and `_update_far` depend."""

    __slots__ = ("far", "letter", "name", "near", "terms")

    def __init__(self, letter: str, square: Square) -> None:
        self.letter = letter
        self.name = letter + _BLANK[square]
        # At first, a piece depends on every square, so that the first update makes all its terms.
        self.near = self.far = chess.BB_ALL
        self.terms = [self.name, "", "", "", ""]


class GameTerms:
    """The terms of a board that changes from move to move."""

    def __init__(self) -> None:
        self._before: tuple[Bitboard, ...] = (chess.BB_EMPTY,) * 8
        self._pieces: dict[Square, _Piece] = {}

    def families(self, board: Board) -> list[str]:
        """Return the terms of a board: a text for each `Family`, in the order of its members.

        Any board will do, but the fewer squares differ from the last board, the faster this is.
        """
        changed = self._changed(board)
        pieces = self._pieces
        for square in chess.scan_forward(changed):
            piece = board.piece_at(square)
            if piece is None:
                pieces.pop(square, None)
            else:
                pieces[square] = _Piece(piece.symbol(), square)
        for square, placed in pieces.items():
            if placed.near & changed:
                self._update_near(board, square, placed)
            if placed.far & changed:
                self._update_far(board, square, placed)
        return ["".join(family) for family in zip(*[placed.terms for placed in pieces.values()], strict=True)]

    def _changed(self, board: Board) -> Bitboard:
        """Return the squares whose contents differ from the last board."""
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        kinds = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
        now = (*kinds, white, black)
        changed = chess.BB_EMPTY
        for old, new in zip(self._before, now, strict=True):
            changed |= old ^ new
        self._before = now
        return changed

    def _update_near(self, board: Board, square: Square, piece: _Piece) -> None:
        """Update the reach, attack and defence terms of a piece, which depend on the squares that it sees."""
        letter, pieces = piece.letter, self._pieces
        color = letter < "a"
        own, enemies = board.occupied_co[color], board.occupied_co[not color]
        seen = board.attacks_mask(square)
        reached = pushes(board, square, color) if letter in "Pp" else seen & ~board.occupied
        words = _REACH[letter, square]
        piece.near = seen | _PUSHES.get((letter, square), chess.BB_EMPTY)
        piece.terms[1:4] = (
            "".join([words[target] for target in chess.scan_forward(reached)]),
            "".join([f"{letter}>{pieces[other].name}" for other in chess.scan_forward(seen & enemies)]),
            "".join([f"{letter}<{pieces[other].name}" for other in chess.scan_forward(seen & own)]),
        )

    def _update_far(self, board: Board, square: Square, piece: _Piece) -> None:
        """Update the x-ray terms of a piece, which depend on its lines on an empty board."""
        letter, pieces = piece.letter, self._pieces
        piece.far = _LINES[letter, square]
        behind = piece.far & board.occupied_co[letter > "Z"]
        piece.terms[4] = "".join([f"{letter}={pieces[other].name}" for other in chess.scan_forward(behind)])
