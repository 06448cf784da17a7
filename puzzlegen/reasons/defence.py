"""Facts about defence: what the first move parries, and what other answers to a check would have allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from chess_motif.boards import board_after, has_mate, mating_moves
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import Ply
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint
from puzzlegen.reasons.words import named

# With more other answers to a check than this, there is no fact about them.
_MOST_ANSWERS = 6

# The least value, in pawns, of a saved piece that is worth mentioning.
_LEAST_SAVED = 3


def parries(course: Course) -> Iterator[Fact]:
    """Find threats of the opponent that the first move parries."""
    ply = course.replay.plies[0]
    board = ply.before.passed
    if board is None or ply.after.board.is_game_over():
        return
    mating = list(mating_moves(board))
    if mating:
        yield from _stops_mate(ply, mating)
        return
    if course.settles_at(ply.after.board, course.balance):
        yield from _saves(course, ply, board)


def _stops_mate(ply: Ply, mating: Sequence[chess.Move]) -> Iterator[Fact]:
    # A check only delays the threat, unless it captures the piece that threatened mate.
    is_gone = ply.captured and all(move.from_square == ply.target for move in mating)
    if has_mate(ply.after.board) or (ply.check and not is_gone):
        return
    squares = {move.to_square for move in mating}
    where = f" on {chess.square_name(squares.pop())}" if len(squares) == 1 else ""
    does, joint = ("threatened", Joint.WHICH) if is_gone else ("stops", Joint.AND)
    yield Fact(FactKind.STOPS_MATE, 0, f"{does} mate{where}", joint)


def _saves(course: Course, ply: Ply, board: chess.Board) -> Iterator[Fact]:
    """Say which attacked piece is saved: its attacker is taken, or the piece moves away."""
    threat = course.refutation(board, course.balance - course.least)
    if threat is None:
        return
    square, origin = threat.to_square, threat.from_square
    if PIECE_VALUES[board.piece_type_at(square) or chess.PAWN] < _LEAST_SAVED:
        return
    if ply.target == origin:
        victim = "it" if ply.origin == square else named(ply.before, square)
        if PIECE_VALUES[ply.before.kind(origin)] >= _LEAST_SAVED:
            yield Fact(FactKind.SAVES, 0, f"attacked {victim}", Joint.WHICH)
    elif ply.origin == square and not course.replay.mates:
        yield Fact(FactKind.SAVES, 0, f"and escapes {named(ply.before, origin)}", Joint.COMMA)


def only_answers(course: Course) -> Iterator[Fact]:
    """Find an answer to a check that is the only good one: all others allow mate, or lose something."""
    ply = course.replay.plies[0]
    before = ply.before.board
    others = [move for move in course.in_order(before.legal_moves) if move != ply.move]
    if not before.is_check() or not 0 < len(others) <= _MOST_ANSWERS:
        return
    worst: list[str] = []
    for move in others:
        after = board_after(before, [move])
        answer = course.refutation(after, course.balance - course.least)
        if answer is None:
            return
        worst.append(f"{before.san(move)} allows {after.san(answer)}")
    if course.settles_at(ply.after.board, course.balance):
        text = f"the only good answer to the check: {' and '.join(worst[:2])}"
        yield Fact(FactKind.ONLY_ANSWER, 0, text, Joint.COMMA)
