"""What the first move of a solution parries, and what other moves would have allowed."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chess_motif.boards import board_after, has_mate, mating_moves, passed
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.plans import checks_on
from puzzlegen.motifs.replay import SLIDERS, Ply
from puzzlegen.reasons.claim import Claim, Course, Kind, forced_mate
from puzzlegen.reasons.words import as_sentence, deed_of, piece_name, without_check

# With more other answers to a check, what each would allow says little.
_MOST_ANSWERS = 6

# What a piece is worth, in pawns, for it to be worth saying that it is saved.
_LEAST_SAVED = 3


def parries(course: Course) -> Iterator[Claim]:
    """Find what the opponent threatens in the puzzle position, and the first move puts an end to."""
    ply = course.replay.plies[0]
    board = passed(ply.before.board)
    if board is None or ply.after.board.is_game_over():
        return
    threats = course.in_order(board.legal_moves)
    mating = list(mating_moves(board))
    # A check only puts off what was threatened, unless the piece that threatened it is gone.
    gone = ply.target if ply.captured else None
    if mating:
        if has_mate(ply.after.board):
            return
        if ply.check and any(move.from_square != gone for move in mating):
            return
        squares = {move.to_square for move in mating}
        where = f" on {chess.square_name(squares.pop())}" if len(squares) == 1 else ""
        deed = deed_of(ply)
        if all(move.from_square == gone for move in mating):
            text = f"{without_check(deed)}, which threatened mate{where}"
        else:
            text = f"{deed} and stops mate{where}"
        yield Claim(Kind.STOPS_MATE, 0, as_sentence(text))
        return
    check = None if ply.check else forced_mate(course, board)
    if check and not board.is_capture(check) and forced_mate(course, ply.after.board) is None:
        text = f"{deed_of(ply)} and stops {board.san(check)}, which would lead to mate"
        yield Claim(Kind.STOPS_MATE, 0, as_sentence(text))
        return
    if not course.settles_at(ply.after.board, course.balance):
        return
    if not ply.check:
        yield from _stops_pawn(course, ply, board, threats)
    yield from _saves(course, ply, board, threats)


def _stops_pawn(course: Course, ply: Ply, board: chess.Board, threats: list[chess.Move]) -> Iterator[Claim]:
    promoting = [move for move in threats if move.promotion == chess.QUEEN]
    wins = [
        move for move in promoting if not course.settles_at(board_after(board, [move]), course.balance - 4)
    ]
    pawns = {move.from_square for move in wins}
    if len(pawns) == 1:
        (pawn,) = pawns
        stops = f" and stops {piece_name(chess.PAWN, pawn)}"
        text = ", which was about to promote" if ply.target == pawn else stops
        yield Claim(Kind.STOPS_PAWN, 0, as_sentence(f"{deed_of(ply)}{text}"))


def _saves(course: Course, ply: Ply, board: chess.Board, threats: list[chess.Move]) -> Iterator[Claim]:
    """Say which attacked piece is saved, and how: it moves, or is defended, or the attacker is dealt with."""
    worst, threat = 0, None
    for move in threats:
        taken = board.piece_type_at(move.to_square)
        if taken is not None and PIECE_VALUES[taken] >= _LEAST_SAVED:
            after = board_after(board, [move])
            if not course.settles_at(after, course.balance - max(worst, course.least - 1)):
                worst, threat = course.balance - course.settled(after), move
    if threat is None:
        return
    square, origin = threat.to_square, threat.from_square
    victim = piece_name(ply.before.kind(square), square)
    attacker = piece_name(ply.before.kind(origin), origin)
    deed = deed_of(ply)
    if ply.target == origin and PIECE_VALUES[ply.before.kind(origin)] >= _LEAST_SAVED:
        text = f"{without_check(deed)}, which attacked {victim}"
    elif course.replay.mates:
        return
    elif ply.origin == square:
        text = deed.replace(victim, f"{victim}, which {attacker} attacks,", 1)
        if ply.quiet:
            text += ", where it is safe"
    elif not ply.quiet:
        return
    elif ply.before.kind(origin) in SLIDERS and chess.between(origin, square) >> ply.target & 1:
        text = f"{deed} and comes between {attacker} and {victim}"
    elif ply.after.attacks[ply.target] >> square & 1 and not ply.before.attacks[ply.origin] >> square & 1:
        text = f"{deed} and defends {victim}"
    else:
        return
    yield Claim(Kind.SAVES, 0, as_sentence(text))


def blocks(course: Course) -> Iterator[Claim]:
    """Find a piece that blocks a check and leaves an attack with the same move."""
    ply = course.replay.plies[0]
    if not ply.before.board.is_check() or ply.captured or ply.kind in (chess.KING, chess.PAWN):
        return
    if ply.before.is_hanging(ply.origin) and not ply.after.is_hanging(ply.target):
        attackers = ply.before.attackers(not course.solver, ply.origin)
        attacker = course.cheapest(ply.before, attackers)
        name = piece_name(ply.kind, ply.origin)
        attacked = f"which {piece_name(ply.before.kind(attacker), attacker)} attacks"
        text = f"{name}, {attacked}, blocks the check on {chess.square_name(ply.target)}"
        yield Claim(Kind.SAVES, 0, as_sentence(text))


def only_answers(course: Course) -> Iterator[Claim]:
    """Find answers to a check for which every other one allows mate at once, or loses something."""
    ply = course.replay.plies[0]
    before = ply.before.board
    others = [move for move in course.in_order(before.legal_moves) if move != ply.move]
    if not before.is_check() or not 0 < len(others) <= _MOST_ANSWERS:
        return
    worst: list[str] = []
    for move in others:
        after = board_after(before, [move])
        mating = course.in_order(mating_moves(after))
        if mating:
            worst.append(f"{before.san(move)} allows {after.san(mating[0])}")
            continue
        captures = [answer for answer in course.in_order(after.legal_moves) if after.is_capture(answer)]
        values = {answer: course.settled(board_after(after, [answer])) for answer in captures}
        if not values or min(values.values()) > course.balance - course.least:
            return
        best = min(values, key=lambda answer: values[answer])
        worst.append(f"{before.san(move)} allows {after.san(best)}")
    if not course.settles_at(ply.after.board, course.balance):
        return
    text = f"{deed_of(ply)}, the only good answer to the check: {' and '.join(worst[:2])}"
    yield Claim(Kind.ONLY_ANSWER, 0, as_sentence(text))


def perpetual(course: Course) -> Iterator[Claim]:
    """Find a solution that gives check with every move until the position comes again."""
    if checks_on(course.replay):
        yield Claim(Kind.PERPETUAL, 0, "The checks never end: it is perpetual check.")
