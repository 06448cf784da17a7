"""Terms of a position: where pieces stand, where they can go, and what they attack, defend, look at.

Source: Ganguly, Leveling & Jones, SIGIR 2014, whose printed examples the tests hold to.
Upper-case letters are White's pieces, lower-case Black's. Whose turn it is, pins and checks do not
matter: relations are the geometry of the board.

    Ra1       piece on a square
    Qf2|0.89  piece that can move to a square, with the weight of the distance
    b>Nc3     piece attacks an enemy piece
    Q<Pe4     piece defends a piece of its own side
    R=qd8     rook, bishop or queen has an enemy piece on its line, whatever stands between
"""

from __future__ import annotations

import chess

# What a reach term loses for each square of Chebyshev distance (Ganguly et al.).
LOSS_PER_SQUARE = 7 / 64

_MARK = "|"
_WEIGHTS = {distance: f"{1 - LOSS_PER_SQUARE * distance:.2f}" for distance in range(1, 8)}
_HOME_RANK = {chess.WHITE: 1, chess.BLACK: 6}


def position_terms(board: chess.Board) -> list[str]:
    """Return the terms that a query and a document share: pieces, attacks, defences, x-rays.

    Kings attack, defend and are attacked like any piece. An x-ray also holds where nothing stands
    between, so a queen that attacks a rook gives `Q>ra8` and `Q=ra8`.
    """
    pieces = board.piece_map()
    named = {square: f"{piece.symbol()}{chess.SQUARE_NAMES[square]}" for square, piece in pieces.items()}
    placed, attacks, defences, lines = [], [], [], []
    for square in sorted(pieces):
        piece = pieces[square]
        letter = piece.symbol()
        placed.append(named[square])
        seen = board.attacks_mask(square)
        enemies = board.occupied_co[not piece.color]
        attacks += [f"{letter}>{named[other]}" for other in chess.scan_forward(seen & enemies)]
        defences += [
            f"{letter}<{named[other]}" for other in chess.scan_forward(seen & board.occupied_co[piece.color])
        ]
        lines += [
            f"{letter}={named[other]}"
            for other in chess.scan_forward(_empty_board_lines(piece, square) & enemies)
        ]
    return placed + attacks + defences + lines


def reach_terms(board: chess.Board) -> list[str]:
    """Return the terms for every square that a piece can move to, weighted by its distance.

    Pieces go to empty squares and take enemies; pawns only push, one square or from home two.
    """
    terms = []
    for square, piece in sorted(board.piece_map().items()):
        letter = piece.symbol()
        if piece.piece_type == chess.PAWN:
            targets = _pushes(board, square, piece.color)
        else:
            targets = board.attacks_mask(square) & ~board.occupied_co[piece.color]
        for target in chess.scan_forward(targets):
            weight = _WEIGHTS[chess.square_distance(square, target)]
            terms.append(f"{letter}{chess.SQUARE_NAMES[target]}{_MARK}{weight}")
    return terms


def is_reach(term: str) -> bool:
    """Say whether a term is one of `reach_terms`."""
    return _MARK in term


def is_placement(term: str) -> bool:
    """Say whether a term of `position_terms` is a piece on a square."""
    return len(term) == 3


def reach_variants(placement: str) -> dict[str, float]:
    """Return every reach term that has the piece and the square of a placement, with its weight."""
    return {f"{placement}{_MARK}{weight}": float(weight) for weight in _WEIGHTS.values()}


def _empty_board_lines(piece: chess.Piece, square: chess.Square) -> chess.Bitboard:
    lines = chess.BB_EMPTY
    if piece.piece_type in (chess.BISHOP, chess.QUEEN):
        lines |= chess.BB_DIAG_ATTACKS[square][0]
    if piece.piece_type in (chess.ROOK, chess.QUEEN):
        lines |= chess.BB_FILE_ATTACKS[square][0] | chess.BB_RANK_ATTACKS[square][0]
    return lines


def _pushes(board: chess.Board, square: chess.Square, color: chess.Color) -> chess.Bitboard:
    step = 8 if color == chess.WHITE else -8
    targets = chess.BB_EMPTY
    for distance in (1, 2) if chess.square_rank(square) == _HOME_RANK[color] else (1,):
        target = square + step * distance
        # A pawn on its last rank is no chess, but must not lead off the board.
        if not 0 <= target < 64 or board.occupied & chess.BB_SQUARES[target]:
            break
        targets |= chess.BB_SQUARES[target]
    return targets
