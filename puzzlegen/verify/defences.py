"""What a solution does against the best defences that it does not show."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settles_at_least
from chess_motif.material import capture_by, gained, material_balance
from engines.search_cache import Searcher
from puzzlegen.motifs.exchange import most_won
from puzzlegen.rules import DefenceRules
from puzzlegen.verify.won_line import until_won


def other_defences(
    position: chess.Board, moves: Sequence[chess.Move], engine: Searcher, rules: DefenceRules | None = None
) -> list[tuple[chess.Move, ...]]:
    """Return lines against the best replies to the first of some moves, besides the one among them.

    A line begins with the reply, and ends with the move by which the side to move in `position` mates or has
    won material. Left out are replies that have no such line, that only give a piece up without check,
    or that are answered like another one; and, if the first move has won something, quiet ones that are
    answered by a quiet move. Raises `EngineFailedError`.
    """
    rules = rules or DefenceRules()
    solver, after = position.turn, board_after(position, moves[:1])
    found: list[tuple[chess.Move, ...]] = []
    if after.is_game_over():
        return found
    least = material_balance(position, solver) + rules.gain.least_gain
    has_won = settles_at_least(after, solver, least)
    known = set(moves[2:3])
    for variation in engine.search(after, rules.nodes, rules.searched):
        reply = variation.move
        is_forcing = after.is_capture(reply) or after.gives_check(reply)
        gives_up = not after.gives_check(reply) and _given_up(after, reply) >= rules.most_given_up
        if reply in moves[1:2] or gives_up:
            continue
        line = until_won(position, [moves[0], reply], engine, rules.line, rules.gain)
        if line is None:
            continue
        replied, answer = board_after(after, [reply]), line.moves[2]
        is_quiet = not (replied.is_capture(answer) or replied.gives_check(answer))
        if answer not in known and not (has_won and is_quiet and not is_forcing):
            found.append(line.moves[1:])
            known.add(answer)
        if len(found) == rules.most:
            break
    return found


def _given_up(board: chess.Board, move: chess.Move) -> int:
    """Return what a move loses on the square that it goes to, less what it captures, in pawns."""
    capture = capture_by(board, move)
    won = gained(capture.kind if capture else None, move.promotion)
    return most_won(board_after(board, [move]), move.to_square) - won
