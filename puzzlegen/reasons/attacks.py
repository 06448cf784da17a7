"""What moves attack at once or along a line: forks, pinned and skewered pieces, checks that are uncovered."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.attacks import (
    exploits,
    fork_targets,
    forks,
    is_lost_to_line,
    mates_on_pawn,
    may_not_take,
    opened_lines,
    pinned,
    skewered,
)
from puzzlegen.motifs.replay import SLIDERS, Ply
from puzzlegen.reasons.claim import Claim, Course, Kind
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.words import as_sentence, deed_of, joined, piece_name, pieces_named, without_check


def forked(course: Course) -> Iterator[Claim]:
    """Find forks: what is attacked, and what defends the piece that forks if it could be taken."""
    for motif in forks(course.replay):
        ply = course.replay.plies[motif.ply]
        squares = fork_targets(ply)
        pieces = [at for at in squares if ply.after.kind(at) != chess.KING]
        pieces.sort(key=lambda at: (-PIECE_VALUES[ply.after.kind(at)], course.place(at)))
        names = joined(pieces_named(ply.after, pieces))
        deed, text = deed_of(ply), f"attacks {names} at once"
        if ply.check:
            text = f"also attacks {names}"
        if guard := _guard(course, ply):
            deed = f"{deed}, where {guard} defends it,"
        # One of several attacked pieces would not show a fork.
        is_as_at_first = all(course.unmoved(ply.number + 1, at) for at in squares)
        drawing = Drawing(Role.ATTACK, squares=tuple(squares)) if is_as_at_first else None
        yield Claim(Kind.FORK, ply.number, as_sentence(f"{deed} and {text}"), drawing)


def _guard(course: Course, ply: Ply) -> str | None:
    """Name what defends the piece that moved, if a piece could take it."""
    takers = {move.from_square for move in ply.after.legal_moves if move.to_square == ply.target}
    guards = ply.after.attackers(course.solver, ply.target)
    if not guards or not takers:
        return None
    guard = course.cheapest(ply.after, guards)
    return piece_name(ply.after.kind(guard), guard, ply.after.kind(guard) == chess.KING)


def pins(course: Course) -> Iterator[Claim]:
    """Find pinned pieces that a move attacks and the next one takes, or that may not take what has moved."""
    for ply in course.replay.solver_plies:
        follow_up = course.replay.at(ply.number + 2)
        for pin in pinned(course.replay, ply):
            # A pawn would hardly have gone away.
            is_piece = ply.after.kind(pin.front) != chess.PAWN
            is_taken = is_piece and follow_up and follow_up.captured and follow_up.target == pin.front
            spares = may_not_take(ply, pin)
            is_used = ply.target != pin.pinner and (is_taken or exploits(course.replay, ply, pin))
            if not (spares or is_used) or (follow_up is not None and mates_on_pawn(follow_up)):
                continue
            front, behind, pinner = (
                piece_name(ply.after.kind(at), at) for at in (pin.front, pin.behind, pin.pinner)
            )
            to = "its king" if ply.after.kind(pin.behind) == chess.KING else behind
            text = f"{front} is pinned to {to} by {pinner}"
            if spares:
                verb = "cannot" if ply.after.kind(pin.behind) == chess.KING else "should not"
                text += f" and {verb} take on {chess.square_name(ply.target)}"
            yield Claim(Kind.PINNED, ply.number, as_sentence(text))


def skewers(course: Course) -> Iterator[Claim]:
    """Find a move that attacks a piece along a line, and what stands behind it; one of them is taken next."""
    for ply, reply, follow_up in course.replay.pairs():
        if mates_on_pawn(follow_up):
            continue
        squares = skewered(ply, reply, follow_up) if follow_up.captured else None
        if squares is None and _exposes(ply, reply, follow_up):
            squares = reply.origin, follow_up.target
        if squares is None or not course.pays(follow_up.before.board, follow_up.move, course.least):
            continue
        front, behind = squares
        kind = ply.after.kind(front)
        text = (
            f"{deed_of(ply)}; behind {piece_name(kind, front, kind == chess.KING)} stands "
            f"{piece_name(ply.after.kind(behind), behind)}"
        )
        yield Claim(Kind.SKEWER, ply.number, as_sentence(text))


def _exposes(ply: Ply, reply: Ply, follow_up: Ply) -> bool:
    """Return whether a piece moves off the line of the one that attacks it, which then captures beyond it."""
    behind = follow_up.target
    is_same = follow_up.origin == ply.target and ply.after.kind(ply.target) in SLIDERS
    if not (is_same and follow_up.captured) or reply.target == behind:
        return False
    between = chess.between(ply.target, behind) & ply.after.board.occupied
    return between == chess.BB_SQUARES[reply.origin] and ply.after.board.color_at(behind) is not None


def uncovered(course: Course) -> Iterator[Claim]:
    """Find a capture that cannot be answered by taking back, because another piece gives check.

    Also a check that opens another piece's line to what then hangs.
    """
    for ply in course.replay.solver_plies:
        checkers = ply.after.board.checkers()
        if ply.captured is None or not checkers or ply.target in checkers:
            continue
        if any(move.to_square == ply.target for move in ply.after.legal_moves):
            continue
        at = checkers.pop()
        deed = without_check(deed_of(ply))
        text = f"{deed} and uncovers a check by {piece_name(ply.after.kind(at), at)}"
        yield Claim(Kind.UNCOVERS, ply.number, as_sentence(text))
    for ply in course.replay.solver_plies:
        follow_up = course.replay.at(ply.number + 2)
        for opened, target in opened_lines(ply, course.solver):
            # A capture along the line is said elsewhere.
            is_used = follow_up is not None and (follow_up.origin, follow_up.target) == (opened, target)
            if not is_used and is_lost_to_line(course.replay, ply, opened, target):
                piece, attacked = (piece_name(ply.after.kind(at), at) for at in (opened, target))
                text = f"{deed_of(ply)} and opens the line of {piece} to {attacked}"
                yield Claim(Kind.UNCOVERS, ply.number, as_sentence(text))
