"""Attacking motifs: forks, pins, skewers, discovered attacks and trapped pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess import Bitboard, Color, Square

from chess_motif.boards import board_after
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.exchange import is_lost, most_won
from puzzlegen.motifs.replay import SLIDERS, WORTH, AttackMap, Motif, Ply, Replay, rule


@rule(
    fork="A move attacks two pieces that can be captured at a profit: the king, pieces of higher value, "
    "undefended ones, and one that is captured next because the attacked piece that defends it has left. "
    "Pawns do not count. The reply does not capture the forking piece, unless with a piece of higher value "
    "that is recaptured, and is not pinned to its king. The last of several moves is no fork, "
    "nor is a single move that captures an undefended piece."
)
def forks(replay: Replay) -> Iterator[Motif]:
    """Find forks."""
    for ply in replay.solver_plies:
        reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
        if follow_up is None and ply.number > 0:
            continue
        targets = sorted(map(ply.after.kind, fork_targets(ply, follow_up)))
        if len(targets) >= 2 and _survives(ply, reply, follow_up):
            yield Motif("fork", ply.number, ply.after.kind(ply.target), tuple(targets), ply.target)


def fork_targets(ply: Ply, follow_up: Ply | None) -> Iterator[Square]:
    """Yield the squares of what a move attacks and can capture at a profit."""
    attack_map, forker = ply.after, ply.target
    board = attack_map.board
    worth = WORTH[attack_map.kind(forker)]
    attacked = attack_map.attacks[forker] & board.occupied_co[board.turn] & ~board.pawns
    higher = chess.SquareSet(at for at in chess.scan_forward(attacked) if WORTH[attack_map.kind(at)] > worth)
    taken = follow_up.target if follow_up and follow_up.origin == forker and _is_free(follow_up) else None
    for square in chess.scan_forward(attacked):
        defenders = board.attackers_mask(board.turn, square)
        tied = square == taken and not defenders & ~(higher.mask & ~board.kings)
        if square in higher or not defenders or tied:
            yield square


def _is_free(capture: Ply) -> bool:
    """Return whether a move captures what nothing defends."""
    return capture.captured is not None and not capture.before.is_defended(capture.target)


def _survives(ply: Ply, reply: Ply | None, follow_up: Ply | None) -> bool:
    """Return whether a forking piece is not captured, or only at a loss."""
    if reply is None or follow_up is None:
        # What takes an undefended piece needs no fork.
        takes_piece = ply.captured not in (None, chess.PAWN) and not ply.before.is_defended(ply.target)
        return not takes_piece and not ply.mates and not ply.after.is_hanging(ply.target)
    if reply.target != ply.target:
        return True
    board = ply.after.board
    is_loss = WORTH[ply.after.kind(ply.target)] < WORTH[reply.kind] < WORTH[chess.KING]
    # What is pinned is lost whether or not the move attacks another piece.
    return is_loss and follow_up.target == ply.target and not board.is_pinned(board.turn, reply.origin)


@rule(
    doubleAttack="A move makes two threats at once, by whichever pieces: a check, or an attack by which a "
    "piece is lost, also a pawn if it checks. The reply meets one of them without a capture, and the solver "
    "captures the other piece. A fork does not count. Where no motif but a threat of mate says more, also a "
    "first move, no check, which threatens two pieces at once, or mate and a piece, or attacks a queen and "
    "what only the queen defends, or two, of which a pawn falls; or a second move makes two threats, if the "
    "first one is a check, or is taken back."
)
def double_attacks(replay: Replay) -> Iterator[Motif]:
    """Find double attacks. What is captured must hang because of the move."""
    for ply, reply, follow_up in replay.pairs():
        target = follow_up.target
        if reply.captured or follow_up.captured is None or target in (ply.target, reply.target):
            continue
        if not _is_newly_lost(ply, target) or len(list(fork_targets(ply, follow_up))) >= 2:
            continue
        enemies = ply.after.board.occupied_co[not replay.solver] & ~ply.after.board.pawns
        others = enemies & ~ply.after.board.kings & ~chess.BB_SQUARES[target]
        pieces = [square for square in chess.scan_forward(others) if _is_newly_lost(ply, square)]
        if ply.check or (pieces and follow_up.captured != chess.PAWN):
            kinds = [ply.after.kind(square) for square in (target, *pieces)]
            kinds += [chess.KING] * ply.check
            yield Motif("doubleAttack", ply.number, ply.after.kind(ply.target), tuple(sorted(kinds)), target)


def _is_newly_lost(ply: Ply, square: Square) -> bool:
    """Return whether there is a piece or pawn that hangs, or is attacked too often, because of a move."""
    if not ply.after.board.occupied & chess.BB_SQUARES[square]:
        return False
    return is_lost(ply.after, square) and not is_lost(ply.before, square)


@rule(
    pin="A piece is pinned to its king, and therefore hangs, is attacked too often and captured next, or "
    "cannot capture the piece that just moved.",
    relativePin="A piece is pinned to a piece of higher value, or of the same value and undefended. It is "
    "attacked once more and lost, or it moves and the piece behind it is captured, or it does not capture a "
    "piece of higher value that just moved, and which nothing else of lower value attacks.",
)
def pins(replay: Replay) -> Iterator[Motif]:
    """Find pins that matter, after each move of the solver.

    The pinned piece would expose its king (`absolutePin`), or a piece of no lower value that is undefended or
    worth more than the pinning piece (`relativePin`). Relative pins that the solution does not use are not
    notable.
    """
    for ply in replay.solver_plies:
        for pin in pinned(replay, ply):
            is_absolute = ply.after.kind(pin.behind) == chess.KING
            yield Motif(
                "absolutePin" if is_absolute else "relativePin",
                ply.number,
                ply.after.kind(pin.pinner),
                (ply.after.kind(pin.front), ply.after.kind(pin.behind)),
                pin.front,
                (is_absolute and (ply.after.is_hanging(pin.front) or _keeps_from_taking(ply, pin)))
                or exploits(replay, ply, pin)
                or may_not_take(replay, ply, pin),
            )


class Pin(NamedTuple):
    """The squares of a line piece, of the piece that it pins, and of the one behind that."""

    pinner: Square
    front: Square
    behind: Square


def pinned(replay: Replay, ply: Ply) -> Iterator[Pin]:
    """Yield the pins after a move because of which a piece hangs, or cannot capture the piece that moved."""
    attack_map, color = ply.after, replay.solver
    for pin in _lined_up(attack_map, color):
        pinner, front, behind = map(attack_map.kind, pin)
        is_defended = attack_map.defended[not color] >> pin.behind & 1
        least = max(WORTH[front], WORTH[pinner])
        if behind == chess.PAWN or WORTH[behind] < WORTH[front] or (WORTH[behind] <= least and is_defended):
            continue
        if front == chess.PAWN and not _could_leave(attack_map, pin):
            continue
        if _keeps_from_taking(ply, pin) or is_lost(attack_map, pin.front):
            yield pin


def _could_leave(attack_map: AttackMap, pin: Pin) -> bool:
    """Return whether a pawn in front could leave the line, if nothing pinned it."""
    board, color = attack_map.board, bool(attack_map.board.color_at(pin.front))
    ahead = chess.BB_SQUARES[pin.front + (8 if color == chess.WHITE else -8)] & ~board.occupied
    reached = ahead | attack_map.attacks[pin.front] & board.occupied_co[not color]
    return bool(reached & ~chess.ray(pin.pinner, pin.front))


def _keeps_from_taking(ply: Ply, pin: Pin) -> bool:
    """Return whether a pinned piece attacks the piece that just moved, and cannot capture it."""
    # It can still capture the pinning one, along the line.
    return ply.target != pin.pinner and bool(ply.after.attacks[pin.front] & chess.BB_SQUARES[ply.target])


def uses_pin(motif: Motif, replay: Replay) -> bool:
    """Return whether a piece that is pinned to its king is captured next, or cannot capture what moved."""
    ply, front = replay.plies[motif.ply], motif.square
    reply, follow_up = replay.at(motif.ply + 1), replay.at(motif.ply + 2)
    if front is not None and ply.after.attacks[front] & chess.BB_SQUARES[ply.target]:
        # It can take what pins it, and does: an exchange, unless that is taken back.
        takes = reply is not None and (reply.origin, reply.target) == (front, ply.target)
        return not takes or (follow_up is not None and follow_up.target == ply.target)
    if reply is None or follow_up is None or follow_up.captured is None:
        return False
    return follow_up.target == (reply.target if reply.origin == front else front)


def exploits(replay: Replay, ply: Ply, pin: Pin) -> bool:
    """Return whether a piece that is pinned to another one moves and exposes it, or is attacked and lost."""
    reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
    if reply is None or follow_up is None or follow_up.captured is None:
        return False
    moves = reply.origin == pin.front
    if moves and (follow_up.origin, follow_up.target) == (pin.pinner, pin.behind):
        return True
    # It is not lost if it has taken as much.
    if moves and reply.captured and WORTH[reply.captured] >= WORTH[reply.kind]:
        return False
    # A pawn that stays does not so because it is pinned.
    if not moves and ply.after.kind(pin.front) == chess.PAWN:
        return False
    attackers = ply.after.attackers(replay.solver, pin.front)
    # The piece that pins attacks, too, beside another one; what is pinned to its king cannot go away.
    stays = len(attackers) > 1 or ply.after.kind(pin.behind) == chess.KING
    is_new = ply.target in attackers and (ply.target != pin.pinner or stays)
    return (
        is_new
        and is_lost(ply.after, pin.front)
        and follow_up.target == (reply.target if moves else pin.front)
    )


def may_not_take(replay: Replay, ply: Ply, pin: Pin) -> bool:
    """Return whether a pinned piece alone could win the piece that just moved by taking it, but does not."""
    if ply.target == pin.pinner:
        return False
    worth = WORTH[ply.after.kind(ply.target)]
    attackers = ply.after.attackers(not replay.solver, ply.target)
    cheaper = [square for square in attackers if WORTH[ply.after.kind(square)] < worth]
    reply = replay.at(ply.number + 1)
    return cheaper == [pin.front] and (reply is None or reply.origin != pin.front)


@rule(
    skewer="A king or a hanging piece is attacked along a line and moves away; the piece behind it, of no "
    "higher value, is captured. Or the piece behind it moves away, and the piece in front is captured; or "
    "the piece in front captures something and is captured there, not in exchange for one of the same "
    "value. In an exercise, the piece behind is no pawn."
)
def skewers(replay: Replay) -> Iterator[Motif]:
    """Find skewers; not notable if there is mate on a pawn."""
    for ply, reply, follow_up in replay.pairs():
        if not follow_up.captured or _is_exchanged(replay, reply, follow_up):
            continue
        if skewered(ply, reply, follow_up):
            pieces, notable = (reply.kind, follow_up.captured), not mates_on_pawn(follow_up)
            yield Motif("skewer", ply.number, follow_up.kind, pieces, ply.target, notable)


def _is_exchanged(replay: Replay, reply: Ply, follow_up: Ply) -> bool:
    """Return whether a piece that sells itself is paid for by one of the same value that is lost next."""
    lost = replay.at(follow_up.number + 1)
    return (
        reply.target == follow_up.target
        and lost is not None
        and lost.captured is not None
        and WORTH[lost.captured] >= WORTH[reply.kind]
    )


def skewered(ply: Ply, reply: Ply, follow_up: Ply) -> tuple[Square, Square] | None:
    """Return the squares of a piece that a move skewers and of the one behind it, None if there are none.

    The reply moves one of them, and the follow-up captures the other.
    """
    # A piece that captures the attacker was not skewered.
    if ply.after.kind(ply.target) not in SLIDERS or reply.target == ply.target:
        return None
    attack_map, same_piece = ply.after, follow_up.origin == ply.target
    if reply.target == follow_up.target:
        return _sells_itself(ply, reply)
    if chess.between(ply.target, follow_up.target) & chess.BB_SQUARES[reply.origin]:
        front, behind = reply.origin, follow_up.target
        is_won = same_piece and attack_map.is_hanging(front)
    else:
        front, behind = follow_up.target, reply.origin
        is_behind = _next_beyond(attack_map.board.occupied, ply.target, front) == behind
        if not (same_piece and is_behind) or ply.check or reply.kind == chess.PAWN:
            return None
        is_won = attack_map.is_hanging(front)
    if attack_map.kind(front) == chess.KING:
        return front, behind
    if not is_won or WORTH[attack_map.kind(behind)] > WORTH[attack_map.kind(front)]:
        return None
    return front, behind


def mates_on_pawn(ply: Ply) -> bool:
    """Return whether a move captures a pawn and mates: then the pawn is not what was attacked."""
    return ply.mates and ply.captured == chess.PAWN


def _sells_itself(ply: Ply, reply: Ply) -> tuple[Square, Square] | None:
    """Return the same for a skewered piece that captures what it can before it is lost."""
    attack_map, front = ply.after, reply.origin
    attacked = attack_map.attacks[ply.target] & chess.BB_SQUARES[front]
    if not (reply.captured and attacked and attack_map.is_hanging(front)):
        return None
    board, behind = attack_map.board, _next_beyond(attack_map.board.occupied, ply.target, front)
    if (
        behind is None
        or not board.occupied_co[board.turn] & ~board.pawns & ~board.kings & chess.BB_SQUARES[behind]
    ):
        return None
    return (front, behind) if WORTH[attack_map.kind(behind)] <= WORTH[attack_map.kind(front)] else None


@rule(
    discoveredAttack="A move opens a line for another piece, which checks, or captures along it next, or "
    "attacks what is lost because of it and captured next by yet another piece; or a check opens a line to a "
    "piece that then hangs, and the solution ends, or the piece captures in answer and is captured. A double "
    "check does not count. In an exercise without another motif, it is enough that a line is opened to a "
    "piece that could not be won before.",
    discoveredCheck="A move opens a line for another piece, which gives check.",
    doubleCheck="Two pieces give check at once.",
)
def discoveries(replay: Replay) -> Iterator[Motif]:
    """Find discovered attacks (not on the king), discovered checks and double checks."""
    for ply in replay.solver_plies:
        if ply.check and chess.popcount(ply.after.board.checkers_mask()) > 1:
            yield Motif("doubleCheck", ply.number, ply.kind, (chess.KING,), ply.target)
        for opened, target in opened_lines(ply, replay.solver):
            kind = ply.after.kind(target)
            if kind == chess.KING:
                yield Motif("discoveredCheck", ply.number, ply.after.kind(opened), (kind,), target)
            elif is_lost_to_line(replay, ply, opened, target):
                yield Motif("discoveredAttack", ply.number, ply.after.kind(opened), (kind,), target)


def is_lost_to_line(replay: Replay, ply: Ply, opened: Square, target: Square) -> bool:
    """Return whether a piece to which a line was opened is captured next, or hangs at the end, in check."""
    reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
    if reply is None or follow_up is None:
        # Beside a piece that is captured, an attacked pawn counts little.
        counts = ply.after.kind(target) != chess.PAWN or ply.captured in (None, chess.PAWN)
        return ply.check and not ply.mates and counts and ply.after.is_hanging(target)
    if ply.check and reply.captured and reply.origin == target:
        return ply.after.is_hanging(target) and follow_up.target == reply.target
    if follow_up.target != target or follow_up.origin == ply.target:
        return False
    is_opened = follow_up.captured != chess.PAWN and reply.target != target and _is_newly_lost(ply, target)
    return follow_up.origin == opened or is_opened


@rule(
    windmill="A piece gives discovered check, comes back with check, and gives discovered check again.",
)
def windmills(replay: Replay) -> Iterator[Motif]:
    """Find windmills; `by` is the piece that goes to and fro."""
    for there, back, again in zip(
        replay.solver_plies, replay.solver_plies[1:], replay.solver_plies[2:], strict=False
    ):
        returns = there.target == back.origin and there.origin == back.target == again.origin
        if returns and back.check and all(_discovers_check(ply) for ply in (there, again)):
            yield Motif("windmill", there.number, there.kind, (chess.KING,), there.origin)


def _discovers_check(ply: Ply) -> bool:
    return bool(ply.after.board.checkers_mask() & ~chess.BB_SQUARES[ply.target])


def opened_lines(ply: Ply, color: Color) -> Iterator[tuple[Square, Square]]:
    """Yield each line piece with an enemy piece that it attacks because the move opened its line."""
    board = ply.after.board
    origin = chess.BB_SQUARES[ply.origin]
    for square, attacked in ply.after.attacks.items():
        if square == ply.target or not board.occupied_co[color] >> square & 1:
            continue
        new = attacked & ~ply.before.attacks.get(square, attacked) & board.occupied_co[not color]
        for target in chess.scan_forward(new):
            if chess.between(square, target) & origin:
                yield square, target


@rule(
    trappedPiece="A piece hangs, has no safe square without being pinned to its king, and is captured. Or it "
    "is a rook or queen that the first move attacks: it is captured later where it stands, or another piece "
    "is given up for it, or it is a queen that is still trapped at the end. Where no other motif says more, "
    "also a queen that a move without check attacks, and that is lost although it could move; and in an "
    "exercise, a piece without a safe square that the first move attacks."
)
def trapped(replay: Replay) -> Iterator[Motif]:
    """Find trapped pieces. Those that are pinned are not notable."""
    for ply, reply, follow_up in replay.pairs():
        kind = follow_up.captured
        if kind is None or kind == chess.PAWN:
            continue
        attack_map = ply.after
        at = reply.origin if reply.target == follow_up.target else follow_up.target
        if attack_map.kind(at) == kind and _is_trapped(attack_map, at):
            is_pinned = attack_map.board.is_pinned(not replay.solver, at)
            yield Motif("trappedPiece", ply.number, ply.kind, (kind,), at, notable=not is_pinned)
    first = replay.plies[0]
    attacked = first.after.attacks[first.target] & first.after.board.occupied_co[not replay.solver]
    for square in chess.scan_forward(attacked & (first.after.board.rooks | first.after.board.queens)):
        is_pinned = first.after.board.is_pinned(not replay.solver, square)
        if not is_pinned and _is_trapped(first.after, square) and _is_given_up(replay, square):
            yield Motif("trappedPiece", 0, first.kind, (first.after.kind(square),), square)


def _is_given_up(replay: Replay, square: Square) -> bool:
    """Return whether a trapped piece is captured later where it stands, or another one is given up for it.

    A queen may still be trapped at the end.
    """
    for ply in replay.plies[1:]:
        if square in (ply.origin, ply.target):
            return ply.target == square
    if replay.end.kind(square) == chess.QUEEN and _is_trapped(replay.end, square):
        return True
    reply, follow_up = replay.at(1), replay.at(2)
    if reply is None or follow_up is None or reply.captured:
        return False
    return follow_up.target == reply.target and follow_up.captured not in (None, chess.PAWN)


def leaves_no_refuge(replay: Replay) -> bool:
    """Return whether the first move, which captures nothing, attacks a piece that has no safe square."""
    first = replay.plies[0]
    attacked = first.after.attacks[first.target] & first.after.board.occupied_co[not replay.solver]
    pieces = chess.scan_forward(attacked & ~first.after.board.pawns & ~first.after.board.kings)
    return first.captured is None and any(_is_trapped(first.after, square) for square in pieces)


def _is_trapped(attack_map: AttackMap, square: Square) -> bool:
    """Return whether a piece of the side to move, which is not in check, hangs and has no refuge."""
    is_free = attack_map.board.is_check() or not attack_map.is_hanging(square)
    return not is_free and not _has_refuge(attack_map, square)


def _has_refuge(attack_map: AttackMap, square: Square) -> bool:
    """Return whether the piece on a square has a move after which captures win nothing."""
    board = attack_map.board
    targets = attack_map.attacks[square] & ~board.occupied_co[board.turn]
    for move in board.generate_legal_moves(chess.BB_SQUARES[square], targets):
        after = board_after(board, [move])
        captured = board.piece_type_at(move.to_square)
        if most_won(after, move.to_square) <= (PIECE_VALUES[captured] if captured else 0):
            return True
    return False


def _lined_up(attack_map: AttackMap, color: Color) -> Iterator[Pin]:
    """Yield each line piece of a side with an enemy piece that it attacks and the enemy piece behind that."""
    board = attack_map.board
    enemies = board.occupied_co[not color]
    sliders = board.occupied_co[color] & (board.bishops | board.rooks | board.queens)
    for slider in chess.scan_forward(sliders):
        for front in chess.scan_forward(attack_map.attacks[slider] & enemies):
            behind = _next_beyond(board.occupied, slider, front)
            if behind is not None and enemies >> behind & 1:
                yield Pin(slider, front, behind)


def _next_beyond(occupied: Bitboard, slider: Square, front: Square) -> Square | None:
    ray = chess.ray(slider, front) & occupied
    if front > slider:
        beyond = ray >> (front + 1) << (front + 1)
        return chess.lsb(beyond) if beyond else None
    beyond = ray & (chess.BB_SQUARES[front] - 1)
    return chess.msb(beyond) if beyond else None
