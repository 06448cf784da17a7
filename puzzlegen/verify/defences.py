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
    after = board_after(position, moves[:1])
    found: list[tuple[chess.Move, ...]] = []
    if after.is_game_over():
        return found
    least = material_balance(position, position.turn) + rules.gain.least_gain
    has_won = settles_at_least(after, position.turn, least)
    known = set(moves[2:3])
    for reply in (variation.move for variation in engine.search(after, rules.nodes, rules.searched)):
        if reply in moves[1:2] or _given_up(after, reply) >= rules.most_given_up:
            continue
        line = until_won(position, [moves[0], reply], engine, rules.line, rules.gain)
        if line is None or line.moves[2] in known:
            continue
        answer = line.moves[2]
        if has_won and _is_quiet(after, reply) and _is_quiet(board_after(after, [reply]), answer):
            continue
        found.append(line.moves[1:])
        known.add(answer)
        if len(found) == rules.most:
            break
    return found


def _given_up(board: chess.Board, move: chess.Move) -> int:
    """Return what a move, no check, loses on the square that it goes to, less what it captures, in pawns."""
    if board.gives_check(move):
        return 0
    capture = capture_by(board, move)
    won = gained(capture.kind if capture else None, move.promotion)
    return most_won(board_after(board, [move]), move.to_square) - won


def _is_quiet(board: chess.Board, move: chess.Move) -> bool:
    return not (board.is_capture(move) or board.gives_check(move))
