"""Motifs against defences: defenders that are deflected, attracted, captured, blocked or overloaded."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.motif import Motif
from puzzlegen.motifs.replay import SLIDERS, Ply, Replay


def deflections(replay: Replay) -> Iterator[Motif]:
    """Find replies by which a piece stops defending the square that the solver goes to next.

    The reply is forced: it takes what just moved, or escapes a check. The solver goes there to capture or
    to promote, or to mate after the reply took. `overloading` where the solver had taken something that
    the piece defended as well.
    """
    for ply, reply, then in replay.pairs():
        takes = reply.target == ply.target
        if not (takes or ply.check) or reply.target == then.target:
            continue
        defended = ply.after.attacks[reply.origin] & chess.BB_SQUARES[then.target]
        if not defended or reply.after.attacks[reply.target] & chess.BB_SQUARES[then.target]:
            continue
        mates = takes and replay.mates and then is replay.plies[-1]
        if not (then.captured or then.move.promotion or mates):
            continue
        overloaded = takes and ply.captured is not None
        name = "overloading" if overloaded else "deflection"
        yield Motif(name, ply.number, ply.kind, (reply.kind,), then.target)


def attractions(replay: Replay) -> Iterator[Motif]:
    """Find pieces given up or exchanged on a square so that what takes there is attacked there (decoy).

    The solver's next move checks the king there, or attacks the rook or queen.
    """
    for ply, reply, then in replay.pairs():
        if not reply.target == ply.target != then.target:
            continue
        if reply.kind == chess.KING:
            hit = then.check
        else:
            worth = PIECE_VALUES[reply.kind] >= PIECE_VALUES[chess.ROOK]
            hit = worth and bool(then.after.attacks[then.target] & chess.BB_SQUARES[ply.target])
        if hit:
            yield Motif("attraction", ply.number, ply.kind, (reply.kind,), ply.target)


def removed_defenders(replay: Replay) -> Iterator[Motif]:
    """Find captures, without check, of a piece that defended what the solver takes next."""
    for ply, reply, then in replay.pairs():
        if ply.captured is None or ply.check or then.captured is None:
            continue
        if then.target in (ply.target, reply.target):
            continue
        defended = ply.before.attacks.get(ply.target, chess.BB_EMPTY)
        if defended & chess.BB_SQUARES[then.target]:
            yield Motif("capturingDefender", ply.number, ply.kind, (ply.captured,), then.target)


def interferences(replay: Replay) -> Iterator[Motif]:
    """Find moves between an enemy line piece and the square that it defended, which the solver uses next.

    The reply may be such a move, too; `by` is the piece in the way.
    """
    for ply, reply, then in replay.pairs():
        if then.captured is None or then.target in (ply.target, reply.target):
            continue
        for block in (ply, reply):
            for defender in _blocked(block, then.target, not replay.solver):
                if reply.origin != defender:
                    kind = block.before.kind(defender)
                    yield Motif("interference", ply.number, block.kind, (kind,), block.target)


def _blocked(ply: Ply, square: Square, color: chess.Color) -> Iterator[Square]:
    for at in ply.before.attackers(color, square):
        if ply.before.kind(at) in SLIDERS and chess.between(at, square) & chess.BB_SQUARES[ply.target]:
            yield at


def clearances(replay: Replay) -> Iterator[Motif]:
    """Find moves that make way for another piece of the solver, which goes there or through it next.

    Neither move captures. A king that castles or steps aside is no such piece.
    """
    for ply, reply, then in replay.pairs():
        if then.origin == ply.target or ply.captured is not None or then.captured is not None:
            continue
        if then.kind == chess.KING:
            continue
        way = chess.between(then.origin, then.target) | chess.BB_SQUARES[then.target]
        if way & chess.BB_SQUARES[ply.origin] and reply.target != ply.origin:
            yield Motif("clearance", ply.number, ply.kind, (then.kind,), ply.origin)


def in_between_moves(replay: Replay) -> Iterator[Motif]:
    """Find moves that come before a capture which was possible at once (zwischenzug)."""
    for ply, reply, then in replay.pairs():
        if then.captured is None or reply.target == then.target or then.origin == ply.target:
            continue
        if (ply.check or ply.captured) and ply.before.board.is_legal(then.move):
            yield Motif("intermezzo", ply.number, ply.kind, (then.captured,), then.target)


def desperados(replay: Replay) -> Iterator[Motif]:
    """Find hanging pieces that capture something of less value before they are captured.

    They are attacked by more than what they capture, and while the opponent captures them the solver wins
    something on another square.
    """
    for ply, reply, then in replay.pairs():
        if ply.captured is None or then.captured is None or not reply.target == ply.target != then.target:
            continue
        attack_map = ply.before
        attackers = attack_map.attackers(not replay.solver, ply.origin)
        if PIECE_VALUES[ply.captured] >= PIECE_VALUES[ply.kind] or attackers in ([], [ply.target]):
            continue
        if attack_map.is_hanging(ply.origin):
            yield Motif("desperado", ply.number, ply.kind, (ply.captured,), ply.target)


def x_rays(replay: Replay) -> Iterator[Motif]:
    """Find exchanges on one square where the solver's second line piece attacks through the enemy's."""
    for ply, reply, then in replay.pairs():
        if not ply.target == reply.target == then.target or then.kind not in SLIDERS:
            continue
        if chess.between(then.origin, then.target) & chess.BB_SQUARES[reply.origin]:
            yield Motif("xRayAttack", ply.number, then.kind, (reply.kind,), then.target)


def sacrifices(replay: Replay) -> Iterator[Motif]:
    """Find pieces that are given up for at least two pawns' worth less, counted after the next move.

    `by` is the piece that is given up, `to` the one that takes it.
    """
    for ply, reply, then in replay.pairs():
        if reply.captured is not None and PIECE_VALUES[reply.captured] - gain(ply) - gain(then) >= 2:
            yield Motif("sacrifice", ply.number, reply.captured, (reply.kind,), reply.target)


def gain(ply: Ply) -> int:
    """Return what a move wins at once, in pawns."""
    gained = PIECE_VALUES[ply.captured] if ply.captured else 0
    if ply.move.promotion:
        gained += PIECE_VALUES[ply.move.promotion] - PIECE_VALUES[chess.PAWN]
    return gained


def gives_up(ply: Ply, reply: Ply) -> bool:
    """Tell whether the reply captures more than the move before it won."""
    return reply.captured is not None and PIECE_VALUES[reply.captured] > gain(ply)
