"""Terms of a position: where pieces are, where they can go, and what they attack, defend and x-ray.

The terms are those of Ganguly, Leveling & Jones, SIGIR 2014. The examples in the paper are in the tests.
Upper-case letters are White's pieces, lower-case letters Black's. The side to move, pins and checks do not
matter.

    Ra1       piece on a square
    Qf2|0.89  piece that can move to an empty square, weighted by the distance
    b>Nc3     piece attacks an enemy piece
    Q<Pe4     piece defends a piece of its own side
    R=qd8     rook, bishop or queen has an enemy piece on one of its lines, whatever is in between

Terms of the pawn structure, with lower-case letters for Black's pawns, are:

    Ig2     isolated: no pawn of its side on an adjacent file
    Lc2     backward: not isolated, no pawn of its side beside or behind it on an adjacent file, and its
            stop square attacked by an enemy pawn or no enemy pawn ahead of it on its file
    Sg2-g3  doubled: a pawn and the next one of its side on the file, the lower rank first
    P(2)    number of pawn islands (p(3): Black's), groups of adjacent files with pawns
    Ae5     passed: no enemy pawn ahead of it on its own file or an adjacent one
    Te5     protected passed, in addition to passed: defended by a pawn
    Hd4-e5  chain: a pawn that defends another one, the defender first

The letters `I`, `L`, `S` and `P` are those of Bizjak & Guid, ACG 2021. Their other letters are not published;
`A`, `T` and `H` were chosen here. Figure 2 of that paper has neither chains nor x-rays of direct attacks.

Terms and moves can have their colours reversed: White and Black are exchanged, and the board is mirrored
vertically, as by `chess.Board.mirror`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import chess
from chess import Square

from puzzlegen.motifs.replay import AttackMap

# The weight of a reach term falls by this much with each square of Chebyshev distance (Ganguly et al.).
LOSS_PER_SQUARE = 7 / 64

_MARK = "|"
_WEIGHTS = {distance: f"{1 - LOSS_PER_SQUARE * distance:.2f}" for distance in range(8)}
_HOME_RANK = {chess.WHITE: 1, chess.BLACK: 6}

# The reach terms of a piece, given its letter and square: one for each target square.
REACH: dict[tuple[str, Square], list[str]] = {
    (letter, square): [
        f"{letter}{chess.SQUARE_NAMES[target]}{_MARK}{_WEIGHTS[chess.square_distance(square, target)]}"
        for target in chess.SQUARES
    ]
    for letter in "PNBRQKpnbrqk"
    for square in chess.SQUARES
}


def position_terms(attack_map: AttackMap, direct_rays: bool = True) -> list[str]:
    """Return the terms that queries and documents both have: pieces, attacks, defences, x-rays.

    Kings attack, defend and are attacked like other pieces. With `direct_rays`, a direct attack is also an
    x-ray: a queen that attacks a rook gives `Q>ra8` and `Q=ra8`.
    """
    board = attack_map.board
    named = {square: f"{symbol}{chess.SQUARE_NAMES[square]}" for square, symbol in attack_map.symbols.items()}
    white = board.occupied_co[chess.WHITE]
    placed, attacks, defences, lines = [], [], [], []
    for square, seen in attack_map.attacks.items():
        placed.append(named[square])
        letter = named[square][0]
        color = bool(white >> square & 1)
        enemies = board.occupied_co[not color]
        for other in chess.scan_forward(seen & enemies):
            attacks.append(f"{letter}>{named[other]}")
        for other in chess.scan_forward(seen & board.occupied_co[color]):
            defences.append(f"{letter}<{named[other]}")
        if letter in "BRQbrq":
            rays = empty_board_lines(letter, square) & enemies
            for other in chess.scan_forward(rays if direct_rays else rays & ~seen):
                lines.append(f"{letter}={named[other]}")
    return placed + attacks + defences + lines


def reach_terms(attack_map: AttackMap) -> list[str]:
    """Return a term with a weight for every empty square that a piece can move to.

    Pawns are pushed, from their initial rank up to two squares. Captures do not count, since attacks have
    other terms (Ganguly et al., equation 1 and footnote 4).
    """
    board, terms = attack_map.board, []
    for square, seen in attack_map.attacks.items():
        symbol = attack_map.symbols[square]
        is_pawn = symbol in "Pp"
        targets = pushes(board, square, symbol == "P") if is_pawn else seen & ~board.occupied
        reach = REACH[symbol, square]
        terms += [reach[target] for target in chess.scan_forward(targets)]
    return terms


def is_reach(term: str) -> bool:
    """Return whether a term is one of `reach_terms`."""
    return _MARK in term


def is_placement(term: str) -> bool:
    """Return whether a term of `position_terms` is a piece on a square."""
    return len(term) == 3


def reach_variants(placement: str) -> dict[str, float]:
    """Return all reach terms of a placement such as `Qf2`, one for each distance, with their weights."""
    return {f"{placement}{_MARK}{weight}": float(weight) for weight in list(_WEIGHTS.values())[1:]}


def empty_board_lines(letter: str, square: Square) -> chess.Bitboard:
    """Return what a bishop, rook or queen would see on an empty board; nothing for other pieces."""
    lines = chess.BB_EMPTY
    if letter in "BQbq":
        lines |= chess.BB_DIAG_ATTACKS[square][0]
    if letter in "RQrq":
        lines |= chess.BB_FILE_ATTACKS[square][0] | chess.BB_RANK_ATTACKS[square][0]
    return lines


def pushes(board: chess.Board, square: chess.Square, color: chess.Color) -> chess.Bitboard:
    """Return the squares to which a pawn on `square` can be pushed."""
    step = 8 if color == chess.WHITE else -8
    targets = chess.BB_EMPTY
    for distance in (1, 2) if chess.square_rank(square) == _HOME_RANK[color] else (1,):
        target = square + step * distance
        # A pawn on its last rank is illegal, but must not cause an error.
        if not 0 <= target < 64 or board.occupied & chess.BB_SQUARES[target]:
            break
        targets |= chess.BB_SQUARES[target]
    return targets


def pawn_terms(board: chess.Board, chains: bool = True) -> list[str]:
    """Return the terms of both sides' pawns, White's first, with or without `chains`."""
    return [*_side_terms(board, chess.WHITE, chains), *_side_terms(board, chess.BLACK, chains)]


def _side_terms(board: chess.Board, color: chess.Color, chains: bool) -> Iterator[str]:
    own = board.pieces_mask(chess.PAWN, color)
    enemy = board.pieces_mask(chess.PAWN, not color)
    enemy_attacks = _attacked_by_pawns(enemy, not color)
    pushed = chess.shift_up if color == chess.WHITE else chess.shift_down

    def letter(upper: str) -> str:
        return upper if color == chess.WHITE else upper.lower()

    yield f"{letter('P')}({_islands(own)})"
    for square in chess.scan_forward(own):
        name = chess.SQUARE_NAMES[square]
        file = chess.BB_FILES[chess.square_file(square)]
        beside = chess.shift_left(file) | chess.shift_right(file)
        ahead = _ranks_ahead(square, color)
        defenders = chess.BB_PAWN_ATTACKS[not color][square] & own

        if not own & beside:
            yield letter("I") + name
        elif not own & beside & ~ahead and (
            pushed(chess.BB_SQUARES[square]) & enemy_attacks or not enemy & file & ahead
        ):
            yield letter("L") + name
        if not enemy & ahead & (beside | file):
            yield letter("A") + name
            if defenders:
                yield letter("T") + name
        for defender in chess.scan_forward(defenders if chains else chess.BB_EMPTY):
            yield f"{letter('H')}{chess.SQUARE_NAMES[defender]}-{name}"
        above = own & file & _ranks_ahead(square, chess.WHITE)
        if above:
            yield f"{letter('S')}{name}-{chess.SQUARE_NAMES[chess.lsb(above)]}"


def _islands(pawns: chess.Bitboard) -> int:
    files = [bool(pawns & file) for file in chess.BB_FILES]
    return sum(here and not before for before, here in zip([False, *files], files, strict=False))


@cache
def _ranks_ahead(square: chess.Square, color: chess.Color) -> chess.Bitboard:
    rank = chess.square_rank(square)
    ranks = range(rank + 1, 8) if color == chess.WHITE else range(rank)
    return sum(chess.BB_RANKS[other] for other in ranks)


def _attacked_by_pawns(pawns: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    if color == chess.WHITE:
        return chess.shift_up_left(pawns) | chess.shift_up_right(pawns)
    return chess.shift_down_left(pawns) | chess.shift_down_right(pawns)


def reversed_term(term: str) -> str:
    """Return a term of `terms.static` with colours reversed: `b>Nc3` becomes `B>nc6`."""
    name, mark, weight = term.partition("|")
    pieces, file, rank = name[:-2], name[-2], int(name[-1])
    return f"{pieces.swapcase()}{file}{9 - rank}{mark}{weight}"
