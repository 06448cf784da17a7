"""Positional motifs (attacks on a wing or an exposed king, advancing pawns) and special moves."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.motifs.motif import Motif
from puzzlegen.motifs.replay import Replay

_KINGSIDE = chess.BB_FILE_G | chess.BB_FILE_H
_QUEENSIDE = chess.BB_FILE_A | chess.BB_FILE_B | chess.BB_FILE_C

# With fewer pieces on the board, an attack on the king is a matter of the endgame.
_LEAST_PIECES = 20


def wing_attacks(replay: Replay) -> Iterator[Motif]:
    """Find attacks on a king on a wing of its back rank: `kingsideAttack`, `queensideAttack`.

    There are at least `_LEAST_PIECES` pieces. The solver checks, and moves to within two squares of the king.
    """
    enemy = not replay.solver
    king = replay.start.king(enemy)
    home = chess.BB_RANK_1 if enemy == chess.WHITE else chess.BB_RANK_8
    if chess.popcount(replay.start.board.occupied) < _LEAST_PIECES or not chess.BB_SQUARES[king] & home:
        return
    if not any(ply.check for ply in replay.solver_plies):
        return
    near = [ply for ply in replay.solver_plies if chess.square_distance(ply.target, king) <= 2]
    for name, wing in (("kingsideAttack", _KINGSIDE), ("queensideAttack", _QUEENSIDE)):
        if chess.BB_SQUARES[king] & wing and near:
            yield Motif(name, near[0].number, near[0].kind, (), king)


def exposed_kings(replay: Replay) -> Iterator[Motif]:
    """Find an enemy king without a pawn of its own next to it that is checked at least twice."""
    enemy = not replay.solver
    king = replay.start.king(enemy)
    shield = chess.BB_KING_ATTACKS[king] & replay.start.board.pieces_mask(chess.PAWN, enemy)
    if not shield and sum(ply.check for ply in replay.solver_plies) >= 2:
        yield Motif("exposedKing", 0, chess.KING, (), king)


def pawn_advances(replay: Replay) -> Iterator[Motif]:
    """Find pawn moves to the sixth rank or beyond, from the solver's side."""
    for ply in replay.solver_plies:
        rank = chess.square_rank(ply.target)
        if ply.kind == chess.PAWN and (rank >= 5 if replay.solver == chess.WHITE else rank <= 2):
            yield Motif("advancedPawn", ply.number, ply.kind, (), ply.target)


def promotions(replay: Replay) -> Iterator[Motif]:
    """Find promotions: `promotion` to a queen, `underPromotion` to any other piece."""
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
    """Find moves without capture, promotion, check or attack on a hanging piece.

    King moves and answers to a check do not count.
    """
    for ply in replay.solver_plies:
        if not ply.quiet or ply.kind == chess.KING or ply.before.board.is_check():
            continue
        attack_map = ply.after
        threatened = attack_map.attacks[ply.target] & attack_map.board.occupied_co[not replay.solver]
        if any(attack_map.is_hanging(square) for square in chess.scan_forward(threatened)):
            continue
        yield Motif("quietMove", ply.number, ply.kind, (), ply.target)


def weak_f_pawn(replay: Replay) -> Iterator[Motif]:
    """Find captures on f7 (f2) next to a king on its back rank."""
    square = chess.F7 if replay.solver == chess.WHITE else chess.F2
    near = chess.BB_KING_ATTACKS[square] & (
        chess.BB_RANK_8 if replay.solver == chess.WHITE else chess.BB_RANK_1
    )
    for ply in replay.solver_plies:
        king = chess.BB_SQUARES[ply.before.king(not replay.solver)]
        if ply.target == square and ply.captured and king & near:
            yield Motif("attackingF2F7", ply.number, ply.kind, (), square)


def defences(replay: Replay) -> Iterator[Motif]:
    """Find a quiet first move out of check."""
    first = replay.plies[0]
    if first.quiet and first.before.board.is_check():
        yield Motif("defensiveMove", 0, first.kind, (), first.target)
