"""Positional motifs (attacks on a wing or an exposed king, advancing pawns), draws and special moves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import chess

from chess_motif.boards import board_after
from puzzlegen.motifs.replay import AttackMap, Motif, Ply, Replay, back_rank

_KINGSIDE = chess.BB_FILE_G | chess.BB_FILE_H
_QUEENSIDE = chess.BB_FILE_A | chess.BB_FILE_B | chess.BB_FILE_C

# With fewer pieces on the board, an attack on the king belongs to the endgame.
LEAST_PIECES = 20

# Moves to squares at most this far from the king attack it.
NEAR = 2

# A king that is chased in fewer moves does not count as exposed.
CHASE_MOVES = 3


def wing_attacks(replay: Replay) -> Iterator[Motif]:
    """Find attacks on a king on a wing. Without a capture or a second check they are not notable."""
    enemy = not replay.solver
    king = replay.start.king(enemy)
    at_home = chess.BB_SQUARES[king] & back_rank(enemy)
    checks = _checks(replay)
    if not checks or not at_home or chess.popcount(replay.start.board.occupied) < LEAST_PIECES:
        return
    near = [ply for ply in replay.solver_plies if chess.square_distance(ply.target, king) <= NEAR]
    notable = checks >= 2 or any(ply.captured for ply in near)
    for name, wing in (("kingsideAttack", _KINGSIDE), ("queensideAttack", _QUEENSIDE)):
        if chess.BB_SQUARES[king] & wing and near:
            yield Motif(name, near[0].number, near[0].kind, (), king, notable)


def _checks(replay: Replay) -> int:
    """Return how many moves of the solver give check."""
    return sum(ply.check for ply in replay.solver_plies)


def exposed_kings(replay: Replay) -> Iterator[Motif]:
    """Find exposed kings. Kings that are further up the board, or soon mated, are not notable."""
    enemy = not replay.solver
    king = replay.start.king(enemy)
    shield = chess.BB_KING_ATTACKS[king] & replay.start.board.pieces_mask(chess.PAWN, enemy)
    if not shield and _checks(replay) >= 2:
        notable = _rank(king, enemy) <= 3 and len(replay.solver_plies) >= CHASE_MOVES
        yield Motif("exposedKing", 0, chess.KING, (), king, notable)


def _rank(square: chess.Square, side: chess.Color) -> int:
    """Return the rank of a square (1…8), from the side's point of view."""
    rank = chess.square_rank(square)
    return rank + 1 if side == chess.WHITE else 8 - rank


def pawn_advances(replay: Replay) -> Iterator[Motif]:
    """Find advanced pawns. Pawns that only reach the sixth rank are not notable."""
    for ply in replay.solver_plies:
        rank = _rank(ply.target, replay.solver)
        if ply.kind == chess.PAWN and rank >= 6:
            yield Motif("advancedPawn", ply.number, ply.kind, (), ply.target, notable=rank >= 7)


def breakthroughs(replay: Replay) -> Iterator[Motif]:
    """Find breakthroughs of pawns; `square` is where the pawn is given up."""
    for ply, reply, follow_up in replay.pairs():
        pawns = ply.kind == reply.kind == follow_up.kind == chess.PAWN
        if not pawns or ply.captured or not reply.target == ply.target != follow_up.target:
            continue
        runner = follow_up.origin
        if is_passed(replay.start, runner, replay.solver):
            continue
        for later in replay.plies[follow_up.number :: 2]:
            if later.origin == runner:
                runner = later.target
        end = replay.end
        still_there = end.board.color_at(runner) == replay.solver
        if still_there and (end.kind(runner) != chess.PAWN or is_passed(end, runner, replay.solver)):
            yield Motif("breakthrough", ply.number, ply.kind, (chess.PAWN,), ply.target)


def has_passed_pawn(replay: Replay) -> bool:
    """Return whether the pawn that moves first is a passed pawn on the fifth or sixth rank at the end."""
    first = replay.plies[0]
    pawn = first.target
    for ply in replay.plies[1:]:
        if ply.origin == pawn:
            pawn = ply.target
        elif ply.target == pawn:
            return False
    is_pawn = first.kind == chess.PAWN and replay.end.board.piece_type_at(pawn) == chess.PAWN
    return is_pawn and _rank(pawn, replay.solver) in (5, 6) and is_passed(replay.end, pawn, replay.solver)


