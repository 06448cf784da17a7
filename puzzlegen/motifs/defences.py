"""Motifs against defences: defenders that are deflected, attracted, captured, blocked or overloaded."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES, gained
from puzzlegen.motifs.replay import SLIDERS, WORTH, AttackMap, Motif, Ply, Replay, rule


@rule(
    deflection="A piece captures one that is given up, or answers a check, and stops defending a square, on "
    "which the solver then captures, promotes or mates.",
    overloading="A piece defends two things: the solver captures one, and after the recapture the other, or "
    "mates. A pawn that is captured at a loss of material does not count. Where no other motif says more, "
    "also a first capture of a piece, if each recapture would allow mate, perhaps in two with checks.",
)
def deflections(replay: Replay) -> Iterator[Motif]:
    """Find pieces that are deflected from a square, or overloaded; not notable if another could recapture."""
    for ply, reply, follow_up in replay.pairs():
        takes = reply.target == ply.target
        if not (takes or ply.check) or reply.target == follow_up.target:
            continue
        still_defends = reply.after.attacks[reply.target] & chess.BB_SQUARES[follow_up.target]
        if still_defends or not _defends(ply.after, reply.origin, follow_up):
            continue
        mates = takes and follow_up.mates
        if not (follow_up.captured or follow_up.move.promotion or mates):
            continue
        recaptures = takes and ply.captured is not None
        deflects = not recaptures or (gives_up(ply, reply) and not mates)
        if deflects:
            yield Motif("deflection", ply.number, ply.kind, (reply.kind,), follow_up.target)
        if recaptures and not (deflects and ply.captured == chess.PAWN):
            notable = _recaptures_alone(ply, reply)
            yield Motif("overloading", ply.number, ply.kind, (reply.kind,), follow_up.target, notable)


def _recaptures_alone(ply: Ply, reply: Ply) -> bool:
    """Return whether no other piece than that of the reply could capture the one that just moved."""
    return all(
        move.from_square == reply.origin for move in ply.after.legal_moves if move.to_square == ply.target
    )


def _defends(attack_map: AttackMap, square: Square, follow_up: Ply) -> bool:
    """Return whether a piece attacks the target of a move, if only through the pawn that promotes there."""
    attacked = attack_map.attacks[square]
    if attacked & chess.BB_SQUARES[follow_up.target]:
        return True
    pawn = chess.BB_SQUARES[follow_up.origin] if follow_up.move.promotion else chess.BB_EMPTY
    is_behind = pawn & attacked & chess.between(square, follow_up.target)
    return attack_map.kind(square) in SLIDERS and bool(is_behind)


@rule(
    attraction="A piece is given up or exchanged to draw the king to a square where it is checked next, or "
    "given up to draw a rook or queen to a square where it is attacked next (decoy)."
)
def attractions(replay: Replay) -> Iterator[Motif]:
    """Find pieces that are attracted to a square. Exchanged rooks and queens are not notable."""
    for ply, reply, follow_up in replay.pairs():
        if not reply.target == ply.target != follow_up.target:
            continue
        if reply.kind == chess.KING:
            hit = follow_up.check
        else:
            is_major = PIECE_VALUES[reply.kind] >= PIECE_VALUES[chess.ROOK]
            hit = is_major and bool(follow_up.after.attacks[follow_up.target] & chess.BB_SQUARES[ply.target])
        if hit:
            notable = reply.kind == chess.KING or gives_up(ply, reply)
            yield Motif("attraction", ply.number, ply.kind, (reply.kind,), ply.target, notable)


@rule(
    capturingDefender="A piece that defends another one is captured, without check. The other one is then "
    "undefended, and a different piece captures it, perhaps after a last capture of its own. Where no "
    "other motif says more, the capture may be a check, and a king that cannot take is no defender."
)
def removed_defenders(replay: Replay) -> Iterator[Motif]:
    """Find captured defenders.

    They are not notable if the same piece captures twice, or if what it captures is still defended.
    """
    for ply, reply, follow_up in replay.pairs():
        if ply.captured is None or ply.check or follow_up.captured is None or follow_up.target == ply.target:
            continue
        # What is no longer defended, and is worth more than the defender, may capture before it is lost.
        sells_itself = reply.target == follow_up.target
        if sells_itself and (reply.captured is None or WORTH[reply.kind] <= WORTH[ply.captured]):
            continue
        at = reply.origin if sells_itself else follow_up.target
        if ply.before.attacks.get(ply.target, chess.BB_EMPTY) & chess.BB_SQUARES[at]:
            then = ply.after if sells_itself else follow_up.before
            is_attacked, is_defended = (
                then.defended[side] >> at & 1 for side in (replay.solver, not replay.solver)
            )
            notable = (
                (sells_itself or follow_up.origin != ply.target) and bool(is_attacked) and not is_defended
            )
            yield Motif("capturingDefender", ply.number, ply.kind, (ply.captured,), at, notable)


@rule(
    interference="A move of either side comes between an enemy line piece and a square that it defended, on "
    "which the solver captures next, not with the piece that came between."
)
def interferences(replay: Replay) -> Iterator[Motif]:
    """Find interrupted lines; `by` is the piece in between, of either side."""
    for ply, reply, follow_up in replay.pairs():
        if follow_up.captured is None or follow_up.target in (ply.target, reply.target):
            continue
        # If the piece that came between captures next, it attacked: it need not have cut off a defender.
        for block in (ply, reply) if follow_up.origin != ply.target else (reply,):
            for defender in _blocked(block, follow_up.target, not replay.solver):
                if reply.origin != defender:
                    kind = block.before.kind(defender)
                    yield Motif("interference", ply.number, block.kind, (kind,), block.target)


def _blocked(ply: Ply, square: Square, color: chess.Color) -> Iterator[Square]:
    for at in ply.before.attackers(color, square):
        if ply.before.kind(at) in SLIDERS and chess.between(at, square) & chess.BB_SQUARES[ply.target]:
            yield at


@rule(
    clearance="A move vacates a square to or through which a bishop, rook or queen moves next. Neither move "
    "captures. A check that the king has walked into does not count."
)
def clearances(replay: Replay) -> Iterator[Motif]:
    """Find squares that are cleared; `to` is the piece of the solver, not a king, that makes use of it.

    If that is a knight or a pawn, or a check that the king walked into, it is not notable.
    """
    for ply, reply, follow_up in replay.pairs():
        if follow_up.origin == ply.target or ply.captured is not None or follow_up.captured is not None:
            continue
        if follow_up.kind == chess.KING:
            continue
        way = chess.between(follow_up.origin, follow_up.target) | chess.BB_SQUARES[follow_up.target]
        if way & chess.BB_SQUARES[ply.origin] and reply.target != ply.origin:
            walks_into = reply.kind == chess.KING and reply.target != ply.target and follow_up.check
            notable = follow_up.kind in SLIDERS and not walks_into
            yield Motif("clearance", ply.number, ply.kind, (follow_up.kind,), ply.origin, notable)


@rule(
    intermezzo="Before a recapture comes a check, a capture elsewhere, or an attack on a hanging piece that "
    "is worth no less than what is recaptured (zwischenzug). Where no other motif says more, also a check by "
    "which a hanging piece goes away before another one captures what it could have captured at once."
)
def in_between_moves(replay: Replay) -> Iterator[Motif]:
    """Find moves that come before another capture, which was possible at once.

    They are notable if that other capture is a recapture. Before other captures, only checks and captures
    are found.
    """
    for ply, reply, follow_up in replay.pairs():
        if follow_up.captured is None or reply.target == follow_up.target or follow_up.origin == ply.target:
            continue
        if not ply.before.board.is_legal(follow_up.move):
            continue
        recaptures = follow_up.target == replay.recapture_square(ply.number)
        if ply.check or ply.captured or (recaptures and _threatens(ply, WORTH[follow_up.captured])):
            captured = (follow_up.captured,)
            yield Motif("intermezzo", ply.number, ply.kind, captured, follow_up.target, recaptures)


def escapes_with_check(replay: Replay) -> bool:
    """Return whether a hanging piece first goes away with check, and another one captures only then."""
    first = replay.plies[0]
    escapes = first.check and not first.captured and first.before.is_hanging(first.origin)
    return escapes and any(motif.ply == 0 for motif in in_between_moves(replay))


def _threatens(ply: Ply, worth: int) -> bool:
    """Return whether the piece that moved attacks a hanging piece that is worth so much."""
    attack_map = ply.after
    enemies = attack_map.attacks[ply.target] & attack_map.board.occupied_co[attack_map.board.turn]
    return any(
        WORTH[attack_map.kind(square)] >= worth and attack_map.is_hanging(square)
        for square in chess.scan_forward(enemies)
    )


@rule(
    desperado="A hanging piece captures something of less value before it is captured itself. The solver's "
    "next move captures elsewhere."
)
def desperados(replay: Replay) -> Iterator[Motif]:
    """Find desperados. Something else than the piece that they capture must attack them."""
    for ply, reply, follow_up in replay.pairs():
        if ply.captured is None or follow_up.captured is None:
            continue
        if not reply.target == ply.target != follow_up.target:
            continue
        attack_map = ply.before
        attackers = attack_map.attackers(not replay.solver, ply.origin)
        if PIECE_VALUES[ply.captured] >= PIECE_VALUES[ply.kind] or attackers in ([], [ply.target]):
            continue
        if attack_map.is_hanging(ply.origin):
            yield Motif("desperado", ply.number, ply.kind, (ply.captured,), ply.target)


@rule(
    xRayAttack="A line piece attacks a square through an enemy piece, and takes part in the exchange on it."
)
def x_rays(replay: Replay) -> Iterator[Motif]:
    """Find attacks through an enemy piece."""
    for ply, reply, follow_up in replay.pairs():
        if not ply.target == reply.target == follow_up.target or follow_up.kind not in SLIDERS:
            continue
        if chess.between(follow_up.origin, follow_up.target) & chess.BB_SQUARES[reply.origin]:
            yield Motif("xRayAttack", ply.number, follow_up.kind, (reply.kind,), follow_up.target)


@rule(sacrifice="A piece is given up; after the solver's next move, two pawns' worth or more is still lost.")
def sacrifices(replay: Replay) -> Iterator[Motif]:
    """Find sacrifices; `by` is the piece that is given up, `to` the one that captures it."""
    for ply, reply, follow_up in replay.pairs():
        if reply.captured is not None and PIECE_VALUES[reply.captured] - gain(ply) - gain(follow_up) >= 2:
            yield Motif("sacrifice", ply.number, reply.captured, (reply.kind,), reply.target)


def gain(ply: Ply) -> int:
    """Return the material that a move wins by capture and promotion, in pawns."""
    return gained(ply.captured, ply.move.promotion)


def net_gain(ply: Ply, replay: Replay) -> int:
    """Return what a move wins, less what is recaptured on its square by the reply; in pawns."""
    reply = replay.at(ply.number + 1)
    return gain(ply) - (gain(reply) if reply and reply.target == ply.target else 0)


def deciding_ply(replay: Replay) -> Ply:
    """Return the move of the solver that wins most, the last one if there are several."""
    return max(replay.solver_plies, key=lambda ply: (net_gain(ply, replay), ply.number))


def total_gain(replay: Replay) -> int:
    """Return what the solver wins in a whole solution, less what the opponent wins, in pawns."""
    return sum(gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in replay.plies)


def gives_up(ply: Ply, reply: Ply) -> bool:
    """Return whether the reply captures more than the move before it won."""
    return reply.captured is not None and PIECE_VALUES[reply.captured] > gain(ply)
