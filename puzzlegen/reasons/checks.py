"""Facts about checks and other forcing moves: a driven king, a move before a recapture, a cleared square."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.reasons.captures import not_at_once
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import piece_name

# The most answers to a check that drives the king somewhere.
_MOST_FLIGHTS = 2


def driven(course: Course) -> Iterator[Fact]:
    """Find kings that the first check drives to a square where the next check is possible."""
    for ply, reply, follow_up in course.replay.pairs()[:1]:
        if not (ply.check and follow_up.check) or reply.kind != chess.KING or reply.captured:
            continue
        if len(ply.after.legal_moves) > _MOST_FLIGHTS:
            continue
        checker = follow_up.target
        # If the same piece checks twice, the second check must mate or attack something else.
        others = newly_attacked(follow_up) & ~follow_up.after.board.kings
        if follow_up.origin == ply.target and not (follow_up.mates or others):
            continue
        # The position with the king where it was before, to see whether that would be check, too.
        before = follow_up.after.board.copy(stack=False)
        before.remove_piece_at(reply.target)
        if before.piece_at(reply.origin) is not None:
            continue
        before.set_piece_at(reply.origin, chess.Piece(chess.KING, not course.solver))
        # The piece that moved must check the king only on the new square.
        if not (follow_up.after.board.checkers_mask() & ~before.checkers_mask()) >> checker & 1:
            continue
        piece = piece_name(follow_up.kind, follow_up.origin)
        where, how = chess.square_name(reply.target), chess.square_name(checker)
        does = "mates" if follow_up.mates else "checks"
        yield Fact(FactKind.DRIVEN, 0, f"drives the king to {where}, where {piece} {does} it from {how}")


def before_taking_back(course: Course) -> Iterator[Fact]:
    """Find checks and captures that come before a recapture that was possible at once.

    If the recapture at once would have had a price, `not_at_once` says that instead.
    """
    for ply, reply, follow_up in course.replay.pairs():
        square = course.replay.recapture_square(ply.number)
        if not (ply.check or ply.captured) or follow_up.target != square or follow_up.origin == ply.target:
            continue
        if reply.target == square or not ply.before.board.is_legal(follow_up.move):
            continue
        # Tested last, because this takes longest.
        if any(not_at_once(course)):
            return
        text = f"{piece_name(follow_up.kind, follow_up.origin)} takes back on {chess.square_name(square)}"
        yield Fact(FactKind.BEFORE_TAKING_BACK, ply.number, text, Joint.BEFORE)


def clearances(course: Course) -> Iterator[Fact]:
    """Find a first move that clears a square for the solver's next move."""
    for ply, reply, follow_up in course.replay.pairs()[:1]:
        origin = ply.origin
        way = chess.between(follow_up.origin, follow_up.target) | chess.BB_SQUARES[follow_up.target]
        if follow_up.origin in (ply.target, origin) or not way >> origin & 1:
            continue
        # Not worth telling if the next move is quiet, or made by the king.
        if not (follow_up.check or follow_up.captured) or follow_up.kind == chess.KING:
            continue
        if reply.target not in (origin, follow_up.target):
            piece, square = piece_name(follow_up.kind, follow_up.origin), chess.square_name(origin)
            yield Fact(FactKind.CLEARS, 0, f"clears {square} for {piece}")


def knight_promotions(course: Course) -> Iterator[Fact]:
    """Find a promotion to a knight that gives check, where a queen would not."""
    for ply in course.replay.solver_plies:
        if ply.move.promotion == chess.KNIGHT and ply.check:
            queen = chess.Move(ply.origin, ply.target, chess.QUEEN)
            if not ply.before.board.gives_check(queen):
                yield Fact(FactKind.KNIGHT_CHECK, ply.number, "which a queen would not give", Joint.COMMA)
