"""Exercises: positions in which a few moves win and all others are much worse.

One move is to be found. Like the moves of a puzzle, the ones that are accepted must be better than all others
by a gap, or mate soon where others merely win; unlike there, they may be several, and what follows them need
not be unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import chess

from chess_motif.boards import board_after
from chess_motif.material import PIECE_VALUES, material_balance
from engines.engine import Variation
from engines.search_cache import Searcher
from puzzlegen.rules import ExerciseRules, MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, Solution, ending


@dataclass(frozen=True)
class Exercise:
    """A verified exercise.

    `accepted` are the moves that solve it, best first. The `solution` begins with the best one and shows why
    it wins; it ends in mate only if that is forced. Its gap is that between the best move and the best one
    that is not accepted.
    """

    accepted: tuple[chess.Move, ...]
    solution: Solution


@dataclass(frozen=True)
class _Line:
    """A line that ends with a move of the solver, and the solver's win chance (-1…1) at the end."""

    moves: tuple[chess.Move, ...]
    ending: Ending
    win_chance: float


def find_exercise(
    position: chess.Board, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> Exercise | Rejection:
    """Return the exercise of `position` (solver to move), or why there is none.

    Raises `EngineFailedError`.
    """
    lines = limits.most_accepted + 1
    first = accepted_moves(
        engine.search(position, limits.first_nodes, lines), rules, limits, limits.first_share
    )
    if isinstance(first, Rejection):
        return first
    variations = engine.search(position, limits.nodes, lines)
    accepted = accepted_moves(variations, rules, limits)
    if isinstance(accepted, Rejection):
        return accepted
    if len(accepted) > limits.most_share * position.legal_moves.count():
        return Rejection.NOT_UNIQUE
    if not all(_wins(position, move, engine, limits) for move in accepted):
        return Rejection.NOT_CONFIRMED
    line = _main_line(position, variations[0], engine, rules, limits)
    if isinstance(line, Rejection):
        return line
    gap = variations[0].chance - variations[len(accepted)].chance
    # A line may end in mate that is not forced.
    how = line.ending if variations[0].mate_in is not None else Ending.MATERIAL
    return Exercise(accepted, Solution(line.moves, how, gap, line.win_chance))


def accepted_moves(
    variations: Sequence[Variation], rules: MiningRules, limits: ExerciseRules, share: float = 1.0
) -> tuple[chess.Move, ...] | Rejection:
    """Return the moves of the best variations that are good enough while the next one is not.

    The variations are those of a search, best first. A `share` below 1 relaxes the thresholds. If all others
    are too close to the best moves, but those mate soon, return the moves that mate; otherwise the reason.
    """
    best = variations[0].chance
    if best < limits.winning * share:
        return Rejection.NOT_WINNING
    for number, (last, following) in enumerate(pairwise(variations), 1):
        if last.chance < limits.winning * share:
            break
        is_clear = last.chance - following.chance >= limits.margin * share
        if is_clear and best - following.chance >= rules.drop * share:
            return tuple(variation.move for variation in variations[:number])
    mating = tuple(one.move for one in variations if one.mate_in is not None and one.mate_in > 0)
    is_short = mating and variations[0].mate_in in range(1, limits.longest_mate + 1)
    return mating if is_short and len(mating) < len(variations) else Rejection.NOT_UNIQUE


def _wins(position: chess.Board, move: chess.Move, engine: Searcher, limits: ExerciseRules) -> bool:
    """Return whether a move wins when it alone is searched."""
    after = board_after(position, [move])
    if after.is_game_over():
        return after.is_checkmate()
    return -engine.search(after, limits.confirm_nodes)[0].chance >= limits.winning


def _main_line(
    position: chess.Board, best: Variation, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> _Line | Rejection:
    """Return a line that begins with the best move and shows why it wins.

    If the move is a capture that wins at once although the opponent can recapture, the line shows what
    happens after the recapture by the least valuable piece, if that wins too.
    """
    line = _until_won(position, [best.move], engine, rules, limits, mates=best.mate_in is not None)
    if isinstance(line, Rejection) or len(line.moves) > 1 or not position.is_capture(best.move):
        return line
    board = board_after(position, [best.move])
    recaptures = list(board.generate_legal_moves(to_mask=chess.BB_SQUARES[best.move.to_square]))
    if not recaptures:
        return line
    recapture = min(recaptures, key=lambda move: PIECE_VALUES[board.piece_type_at(move.from_square) or 0])
    longer = _until_won(position, [best.move, recapture], engine, rules, limits)
    return line if isinstance(longer, Rejection) else longer


def _until_won(
    position: chess.Board,
    moves: Sequence[chess.Move],
    engine: Searcher,
    rules: MiningRules,
    limits: ExerciseRules,
    *,
    mates: bool = False,
) -> _Line | Rejection:
    """Return a line that begins with some moves and ends once it has mated or won material for good.

    If the last of `moves` is the solver's and `mates`, the line ends in mate.
    """
    board = board_after(position, moves)
    at_start = material_balance(position, position.turn)
    least = replace(rules, least_gain=limits.least_gain)
    line = list(moves)
    while True:
        if board.turn == position.turn:
            best = engine.search(board, limits.line_nodes)[0]
            mates = best.mate_in is not None and best.mate_in > 0
            line.append(best.move)
            board.push(best.move)
        if board.is_game_over():
            return _Line(tuple(line), Ending.MATE, 1.0) if board.is_checkmate() else Rejection.NO_GAIN
        reply = engine.search(board, rules.reply_nodes)[0]
        verdict = ending(board, at_start, -reply.chance, least)
        is_longest = len(line) // 2 + 1 == limits.most_moves
        if isinstance(verdict, Ending) and (is_longest or not mates):
            return _Line(tuple(line), verdict, -reply.chance)
        if is_longest:
            return verdict if isinstance(verdict, Rejection) else Rejection.NO_GAIN
        line.append(reply.move)
        board.push(reply.move)
