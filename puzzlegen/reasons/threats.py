"""What the solver's moves threaten if the opponent passes, and why the threat cannot be met for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess import Square

from chess_motif.boards import board_after, has_mate, mating_moves, passed
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.attacks import opened_lines
from puzzlegen.motifs.replay import SLIDERS, WORTH, Ply
from puzzlegen.motifs.threats import is_zugzwang
from puzzlegen.motifs.worth import gain
from puzzlegen.reasons.claim import Claim, Course, Kind, forced_mate
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import as_sentence, deed_of, joined, piece_name, pieces_named, pinner_of


class _Threats(NamedTuple):
    """What a ply threatens if the opponent passes (`board`).

    That is mates, the plainest first, promotions, and the squares of the pieces that hang since, two at most.
    """

    ply: Ply
    board: chess.Board
    mates: list[chess.Move]
    promotions: list[chess.Move]
    squares: list[Square]


def threats(course: Course) -> Iterator[Claim]:
    """Find what moves without check threaten, and whether a mate that is threatened costs material to parry.

    What a capture of a piece threatens besides counts only if it comes next, or is mate.
    """
    for ply in course.replay.solver_plies:
        board, reply = passed(ply.after.board), course.replay.at(ply.number + 1)
        if board is None or ply.after.board.is_game_over():
            continue
        found = _threatened(course, ply, board)
        # What a piece that is exchanged later would have threatened does not matter, if it was not mate.
        if ply.number and reply is not None and reply.target == ply.target:
            if not found.mates or WORTH[reply.kind] <= WORTH[ply.kind]:
                continue
            found = found._replace(squares=[])
        words = _words(found)
        if not words:
            continue
        kind = Kind.MATE_THREAT if found.mates else Kind.THREAT
        text = f"{deed_of(ply)} and threatens {joined(words)}"
        if not found.mates and not found.promotions and _pins(course, ply, found.squares):
            text = f"{deed_of(ply)} and pins {words[0]} to its king"
        elif words == pieces_named(ply.after, found.squares) and _opens_lines(course, found):
            text = f"{deed_of(ply)} and opens the line{'s'[: len(words) > 1]} to {joined(words)}"
        elif len(found.squares) + bool(found.mates) > 1:
            text = f"{deed_of(ply)} and threatens {_both(course, found) or joined(words)} at once"
        elif found.mates and course.costs(ply.after.board):
            if_at_all = ", if at all," if course.replay.mates else ""
            text += f", which can be parried{if_at_all} only at a loss of material"
            kind = Kind.COSTLY_DEFENCE
        # One of two attacked pieces would not show a double attack.
        drawn = tuple(square for square in found.squares if course.unmoved(ply.number + 1, square))
        drawing = Drawing(Role.ATTACK, squares=drawn) if len(drawn) == len(found.squares) > 1 else None
        yield Claim(kind, ply.number, as_sentence(text), drawing)


def _opens_lines(course: Course, found: _Threats) -> bool:
    """Return whether other pieces attack all that hangs, along lines that the ply opened."""
    opened = {target for _, target in opened_lines(found.ply, course.solver)}
    own = found.ply.after.attacks[found.ply.target]
    return set(found.squares) <= opened and not any(own >> square & 1 for square in found.squares)


def _both(course: Course, found: _Threats) -> str | None:
    """Say what the piece that moves threatens, and what another one does whose line it opens.

    Or whose target it cuts off from its defender.
    """
    ply, own = found.ply, found.ply.after.attacks[found.ply.target]
    by_others = [at for at in found.squares if not own >> at & 1]
    if found.promotions or len(by_others) != 1:
        return None
    (other,) = by_others
    others = pieces_named(ply.after, [at for at in found.squares if at != other])
    (first,) = others or _words(found)[:1]
    (second,) = pieces_named(ply.after, [other])
    opened = [piece for piece, target in opened_lines(ply, course.solver) if target == other]
    defenders = ply.before.attackers(not course.solver, other)
    cut_off = [piece for piece in defenders if chess.between(piece, other) >> ply.target & 1]
    for does, pieces in (("with", opened), ("cutting off", cut_off)):
        for piece in course.by_worth(ply.after, chess.SquareSet(pieces).mask):
            return f"{first} and, {does} {piece_name(ply.after.kind(piece), piece)}, {second}"
    return None


def longer_threats(course: Course) -> Iterator[Claim]:
    """Find first moves that threaten mate in two with checks alone."""
    ply = course.replay.plies[0]
    board = passed(ply.after.board)
    if board is None or ply.after.board.is_game_over():
        return
    if has_mate(board):
        return
    check = forced_mate(course, board)
    # A capture that wins enough is threatened in any case.
    if check is None or PIECE_VALUES.get(board.piece_type_at(check.to_square) or 0, 0) >= course.least:
        return
    if forced_mate(course, ply.before.board) is None:
        text = f"{deed_of(ply)} and threatens {board.san(check)} with mate to follow"
        yield Claim(Kind.MATE_IN_TWO, ply.number, as_sentence(text))


def _threatened(course: Course, ply: Ply, board: chess.Board) -> _Threats:
    moves = course.in_order(board.legal_moves)
    follow_up = course.replay.at(ply.number + 2)

    def plainness(move: chess.Move) -> tuple[bool, bool, int]:
        distance = chess.square_distance(move.to_square, ply.after.king(not course.solver))
        return not _checks_itself(board, move), move.from_square != ply.target, distance

    mating = course.in_order(mating_moves(board))
    in_check = ply.before.board.is_check()
    if in_check:
        # Only what the piece that answers the check attacks is new.
        mating = [move for move in mating if move.from_square == ply.target]
    wins = ply.captured is not None and gain(ply) >= course.least
    promotions = [
        move
        for move in moves
        if move.promotion == chess.QUEEN
        and not ply.before.board.is_legal(move)
        and course.pays(board, move, course.least)
    ]
    targets = {move.to_square for move in moves if board.is_capture(move) and not move.promotion}
    targets = {
        at
        for at in targets
        # A pawn is worth saying if it is taken next.
        if _is_new(course, ply, board, at, 1 if follow_up and at == follow_up.target else course.least)
    }
    if wins and len(course.replay.plies) > 1:
        targets &= {follow_up.target} if follow_up else set()
    elif wins:
        # A single move may attack two pieces besides.
        own = {at for at in targets if ply.after.attacks[ply.target] >> at & 1}
        targets = own if len(own) > 1 else set()
    if in_check:
        targets = {at for at in targets if ply.after.attacks[ply.target] >> at & 1}
    targets -= {move.to_square for move in mating}
    squares = course.by_worth(ply.after, chess.SquareSet(targets).mask)
    return _Threats(ply, board, sorted(mating, key=plainness), promotions, squares[: 1 if mating else 2])


def _checks_itself(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move gives check with the piece that moves."""
    return move.to_square in board_after(board, [move]).checkers()


