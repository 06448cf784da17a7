"""Parsing positions and lines. An illegal position or move raises a `PositionError` that says why."""

from __future__ import annotations

import re
from collections.abc import Iterable

import chess

from chess_motif.boards import passed
from chess_motif.errors import PositionError

# The most characters of a FEN (the longest has some 90) and the most plies of a solution (of 65,000 Lichess
# puzzles, none has more than 26).
LONGEST_FEN = 200
LONGEST_LINE = 200

# The highest move counter. No game can last longer, and engines cannot read any number.
MOST_MOVES = 9_999

# Messages for the flags of `chess.Board.status`.
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

# `23.` or `23...` before a move, and a move in UCI notation.
_MOVE_NUMBER = re.compile(r"(?<!\S)\d+\.+|(?<!\S)\.\.\.")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?|0000")

# Every typed move has a square in it, except castling; the signs may be left out.
_SQUARE = re.compile(r"[a-h][1-8]")
_SIGNS = re.compile(r"[-x:=+#!?.()]")


def parse_position(fen: str) -> chess.Board:
    """Return the board of a FEN, whose move counters may be missing. Raises `PositionError`."""
    _require_short(fen)
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise PositionError(f"not a FEN: {error}") from error
    check_position(board)
    return board


def check_position(board: chess.Board) -> None:
    """Raise `PositionError` unless a position is legal in standard chess."""
    if board.uci_variant != "chess" or board.chess960:
        raise PositionError(f"not a position of standard chess: {board!r}")
    status = board.status()
    if status:
        reasons = [reason for flag, reason in _REASONS.items() if status & flag]
        raise PositionError(f"illegal position: {'; '.join(reasons)}: {board.fen()}")
    if max(board.halfmove_clock, board.fullmove_number) > MOST_MOVES:
        raise PositionError(f"a move counter is above {MOST_MOVES:,}: {board.fen()}")


def check_line(board: chess.Board, moves: Iterable[chess.Move]) -> tuple[chess.Move, ...]:
    """Return the moves of a line from `board`.

    Raises `PositionError` if there is no move, or if the position or a move is not legal.
    """
    check_position(board)
    position, line = board.copy(stack=False), []
    for move in moves:
        line.append(parse_move(position, move.uci()))
        position.push(move)
    if not line:
        raise PositionError("a solution needs at least one move")
    return tuple(line)


def parse_placement(fen: str) -> chess.Board:
    """Return a board with the pieces of a FEN and its side to move (default: White).

    If the other king is in check, the other side is to move. Castling rights and the en-passant square are
    ignored. Raises `PositionError` if the pieces themselves are not legal.
    """
    _require_short(fen)
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


def reversed_move(move: chess.Move) -> chess.Move:
    """Return the same move with colours reversed: `e2e4` becomes `e7e5`."""
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


def uci_line(moves: Iterable[chess.Move]) -> str:
    """Return moves in UCI, separated by spaces, as `parse_moves` reads them."""
    return " ".join(move.uci() for move in moves)


