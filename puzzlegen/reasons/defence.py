"""What the first move of a solution parries, and what other moves would have allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import chess

from chess_motif.boards import board_after, has_mate, mating_moves, passed
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.plans import checks_on
from puzzlegen.motifs.replay import Ply
from puzzlegen.reasons.fact import Course, Fact, Joint, Kind
from puzzlegen.reasons.words import named

# With more other answers to a check, what each would allow says little.
_MOST_ANSWERS = 6

# What a piece is worth, in pawns, for it to be worth saying that it is saved.
_LEAST_SAVED = 3


def parries(course: Course) -> Iterator[Fact]:
    """Find what the opponent threatens in the puzzle position, and the first move puts an end to."""
    ply = course.replay.plies[0]
    board = passed(ply.before.board)
    if board is None or ply.after.board.is_game_over():
        return
    mating = list(mating_moves(board))
    if mating:
        yield from _stops_mate(ply, mating)
        return
    check = None if ply.check else course.forced_mate(board)
    if check and not board.is_capture(check) and course.forced_mate(ply.after.board) is None:
        yield Fact(Kind.STOPS_MATE, 0, f"stops {board.san(check)}, which would lead to mate")
    elif course.settles_at(ply.after.board, course.balance):
        yield from _saves(course, ply, board)


def _stops_mate(ply: Ply, mating: Sequence[chess.Move]) -> Iterator[Fact]:
    # A check only puts off what was threatened, unless the piece that threatened it is gone.
    is_gone = ply.captured and all(move.from_square == ply.target for move in mating)
    if has_mate(ply.after.board) or (ply.check and not is_gone):
        return
    squares = {move.to_square for move in mating}
    where = f" on {chess.square_name(squares.pop())}" if len(squares) == 1 else ""
    if is_gone:
        yield Fact(Kind.STOPS_MATE, 0, f"threatened mate{where}", Joint.WHICH)
    else:
        yield Fact(Kind.STOPS_MATE, 0, f"stops mate{where}")


def _saves(course: Course, ply: Ply, board: chess.Board) -> Iterator[Fact]:
    """Say which attacked piece is saved: the attacker is taken, or it moves away."""
    worst, threat = course.least - 1, None
    for move in course.in_order(board.generate_legal_captures()):
        if PIECE_VALUES[board.piece_type_at(move.to_square) or chess.PAWN] >= _LEAST_SAVED:
            after = board_after(board, [move])
            if not course.settles_at(after, course.balance - worst):
                worst, threat = course.balance - course.settled(after), move
    if threat is None:
        return
    square, origin = threat.to_square, threat.from_square
    if ply.target == origin:
        victim = "it" if ply.origin == square else named(ply.before, square)
        if PIECE_VALUES[ply.before.kind(origin)] >= _LEAST_SAVED:
            yield Fact(Kind.SAVES, 0, f"attacked {victim}", Joint.WHICH)
    elif ply.origin == square and not course.replay.mates:
        yield Fact(Kind.SAVES, 0, f"and escapes {named(ply.before, origin)}", Joint.COMMA)


def only_answers(course: Course) -> Iterator[Fact]:
    """Find answers to a check for which every other one allows mate at once, or loses something."""
    ply = course.replay.plies[0]
    before = ply.before.board
    others = [move for move in course.in_order(before.legal_moves) if move != ply.move]
    if not before.is_check() or not 0 < len(others) <= _MOST_ANSWERS:
        return
    worst: list[str] = []
    for move in others:
        after = board_after(before, [move])
        answer = next(iter(course.in_order(mating_moves(after))), None)
        if answer is None:
            captures = course.in_order(after.generate_legal_captures())
            values = {answer: course.settled(board_after(after, [answer])) for answer in captures}
            answer = min(values, key=lambda answer: values[answer], default=None)
            if answer is None or values[answer] > course.balance - course.least:
                return
        worst.append(f"{before.san(move)} allows {after.san(answer)}")
    if course.settles_at(ply.after.board, course.balance):
        text = f"the only good answer to the check: {' and '.join(worst[:2])}"
        yield Fact(Kind.ONLY_ANSWER, 0, text, Joint.COMMA)


def perpetual(course: Course) -> Iterator[Fact]:
    """Find a solution that gives check with every move until the position comes again."""
    if checks_on(course.replay):
        yield Fact(Kind.PERPETUAL, 0, "The checks never end: it is perpetual check", Joint.ALONE)
