"""Why the solver's captures win something, and why what the solver offers may not be taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

import chess
from chess import PieceType, Square

from chess_motif.boards import board_after, checks, mates, mating_moves
from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.motifs.replay import SLIDERS, AttackMap, Ply
from puzzlegen.motifs.worth import gain, most_won, net_gain
from puzzlegen.reasons.claim import Claim, Course, Kind, forced_mate
from puzzlegen.reasons.drawing import Drawing, Role
from puzzlegen.reasons.goal import Aim
from puzzlegen.reasons.words import as_sentence, deed_of, joined, piece_name, without_check

# Words for how often a square is attacked.
_TIMES = ("not at all", "once", "twice", "three times", "four times", "five times", "six times")

# Words for how many pieces of a kind were captured.
_NUMBERS = ("no", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")

# The fewest captures in a row that have to be counted.
_SERIES = 3


def overloaded(course: Course) -> Iterator[Claim]:
    """Find a piece that is the only one to defend two things; it takes back, and the other one falls."""
    for ply, reply, follow_up in course.replay.pairs():
        if ply.captured is None or reply.target != ply.target or follow_up.target == ply.target:
            continue
        before, defender, other = ply.before, reply.origin, follow_up.target
        both = chess.BB_SQUARES[ply.target] | chess.BB_SQUARES[other]
        if before.attacks[defender] & both != both:
            continue
        # Nothing else could have taken back, on either square.
        takers = {move.from_square for move in _captures(ply.after.board, ply.target)}
        if takers != {defender} or any(_captures(follow_up.after.board, other)):
            continue
        first = piece_name(ply.captured, ply.target)
        if follow_up.captured and before.board.color_at(other) == (not course.solver):
            duties = f"defend both {first} and {piece_name(before.kind(other), other)}"
        elif follow_up.mates:
            duties = f"defend {first} and guard {chess.square_name(other)}"
        else:
            continue
        name = piece_name(reply.kind, defender, reply.kind == chess.KING)
        arrows = tuple((defender, square) for square in (ply.target, other))
        drawn = Drawing(Role.DEFENDER, arrows) if course.unmoved(ply.number, defender) else None
        text = f"{name} is overloaded: it has to {duties}"
        yield Claim(Kind.OVERLOADED, ply.number, as_sentence(text), drawn)


def tied(course: Course) -> Iterator[Claim]:
    """Find pieces that could take what just moved, but do not: each time, a mate or a capture punishes it.

    One that is punished elsewhere than on the same square is named. If all are taken back there, the first
    move has a claim if they are worth more than the piece that moved; later moves are for `backed`.
    """
    for ply in course.replay.solver_plies:
        reply = course.replay.at(ply.number + 1)
        if reply is not None and reply.target == ply.target:
            continue
        # What is worth its price anyway needs no other reason.
        price = PIECE_VALUES[ply.after.kind(ply.target)]
        if material_balance(ply.after.board, course.solver) - price >= course.balance + course.least:
            continue
        takers = course.in_order(_captures(ply.after.board, ply.target))
        found = (_punishment(course, ply, taker) for taker in takers)
        punishments = [*takewhile(lambda punishment: punishment is not None, found)]
        if len(punishments) < len(takers):
            continue
        for taker, punishment in zip(takers, punishments, strict=True):
            if punishment:
                kind = ply.after.kind(taker.from_square)
                name = piece_name(kind, taker.from_square, kind == chess.KING)
                piece = piece_name(ply.after.kind(ply.target), ply.target)
                yield Claim(Kind.TIED, ply.number, f"If {name} takes {piece}, {punishment}.")
                break
        else:
            yield from _taken_back(course, ply, takers)


def _taken_back(course: Course, ply: Ply, takers: Sequence[chess.Move]) -> Iterator[Claim]:
    """Say of a first move's piece what taking it costs at least, and what takes back."""
    if ply.number or ply.captured or not takers:
        return
    taker = course.cheapest(ply.after, [move.from_square for move in takers])
    taken = board_after(ply.after.board, [move for move in takers if move.from_square == taker][:1])
    # A guard may be pinned, or its king in check.
    guards = [move.from_square for move in _captures(taken, ply.target)]
    if not guards:
        return
    guard = course.cheapest(ply.after, guards)
    lost = PIECE_VALUES[ply.after.kind(taker)] - PIECE_VALUES[ply.after.kind(ply.target)]
    if lost < course.least:
        return
    # The guard may be taken in its turn, or something else.
    back = next(move for move in _captures(taken, ply.target) if move.from_square == guard)
    least = material_balance(ply.after.board, course.solver) + lost - 1
    if not course.settles_at(board_after(taken, [back]), least):
        return
    piece = piece_name(ply.after.kind(ply.target), ply.target)
    name = piece_name(ply.after.kind(guard), guard, ply.after.kind(guard) == chess.KING)
    text = _price(piece, ply.after.kind(taker), name)
    yield Claim(Kind.TIED, ply.number, as_sentence(text))


