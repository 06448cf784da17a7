"""Terms of the pawn structure; lower-case letters for Black's pawns.

    Ig2     isolated: no pawn of its side on an adjacent file
    Lc2     backward: not isolated, no pawn of its side beside or behind it on an adjacent file, and its
            stop square attacked by an enemy pawn or no enemy pawn ahead of it on its file
    Sg2-g3  doubled: a pawn and the next one of its side on the file, the lower rank first
    P(2)    number of pawn islands (p(3): Black's), groups of adjacent files with pawns
    Ae5     passed: no enemy pawn ahead of it on its own file or an adjacent one
    Te5     protected passed, in addition to passed: defended by a pawn
    Hd4-e5  chain: a pawn that defends another one, the defender first

The letters `I`, `L`, `S` and `P` are those of Bizjak & Guid, ACG 2021. Their other letters are not published:
`A`, `T` and `H` are this project's own.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess


def pawn_terms(board: chess.Board) -> list[str]:
    """Return the terms of both sides' pawns, White's first."""
    return [*_side_terms(board, chess.WHITE), *_side_terms(board, chess.BLACK)]


def _side_terms(board: chess.Board, color: chess.Color) -> Iterator[str]:
    own = board.pieces_mask(chess.PAWN, color)
    enemy = board.pieces_mask(chess.PAWN, not color)
    enemy_attacks = _attacked_by_pawns(enemy, not color)

    def letter(upper: str) -> str:
        return upper if color == chess.WHITE else upper.lower()

    yield f"{letter('P')}({_islands(own)})"
    for square in chess.scan_forward(own):
        name = chess.SQUARE_NAMES[square]
        file = chess.square_file(square)
        beside = _adjacent_files(file)
        ahead = _ranks_ahead(square, color)
        defenders = chess.BB_PAWN_ATTACKS[not color][square] & own

        if not own & beside:
            yield letter("I") + name
        elif not own & beside & ~ahead and (
            _stop_square(square, color) & enemy_attacks or not enemy & chess.BB_FILES[file] & ahead
        ):
            yield letter("L") + name
        if not enemy & ahead & (beside | chess.BB_FILES[file]):
            yield letter("A") + name
            if defenders:
                yield letter("T") + name
        for defender in chess.scan_forward(defenders):
            yield f"{letter('H')}{chess.SQUARE_NAMES[defender]}-{name}"
        above = own & chess.BB_FILES[file] & _ranks_ahead(square, chess.WHITE)
        if above:
            yield f"{letter('S')}{name}-{chess.SQUARE_NAMES[chess.lsb(above)]}"


def _islands(pawns: chess.Bitboard) -> int:
    files = [bool(pawns & file) for file in chess.BB_FILES]
    return sum(here and not before for before, here in zip([False, *files], files, strict=False))


def _adjacent_files(file: int) -> chess.Bitboard:
    left = chess.BB_FILES[file - 1] if file > 0 else chess.BB_EMPTY
    right = chess.BB_FILES[file + 1] if file < 7 else chess.BB_EMPTY
    return left | right


def _ranks_ahead(square: chess.Square, color: chess.Color) -> chess.Bitboard:
    rank = chess.square_rank(square)
    ranks = range(rank + 1, 8) if color == chess.WHITE else range(rank)
    return sum(chess.BB_RANKS[other] for other in ranks)


def _stop_square(square: chess.Square, color: chess.Color) -> chess.Bitboard:
    here = chess.BB_SQUARES[square]
    return (here << 8) & chess.BB_ALL if color == chess.WHITE else here >> 8


def _attacked_by_pawns(pawns: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    attacked = chess.BB_EMPTY
    for square in chess.scan_forward(pawns):
        attacked |= chess.BB_PAWN_ATTACKS[color][square]
    return attacked
