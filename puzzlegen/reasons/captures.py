"""Facts about captures: why those of the solver win something, and why an offered piece may not be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import chess
from chess import PieceType, Square

from chess_motif.boards import board_after, mates
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import Ply
from puzzlegen.motifs.worth import gain, most_won, net_gain
from puzzlegen.reasons.fact import Course, Fact, FactKind, Joint, Relation, Role, Verb, captures_on
from puzzlegen.reasons.words import capital, deed_of, named, piece_name

# Words for how often a square is attacked.
_TIMES = ("not at all", "once", "twice", "three times", "four times", "five times", "six times")


def overloaded(course: Course) -> Iterator[Fact]:
    """Find a piece that alone defends two things: it recaptures one, and the solver takes the other."""
    for ply, reply, follow_up in course.replay.pairs():
        if ply.captured is None or reply.target != ply.target or follow_up.target == ply.target:
            continue
        before, defender, other = ply.before, reply.origin, follow_up.target
        both = (ply.target, other)
        if any(not before.attacks[defender] >> square & 1 for square in both):
            continue
        # No other piece could recapture on either square.
        takers = {move.from_square for move in captures_on(ply.after.board, ply.target)}
        if takers != {defender} or captures_on(follow_up.after.board, other):
            continue
        first = piece_name(ply.captured, ply.target)
        if follow_up.captured and before.board.color_at(other) == (not course.solver):
            duties = f"defend both {first} and {named(before, other)}"
        elif follow_up.mates:
            duties = f"defend {first} and guard {chess.square_name(other)}"
        else:
            continue
        yield Fact(
            FactKind.OVERLOADED,
            ply.number,
            capital(f"{named(before, defender, alone=True)} is overloaded: it has to {duties}"),
            Joint.ALONE,
            frozenset(Relation(Verb.GUARDS, defender, square) for square in both),
            course.draws(Role.DEFENDER, ply.number, arrows=[(defender, square) for square in both]),
        )


def tied(course: Course) -> Iterator[Fact]:
    """Find moved pieces that could be taken, but are not, because mate or a capture punishes every taker.

    A punishment on another square is named. If every taker is only recaptured, this is a fact of the first
    move only, and only if all takers are worth more than the moved piece; see `backed` for later moves.
    """
    for ply in course.replay.solver_plies:
        reply = course.replay.at(ply.number + 1)
        if reply is not None and reply.target == ply.target:
            continue
        # A move that has won enough even if its piece is lost needs no other reason.
        price = PIECE_VALUES[ply.after.kind(ply.target)]
        if material_balance(ply.after.board, course.solver) - price >= course.balance + course.least:
            continue
        takers = course.in_order(captures_on(ply.after.board, ply.target))
        found = (_punishment(course, ply, taker) for taker in takers)
        punishments = [*takewhile(lambda punishment: punishment is not None, found)]
        if len(punishments) < len(takers):
            continue
        telling = next(((taker, how) for taker, how in zip(takers, punishments, strict=True) if how), None)
        if telling:
            taker, how = telling
            who, what = named(ply.after, taker.from_square, alone=True), named(ply.after, ply.target)
            yield Fact(FactKind.TIED, ply.number, f"If {who} takes {what}, {how}", Joint.ALONE)
        elif takers and not ply.number and not ply.captured:
            yield from _taken_back(course, ply, takers)


def _taken_back(course: Course, ply: Ply, takers: Sequence[chess.Move]) -> Iterator[Fact]:
    """Say what taking the piece of the first move costs at least, and which piece takes back."""
    taker = course.cheapest(ply.after, [move.from_square for move in takers])
    taken, kind = board_after(ply.after.board, [chess.Move(taker, ply.target)]), ply.after.kind(taker)
    # Legal recaptures only: a guard may be pinned, or its king in check.
    guards = {move.from_square: move for move in captures_on(taken, ply.target)}
    if not guards or PIECE_VALUES[kind] - PIECE_VALUES[ply.after.kind(ply.target)] < course.least:
        return
    guard = course.cheapest(ply.after, guards)
    # The guard or another piece may be taken in turn.
    if course.pays(taken, guards[guard], PIECE_VALUES[kind] - 1):
        text = _price(ply, kind, named(ply.after, guard, alone=True))
        yield Fact(FactKind.TIED, ply.number, text, Joint.ALONE)


def _price(ply: Ply, taker: PieceType, guard: str) -> str:
    return f"Taking {named(ply.after, ply.target)} costs the {chess.piece_name(taker)}: {guard} takes back"


def _punishment(course: Course, ply: Ply, taker: chess.Move) -> str | None:
    """Return in words what punishes a capture: empty for a mere recapture, None if nothing does."""
    board = board_after(ply.after.board, [taker])
    course.spend()
    if mate := course.mate(board):
        return f"{board.san(mate).rstrip('#')} is mate"
    if check := course.forced_mate(board):
        return f"{board.san(check)} leads to mate"
    afterwards = {
        move: board_after(board, [move]) for move in course.in_order(board.generate_legal_captures())
    }
    enough = course.balance + course.least
    wins = {
        move: course.settled(after) for move, after in afterwards.items() if course.settles_at(after, enough)
    }
    if not wins:
        return None
    best = max(wins, key=lambda move: (wins[move], move.to_square == ply.target))
    taken = board.piece_type_at(best.to_square) or chess.PAWN
    if best.to_square == ply.target or PIECE_VALUES[taken] < course.least:
        return ""
    won = wins[best] - material_balance(board, course.solver)
    what = piece_name(taken, best.to_square) if won >= PIECE_VALUES[taken] else "material"
    return f"{board.san(best).rstrip('+')} wins {what}"


def backed(course: Course) -> Iterator[Fact]:
    """Find offered pieces whose taker loses material, because another piece takes back."""
    for ply, reply, follow_up in course.replay.pairs():
        if not ply.target == reply.target == follow_up.target or reply.kind == chess.KING:
            continue
        given = PIECE_VALUES[ply.after.kind(ply.target)]
        won = course.settled(follow_up.after.board) - material_balance(follow_up.before.board, course.solver)
        if min(won, PIECE_VALUES[reply.kind]) - given + gain(ply) < course.least or gain(ply) >= given:
            continue
        # If this move has already won enough, being attacked more often than defended says more.
        attackers, defenders = (
            len(ply.before.attackers(side, ply.target)) for side in (course.solver, not course.solver)
        )
        if gain(ply) >= course.least and defenders < attackers:
            continue
        origin, guard = reply.origin, named(follow_up.before, follow_up.origin)
        piece, taker = named(ply.after, ply.target), named(ply.after, origin)
        defends = ply.after.attacks.get(follow_up.origin, 0) >> ply.target & 1
        line = ply.after.pin_mask(not course.solver, origin)
        relations = {Relation(Verb.GUARDS, follow_up.origin, ply.target)}
        if defends and line != chess.BB_ALL and line >> ply.target & 1:
            text = f"{piece} pins {taker} to its king and is defended by {guard}"
            relations.add(Relation(Verb.PINNED, origin))
        elif defends and ply.after.attacks[ply.target] >> origin & 1:
            check = "gives check, " if ply.check else ""
            others = [at for at in _hit(course, ply) if at != origin and ply.after.is_hanging(at)][:1]
            attacked = [taker, *(f"{named(ply.after, at)}," for at in others)]
            text = f"{piece} {check}attacks {' and '.join(attacked)} and is defended by {guard}"
            relations |= {Relation(Verb.ATTACKED, at) for at in (origin, *others)}
        else:
            text = _price(ply, reply.kind, guard)
        drawing = course.draws(Role.ATTACK, ply.number + 1, arrows=[(follow_up.origin, ply.target)])
        yield Fact(FactKind.BACKED, ply.number, capital(text), Joint.ALONE, frozenset(relations), drawing)


def _hit(course: Course, ply: Ply) -> list[Square]:
    """Return the squares of the pieces, without pawns, that a move attacks."""
    attacked = ply.after.attacks[ply.target] & ply.after.board.occupied_co[not course.solver]
    return sorted(chess.scan_forward(attacked & ~ply.after.board.pawns), key=course.place)


def in_return(course: Course) -> Iterator[Fact]:
    """Find what the solver takes elsewhere after the piece of the first move was taken."""
    for ply, reply, follow_up in course.replay.pairs()[:1]:
        taken = follow_up.before.board.piece_type_at(follow_up.target)
        if reply.target != ply.target or follow_up.target == ply.target or taken is None:
            continue
        if PIECE_VALUES[taken] < course.least:
            continue
        if course.settles_at(follow_up.after.board, course.balance + course.least):
            taker = named(ply.after, reply.origin, alone=True)
            done = "takes back" if ply.captured else f"takes {named(ply.after, ply.target)}"
            takes = follow_up.before.board.san(follow_up.move)
            text = f"If {taker} {done}, {takes} takes {piece_name(taken, follow_up.target)}"
            yield Fact(FactKind.IN_RETURN, ply.number, text, Joint.ALONE)


def not_at_once(course: Course) -> Iterator[Fact]:
    """Find a second move that was possible at once, and what it would then have allowed."""
    for ply, reply, follow_up in course.replay.pairs()[:1]:
        start, target = ply.before.board, follow_up.target
        # A capture that wins something itself needs no such reason.
        if ply.captured and (reply.target != ply.target or net_gain(ply, course.replay) >= course.least):
            continue
        was_there = start.piece_at(target)
        if was_there is None or was_there != follow_up.before.board.piece_at(target):
            continue
        if target in (ply.target, reply.target) or not start.is_legal(follow_up.move):
            continue
        at_once, later = board_after(start, [follow_up.move]), follow_up.after.board
        won = course.settled(later)
        if won < course.balance + course.least or at_once.is_check():
            continue
        refutation = course.refutation(at_once, won - course.least)
        if refutation is None:
            continue
        if later.is_legal(refutation) and later.is_capture(refutation) == at_once.is_capture(refutation):
            continue
        allows = f"{start.san(follow_up.move)} at once would allow {at_once.san(refutation)}"
        yield Fact(FactKind.NOT_AT_ONCE, 0, f"{allows}, so {deed_of(course.replay, 0)} first", Joint.ALONE)


def king_held_off(course: Course) -> Iterator[Fact]:
    """Find defended pieces next to the enemy king that only the king attacks, and therefore cannot take."""
    for ply in course.replay.solver_plies:
        is_last = ply is course.replay.plies[-1] and ply.number
        if is_last or ply.mates or not (ply.captured or ply.check):
            continue
        attackers = ply.after.attackers(not course.solver, ply.target)
        guards = ply.after.attackers(course.solver, ply.target)
        if attackers != [ply.after.king(not course.solver)] or not guards:
            continue
        guard = course.cheapest(ply.after, guards)
        yield Fact(
            FactKind.KING_HELD_OFF,
            ply.number,
            f"The king cannot take {named(ply.after, ply.target)}, which {named(ply.after, guard)} defends",
            Joint.ALONE,
            frozenset({Relation(Verb.GUARDS, guard, ply.target)}),
            course.draws(Role.ATTACK, ply.number + 1, arrows=[(guard, ply.target)]),
        )


def profits(course: Course) -> Iterator[Fact]:
    """Find why the first capture that wins something pays.

    The captured piece is undefended, worth more than the capturing one, or defended by too few pieces.
    """
    captures = [ply for ply in course.replay.solver_plies if ply.captured]
    for least in (course.least, 1):
        for ply in captures:
            if course.pays(ply.before.board, ply.move, least + _lost_before(course, ply)):
                # In an en-passant capture, the square is empty.
                if ply.before.board.piece_at(ply.target) is not None:
                    yield from _profit(course, ply)
                return


def _lost_before(course: Course, ply: Ply) -> int:
    """Return in pawns what the solver has just lost on the square where a ply captures."""
    if ply.number == 0:
        before = course.replay.capture_before
        return PIECE_VALUES[before.kind] if before is not None and before.square == ply.target else 0
    reply = course.replay.plies[ply.number - 1]
    return gain(reply) if reply.target == ply.target else 0


def _profit(course: Course, ply: Ply) -> Iterator[Fact]:
    target, kind, name = ply.target, ply.before.kind(ply.target), named(ply.before, ply.target)
    defenders = ply.after.attackers(not course.solver, target)
    back = [move.from_square for move in captures_on(ply.after.board, target)]
    has_taken = course.replay.recapture_square(ply.number) == target
    # A recapture is no reason, nor is the capture of a pawn at the end.
    if not defenders and not (ply.number and (has_taken or kind == chess.PAWN)):
        where = f"{chess.square_name(target)}, where nothing defends it"
        text = (
            f"The {chess.piece_name(kind)} has taken on {where}" if has_taken else f"Nothing defends {name}"
        )
        yield Fact(FactKind.UNDEFENDED, ply.number, text, Joint.ALONE)
    if not back:
        return
    attackers = len(ply.before.attackers(course.solver, target))
    if PIECE_VALUES[kind] - PIECE_VALUES[ply.kind] >= course.least:
        taker = course.cheapest(ply.after, back)
        taking = named(ply.after, taker, alone=True)
        worth = f"a {chess.piece_name(kind)} is worth more than a {chess.piece_name(ply.kind)}"
        text = f"{capital(taking)} can take back, but {worth}"
        yield Fact(FactKind.WORTH_MORE, ply.number, text, Joint.ALONE)
    elif len(defenders) < attackers < len(_TIMES):
        counts = f"attacked {_TIMES[attackers]} and defended only {_TIMES[len(defenders)]}"
        yield Fact(FactKind.OUTNUMBERED, ply.number, f"{capital(name)} is {counts}", Joint.ALONE)


def forced_blocks(course: Course) -> Iterator[Fact]:
    """Find checks that can only be met by interposing a piece, which the solver takes."""
    for ply, reply, follow_up in course.replay.pairs():
        if not ply.check or reply.captured or reply.kind == chess.KING or follow_up.target != reply.target:
            continue
        board, moves, king = ply.after.board, ply.after.legal_moves, ply.after.king(not course.solver)
        if any(move.from_square == king or board.is_capture(move) for move in moves):
            continue
        if all(_falls(course, board, move) for move in moves):
            only = len({move.to_square for move in moves}) == 1
            on = f" on {chess.square_name(reply.target)}" if only else ""
            check = ply.before.board.san(ply.move)
            text = f"After {check} the king has no square, and what blocks the check{on} is lost"
            yield Fact(FactKind.FORCED_BLOCK, ply.number, text, Joint.ALONE)


def _falls(course: Course, board: chess.Board, move: chess.Move) -> bool:
    after, square = board_after(board, [move]), move.to_square
    is_mate = any(mates(after, capture) for capture in captures_on(after, square))
    return is_mate or most_won(after, square) >= course.least