def _price(piece: str, taker: PieceType, guard: str) -> str:
    return f"Taking {piece} costs the {chess.piece_name(taker)}: {guard} takes back"


def _punishment(course: Course, ply: Ply, taker: chess.Move) -> str | None:
    """Return what punishes a capture, in words; empty for a move that is no news, None if nothing does."""
    board = board_after(ply.after.board, [taker])
    course.spend()
    if mating := course.in_order(mating_moves(board)):
        return f"{board.san(mating[0]).rstrip('#')} is mate"
    if check := forced_mate(course, board):
        return f"{board.san(check)} leads to mate"
    captures = course.in_order(board.generate_legal_captures())
    afterwards = {move: board_after(board, [move]) for move in captures}
    wins = {
        move: course.settled(after)
        for move, after in afterwards.items()
        if course.settles_at(after, course.balance + course.least)
    }
    if not wins:
        return _punishing_check(course, board)
    best = max(wins, key=lambda move: (wins[move], move.to_square == ply.target))
    taken = board.piece_type_at(best.to_square) or chess.PAWN
    if best.to_square == ply.target or PIECE_VALUES[taken] < course.least:
        return ""
    won = wins[best] - material_balance(board, course.solver)
    what = piece_name(taken, best.to_square) if won >= PIECE_VALUES[taken] else "material"
    return f"{board.san(best).rstrip('+')} wins {what}"


def _punishing_check(course: Course, board: chess.Board) -> str | None:
    """Return a check after which the solver wins a piece that it attacks, whatever the answer; in words."""
    for move in course.in_order(checks(board)):
        after = board_after(board, [move])
        targets = after.attacks_mask(move.to_square) & after.occupied_co[after.turn] & ~after.kings
        pieces = [at for at in chess.scan_forward(targets) if PIECE_VALUES[_kind(after, at)] >= course.least]
        answers = (board_after(after, [answer]) for answer in after.legal_moves)
        least = course.balance + course.least
        if pieces and all(course.settles_at(answered, least) for answered in answers):
            best = max(pieces, key=lambda at: (PIECE_VALUES[_kind(after, at)], course.place(at)))
            return f"{board.san(move)} wins {piece_name(_kind(after, best), best)}"
    return None


def _kind(board: chess.Board, square: Square) -> PieceType:
    return board.piece_type_at(square) or chess.PAWN


def backed(course: Course) -> Iterator[Claim]:
    """Find offers that cost more than they bring to whoever accepts, because another piece takes back."""
    for ply, reply, follow_up in course.replay.pairs():
        if not ply.target == reply.target == follow_up.target or reply.kind == chess.KING:
            continue
        given = PIECE_VALUES[ply.after.kind(ply.target)]
        won = course.wins(follow_up.before.board, follow_up.move)
        won = min(won, PIECE_VALUES[reply.kind])
        if won - given + gain(ply) < course.least or gain(ply) >= given:
            continue
        # What is attacked more often than defended says more, if that is won already.
        attackers, defenders = (
            len(ply.before.attackers(side, ply.target)) for side in (course.solver, not course.solver)
        )
        if gain(ply) >= course.least and defenders < attackers:
            continue
        piece = piece_name(ply.after.kind(ply.target), ply.target)
        taker = piece_name(reply.kind, reply.origin)
        guard = piece_name(follow_up.kind, follow_up.origin)
        defends = ply.after.attacks.get(follow_up.origin, 0) >> ply.target & 1
        line = ply.after.board.pin_mask(not course.solver, reply.origin)
        pinner = line != chess.BB_ALL and line >> ply.target & 1
        drawn = None
        if course.unmoved(ply.number + 1, follow_up.origin):
            drawn = Drawing(Role.ATTACK, ((follow_up.origin, ply.target),))
        if defends and pinner:
            text = f"{piece} pins {taker} to its king and is defended by {guard}"
        elif defends and ply.after.attacks[ply.target] >> reply.origin & 1:
            attacked = _with_what_hangs(course, ply, taker, reply.origin)
            checks = "gives check, " if ply.check else ""
            text = f"{piece} {checks}attacks {attacked} defended by {guard}"
        else:
            text = _price(piece, reply.kind, guard)
        yield Claim(Kind.BACKED, ply.number, as_sentence(text), drawn)