def parse_moves(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the moves of a line from `board`, given in UCI and separated by spaces.

    Raises `PositionError` for no moves or more than `LONGEST_LINE`, or if a move is not legal.
    """
    board = board.copy(stack=False)
    moves: list[chess.Move] = []
    words = text.split()
    if len(words) > LONGEST_LINE:
        raise PositionError(f"a solution of {len(words):,} plies (at most {LONGEST_LINE})")
    for uci in words:
        moves.append(parse_move(board, uci))
        board.push(moves[-1])
    if not moves:
        raise PositionError("a solution needs at least one move")
    return moves


def parse_defence(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the moves of a line as `parse_moves` does. The line may begin with a null move, `0000`."""
    first, _, others = text.partition(" ")
    null, waits = chess.Move.null(), passed(board)
    if first != null.uci() or waits is None:
        return parse_moves(board, text)
    return [null, *parse_moves(waits, others)]


def parse_move(board: chess.Board, uci: str) -> chess.Move:
    """Return the move that is given in UCI. Raises `PositionError` if it is not legal."""
    try:
        move = board.parse_uci(uci)
    except chess.InvalidMoveError as error:
        raise PositionError(f"{uci!r} is not a move in UCI notation (such as e2e4 or a7a8q)") from error
    except chess.IllegalMoveError as error:
        raise PositionError(f"the move {uci} is not legal: {_why_illegal(board, uci)}") from error
    if not move:
        raise PositionError(f"{uci!r} is a null move, which is not legal")
    return move


def parse_line(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the moves of a line from `board` in SAN or UCI, with or without move numbers.

    Raises `PositionError` if there is no move, or if a move is not legal or is ambiguous.
    """
    board = board.copy(stack=False)
    moves = []
    for word in _MOVE_NUMBER.sub(" ", text).split():
        uci = word if _UCI.fullmatch(word) else _parse_san(board, word).uci()
        moves.append(parse_move(board, uci))
        board.push(moves[-1])
    if not moves:
        raise PositionError("a solution needs at least one move")
    return moves


def meant_moves(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the legal moves that `text` may mean: one, or several to choose from.

    The text may be SAN or UCI in any case, without signs such as `x`, `+` and `=`, and with a move number. A
    square alone means a pawn move to that square or, if there is none, the moves of all pieces to that
    square. Raises `PositionError` if there is no such move.
    """
    words = _MOVE_NUMBER.sub(" ", text).split()
    if len(words) > 1:
        raise PositionError("one move at a time")
    typed = words[0].rstrip("+#!?") if words else ""
    spelt = {move: board.san(move).rstrip("+#") for move in board.legal_moves}
    exact = [move for move, san in spelt.items() if typed in (san, move.uci())]
    meant = exact or [move for move, san in spelt.items() if _plain(typed) in _spellings(board, move, san)]
    if not meant:
        is_move = _SQUARE.search(typed.lower()) or _plain(typed) in ("oo", "ooo")
        reason = "is not legal here" if is_move else "is not a move, such as Nf3 or g1f3"
        raise PositionError(f"{text.strip()!r} {reason}")
    return meant


def is_square(text: str) -> bool:
    """Return whether a text is a square alone, such as `g8`."""
    return _SQUARE.fullmatch(text.strip().lower()) is not None


def _plain(text: str) -> str:
    """Return a typed move in lower case, without signs."""
    return _SIGNS.sub("", text.lower().replace("0", "o"))


def _spellings(board: chess.Board, move: chess.Move, san: str) -> set[str]:
    """Return how a legal move may be typed, in the form of `_plain`."""
    start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
    piece = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN)
    promoted = {"", chess.piece_symbol(move.promotion)} if move.promotion else {""}
    origins = {start} if piece == "p" else {start, *(piece + part for part in ("", *start, start))}
    if board.is_castling(move):
        return {_plain(san), move.uci()}
    return (
        {_plain(san), end}
        | {origin + end + kind for origin in origins for kind in promoted}
        | {end + kind for kind in promoted}
    )


def _parse_san(board: chess.Board, san: str) -> chess.Move:
    try:
        return board.parse_san(san.rstrip("!?"))
    except chess.InvalidMoveError as error:
        raise PositionError(f"{san!r} is not a move in SAN or UCI notation (such as Nf3 or g1f3)") from error
    except chess.AmbiguousMoveError as error:
        raise PositionError(f"the move {san} is ambiguous in {board.fen()}") from error
    except chess.IllegalMoveError as error:
        raise PositionError(f"the move {san} is not legal in {board.fen()}") from error


def _why_illegal(board: chess.Board, uci: str) -> str:
    move = chess.Move.from_uci(uci)
    piece = board.piece_at(move.from_square)
    start = chess.SQUARE_NAMES[move.from_square]
    if piece is None:
        reason = f"there is no piece on {start}"
    elif piece.color != board.turn:
        owner, mover = ("Black", "White") if board.turn else ("White", "Black")
        reason = f"the piece on {start} is {owner}'s, but {mover} is to move"
    elif board.is_pseudo_legal(move):
        reason = "it leaves the king in check"
    else:
        name = chess.piece_name(piece.piece_type)
        reason = f"the {name} on {start} cannot go to {chess.SQUARE_NAMES[move.to_square]} like that"
    return f"{reason}, in {board.fen()}"


def _require_short(fen: str) -> None:
    if len(fen) > LONGEST_FEN:
        raise PositionError(f"not a FEN: it has {len(fen):,} characters")
