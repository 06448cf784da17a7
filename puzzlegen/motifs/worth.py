"""What can be won, and what a solution wins, in pawns.

A piece hangs (`AttackMap.is_hanging`) if a single capture wins something, and falls if the best captures on
its square do. `wins` takes all captures and promotions into account that may follow.
"""

from __future__ import annotations

import chess
from chess import PieceType, Square

from chess_motif.boards import board_after
from chess_motif.captures import settles_at_least
from chess_motif.material import PIECE_VALUES, gained, material_balance
from puzzlegen.motifs.replay import WORTH, AttackMap, Ply, Replay


def best_captures(board: chess.Board, square: Square) -> list[PieceType]:
    """Return the pieces that are captured on an occupied square, in order (static exchange).

    Both sides capture with the least valuable piece first, and stop when that is better.
    """
    side, occupied, on_square = not board.color_at(square), board.occupied, _kind(board, square)
    captured: list[PieceType] = []
    while attackers := board.attackers_mask(side, square, occupied) & occupied:
        at = min(chess.scan_forward(attackers), key=lambda at: WORTH[_kind(board, at)])
        defenders = board.attackers_mask(not side, square, occupied ^ chess.BB_SQUARES[at]) & occupied
        if _kind(board, at) == chess.KING and defenders:
            break
        captured.append(on_square)
        on_square, side, occupied = _kind(board, at), not side, occupied ^ chess.BB_SQUARES[at]
    won, made = 0, len(captured)
    for number in reversed(range(len(captured))):
        won = max(0, PIECE_VALUES[captured[number]] - won)
        if not won:
            made = number
    return captured[:made]


def _kind(board: chess.Board, square: Square) -> PieceType:
    kind = board.piece_type_at(square)
    assert kind is not None
    return kind


def worth_of(captured: list[PieceType]) -> int:
    """Return what alternating captures win for the side that captures first."""
    values = [PIECE_VALUES[kind] for kind in captured]
    return sum(values[::2]) - sum(values[1::2])


def most_won(board: chess.Board, square: Square) -> int:
    """Return what the best captures on an occupied square win."""
    return worth_of(best_captures(board, square))


def falls(attack_map: AttackMap, square: Square) -> bool:
    """Return whether the captures on a square win something, False for an empty square."""
    return attack_map.board.color_at(square) is not None and most_won(attack_map.board, square) > 0


def newly_falls(ply: Ply, square: Square) -> bool:
    """Return whether an enemy piece falls after a move, but did not fall before."""
    return falls(ply.after, square) and not falls(ply.before, square)


def wins(board: chess.Board, move: chess.Move, least: int) -> bool:
    """Return whether a move wins at least `least` pawns after all captures."""
    balance = material_balance(board, board.turn) + least
    return settles_at_least(board_after(board, [move]), board.turn, balance)


def wins_on(board: chess.Board, square: Square, least: int) -> bool:
    """Return whether a capture on a square wins at least `least` pawns, also after captures elsewhere."""
    captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
    return most_won(board, square) >= least and any(wins(board, capture, least) for capture in captures)


def gain(ply: Ply) -> int:
    """Return the material that a move wins by capture and promotion."""
    return gained(ply.captured, ply.move.promotion)


def gives_up(ply: Ply, reply: Ply) -> bool:
    """Return whether the reply captures more than the move before it won."""
    return reply.captured is not None and PIECE_VALUES[reply.captured] > gain(ply)


def net_gain(ply: Ply, replay: Replay) -> int:
    """Return what a move wins, less what the reply recaptures on the same square."""
    reply = replay.at(ply.number + 1)
    return gain(ply) - (gain(reply) if reply and reply.target == ply.target else 0)


def pays(ply: Ply, replay: Replay) -> bool:
    """Return whether a move mates, or wins more than can be recaptured on its square."""
    is_last = ply is replay.plies[-1]
    won = gain(ply) - most_won(ply.after.board, ply.target) if is_last else net_gain(ply, replay)
    return ply.mates or won > 0


def deciding_ply(replay: Replay) -> Ply:
    """Return the move of the solver that wins most, the last of several equal ones."""
    return max(replay.solver_plies, key=lambda ply: (net_gain(ply, replay), ply.number))


def total_gain(replay: Replay) -> int:
    """Return what the solver wins in a whole solution, less what the opponent wins."""
    return sum(gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in replay.plies)