def _with_what_hangs(course: Course, ply: Ply, taker: str, origin: Square) -> str:
    """Return the piece that is attacked, and another one that the same move makes hang, before `and is`."""
    attacked = ply.after.attacks[ply.target] & ply.after.board.occupied_co[not course.solver]
    for square in sorted(chess.scan_forward(attacked & ~ply.after.board.pawns), key=course.place):
        if square != origin and ply.after.is_hanging(square):
            return f"{taker} and {piece_name(ply.after.kind(square), square)}, and is"
    return f"{taker} and is"


def in_return(course: Course) -> Iterator[Claim]:
    """Find what the solver takes elsewhere after the piece that moved first has been taken."""
    for ply, reply, follow_up in course.replay.pairs():
        if ply.number or reply.target != ply.target or follow_up.target == ply.target:
            continue
        taken = follow_up.before.board.piece_type_at(follow_up.target)
        if taken is None or PIECE_VALUES[taken] < course.least:
            continue
        if not course.settles_at(follow_up.after.board, course.balance + course.least):
            continue
        taker = piece_name(reply.kind, reply.origin, reply.kind == chess.KING)
        takes = follow_up.before.board.san(follow_up.move)
        what = piece_name(taken, follow_up.target)
        done = "takes back" if ply.captured else f"takes {piece_name(ply.after.kind(ply.target), ply.target)}"
        yield Claim(Kind.IN_RETURN, ply.number, as_sentence(f"if {taker} {done}, {takes} takes {what}"))


def guard_taken(course: Course) -> Iterator[Claim]:
    """Find a first capture of a piece that guards the square to which the solver goes next."""
    for ply, reply, follow_up in course.replay.pairs():
        if ply.number or ply.captured is None or follow_up.captured or follow_up.origin == ply.target:
            continue
        square = follow_up.target
        # What is captured en passant stands elsewhere.
        guarded = ply.before.attacks.get(ply.target, chess.BB_EMPTY)
        is_free = ply.before.board.piece_at(square) is None or square == ply.origin
        if not is_free or not guarded >> square & 1:
            continue
        # It must have been the last one, and nothing that takes back may guard the square.
        if follow_up.after.board.is_attacked_by(not course.solver, square) or reply.target != ply.target:
            continue
        piece = piece_name(follow_up.kind, follow_up.origin)
        deed = without_check(deed_of(ply))
        text = f"{deed}, which guards {chess.square_name(square)}: {piece} goes there next"
        yield Claim(Kind.GUARD_TAKEN, ply.number, as_sentence(text))


def not_at_once(course: Course) -> Iterator[Claim]:
    """Find a capture that comes second although it was possible first, and what it would have allowed."""
    for ply, reply, follow_up in course.replay.pairs():
        start, target = ply.before.board, follow_up.target
        # A capture that wins something itself needs no such reason.
        if ply.captured and (reply.target != ply.target or net_gain(ply, course.replay) >= course.least):
            continue
        if ply.number or target in (ply.target, reply.target) or not start.is_legal(follow_up.move):
            continue
        if start.piece_type_at(target) is None or start.piece_at(target) != follow_up.before.board.piece_at(
            target
        ):
            continue
        at_once = board_after(start, [follow_up.move])
        won = course.settled(follow_up.after.board)
        if won < course.balance + course.least or at_once.is_check():
            continue
        refutation = next(iter(course.in_order(mating_moves(at_once))), None) or _refuting_capture(
            course, at_once, won - course.least
        )
        if refutation is None:
            continue
        later = follow_up.after.board
        if later.is_legal(refutation) and later.is_capture(refutation) == at_once.is_capture(refutation):
            continue
        first, allows = start.san(follow_up.move), at_once.san(refutation)
        text = f"{first} at once would allow {allows}, so {deed_of(ply)} first."
        yield Claim(Kind.NOT_AT_ONCE, ply.number, text)


