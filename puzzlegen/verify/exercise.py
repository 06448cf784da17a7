"""Exercises: positions in which a few moves win and all others are much worse.

One move is to be found. Like the moves of a puzzle, the ones that are accepted must be better than all others
by a gap; unlike there, they may be several, and what follows them need not be unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from chess_motif.material import material_balance
from engines.engine import Variation
from engines.search_cache import Searcher
from puzzlegen.rules import ExerciseRules, MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, ending


@dataclass(frozen=True)
class Exercise:
    """A verified exercise.

    `accepted` are the moves that solve it, best first. `moves` is a line that begins with the best one, ends
    with the solver's, and shows why it wins. `gap` is the difference (0…2) in win chance between the best
    move and the best one that is not accepted; `chance` is the solver's win chance (-1…1) at the end.
    """

    accepted: tuple[chess.Move, ...]
    moves: tuple[chess.Move, ...]
    ending: Ending
    gap: float
    chance: float


def find_exercise(
    position: chess.Board, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> Exercise | Rejection:
    """Return the exercise of `position` (solver to move), or why there is none.

    Raises `EngineFailedError`.
    """
    found = accepted_moves(engine.search(position, limits.nodes, limits.most_accepted + 1), rules, limits)
    if isinstance(found, Rejection):
        return found
    confirmed = engine.search(position, limits.confirm_nodes, len(found) + 1)
    accepted = accepted_moves(confirmed, rules, limits)
    if isinstance(accepted, Rejection) or set(accepted) != set(found):
        return Rejection.NOT_CONFIRMED
    if len(accepted) > limits.most_share * position.legal_moves.count():
        return Rejection.NOT_UNIQUE
    line = _main_line(position, confirmed[0], engine, rules, limits)
    if isinstance(line, Rejection):
        return line
    moves, how, chance = line
    gap = confirmed[0].chance - confirmed[len(accepted)].chance if len(confirmed) > len(accepted) else 2.0
    return Exercise(accepted, moves, how, gap, chance)


def accepted_moves(
    variations: Sequence[Variation], rules: MiningRules, limits: ExerciseRules
) -> tuple[chess.Move, ...] | Rejection:
    """Return the moves of the best variations that are good enough while the next one is not.

    The variations are those of a search, best first. If they show no such place, return why.
    """
    best = variations[0].chance
    if best < rules.winning:
        return Rejection.NOT_WINNING
    for number, last in enumerate(variations, 1):
        if last.chance < rules.winning:
            break
        following = variations[number].chance if number < len(variations) else -1.0
        if best - following >= rules.gap and last.chance - following >= limits.margin:
            return tuple(variation.move for variation in variations[:number])
    return Rejection.NOT_UNIQUE


def _main_line(
    position: chess.Board, best: Variation, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> tuple[tuple[chess.Move, ...], Ending, float] | Rejection:
    """Return a line that begins with the best move and ends once it has mated or won material for good."""
    board = position.copy(stack=False)
    at_start = material_balance(board, board.turn)
    moves: list[chess.Move] = []
    while True:
        moves.append(best.move)
        board.push(best.move)
        if board.is_game_over():
            return (tuple(moves), Ending.MATE, 1.0) if board.is_checkmate() else Rejection.NO_GAIN
        reply = engine.search(board, rules.reply_nodes)[0]
        verdict = ending(board, at_start, -reply.chance, rules)
        if isinstance(verdict, Ending) and best.mate_in is None:
            return tuple(moves), verdict, -reply.chance
        if len(moves) // 2 + 1 == limits.most_moves:
            return verdict if isinstance(verdict, Rejection) else (tuple(moves), verdict, -reply.chance)
        moves.append(reply.move)
        board.push(reply.move)
        best = engine.search(board, limits.line_nodes)[0]
