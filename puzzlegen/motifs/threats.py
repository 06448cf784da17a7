"""Threats of mate and of captures, whether carried out or not, and zugzwang."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chess_motif.boards import board_after, checks, has_mate
from chess_motif.captures import settles_at_least
from chess_motif.material import material_balance
from puzzlegen.motifs.replay import Motif, Ply, Replay
from puzzlegen.motifs.worth import wins_on

# The most pieces and pawns on the board for zugzwang.
ZUGZWANG_PIECES = 14

# The least gain of a threat, in pawns.
_LEAST_WON = 2


def mate_threats(replay: Replay) -> Iterator[Motif]:
    """Find threats of mate in one.

    A threat is not notable if its piece is captured, or if it is made by a last move that captures a piece.
    """
    for ply in replay.solver_plies:
        if ply.after.mating_moves:
            reply = replay.at(ply.number + 1)
            notable = reply.target != ply.target if reply else ply.captured in (None, chess.PAWN)
            yield Motif("mateThreat", ply.number, ply.kind, (chess.KING,), ply.target, notable)


def forced_mate(board: chess.Board) -> chess.Move | None:
    """Return a check after which every answer allows mate, None if there is none."""
    return next((move for move in checks(board) if mates_in_two(board, move)), None)


def threatens_mate_in_two(ply: Ply) -> bool:
    """Return whether a quiet move newly threatens mate in two, with checks alone."""
    then = ply.after.passed if ply.quiet else None
    return then is not None and forced_mate(then) is not None and forced_mate(ply.before.board) is None


def mates_in_two(board: chess.Board, check: chess.Move) -> bool:
    """Return whether every answer to a check allows mate. The board is left unchanged."""
    board.push(check)
    mates = all(has_mate(board_after(board, [answer])) for answer in board.legal_moves)
    board.pop()
    return mates


def makes_two_threats(ply: Ply) -> bool:
    """Return whether a move without check newly threatens to win two pieces, or one piece and to mate.

    A threat counts if it wins something after all captures.
    """
    then, before = ply.after.passed, ply.before.board
    if then is None or ply.captured not in (None, chess.PAWN):
        return False
    pieces = then.occupied_co[not then.turn] & ~then.pawns & ~then.kings
    attacked = chess.scan_forward(pieces & ply.after.defended[then.turn])
    won = [at for at in attacked if wins_on(then, at, _LEAST_WON) and not wins_on(before, at, _LEAST_WON)]
    return len(won) + bool(ply.after.mating_moves) >= 2


def is_zugzwang(ply: Ply, replay: Replay) -> bool:
    """Return whether a move of the solver threatens nothing, but every reply loses material or allows mate.

    The rest of the solution must win something, unless the move is the last one and does not repeat a
    position. False with more than `ZUGZWANG_PIECES` on the board.
    """
    after, solver = ply.after.board, not ply.after.board.turn
    waits = ply.after.passed if chess.popcount(after.occupied) <= ZUGZWANG_PIECES else None
    if waits is None:
        return False
    # Captures win nothing for either side, so the balance on the board stays.
    standing = material_balance(after, solver)
    if ply.after.mating_moves or settles_at_least(waits, solver, standing + 1):
        return False
    if not settles_at_least(after, solver, standing):
        return False
    repeats = any(ply.after.repeats(earlier.after) for earlier in replay.plies[: ply.number])
    is_last = ply.after is replay.end and not repeats
    is_won = is_last or replay.mates or settles_at_least(replay.end.board, solver, standing + 1)
    replies = (board_after(after, [reply]) for reply in after.legal_moves)
    return is_won and all(
        has_mate(board) or settles_at_least(board, solver, standing + 1) for board in replies
    )