def _refuting_capture(course: Course, board: chess.Board, most: int) -> chess.Move | None:
    """Return the opponent's best capture if the solver is then ahead by at most so many pawns."""
    worst: dict[chess.Move, int] = {}
    for move in course.in_order(board.generate_legal_captures()):
        after = board_after(board, [move])
        if not course.settles_at(after, most + 1):
            worst[move] = course.settled(after)
    return min(worst, key=lambda move: worst[move], default=None)


def king_held_off(course: Course) -> Iterator[Claim]:
    """Find pieces next to the enemy king that only it attacks, and that it cannot take: they are defended."""
    for ply in course.replay.solver_plies:
        is_last = ply is course.replay.plies[-1] and ply.number
        if is_last or ply.mates or not (ply.captured or ply.check):
            continue
        attackers = ply.after.attackers(not course.solver, ply.target)
        if attackers != [ply.after.king(not course.solver)]:
            continue
        guards = ply.after.attackers(course.solver, ply.target)
        if not guards:
            continue
        guard = course.cheapest(ply.after, guards)
        piece = piece_name(ply.after.kind(ply.target), ply.target)
        text = f"The king cannot take {piece}, which {piece_name(ply.after.kind(guard), guard)} defends"
        drawn = None
        if course.unmoved(ply.number + 1, guard):
            drawn = Drawing(Role.ATTACK, ((guard, ply.target),))
        yield Claim(Kind.KING_HELD_OFF, ply.number, as_sentence(text), drawn)


def freed(course: Course) -> Iterator[Claim]:
    """Find a piece of the solver that captures only when it no longer shields a piece behind it."""
    goal = course.decisive
    if goal is None or goal.threatened or goal.aim is not Aim.CAPTURE or goal.number == 0:
        return
    start, origin = course.replay.start, goal.ply.origin
    pieces = course.reasons.pieces
    if not course.unmoved(goal.number, origin) or goal.ply.kind == chess.KING:
        return
    for slider in start.attackers(not course.solver, origin):
        if start.kind(slider) not in SLIDERS or chess.between(slider, origin) & start.board.occupied:
            continue
        behind = _behind(start, slider, origin)
        if behind is None or start.board.color_at(behind) != course.solver:
            continue
        shielded, target = start.kind(behind), goal.ply.target
        same = not chess.ray(slider, origin) >> target & 1
        moved = pieces.square(goal.number, behind) != behind
        if same and moved and PIECE_VALUES[shielded] > PIECE_VALUES[start.kind(slider)]:
            pinner, piece = piece_name(start.kind(slider), slider), piece_name(goal.ply.kind, origin)
            text = f"{piece} is pinned to {piece_name(shielded, behind)} by {pinner} at first, and free after"
            gone = pieces.square(goal.number, behind) is None
            text += " the exchange" if gone else f" the {chess.piece_name(shielded)} has moved"
            yield Claim(Kind.FREED, 0, as_sentence(text), Drawing(Role.ATTACK, ((slider, behind),)))


def _behind(attack_map: AttackMap, slider: Square, front: Square) -> Square | None:
    """Return the square of the next piece behind one that a slider attacks."""
    line = chess.ray(slider, front) & attack_map.board.occupied
    beyond = [
        at
        for at in chess.scan_forward(line)
        if chess.between(slider, at) & attack_map.board.occupied == chess.BB_SQUARES[front]
    ]
    return beyond[0] if beyond else None


def profits(course: Course) -> Iterator[Claim]:
    """Find why the first capture that wins something pays: nothing takes back, too little, or it is cheap."""
    captures = [ply for ply in course.replay.solver_plies if ply.captured]
    for least in (course.least, 1):
        for ply in captures:
            if course.pays(ply.before.board, ply.move, least + _lost_before(course, ply)):
                yield from _profit(course, ply)
                return


def _lost_before(course: Course, ply: Ply) -> int:
    """Return what the solver has just lost where a ply captures, in pawns."""
    if ply.number == 0:
        before = course.replay.capture_before
        return PIECE_VALUES[before.kind] if before is not None and before.square == ply.target else 0
    reply = course.replay.plies[ply.number - 1]
    return gain(reply) if reply.target == ply.target else 0


