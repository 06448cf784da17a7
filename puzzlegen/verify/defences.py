"""What a solution does against the best defences that it does not show."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settles_at_least
from chess_motif.material import material_balance
from engines.search_cache import Searcher
from puzzlegen.rules import DefenceRules
from puzzlegen.verify.won_line import until_won


def other_defences(
    position: chess.Board, moves: Sequence[chess.Move], engine: Searcher, rules: DefenceRules | None = None
) -> list[tuple[chess.Move, ...]]:
    """Return lines against the best replies to the first of some moves, besides the one among them.

    A line begins with the reply, and ends with the move by which the side to move in `position` mates or has
    won material. A reply that has no such line has none, nor has one that is answered like the one among the
    moves, or, if the first move has won something, by a quiet move. Raises `EngineFailedError`.
    """
    rules = rules or DefenceRules()
    solver, after = position.turn, board_after(position, moves[:1])
    found: list[tuple[chess.Move, ...]] = []
    if after.is_game_over():
        return found
    least = material_balance(position, solver) + rules.gain.least_gain
    has_won = settles_at_least(after, solver, least)
    for variation in engine.search(after, rules.nodes, rules.most + 1):
        if len(found) == rules.most or variation.move in moves[1:2]:
            continue
        line = until_won(position, [moves[0], variation.move], engine, rules.line, rules.gain)
        if line is None:
            continue
        _, reply, answer, *_ = line.moves
        replied = board_after(after, [reply])
        is_quiet = not (replied.is_capture(answer) or replied.gives_check(answer))
        if answer not in moves[2:3] and not (has_won and is_quiet):
            found.append(line.moves[1:])
    return found