def _is_new(course: Course, ply: Ply, board: chess.Board, square: Square, least: int) -> bool:
    """Return whether a piece, or pawn, that is worth at least so much hangs since a ply."""
    if PIECE_VALUES.get(board.piece_type_at(square) or 0, 0) < least:
        return False
    attackers, were = (set(at.attackers(course.solver, square)) for at in (ply.after, ply.before))
    defenders, had = (set(at.attackers(not course.solver, square)) for at in (ply.after, ply.before))
    # What threatened it before and could not take it at once is no new threat; a battery is.
    in_front = chess.between(ply.target, square) & chess.SquareSet(attackers).mask
    is_behind = ply.kind in SLIDERS and in_front
    if attackers <= were and defenders >= had and not is_behind:
        return False
    return course.pays_on(board, square, least) and not course.pays_on(ply.before.board, square, least)


def _words(found: _Threats) -> list[str]:
    """Return what is threatened in words."""
    pieces = pieces_named(found.ply.after, found.squares)
    if found.mates:
        plainest = found.mates[0]
        is_plain = _checks_itself(found.board, plainest)
        return [
            f"mate on {chess.square_name(plainest.to_square)}" if is_plain else "a discovered mate",
            *pieces,
        ]
    if found.promotions:
        squares = [at for at in found.squares if found.ply.after.kind(at) != chess.PAWN]
        attacked = pieces_named(found.ply.after, squares[:1])
        return [*attacked, f"to promote on {chess.square_name(found.promotions[0].to_square)}"]
    return pieces


def last_checks(course: Course) -> Iterator[Claim]:
    """Find a check at the end of the solution after which the solver wins something, whatever the answer.

    Every answer is tried; what the check attacks besides the king is named.
    """
    ply = course.replay.plies[-1]
    board = ply.after.board
    if not ply.check or ply.mates or ply.number % 2 or not course.costs(board):
        return
    attacked = newly_attacked(ply) & ~board.kings
    squares = course.by_worth(ply.after, attacked)
    if squares:
        names = joined(pieces_named(ply.after, squares[:2]))
        drawn = tuple(square for square in squares[:2] if course.unmoved(ply.number + 1, square))
        drawing = Drawing(Role.ATTACK, squares=drawn) if len(drawn) == len(squares[:2]) else None
        yield Claim(
            Kind.LAST_CHECK, ply.number, as_sentence(f"{deed_of(ply)} and also attacks {names}"), drawing
        )


def _pins(course: Course, ply: Ply, squares: list[Square]) -> bool:
    """Return whether a ply pins the only piece that it attacks to its king."""
    if len(squares) != 1 or not ply.after.board.is_pinned(not course.solver, squares[0]):
        return False
    return pinner_of(ply.after, squares[0]) == ply.target


def zugzwang(course: Course) -> Iterator[Claim]:
    """Find positions in which nothing is threatened, but whatever the opponent moves loses something."""
    for ply in course.replay.solver_plies:
        if is_zugzwang(ply, course.replay):
            yield Claim(
                Kind.ZUGZWANG, ply.number, "It is zugzwang: every move of the opponent loses something."
            )
