"""Motifs against defences: defenders that are deflected, attracted, captured, blocked or overloaded."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import SLIDERS, AttackMap, Motif, Ply, Replay
from puzzlegen.motifs.worth import gain, gives_up, pays


def deflections(replay: Replay) -> Iterator[Motif]:
    """Find pieces that are deflected from a square, or overloaded.

    Overloading is not notable if another piece could recapture. A deflection explains nothing if the solver's
    next move wins nothing.
    """
    for ply, reply, follow_up in replay.pairs():
        takes = reply.target == ply.target
        if not (takes or ply.check) or not (follow_up.captured or follow_up.move.promotion):
            continue
        square = follow_up.target
        still_defends = reply.after.attacks[reply.target] & chess.BB_SQUARES[square]
        if still_defends or reply.target == square or not _defends(ply.after, reply.origin, follow_up):
            continue
        takes_back = takes and ply.captured is not None
        if not takes_back or gives_up(ply, reply):
            explains = pays(follow_up, replay)
            yield Motif("deflection", ply.number, ply.kind, (reply.kind,), square, explains=explains)
        if takes_back:
            notable = _recaptures_alone(ply, reply)
            yield Motif("overloading", ply.number, ply.kind, (reply.kind,), square, notable)


def _recaptures_alone(ply: Ply, reply: Ply) -> bool:
    """Return whether only the piece of the reply could capture the piece that just moved."""
    return all(
        move.from_square == reply.origin for move in ply.after.legal_moves if move.to_square == ply.target
    )


def _defends(attack_map: AttackMap, square: Square, follow_up: Ply) -> bool:
    """Return whether a piece attacks the target of a move, directly or through the promoting pawn."""
    attacked = attack_map.attacks[square]
    if attacked & chess.BB_SQUARES[follow_up.target]:
        return True
    pawn = chess.BB_SQUARES[follow_up.origin] if follow_up.move.promotion else chess.BB_EMPTY
    is_behind = pawn & attacked & chess.between(square, follow_up.target)
    return attack_map.kind(square) in SLIDERS and bool(is_behind)


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


def removed_defenders(replay: Replay) -> Iterator[Motif]:
    """Find captured defenders.

    These are not notable if the same piece captures twice, or if the second captured piece is still defended.
    """
    for ply, reply, follow_up in replay.pairs():
        at = follow_up.target
        if not ply.captured or ply.check or not follow_up.captured or at in (ply.target, reply.target):
            continue
        if ply.before.attacks.get(ply.target, chess.BB_EMPTY) & chess.BB_SQUARES[at]:
            notable = follow_up.origin != ply.target and not follow_up.before.is_defended(at)
            yield Motif("capturingDefender", ply.number, ply.kind, (ply.captured,), at, notable)


def interferences(replay: Replay) -> Iterator[Motif]:
    """Find interrupted lines; `by` is the piece in between, of either side.

    An interruption by the reply explains nothing.
    """
    for ply, reply, follow_up in replay.pairs():
        if follow_up.captured is None or follow_up.target in (ply.target, reply.target):
            continue
        for block in (ply, reply):
            for defender in _blocked(block, follow_up.target, not replay.solver):
                kind = block.before.kind(defender)
                explains = block is ply
                yield Motif("interference", ply.number, block.kind, (kind,), block.target, explains=explains)


def _blocked(ply: Ply, square: Square, color: chess.Color) -> Iterator[Square]:
    for at in ply.before.attackers(color, square):
        if ply.before.kind(at) in SLIDERS and chess.between(at, square) & chess.BB_SQUARES[ply.target]:
            yield at


def clearances(replay: Replay) -> Iterator[Motif]:
    """Find squares that are cleared; `to` is the piece of the solver that uses the square.

    Not notable if this is no bishop, rook or queen, or if it checks a king that has just moved into the
    check. Explains nothing without a check or a threat of mate.
    """
    for ply, reply, follow_up in replay.pairs():
        if follow_up.origin == ply.target or follow_up.captured is not None:
            continue
        way = chess.between(follow_up.origin, follow_up.target) | chess.BB_SQUARES[follow_up.target]
        if way & chess.BB_SQUARES[ply.origin]:
            walks_into = reply.kind == chess.KING and reply.target != ply.target and follow_up.check
            notable = follow_up.kind in SLIDERS and not walks_into
            explains = follow_up.check or bool(follow_up.after.mating_moves)
            yield Motif("clearance", ply.number, ply.kind, (follow_up.kind,), ply.origin, notable, explains)


def in_between_moves(replay: Replay) -> Iterator[Motif]:
    """Find moves that come before a recapture."""
    for ply, _, follow_up in replay.pairs():
        recaptures = follow_up.captured and follow_up.target == replay.recapture_square(ply.number)
        if recaptures and follow_up.target != ply.target and ply.before.board.is_legal(follow_up.move):
            kinds = (follow_up.before.kind(follow_up.target),)
            yield Motif("intermezzo", ply.number, ply.kind, kinds, follow_up.target)


def x_rays(replay: Replay) -> Iterator[Motif]:
    """Find attacks through an enemy piece."""
    for ply, reply, follow_up in replay.pairs():
        is_through = chess.between(follow_up.origin, follow_up.target) & chess.BB_SQUARES[reply.origin]
        if ply.target == reply.target == follow_up.target and is_through:
            yield Motif("xRayAttack", ply.number, follow_up.kind, (reply.kind,), follow_up.target)


def sacrifices(replay: Replay) -> Iterator[Motif]:
    """Find sacrifices; `by` is the piece that is given up, `to` the capturing piece."""
    for ply, reply, follow_up in replay.pairs():
        if reply.captured is not None and PIECE_VALUES[reply.captured] - gain(ply) - gain(follow_up) >= 2:
            yield Motif("sacrifice", ply.number, reply.captured, (reply.kind,), reply.target)
