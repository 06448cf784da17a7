"""Motifs of attack: forks, pins, skewers, discovered attacks, trapped and hanging pieces."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Bitboard, Color, Square

from puzzlegen.motifs.motif import Motif
from puzzlegen.motifs.replay import SLIDERS, WORTH, AttackMap, Ply, Replay


def forks(replay: Replay) -> Iterator[Motif]:
    """Find moves after which the piece attacks two enemy pieces that it may take at a profit.

    These are a king, pieces of higher value and undefended ones; pawns do not count. The reply does not take
    the piece. A last move is not a fork.
    """
    for ply, reply, _ in replay.pairs():
        targets = sorted(_prey(ply.after, ply.target))
        if len(targets) >= 2 and reply.target != ply.target:
            yield Motif("fork", ply.number, ply.after.kind(ply.target), tuple(targets), ply.target)


def _prey(attack_map: AttackMap, hunter: Square) -> list[int]:
    color = bool(attack_map.board.color_at(hunter))
    worth = WORTH[attack_map.kind(hunter)]
    enemies = attack_map.attacks[hunter] & attack_map.board.occupied_co[not color] & ~attack_map.board.pawns
    defended = attack_map.defended[not color]
    return [
        attack_map.kind(square)
        for square in chess.scan_forward(enemies)
        if WORTH[attack_map.kind(square)] > worth or not defended & chess.BB_SQUARES[square]
    ]


def pins(replay: Replay) -> Iterator[Motif]:
    """Find enemy pieces that a pin keeps from their task, after a move of the solver.

    A piece is pinned when moving it would uncover its king (`absolutePin`) or a piece of higher value
    that is worth more than the pinning one or undefended (`relativePin`). It matters where the pinned
    piece is attacked and hangs, or would otherwise attack the piece just moved.
    """
    for ply in replay.own:
        attack_map, color = ply.after, replay.solver
        for pinner, front, behind in lined_up(attack_map, color):
            absolute = attack_map.kind(behind) == chess.KING
            worth = WORTH[attack_map.kind(behind)]
            if worth <= WORTH[attack_map.kind(front)]:
                continue
            if worth <= WORTH[attack_map.kind(pinner)] and attack_map.defended[not color] >> behind & 1:
                continue
            # Along the line it may still take the pinning piece.
            idle = ply.target != pinner and attack_map.attacks[front] & chess.BB_SQUARES[ply.target]
            if idle or attack_map.is_hanging(front):
                yield Motif(
                    "absolutePin" if absolute else "relativePin",
                    ply.number,
                    attack_map.kind(pinner),
                    (attack_map.kind(front), attack_map.kind(behind)),
                    front,
                )


def skewers(replay: Replay) -> Iterator[Motif]:
    """Find lines where the front piece is in check or hangs, and goes, and the one behind it is taken."""
    for ply, reply, then in replay.pairs():
        if then.origin != ply.target or ply.after.kind(ply.target) not in SLIDERS or then.captured is None:
            continue
        # A piece that retreats along the line uncovers nothing, but is captured itself.
        between = chess.between(then.origin, then.target)
        if not between & chess.BB_SQUARES[reply.origin] or reply.target == then.target:
            continue
        if WORTH[reply.kind] < WORTH[then.captured]:
            continue
        if reply.kind == chess.KING or ply.after.is_hanging(reply.origin):
            yield Motif("skewer", ply.number, then.kind, (reply.kind, then.captured), ply.target)


def discoveries(replay: Replay) -> Iterator[Motif]:
    """Find moves that open the line of another piece: to the king, or to a piece that it takes next.

    `discoveredCheck`, `discoveredAttack`; `doubleCheck` where the moved piece checks as well.
    """
    for ply in replay.own:
        if ply.check and chess.popcount(ply.after.board.checkers_mask()) > 1:
            yield Motif("doubleCheck", ply.number, ply.kind, (chess.KING,), ply.target)
        then = replay.at(ply.number + 2)
        for opened, target in _opened(ply, replay.solver):
            kind = ply.after.kind(target)
            if kind == chess.KING:
                yield Motif("discoveredCheck", ply.number, ply.after.kind(opened), (kind,), target)
            elif then is not None and (then.origin, then.target) == (opened, target):
                yield Motif("discoveredAttack", ply.number, ply.after.kind(opened), (kind,), target)


def _opened(ply: Ply, color: Color) -> Iterator[tuple[Square, Square]]:
    """Yield line pieces with the enemy pieces that they attack since the move opened their line."""
    board = ply.after.board
    origin = chess.BB_SQUARES[ply.origin]
    for square, attacked in ply.after.attacks.items():
        if square == ply.target or not board.occupied_co[color] >> square & 1:
            continue
        new = attacked & ~ply.before.attacks.get(square, attacked) & board.occupied_co[not color]
        for target in chess.scan_forward(new):
            if chess.between(square, target) & origin:
                yield square, target


def trapped(replay: Replay) -> Iterator[Motif]:
    """Find enemy pieces that hang, have no safe square, and are captured."""
    for ply, reply, then in replay.pairs():
        kind = then.captured
        if kind is None or kind == chess.PAWN:
            continue
        attack_map = ply.after
        at = reply.origin if reply.target == then.target else then.target
        if attack_map.kind(at) != kind or attack_map.board.is_check():
            continue
        if attack_map.is_hanging(at) and not _has_refuge(attack_map, at):
            yield Motif("trappedPiece", ply.number, ply.kind, (kind,), at)


def _has_refuge(attack_map: AttackMap, square: Square) -> bool:
    """Tell whether the piece on a square has a move after which it does not hang."""
    board, color = attack_map.board, attack_map.board.turn
    worth = WORTH[attack_map.kind(square)]
    left = board.occupied & ~chess.BB_SQUARES[square]
    for target in chess.scan_forward(attack_map.attacks[square] & ~board.occupied_co[color]):
        gained = WORTH[attack_map.kind(target)] if board.occupied >> target & 1 else 0
        attackers = board.attackers_mask(not color, target, left)
        if attackers and gained < worth:
            if not board.attackers_mask(color, target, left) & left:
                continue
            if any(WORTH[attack_map.kind(at)] < worth for at in chess.scan_forward(attackers)):
                continue
        if board.is_legal(chess.Move(square, target)):
            return True
    return False


def hanging(replay: Replay) -> Iterator[Motif]:
    """Find a first move that captures an undefended piece."""
    first = replay.plies[0]
    if first.captured in (None, chess.PAWN):
        return
    assert first.captured is not None
    if not first.before.defended[not replay.solver] & chess.BB_SQUARES[first.target]:
        yield Motif("hangingPiece", 0, first.kind, (first.captured,), first.target)


def lined_up(attack_map: AttackMap, color: Color) -> Iterator[tuple[Square, Square, Square]]:
    """Yield each line piece of a side with the enemy piece that it attacks and the one behind that."""
    board = attack_map.board
    enemies = board.occupied_co[not color]
    sliders = board.occupied_co[color] & (board.bishops | board.rooks | board.queens)
    for slider in chess.scan_forward(sliders):
        for front in chess.scan_forward(attack_map.attacks[slider] & enemies):
            behind = _next_beyond(board.occupied, slider, front)
            if behind is not None and enemies >> behind & 1:
                yield slider, front, behind


def _next_beyond(occupied: Bitboard, slider: Square, front: Square) -> Square | None:
    ray = chess.ray(slider, front) & occupied
    if front > slider:
        beyond = ray >> (front + 1) << (front + 1)
        return chess.lsb(beyond) if beyond else None
    beyond = ray & (chess.BB_SQUARES[front] - 1)
    return chess.msb(beyond) if beyond else None