def is_passed(attack_map: AttackMap, pawn: chess.Square, side: chess.Color) -> bool:
    """Return whether no enemy pawn is in front of a pawn on its own or a neighbouring file."""
    file, rank = chess.square_file(pawn), chess.square_rank(pawn)
    files = chess.BB_FILES[max(file - 1, 0)] | chess.BB_FILES[file] | chess.BB_FILES[min(file + 1, 7)]
    ahead = range(rank + 1, 8) if side == chess.WHITE else range(rank)
    enemies = attack_map.board.pieces_mask(chess.PAWN, not side)
    return not any(enemies & files & chess.BB_RANKS[at] for at in ahead)


def promotions(replay: Replay) -> Iterator[Motif]:
    """Find promotions."""
    for ply in replay.solver_plies:
        if ply.move.promotion:
            name = "promotion" if ply.move.promotion == chess.QUEEN else "underPromotion"
            yield Motif(name, ply.number, ply.move.promotion, (), ply.target)


def special_moves(replay: Replay) -> Iterator[Motif]:
    """Find castling and en-passant captures."""
    for ply in replay.solver_plies:
        if ply.before.board.is_castling(ply.move):
            yield Motif("castling", ply.number, ply.kind, (), ply.target)
        if ply.captured == chess.PAWN and ply.before.board.is_en_passant(ply.move):
            yield Motif("enPassant", ply.number, ply.kind, (chess.PAWN,), ply.target)


def quiet_moves(replay: Replay) -> Iterator[Motif]:
    """Find quiet moves.

    Last moves, moves of an advanced pawn, and moves that attack something are not notable.
    """
    for ply in replay.solver_plies:
        if not ply.quiet or ply.kind == chess.KING or ply.before.check:
            continue
        threatened = ply.after.attacks[ply.target] & ply.after.board.occupied_co[not replay.solver]
        is_advance = ply.kind == chess.PAWN and _rank(ply.target, replay.solver) >= 6
        notable = not threatened and not is_advance and ply is not replay.plies[-1]
        yield Motif("quietMove", ply.number, ply.kind, (), ply.target, notable)


def weak_f_pawn(replay: Replay) -> Iterator[Motif]:
    """Find captures on f7 (f2) next to a king on e8 (e1)."""
    square, home = (chess.F7, chess.E8) if replay.solver == chess.WHITE else (chess.F2, chess.E1)
    for ply in replay.solver_plies:
        if ply.target == square and ply.captured and ply.before.king(not replay.solver) == home:
            yield Motif("attackingF2F7", ply.number, ply.kind, (), square)


def defences(replay: Replay) -> Iterator[Motif]:
    """Find a quiet first move out of check."""
    first = replay.plies[0]
    if first.quiet and first.before.check:
        yield Motif("defensiveMove", 0, first.kind, (), first.target)


def draws(replay: Replay) -> Iterator[Motif]:
    """Find stalemate, offers that would lead to stalemate if taken, and perpetual check."""
    if _checks_on(replay):
        yield Motif("perpetualCheck", 0, replay.plies[0].kind, (chess.KING,))
    for ply in replay.solver_plies:
        if ply.after.stalemate or _offers_stalemate(ply):
            yield Motif("stalemate", ply.number, ply.kind, (), ply.target)


def _offers_stalemate(ply: Ply) -> bool:
    """Return whether taking the piece that just moved would be stalemate."""
    board, target = ply.after.board, chess.BB_SQUARES[ply.target]
    if not ply.after.defended[board.turn] & target:
        return False
    return any(
        board_after(board, [takes]).is_stalemate() for takes in board.generate_legal_moves(to_mask=target)
    )


def _checks_on(replay: Replay) -> bool:
    """Return whether the solver checks with every move until a position is repeated."""
    plies = replay.solver_plies
    if len(plies) == 1 or not all(ply.check for ply in plies):
        return False
    return any(
        one.before.repeats(other.before) or one.after.repeats(other.after)
        for one, other in combinations(plies, 2)
    )
