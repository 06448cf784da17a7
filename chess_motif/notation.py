"""Reading positions and lines of moves: legal ones, or a `PositionError` that says what is wrong."""

from __future__ import annotations

import chess

from chess_motif.errors import PositionError

# What python-chess may find wrong with a position.
_REASONS = {
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than eight pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than eight pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than sixteen pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than sixteen pieces",
    chess.STATUS_BAD_CASTLING_RIGHTS: "castling rights without king and rook on their home squares",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can just have passed the en-passant square",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.STATUS_RACE_CHECK: "check in racing kings",
    chess.STATUS_RACE_OVER: "racing kings is over",
    chess.STATUS_RACE_MATERIAL: "not the pieces of racing kings",
    chess.STATUS_TOO_MANY_CHECKERS: "more than two pieces give check",
    chess.STATUS_IMPOSSIBLE_CHECK: "no last move could have given this check",
}


def parse_position(fen: str) -> chess.Board:
    """Return the board of a FEN, whose move counters may be missing. Raises `PositionError`."""
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise PositionError(f"not a FEN: {error}") from error
    status = board.status()
    if status:
        reasons = [words for flag, words in _REASONS.items() if status & flag]
        raise PositionError(f"illegal position: {'; '.join(reasons)}: {fen}")
    return board


def parse_placement(fen: str) -> chess.Board:
    """Return a board with the pieces of a FEN and, where it is possible, its side to move.

    Castling rights and the en-passant square are ignored. Raises `PositionError` if the pieces themselves
    are not legal.
    """
    placement, *rest = fen.split() or [""]
    try:
        board = chess.Board(None)
        board.set_board_fen(placement)
    except ValueError as error:
        raise PositionError(f"not a FEN: {error}") from error
    board.turn = chess.BLACK if rest[:1] == ["b"] else chess.WHITE
    if board.was_into_check():
        board.turn = not board.turn
    return parse_position(board.fen())


def parse_moves(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the line of UCI moves, separated by spaces, that starts at `board`.

    Raises `PositionError` if there is no move, or one that is not legal.
    """
    board = board.copy(stack=False)
    moves = []
    for word in text.split():
        try:
            move = board.parse_uci(word)
        except chess.InvalidMoveError as error:
            raise PositionError(f"{word!r} is not a move in UCI notation (such as e2e4 or a7a8q)") from error
        except chess.IllegalMoveError as error:
            raise PositionError(f"the move {word} is not legal: {_why_illegal(board, word)}") from error
        if not move:
            raise PositionError(f"{word!r} is a null move, not a move in a solution")
        board.push(move)
        moves.append(move)
    if not moves:
        raise PositionError("a solution needs at least one move")
    return moves


def _why_illegal(board: chess.Board, word: str) -> str:
    move = chess.Move.from_uci(word)
    piece = board.piece_at(move.from_square)
    start = chess.SQUARE_NAMES[move.from_square]
    if piece is None:
        why = f"there is no piece on {start}"
    elif piece.color != board.turn:
        why = f"the piece on {start} is not {'White' if board.turn else 'Black'}'s, whose move it is"
    elif board.is_pseudo_legal(move):
        why = "it leaves the king in check"
    else:
        name = chess.piece_name(piece.piece_type)
        why = f"the {name} on {start} cannot go to {chess.SQUARE_NAMES[move.to_square]} like that"
    return f"{why}, in {board.fen()}"
