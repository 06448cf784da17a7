"""Positions as bytes: the contents of the squares, the simple code, and the sort key of a file.

A position is what `chess.Board.epd` says: the pieces, the side to move, the castling rights, and the
en-passant square if a pawn can legally capture there. Squares are in the order of a FEN, from a8 to h1. The
simple code is that of McKenzie (1994), section 6.1.

A file is sorted by material, then by pawns, so that similar positions are near each other. The material is
the index key of section 5. Pawns come next because few moves change them: if a material fills several blocks,
each block has positions that follow from one another.
"""

from __future__ import annotations

import chess

from chess_motif.errors import StoreError

# Contents of a square: 0 for none, then White's pawn, knight, bishop, rook, queen and king, then Black's.
EMPTY = 0
CONTENTS = 13
BLACK = 6

# Bytes of the simple code: 64 squares of 4 bits, and 9 bits for the rest.
SIMPLE_BYTES = 34

# Bytes of a material: how many queens, rooks, bishops, knights and pawns White has, then Black.
MATERIAL_BYTES = 10

# Bytes of a sort key.
KEY_BYTES = MATERIAL_BYTES + 16

_BY_WORTH = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_PIECES = tuple((kind, color) for color in (chess.WHITE, chess.BLACK) for kind in _BY_WORTH)

# The pawns in the middle say most about a position, and come first.
_FILES = tuple(chess.BB_FILES[file] for file in (3, 4, 2, 5, 1, 6, 0, 7))

# The corner of the rook for each castling right, in the order of a FEN.
CASTLING = (chess.BB_H1, chess.BB_A1, chess.BB_H8, chess.BB_A8)

# Equal for equal positions.
Identity = tuple[int | None, ...]


def squares_of(board: chess.Board) -> bytes:
    """Return the contents of the 64 squares."""
    squares = bytearray(64)
    for color, shift in ((chess.WHITE, 0), (chess.BLACK, BLACK)):
        for kind in chess.PIECE_TYPES:
            for square in chess.scan_forward(board.pieces_mask(kind, color)):
                squares[square ^ 56] = kind + shift
    return bytes(squares)


def castling_of(board: chess.Board) -> int:
    """Return the castling rights (0…15): a bit for each of K, Q, k and q, from the lowest bit on."""
    rights = board.clean_castling_rights()
    return sum(1 << number for number, corner in enumerate(CASTLING) if rights & corner)


def en_passant_of(board: chess.Board) -> chess.Square | None:
    """Return the en-passant square, None if no pawn can legally capture there."""
    return board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else None


def en_passant_squares(board: chess.Board) -> list[chess.Square]:
    """Return the squares on which the side to move may be able to capture en passant."""
    side = board.turn
    rank, down = (chess.BB_RANK_5, -8) if side else (chess.BB_RANK_4, 8)
    own = board.pieces_mask(chess.PAWN, side) & rank
    beside = (own & ~chess.BB_FILE_A) >> 1 | (own & ~chess.BB_FILE_H) << 1
    found = []
    for pawn in chess.scan_forward(board.pieces_mask(chess.PAWN, not side) & beside):
        passed, home = pawn - down, pawn - 2 * down
        if not board.occupied & (chess.BB_SQUARES[passed] | chess.BB_SQUARES[home]):
            board.ep_square = passed
            if board.has_legal_en_passant():
                found.append(passed)
            board.ep_square = None
    return found


def board_of(
    squares: bytes, turn: chess.Color, castling: int, en_passant: chess.Square | None = None
) -> chess.Board:
    """Return the board with these contents of the 64 squares."""
    board = chess.Board(None)
    for index, content in enumerate(squares):
        if content:
            color = content <= BLACK
            board._set_piece_at(index ^ 56, content if color else content - BLACK, color)
    board.turn = turn
    board.castling_rights = sum(corner for number, corner in enumerate(CASTLING) if castling >> number & 1)
    board.ep_square = en_passant
    return board


def kinds_of(board: chess.Board) -> tuple[chess.Bitboard, ...]:
    """Return the squares of each kind of piece, of either side, pawns first."""
    return (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)


def identity(board: chess.Board) -> Identity:
    """Return a value that is equal for equal positions, faster than the simple code."""
    return (
        *kinds_of(board),
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        en_passant_of(board),
    )


def pack_simply(board: chess.Board) -> bytes:
    """Return the simple code of a position: 265 bits in `SIMPLE_BYTES` bytes.

    Section 6.1: 4 bits a square, the side to move, four castling rights, whether an en-passant capture is
    possible, and on which file.
    """
    squares = squares_of(board)
    passed = en_passant_of(board)
    state = board.turn << 8 | castling_of(board) << 4
    if passed is not None:
        state |= 8 | chess.square_file(passed)
    pairs = zip(squares[::2], squares[1::2], strict=True)
    return bytes(first << 4 | second for first, second in pairs) + state.to_bytes(2, "big")


def unpack_simply(code: bytes) -> chess.Board:
    """Return the position with this simple code. Raises `StoreError` for other bytes."""
    state = int.from_bytes(code[-2:], "big")
    squares = bytes(half for byte in code[:-2] for half in (byte >> 4, byte & 15))
    if len(code) != SIMPLE_BYTES or state >= 512 or max(squares) >= CONTENTS:
        raise StoreError(f"{code.hex()} is not a packed position")
    turn = bool(state >> 8)
    passed = chess.square(state & 7, 5 if turn else 2) if state & 8 else None
    return board_of(squares, turn, state >> 4 & 15, passed)


def material_key(board: chess.Board) -> bytes:
    """Return the material of a position: `MATERIAL_BYTES` counts."""
    return bytes(board.pieces_mask(kind, color).bit_count() for kind, color in _PIECES)


def sort_key(board: chess.Board) -> bytes:
    """Return the key by which a file is sorted: the material, then the pawns."""
    white, black = (board.pieces_mask(chess.PAWN, color) for color in (chess.WHITE, chess.BLACK))
    return material_key(board) + bytes(_ranks(pawns & file) for file in _FILES for pawns in (white, black))


def _ranks(pawns: int) -> int:
    """Return the ranks of pawns on one file as the bits of a byte."""
    return sum(1 << square // 8 for square in chess.scan_forward(pawns))


def after_captures(material: bytes, captures: int) -> list[bytes]:
    """Return the materials that up to `captures` captures lead to, fewest captures first (section 5)."""
    found = reached = [material]
    for _ in range(captures):
        fewer = (_without(each, index) for each in reached for index, count in enumerate(each) if count)
        reached = list(dict.fromkeys(fewer))
        found = found + reached
    return found


def _without(material: bytes, index: int) -> bytes:
    return material[:index] + bytes([material[index] - 1]) + material[index + 1 :]
