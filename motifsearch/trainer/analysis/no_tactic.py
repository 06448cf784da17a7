"""Moves that are not tactics, although no other move is as good: recaptures, and saving an attacked piece."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settled_balance
from chess_motif.material import capture_by, material_balance
from puzzlegen.motifs.replay import AttackMap

# The number of moves by which a recapture may be put off.
PUT_OFF = 2


def only_takes_back(
    boards: Sequence[chess.Board], moves: Sequence[chess.Move], ply: int, line: Sequence[chess.Move]
) -> bool:
    """Return whether a line wins no more than the opponent's last captures did.

    `boards` are the positions of a game and `moves` its moves. The line, which begins after `ply` plies, must
    capture a piece that has captured in one of the opponent's last moves, and could have been taken back at
    once.
    """
    solver = boards[ply].turn
    taken = {move.to_square for move in line[::2]}
    for before in range(ply - 1, max(ply - 1 - 2 * PUT_OFF, 0) - 1, -2):
        capture = capture_by(boards[before], moves[before])
        since = moves[before + 1 : ply]
        if capture is None or capture.square not in taken:
            continue
        if any(capture.square in (move.from_square, move.to_square) for move in since):
            continue
        if not any(boards[before + 1].generate_legal_moves(to_mask=chess.BB_SQUARES[capture.square])):
            continue
        end = board_after(boards[ply], line)
        won = settled_balance(end, solver) - material_balance(boards[before], solver)
        return won <= 0 and not end.is_checkmate()
    return False


def saves_a_piece(position: chess.Board, move: chess.Move) -> bool:
    """Return whether a quiet move saves a hanging piece."""
    is_quiet = not (position.is_capture(move) or move.promotion or position.gives_check(move))
    return is_quiet and AttackMap(position).is_hanging(move.from_square)