def _profit(course: Course, ply: Ply) -> Iterator[Claim]:
    target = ply.target
    kind = ply.before.board.piece_type_at(target)
    # En passant.
    if kind is None:
        return
    name = piece_name(kind, target)
    defenders = ply.after.attackers(not course.solver, target)
    back = [move.from_square for move in _captures(ply.after.board, target)]
    # That something is taken back is no reason, nor a pawn that falls in the end.
    takes_back = ply.number > 0 and _lost_before(course, ply) > 0
    if not defenders and not takes_back and (kind != chess.PAWN or ply.number == 0):
        text = f"Nothing defends {name}."
        came = course.replay.capture_before if ply.number == 0 else None
        if came is not None and came.square == target:
            square = chess.square_name(target)
            text = f"The {chess.piece_name(kind)} has taken on {square}, where nothing defends it."
        yield Claim(Kind.UNDEFENDED, ply.number, text)
    if not back:
        return
    attackers = len(ply.before.attackers(course.solver, target))
    if PIECE_VALUES[kind] - PIECE_VALUES[ply.kind] >= course.least:
        taker = course.cheapest(ply.after, back)
        taking = piece_name(ply.after.kind(taker), taker, ply.after.kind(taker) == chess.KING)
        taken_back = board_after(ply.after.board, [chess.Move(taker, target)])
        if most_won(taken_back, target) >= PIECE_VALUES[ply.kind]:
            text = f"taking back on {chess.square_name(target)} costs {taking}, too"
        else:
            worth = f"a {chess.piece_name(kind)} is worth more than a {chess.piece_name(ply.kind)}"
            text = f"{taking} can take back, but {worth}"
        yield Claim(Kind.WORTH_MORE, ply.number, as_sentence(text))
    elif len(defenders) < attackers < len(_TIMES):
        counts = f"attacked {_TIMES[attackers]} and defended only {_TIMES[len(defenders)]}"
        yield Claim(Kind.OUTNUMBERED, ply.number, as_sentence(f"{name} is {counts}"))


def exchanges(course: Course) -> Iterator[Claim]:
    """Find captures that follow one another from the first move on, and say what each side has lost."""
    captures = list(takewhile(lambda ply: ply.captured, course.replay.plies))
    if len(captures) < _SERIES or not course.pays(course.replay.start.board, captures[0].move, course.least):
        return
    won, lost = (Counter(ply.captured for ply in captures[side::2] if ply.captured) for side in (0, 1))
    won, lost = won - lost, lost - won
    if won and lost:
        verb = "is" if lost.total() == 1 else "are"
        yield Claim(Kind.EXCHANGE, 0, as_sentence(f"{_pieces(lost)} {verb} exchanged for {_pieces(won)}"))


def _pieces(kinds: Counter[PieceType]) -> str:
    """Say how many pieces of which kinds there are, such as `a rook and two pawns`."""
    names = [(kinds[kind], chess.piece_name(kind)) for kind in sorted(kinds, reverse=True)]
    return joined(f"{_NUMBERS[number]} {name}{'s'[: number > 1]}" for number, name in names)


def forced_blocks(course: Course) -> Iterator[Claim]:
    """Find checks that can only be met by putting a piece in the way, where the solver takes it."""
    for ply, reply, follow_up in course.replay.pairs():
        if not ply.check or reply.captured or reply.kind == chess.KING or follow_up.target != reply.target:
            continue
        board = ply.after.board
        king = ply.after.king(not course.solver)
        moves = list(board.legal_moves)
        if any(move.from_square == king or board.is_capture(move) for move in moves):
            continue
        if all(_falls(course, board, move) for move in moves):
            where = {move.to_square for move in moves}
            on = f" on {chess.square_name(reply.target)}" if len(where) == 1 else ""
            check = ply.before.board.san(ply.move)
            text = f"After {check} the king has no square, and what blocks the check{on} is lost."
            yield Claim(Kind.FORCED_BLOCK, ply.number, text)


def _falls(course: Course, board: chess.Board, move: chess.Move) -> bool:
    after, square = board_after(board, [move]), move.to_square
    mating = any(mates(after, capture) for capture in _captures(after, square))
    return mating or most_won(after, square) >= course.least


def _captures(board: chess.Board, square: Square) -> list[chess.Move]:
    """Return the legal captures on a square."""
    return list(board.generate_legal_captures(to_mask=chess.BB_SQUARES[square]))
