"""Attacking motifs: forks, pins, skewers, discovered attacks and trapped pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess import Bitboard, Color, Square

from chess_motif.boards import board_after
from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import SLIDERS, WORTH, AttackMap, Motif, Ply, Replay
from puzzlegen.motifs.worth import falls, most_won, newly_falls, pays


def forks(replay: Replay) -> Iterator[Motif]:
    """Find forks. A last move after others is no fork, since nothing shows that it wins anything."""
    for ply in replay.solver_plies:
        reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
        if follow_up is None and (ply.number > 0 or ply.mates):
            continue
        targets = sorted(map(ply.after.kind, fork_targets(ply)))
        if len(targets) >= 2 and _survives(ply, reply, follow_up):
            yield Motif("fork", ply.number, ply.after.kind(ply.target), tuple(targets), ply.target)


def fork_targets(ply: Ply) -> list[Square]:
    """Return the squares of the enemy pieces, pawns not counted, that a move attacks with profit."""
    attack_map, forker = ply.after, ply.target
    pieces = attack_map.board.occupied_co[attack_map.board.turn] & ~attack_map.board.pawns
    attacked = chess.scan_forward(attack_map.attacks[forker] & pieces)
    return [square for square in attacked if attack_map.bite(forker, square) > 0]


def _survives(ply: Ply, reply: Ply | None, follow_up: Ply | None) -> bool:
    """Return whether a forking piece is not captured, or is captured at a loss."""
    if reply is None or follow_up is None or reply.target != ply.target:
        return True
    is_loss = WORTH[ply.after.kind(ply.target)] < WORTH[reply.kind] < WORTH[chess.KING]
    return is_loss and follow_up.target == ply.target


def double_attacks(replay: Replay) -> Iterator[Motif]:
    """Find double attacks. The captured piece must hang because of the move."""
    for ply, reply, follow_up in replay.pairs():
        target = follow_up.target
        if reply.captured or follow_up.captured is None or not newly_falls(ply, target):
            continue
        if len(fork_targets(ply)) >= 2:
            continue
        enemies = ply.after.board.occupied_co[not replay.solver] & ~ply.after.board.pawns
        others = enemies & ~ply.after.board.kings & ~chess.BB_SQUARES[target]
        pieces = [square for square in chess.scan_forward(others) if newly_falls(ply, square)]
        if ply.check or pieces:
            kinds = [ply.after.kind(square) for square in (target, *pieces)]
            kinds += [chess.KING] * ply.check
            yield Motif("doubleAttack", ply.number, ply.after.kind(ply.target), tuple(sorted(kinds)), target)


def pins(replay: Replay) -> Iterator[Motif]:
    """Find pins that matter, after each move of the solver.

    The pinned piece would expose its king (`pin`), or a piece of no lower value that is undefended or worth
    more than the pinning piece (`relativePin`). If the solution does not use the pin, a relative pin is not
    notable, and a pin to the king explains nothing.
    """
    for ply in replay.solver_plies:
        for pin in pinned(replay, ply):
            pinner, front, behind = map(ply.after.kind, pin)
            if behind == chess.KING:
                name, explains = "pin", _is_used(replay, ply, pin)
                notable = ply.after.is_hanging(pin.front) or _keeps_from_taking(ply, pin)
            else:
                name, explains = "relativePin", True
                notable = exploits(replay, ply, pin) or may_not_take(ply, pin)
            yield Motif(name, ply.number, pinner, (front, behind), pin.front, notable, explains)


class Pin(NamedTuple):
    """The squares of a pinning piece, of the pinned piece, and of the piece behind the pinned one."""

    pinner: Square
    front: Square
    behind: Square


def pinned(replay: Replay, ply: Ply) -> Iterator[Pin]:
    """Yield the pins after a move whose pinned piece hangs, or cannot capture the piece that moved."""
    attack_map, color = ply.after, replay.solver
    for pin in _lined_up(attack_map, color):
        _, front, behind = map(attack_map.kind, pin)
        if WORTH[behind] < WORTH[front] or attack_map.bite(pin.pinner, pin.behind) <= 0:
            continue
        if front == chess.PAWN and not _could_leave(attack_map, pin):
            continue
        if _keeps_from_taking(ply, pin) or falls(attack_map, pin.front):
            yield pin


def _could_leave(attack_map: AttackMap, pin: Pin) -> bool:
    """Return whether a pinned pawn could leave the line if it were not pinned."""
    board, color = attack_map.board, bool(attack_map.board.color_at(pin.front))
    ahead = chess.BB_SQUARES[pin.front + (8 if color == chess.WHITE else -8)] & ~board.occupied
    reached = ahead | attack_map.attacks[pin.front] & board.occupied_co[not color]
    return bool(reached & ~chess.ray(pin.pinner, pin.front))


def _keeps_from_taking(ply: Ply, pin: Pin) -> bool:
    """Return whether a pinned piece attacks the piece that just moved, but cannot capture it."""
    # The pinned piece can capture the pinning one, along the line.
    return ply.target != pin.pinner and bool(ply.after.attacks[pin.front] & chess.BB_SQUARES[ply.target])


def _is_used(replay: Replay, ply: Ply, pin: Pin) -> bool:
    """Return whether a piece pinned to its king is captured next, or cannot capture the piece that moved."""
    reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
    if ply.after.attacks[pin.front] & chess.BB_SQUARES[ply.target]:
        # If the pinned piece takes, the pin is of use only if the solver takes back.
        takes = reply is not None and (reply.origin, reply.target) == (pin.front, ply.target)
        return not takes or (follow_up is not None and follow_up.target == ply.target)
    return replay.takes_next(ply, pin.front)


def exploits(replay: Replay, ply: Ply, pin: Pin) -> bool:
    """Return whether a pinned piece moves and exposes the piece behind it, or is attacked and captured."""
    reply, follow_up = replay.at(ply.number + 1), replay.at(ply.number + 2)
    if reply is None or follow_up is None or follow_up.captured is None:
        return False
    if reply.origin == pin.front:
        return (follow_up.origin, follow_up.target) == (pin.pinner, pin.behind)
    is_attacked = ply.after.attacks[ply.target] & chess.BB_SQUARES[pin.front]
    return ply.target != pin.pinner and bool(is_attacked) and follow_up.target == pin.front


def may_not_take(ply: Ply, pin: Pin) -> bool:
    """Return whether a pinned piece is the only less valuable attacker of the piece that just moved."""
    worth = WORTH[ply.after.kind(ply.target)]
    attackers = ply.after.attackers(ply.after.board.turn, ply.target)
    cheaper = [square for square in attackers if WORTH[ply.after.kind(square)] < worth]
    return ply.target != pin.pinner and cheaper == [pin.front]


def skewers(replay: Replay) -> Iterator[Motif]:
    """Find skewers. Mate by taking a pawn behind is not notable, and other pawns behind explain nothing."""
    for ply, reply, follow_up in replay.pairs():
        if squares := skewered(ply, reply, follow_up):
            pieces, notable = tuple(map(ply.after.kind, squares)), not mates_on_pawn(follow_up)
            explains = follow_up.captured != chess.PAWN
            yield Motif("skewer", ply.number, follow_up.kind, pieces, ply.target, notable, explains)


def skewered(ply: Ply, reply: Ply, follow_up: Ply) -> tuple[Square, Square] | None:
    """Return the squares of a skewered piece and of the piece behind it, None without a skewer.

    The reply moves the skewered piece, and the follow-up captures the piece behind.
    """
    front, behind = reply.origin, follow_up.target
    if follow_up.captured is None or reply.target in (ply.target, behind):
        return None
    if ply.after.kind(ply.target) not in SLIDERS:
        return None
    is_between = chess.between(ply.target, behind) & chess.BB_SQUARES[front]
    return (front, behind) if is_between and WORTH[ply.after.kind(behind)] <= WORTH[reply.kind] else None


def mates_on_pawn(ply: Ply) -> bool:
    """Return whether a move mates by capturing a pawn: then the pawn was not the target."""
    return ply.mates and ply.captured == chess.PAWN


def discoveries(replay: Replay) -> Iterator[Motif]:
    """Find discovered attacks (not on the king), discovered checks and double checks.

    A discovery that only leads to an exchange explains nothing.
    """
    for ply in replay.solver_plies:
        follow_up = replay.at(ply.number + 2)
        if ply.check and chess.popcount(ply.after.board.checkers_mask()) > 1:
            yield Motif("doubleCheck", ply.number, ply.kind, (chess.KING,), ply.target)
        for opened, target in opened_lines(ply, replay.solver):
            kind = ply.after.kind(target)
            if kind == chess.KING:
                yield Motif("discoveredCheck", ply.number, ply.after.kind(opened), (kind,), target)
            elif follow_up and (follow_up.origin, follow_up.target) == (opened, target):
                explains = pays(follow_up, replay)
                by = ply.after.kind(opened)
                yield Motif("discoveredAttack", ply.number, by, (kind,), target, explains=explains)


def opened_lines(ply: Ply, color: Color) -> Iterator[tuple[Square, Square]]:
    """Yield each line piece with an enemy piece that it attacks because a move opened the line."""
    board = ply.after.board
    sliders = board.occupied_co[color] & (board.bishops | board.rooks | board.queens)
    for square in chess.scan_forward(sliders & ~chess.BB_SQUARES[ply.target]):
        attacked = ply.after.attacks[square]
        new = attacked & ~ply.before.attacks.get(square, attacked) & board.occupied_co[not color]
        for target in chess.scan_forward(new):
            yield square, target


def trapped(replay: Replay) -> Iterator[Motif]:
    """Find trapped pieces. Pinned ones are not notable."""
    for ply, reply, follow_up in replay.pairs():
        if follow_up.captured in (None, chess.PAWN):
            continue
        at = reply.origin if reply.target == follow_up.target else follow_up.target
        kind = ply.after.kind(at)
        if kind == follow_up.captured and _is_trapped(ply.after, at):
            is_pinned = at in ply.after.pinners[not replay.solver]
            yield Motif("trappedPiece", ply.number, ply.kind, (kind,), at, notable=not is_pinned)


def _is_trapped(attack_map: AttackMap, square: Square) -> bool:
    """Return whether a piece of the side to move hangs and has no refuge. The side must not be in check."""
    is_free = attack_map.check or not attack_map.is_hanging(square)
    return not is_free and not _has_refuge(attack_map, square)


def _has_refuge(attack_map: AttackMap, square: Square) -> bool:
    """Return whether the piece on a square has a safe move, after which captures win nothing."""
    board = attack_map.board
    targets = attack_map.attacks[square] & ~board.occupied_co[board.turn]
    for move in board.generate_legal_moves(chess.BB_SQUARES[square], targets):
        after = board_after(board, [move])
        captured = board.piece_type_at(move.to_square)
        if most_won(after, move.to_square) <= (PIECE_VALUES[captured] if captured else 0):
            return True
    return False


def _lined_up(attack_map: AttackMap, color: Color) -> Iterator[Pin]:
    """Yield each line piece of a side with an enemy piece on its line, and a second one, no pawn, behind."""
    board = attack_map.board
    enemies, pieces = board.occupied_co[not color], board.occupied_co[not color] & ~board.pawns
    sliders = board.occupied_co[color] & (board.bishops | board.rooks | board.queens)
    for slider in chess.scan_forward(sliders):
        for front in chess.scan_forward(attack_map.attacks[slider] & enemies):
            # A quick check first: on most lines there is no second piece.
            if not chess.ray(slider, front) & pieces & ~chess.BB_SQUARES[front]:
                continue
            behind = _next_beyond(board.occupied, slider, front)
            if behind is not None and pieces >> behind & 1:
                yield Pin(slider, front, behind)


def _next_beyond(occupied: Bitboard, slider: Square, front: Square) -> Square | None:
    on_line = chess.scan_forward(chess.ray(slider, front) & occupied)
    beyond = [at for at in on_line if chess.between(slider, at) >> front & 1]
    return min(beyond, key=lambda at: chess.square_distance(front, at), default=None)
