"""Facts about threats: what the solver's moves threaten if the opponent passes, and what parrying costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess import Square

from chess_motif.boards import has_mate, mating_moves
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import SLIDERS, WORTH, Ply
from puzzlegen.motifs.threats import is_zugzwang
from puzzlegen.motifs.worth import gain
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint, Role, Verb, related
from puzzlegen.reasons.reason import newly_attacked
from puzzlegen.reasons.words import joined, pieces_named


class _Threats(NamedTuple):
    """What a ply threatens if the opponent passes.

    Mates (the clearest first), promotions, and the squares of newly hanging pieces (two at most).
    """

    ply: Ply
    mates: list[chess.Move]
    promotions: list[chess.Move]
    squares: list[Square]

    @property
    def words(self) -> list[str]:
        """What is threatened, in words."""
        after, pieces = self.ply.after, pieces_named(self.ply.after, self.squares)
        if self.mates:
            return [f"mate on {chess.square_name(self.mates[0].to_square)}", *pieces]
        if self.promotions:
            attacked = [at for at in self.squares if after.kind(at) != chess.PAWN][:1]
            on = chess.square_name(self.promotions[0].to_square)
            return [*pieces_named(after, attacked), f"to promote on {on}"]
        return pieces


def threats(course: Course) -> Iterator[Fact]:
    """Find what moves without check threaten, and whether parrying a mate threat costs material.

    A threat of a move that captures a piece counts only if it is carried out next, or is mate.
    """
    for ply in course.replay.solver_plies:
        board, reply = ply.after.passed, course.replay.at(ply.number + 1)
        if board is None:
            continue
        found = _threatened(course, ply, board)
        words = found.words
        # After the first move, a piece that is taken at once has threatened nothing that matters, except
        # mate.
        taker = reply if reply is not None and reply.target == ply.target else None
        if not words or (ply.number and taker and not (found.mates and WORTH[taker.kind] > WORTH[ply.kind])):
            continue
        relations = related(Verb.ATTACKED, found.squares)
        relations |= related(Verb.MATE, (move.to_square for move in found.mates))
        kind, text = FactKind.MATE_THREAT if found.mates else FactKind.THREAT, f"threatens {joined(words)}"
        if not (found.mates or found.promotions) and _pins(course, found):
            text = f"pins {words[0]} to its king"
            relations |= related(Verb.PINNED, found.squares)
        elif len(found.squares) + bool(found.mates) > 1:
            text = f"threatens {joined(words)} at once"
            relations |= related(Verb.HELD, found.squares)
        elif found.mates and course.costs(ply.after.board):
            kind, text = FactKind.COSTLY_DEFENCE, f"{text}, which can be parried only at a loss of material"
        drawn = found.squares if len(found.squares) > 1 else ()
        drawing = course.draws(Role.ATTACK, ply.number + 1, squares=drawn)
        yield Fact(kind, ply.number, text, relations=relations, drawing=drawing)


def _pins(course: Course, found: _Threats) -> bool:
    """Return whether a ply attacks only one piece, and pins this piece to its king."""
    pinners = found.ply.after.pinners[not course.solver]
    return len(found.squares) == 1 and pinners.get(found.squares[0]) == found.ply.target


def longer_threats(course: Course) -> Iterator[Fact]:
    """Find first moves that threaten mate in two by checks alone."""
    ply = course.replay.plies[0]
    board = ply.after.passed
    if board is None or has_mate(board):
        return
    check = course.forced_mate(board)
    # A capture that wins enough is a threat anyway.
    if check is None or PIECE_VALUES.get(board.piece_type_at(check.to_square) or 0, 0) >= course.least:
        return
    if course.forced_mate(ply.before.board) is None:
        yield Fact(FactKind.MATE_IN_TWO, 0, f"threatens {board.san(check)} with mate to follow")


def _threatened(course: Course, ply: Ply, board: chess.Board) -> _Threats:
    follow_up = course.replay.at(ply.number + 2)

    def plainness(move: chess.Move) -> tuple[bool, int]:
        distance = chess.square_distance(move.to_square, ply.after.king(not course.solver))
        return move.from_square != ply.target, distance

    own = ply.after.attacks[ply.target]
    mating = course.in_order(mating_moves(board))
    in_check = ply.before.board.is_check()
    if in_check:
        # After an answer to a check, only the attacks of the moved piece are new.
        mating = [move for move in mating if move.from_square == ply.target]
    promotions = [
        move
        for move in course.in_order(board.generate_legal_moves(board.pawns, chess.BB_BACKRANKS))
        if move.promotion == chess.QUEEN
        and not ply.before.board.is_legal(move)
        and course.pays(board, move, course.least)
    ]
    captures = board.generate_legal_captures()
    targets = {
        at
        for at in {move.to_square for move in captures if not move.promotion}
        # A pawn is worth telling if it is taken next.
        if _is_new(course, ply, board, at, 1 if follow_up and at == follow_up.target else course.least)
    }
    if in_check:
        targets = {at for at in targets if own >> at & 1}
    if ply.captured is not None and gain(ply) >= course.least:
        # The move has won enough, so only a target that is taken next counts, or two targets of a last move.
        hit = {at for at in targets if own >> at & 1}
        single = hit if len(hit) > 1 else set[Square]()
        targets = targets & {follow_up.target} if follow_up else single
    targets -= {move.to_square for move in mating}
    squares = course.by_worth(ply.after, targets)
    return _Threats(ply, sorted(mating, key=plainness), promotions, squares[: 1 if mating else 2])


def _is_new(course: Course, ply: Ply, board: chess.Board, square: Square, least: int) -> bool:
    """Return whether a piece or pawn worth at least `least` hangs because of a ply."""
    if PIECE_VALUES.get(board.piece_type_at(square) or 0, 0) < least:
        return False
    attackers, were = (set(at.attackers(course.solver, square)) for at in (ply.after, ply.before))
    defenders, had = (set(at.attackers(not course.solver, square)) for at in (ply.after, ply.before))
    # Without a new attacker, a lost defender or a new battery, there is no new threat.
    in_front = chess.between(ply.target, square) & chess.SquareSet(attackers).mask
    is_behind = ply.kind in SLIDERS and in_front
    if attackers <= were and defenders >= had and not is_behind:
        return False
    return course.pays_on(board, square, least) and not course.pays_on(ply.before.board, square, least)


def last_checks(course: Course) -> Iterator[Fact]:
    """Find a check at the end of the solution that wins something, whatever the answer.

    Every answer is tried. Pieces that the check attacks besides the king are named.
    """
    ply = course.replay.plies[-1]
    board = ply.after.board
    if not ply.check or ply.mates or ply.number % 2 or not course.costs(board):
        return
    squares = course.by_worth(ply.after, newly_attacked(ply) & ~board.kings)[:2]
    if squares:
        text = f"attacks {joined(pieces_named(ply.after, squares))}"
        drawing = course.draws(Role.ATTACK, ply.number + 1, squares=squares)
        relations = related(Verb.ATTACKED, squares)
        yield Fact(FactKind.LAST_CHECK, ply.number, text, Joint.ALSO, relations, drawing)


def zugzwang(course: Course) -> Iterator[Fact]:
    """Find zugzwang: nothing is threatened, but every move of the opponent loses something."""
    for ply in course.replay.solver_plies:
        if is_zugzwang(ply, course.replay):
            text = "It is zugzwang: every move of the opponent loses something"
            yield Fact(FactKind.ZUGZWANG, ply.number, text, Joint.ALONE)
