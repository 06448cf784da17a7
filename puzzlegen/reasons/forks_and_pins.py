"""Facts about attacks: forks, pins and skewers."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.motifs.attacks import (
    exploits,
    fork_targets,
    forks,
    mates_on_pawn,
    may_not_take,
    pinned,
    skewered,
)
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint, Relation, Role, Verb, captures_on, related
from puzzlegen.reasons.words import capital, joined, named, pieces_named


def forked(course: Course) -> Iterator[Fact]:
    """Find forks: the attacked pieces, and what defends the forking piece if it could be taken."""
    for motif in forks(course.replay):
        ply = course.replay.plies[motif.ply]
        squares = fork_targets(ply)
        pieces = course.by_worth(ply.after, [at for at in squares if ply.after.kind(at) != chess.KING])
        names = joined(pieces_named(ply.after, pieces))
        text = f"attacks {names}{'' if ply.check else ' at once'}"
        joint = Joint.ALSO if ply.check else Joint.AND
        relations = related(Verb.ATTACKED, pieces) | related(Verb.HELD, pieces)
        guards = ply.after.attackers(course.solver, ply.target)
        if guards and captures_on(ply.after.board, ply.target):
            guard = course.cheapest(ply.after, guards)
            defends = f"where {named(ply.after, guard, alone=True)} defends it"
            text, joint = f"{defends},{joint}{text}", Joint.COMMA
            relations |= {Relation(Verb.GUARDS, guard, ply.target)}
        drawing = course.draws(Role.ATTACK, ply.number + 1, squares=squares)
        yield Fact(FactKind.FORK, ply.number, text, joint, relations, drawing)


def pins(course: Course) -> Iterator[Fact]:
    """Find pinned pieces that a move attacks and the next one takes, or that may not take the moved piece."""
    for ply in course.replay.solver_plies:
        follow_up = course.replay.at(ply.number + 2)
        for pin in pinned(course.replay, ply):
            # A pawn would hardly have moved away.
            is_piece = ply.after.kind(pin.front) != chess.PAWN
            is_taken = is_piece and follow_up and follow_up.captured and follow_up.target == pin.front
            spares = may_not_take(ply, pin)
            is_used = ply.target != pin.pinner and (is_taken or exploits(course.replay, ply, pin))
            if not (spares or is_used) or (follow_up is not None and mates_on_pawn(follow_up)):
                continue
            front, behind, pinner = (named(ply.after, at) for at in (pin.front, pin.behind, pin.pinner))
            to_king = ply.after.kind(pin.behind) == chess.KING
            text = f"{capital(front)} is pinned to {'its king' if to_king else behind} by {pinner}"
            if spares:
                text += (
                    f" and {'cannot' if to_king else 'should not'} take on {chess.square_name(ply.target)}"
                )
            relations = frozenset({Relation(Verb.PINNED, pin.front), Relation(Verb.HELD, pin.front)})
            yield Fact(FactKind.PINNED, ply.number, text, Joint.ALONE, relations)


def skewers(course: Course) -> Iterator[Fact]:
    """Find skewers: a move attacks two pieces on a line, one of which is taken next."""
    for ply, reply, follow_up in course.replay.pairs():
        squares = skewered(ply, reply, follow_up)
        if squares is None or mates_on_pawn(follow_up):
            continue
        if course.pays(follow_up.before.board, follow_up.move, course.least):
            front, behind = squares
            text = f"behind {named(ply.after, front, alone=True)} stands {named(ply.after, behind)}"
            opened, held = Relation(Verb.OPENED, ply.target, behind), Relation(Verb.HELD, front)
            relations = related(Verb.ATTACKED, squares) | {opened, held}
            yield Fact(FactKind.SKEWER, ply.number, text, Joint.SEMICOLON, relations)
