"""Facts about pawns: unstoppable and passed pawns."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from puzzlegen.motifs.plans import has_passed_pawn, is_passed
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint
from puzzlegen.reasons.words import piece_name

# The most moves to promotion for which all replies are tried: if the opponent has pieces besides king and
# pawns, and if not.
_MOST_PUSHES, _MOST_PUSHES_OF_PAWNS = 2, 5


def unstoppable(course: Course) -> Iterator[Fact]:
    """Find a first move after which a pawn promotes by going straight on, whatever the opponent does.

    No capture, piece in the way, check or promotion of the opponent stops the pawn, and the new queen cannot
    be taken at once.
    """
    for ply in course.replay.solver_plies:
        if ply.move.promotion:
            return
        board = ply.after.board
        for pawn in _runners(course, ply.number):
            if _gets_through(course, board, pawn):
                has_pieces = _has_pieces(board, not course.solver)
                nothing = "Nothing" if has_pieces else "The king is too late: nothing"
                text = f"{nothing} can stop {piece_name(chess.PAWN, pawn)} any more"
                yield Fact(FactKind.UNSTOPPABLE, ply.number, text, Joint.ALONE)
                return


def passed_pawns(course: Course) -> Iterator[Fact]:
    """Find a first move that creates or advances a lasting passed pawn, if few pieces are left."""
    ply, replay = course.replay.plies[0], course.replay
    if course.least > 1 or replay.mates:
        return
    if has_passed_pawn(replay) and is_passed(ply.after, ply.target, course.solver):
        yield Fact(FactKind.PASSED, 0, "and no pawn can stop it on its way", Joint.COMMA)


def _runners(course: Course, number: int) -> list[Square]:
    """Return the squares, after a ply, of the pawns that the solver moves with this ply or later."""
    pieces, board = course.reasons.pieces, course.replay.plies[number].after.board
    later = course.replay.solver_plies[number // 2 :]
    moved = {pieces.on(ply.number, ply.origin) for ply in later}
    pawns = chess.scan_forward(board.pieces_mask(chess.PAWN, course.solver))
    return sorted((pawn for pawn in pawns if pieces.on(number + 1, pawn) in moved), key=course.place)[::-1]


def _gets_through(course: Course, board: chess.Board, pawn: Square) -> bool:
    """Return whether a pawn promotes after every move of the opponent, who is to move."""
    left = 7 - course.place(pawn)[0]
    most = _MOST_PUSHES if _has_pieces(board, not course.solver) else _MOST_PUSHES_OF_PAWNS
    replies = list(board.legal_moves)
    return left <= most and bool(replies) and all(_goes_on(course, board, move, pawn) for move in replies)


def _goes_on(course: Course, board: chess.Board, reply: chess.Move, pawn: Square) -> bool:
    target = pawn + (8 if course.solver == chess.WHITE else -8)
    promotes = course.place(target)[0] == 7
    push = chess.Move(pawn, target, chess.QUEEN if promotes else None)
    after = board.copy(stack=False)
    after.push(reply)
    if reply.to_square == pawn or reply.promotion or not after.is_legal(push):
        return False
    after.push(push)
    course.spend()
    if promotes:
        return not any(after.generate_legal_captures(to_mask=chess.BB_SQUARES[target]))
    return _gets_through(course, after, target)


def _has_pieces(board: chess.Board, color: chess.Color) -> bool:
    return bool(board.occupied_co[color] & ~(board.kings | board.pawns))
