"""What can be won, and what a solution wins, in pawns.

A piece hangs (`AttackMap.is_hanging`) if a single capture of it bites, and falls if the captures on its
square win something in the end. What a move wins counts all captures and promotions that may follow.
"""

from __future__ import annotations

import chess
from chess import PieceType, Square

from chess_motif.boards import board_after
from chess_motif.captures import settles_at_least
from chess_motif.material import PIECE_VALUES, gained, material_balance
from puzzlegen.motifs.replay import WORTH, AttackMap, Ply, Replay


def best_captures(board: chess.Board, square: Square) -> list[PieceType]:
    """Return the pieces that are captured on an occupied square, that which stands there first.

    Both sides capture with the piece of least value first, and stop when they like (static exchange).
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
    """Return what captures in turn win for the side that makes the first one."""
    values = [PIECE_VALUES[kind] for kind in captured]
    return sum(values[::2]) - sum(values[1::2])


def most_won(board: chess.Board, square: Square) -> int:
    """Return what captures on an occupied square win at most."""
    return worth_of(best_captures(board, square))


def falls(attack_map: AttackMap, square: Square) -> bool:
    """Return whether the captures on a square win something; on an empty one they do not."""
    return attack_map.board.color_at(square) is not None and most_won(attack_map.board, square) > 0


def newly_falls(ply: Ply, square: Square) -> bool:
    """Return whether an enemy piece falls after a move that did not before it."""
    return falls(ply.after, square) and not falls(ply.before, square)


def wins(board: chess.Board, move: chess.Move, least: int) -> bool:
    """Return whether a move wins as much."""
    balance = material_balance(board, board.turn) + least
    return settles_at_least(board_after(board, [move]), board.turn, balance)


def wins_on(board: chess.Board, square: Square, least: int) -> bool:
    """Return whether the side to move wins as much on a square, and loses nothing elsewhere for it."""
    captures = board.generate_legal_captures(to_mask=chess.BB_SQUARES[square])
    return most_won(board, square) >= least and any(wins(board, capture, least) for capture in captures)


def gain(ply: Ply) -> int:
    """Return the material that a move wins by capture and promotion."""
    return gained(ply.captured, ply.move.promotion)


def gives_up(ply: Ply, reply: Ply) -> bool:
    """Return whether the reply captures more than the move before it won."""
    return reply.captured is not None and PIECE_VALUES[reply.captured] > gain(ply)


def net_gain(ply: Ply, replay: Replay) -> int:
    """Return what a move wins, less what is recaptured on its square by the reply."""
    reply = replay.at(ply.number + 1)
    return gain(ply) - (gain(reply) if reply and reply.target == ply.target else 0)


def pays(ply: Ply, replay: Replay) -> bool:
    """Return whether a move mates, or wins more than is recaptured on its square, also after the solution."""
    is_last = ply is replay.plies[-1]
    won = gain(ply) - most_won(ply.after.board, ply.target) if is_last else net_gain(ply, replay)
    return ply.mates or won > 0


def deciding_ply(replay: Replay) -> Ply:
    """Return the move of the solver that wins most, the last one if there are several."""
    return max(replay.solver_plies, key=lambda ply: (net_gain(ply, replay), ply.number))


def total_gain(replay: Replay) -> int:
    """Return what the solver wins in a whole solution, less what the opponent wins."""
    return sum(gain(ply) if ply.number % 2 == 0 else -gain(ply) for ply in replay.plies)
