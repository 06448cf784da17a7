"""Boards as text, solutions in SAN, positions after some moves, and moves that check or mate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import chess

# Castling rights in words, by whether a side may castle kingside and whether it may castle queenside.
_WINGS = {(True, False): "kingside", (False, True): "queenside", (True, True): "on either side"}


def text_board(board: chess.Board, seen_by: chess.Color | None = None) -> str:
    """Return the board as lines of figurines with coordinates, seen by `seen_by` or the side to move."""
    white_below = board.turn if seen_by is None else seen_by
    ranks = range(7, -1, -1) if white_below else range(8)
    files = range(8) if white_below else range(7, -1, -1)
    lines = []
    for rank in ranks:
        pieces = (board.piece_at(chess.square(file, rank)) for file in files)
        lines.append(f"{rank + 1} " + " ".join(p.unicode_symbol() if p else "·" for p in pieces))
    lines.append("  " + " ".join(chess.FILE_NAMES[file] for file in files))
    return "\n".join(lines)


def side_by_side(boards: Sequence[str], gap: int = 4) -> str:
    """Return several boards (or other blocks of text) next to each other, `gap` columns apart."""
    blocks = [block.splitlines() for block in boards]
    height = max(len(block) for block in blocks)
    widths = [max(len(line) for line in block) for block in blocks]
    rows = (
        (" " * gap).join(
            (block[row] if row < len(block) else "").ljust(width)
            for block, width in zip(blocks, widths, strict=True)
        )
        for row in range(height)
    )
    return "\n".join(row.rstrip() for row in rows)


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a legal move mates."""
    # Few moves give check, and testing for check is fast.
    if not board.gives_check(move):
        return False
    return board_after(board, [move]).is_checkmate()


def checks(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the legal moves of a legal position that give check."""
    return (move for move in _possible_checks(board) if board.gives_check(move))


def mating_moves(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the legal moves that mate. Whenever a move is yielded, the board is unchanged."""
    for move in _possible_checks(board):
        board.push(move)
        is_mate = board.is_checkmate()
        board.pop()
        if is_mate:
            yield move


def has_mate(board: chess.Board) -> bool:
    """Return whether the side to move can mate at once."""
    return next(mating_moves(board), None) is not None


def threatens_mate(board: chess.Board) -> bool:
    """Return whether the side that has just moved could mate at once if the opponent passed."""
    return has_mate(board_after(board, [chess.Move.null()]))


def _possible_checks(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the few legal moves that may give check, including all that do."""
    king = board.king(not board.turn)
    if king is None:
        return
    own, occupied = board.occupied_co[board.turn], board.occupied
    # The squares from which each kind of piece would attack the king, on this board and on an empty one.
    diagonal, diagonals = (
        chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & blockers] for blockers in (occupied, 0)
    )
    straight, lines = (
        chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & blockers]
        | chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & blockers]
        for blockers in (occupied, 0)
    )
    # Pieces that open a line when they move.
    behind = (diagonals & (board.bishops | board.queens)) | (lines & (board.rooks | board.queens))
    openers = chess.BB_EMPTY
    for square in chess.scan_forward(behind & own):
        between = chess.between(square, king) & occupied
        if between & (between - 1) == 0:
            openers |= between & own
    if openers:
        yield from board.generate_legal_moves(openers)
    others = own & ~openers
    by_pawn = chess.BB_PAWN_ATTACKS[not board.turn][king]
    for pieces, squares in (
        (board.pawns, by_pawn),
        (board.knights, chess.BB_KNIGHT_ATTACKS[king]),
        (board.bishops, diagonal),
        (board.rooks, straight),
        (board.queens, diagonal | straight),
    ):
        if pieces & others:
            yield from board.generate_legal_moves(pieces & others, squares)
    # A new piece attacks in another way, castling moves two pieces, and en passant takes two off their lines.
    if board.pawns & others & (chess.BB_RANK_7 if board.turn == chess.WHITE else chess.BB_RANK_2):
        yield from board.generate_legal_moves(board.pawns & others, chess.BB_BACKRANKS & ~by_pawn)
    yield from board.generate_castling_moves(others)
    if board.ep_square is not None:
        yield from board.generate_legal_ep(others, ~by_pawn)


def board_after(board: chess.Board, moves: Iterable[chess.Move]) -> chess.Board:
    """Return the position after legal moves, without the moves before it."""
    after = board.copy(stack=False)
    for move in moves:
        after.push(move)
    return after


def passed(board: chess.Board) -> chess.Board | None:
    """Return the position if the side to move passes; None if it is in check."""
    return None if board.is_check() else board_after(board, [chess.Move.null()])


def same_pieces(board: chess.Board, other: chess.Board) -> chess.SquareSet:
    """Return the squares on which two positions have the same piece."""
    colors = board.occupied_co[chess.WHITE] & other.occupied_co[chess.WHITE]
    colors |= board.occupied_co[chess.BLACK] & other.occupied_co[chess.BLACK]
    kinds = board.pawns & other.pawns | board.knights & other.knights | board.bishops & other.bishops
    kinds |= board.rooks & other.rooks | board.queens & other.queens | board.kings & other.kings
    return chess.SquareSet(colors & kinds)


def side_name(color: chess.Color) -> str:
    """Return `White` or `Black`."""
    return "White" if color else "Black"


def to_move(board: chess.Board) -> str:
    """Return whose move it is, in words."""
    return f"{side_name(board.turn)} to move"


def rights(board: chess.Board, line: Iterable[chess.Move]) -> str:
    """Return in words what matters to a line but is not visible in a diagram; empty if there is nothing.

    If castling is legal anywhere in the line, all castling rights are named, so that they do not give the
    line away. The opponent's last move is named if it allows an en-passant capture.
    """
    after, sentences = board.copy(stack=False), list[str]()
    castling_matters = False
    for move in line:
        castling_matters |= any(after.generate_castling_moves())
        after.push(move)
    for color in (board.turn, not board.turn) if castling_matters else ():
        wings = board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)
        if any(wings):
            sentences.append(f"{side_name(color)} may still castle {_WINGS[wings]}.")
    if board.ep_square is not None and board.has_legal_en_passant():
        ahead = 8 if board.turn else -8
        last = "-".join(chess.square_name(board.ep_square + step) for step in (ahead, -ahead))
        sentences.append(f"{side_name(not board.turn)}'s last move was {last}.")
    return " ".join(sentences)


def solution_san(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return the moves in SAN with move numbers, such as `23... Qxh2+ 24. Kxh2 Rh8#`."""
    return board.variation_san(list(moves))
