"""Exercises: positions in which a few moves are good and all others are much worse.

One move is to be found. Like the moves of a puzzle, the ones that are accepted must be better than all others
by a gap, or mate soon where others merely win; unlike there, they may be several, and what follows them need
not be unique. They win, or hold a position that all other moves lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import chess

from chess_motif.boards import board_after
from chess_motif.material import PIECE_VALUES, material_balance
from engines.engine import Variation
from engines.search_cache import Searcher, searched
from puzzlegen.rules import ExerciseRules, MiningRules
from puzzlegen.verify.ending import Ending, without_last_exchange
from puzzlegen.verify.solution import Rejection, Solution, ending
from puzzlegen.verify.won_line import WonLine, until_won


class Task(Enum):
    """What the accepted moves of an exercise do, and no other move does."""

    WIN = "win"
    HOLD = "hold"


@dataclass(frozen=True)
class Exercise:
    """A verified exercise.

    `accepted` are the moves that solve it, best first. The `solution` begins with the best one and shows what
    it does; it ends in mate only if that is forced, and is `Ending.HELD` if it neither mates nor wins
    material. Its gap is that between the best move and the best one that is not accepted.
    """

    accepted: tuple[chess.Move, ...]
    solution: Solution


def find_exercise(
    position: chess.Board,
    engine: Searcher,
    rules: MiningRules,
    limits: ExerciseRules,
    task: Task = Task.WIN,
) -> Exercise | Rejection:
    """Return the exercise of `position` (solver to move), or why there is none.

    Raises `EngineFailedError`.
    """
    rough = first_look(position, engine, limits)
    if rough[0].chance < _least(task, rules, limits) - limits.slack:
        return Rejection.NOT_WINNING
    steps = _clear_steps(rough, rules, limits, task, limits.slack)
    most = len(_mating(rough, limits)) or max(steps, default=0)
    if not 0 < most <= limits.most_accepted:
        return Rejection.NOT_UNIQUE
    variations = searched(engine, position, (most + 1) * limits.nodes, most + 1)
    accepted = accepted_moves(variations, rules, limits, task)
    if isinstance(accepted, Rejection):
        return accepted
    if len(accepted) > limits.most_share * position.legal_moves.count():
        return Rejection.NOT_UNIQUE
    # A rook that is taken at once is as good as a queen to the engine.
    accepted = tuple(sorted(accepted, key=lambda move: move.promotion in (chess.BISHOP, chess.ROOK)))
    if task is Task.HOLD and len(accepted) > limits.most_holding:
        return Rejection.NO_GAIN
    if not all(_reaches(position, move, engine, rules, limits, task) for move in accepted):
        return Rejection.NOT_CONFIRMED
    gap = variations[0].chance - variations[len(accepted)].chance
    line = won_line(position, accepted[0], engine, rules, limits) if task is Task.WIN else None
    if line is None:
        if len(accepted) > limits.most_holding:
            return Rejection.NO_GAIN
        held = _held(position, accepted[0], engine, limits)
        return Exercise(accepted, Solution(held, Ending.HELD, gap, variations[0].chance))
    # A line may end in mate that is not forced.
    how = line.ending if variations[0].mate_in is not None else Ending.MATERIAL
    return Exercise(accepted, Solution(line.moves, how, gap, line.win_chance))


def first_look(position: chess.Board, engine: Searcher, limits: ExerciseRules) -> list[Variation]:
    """Return the search that rules most positions out. Raises `EngineFailedError`."""
    lines = limits.most_accepted + 1
    return searched(engine, position, lines * limits.first_nodes, lines)


def accepted_moves(
    variations: Sequence[Variation], rules: MiningRules, limits: ExerciseRules, task: Task = Task.WIN
) -> tuple[chess.Move, ...] | Rejection:
    """Return the moves of the best variations that are good enough while the next one is not.

    The variations are those of a search, best first. If the best one mates soon and not all others mate, too,
    the moves that mate are good enough, and no other one is.
    """
    if variations[0].chance < _least(task, rules, limits):
        return Rejection.NOT_WINNING
    number = next(_clear_steps(variations, rules, limits, task), 0)
    return (
        _mating(variations, limits) or tuple(one.move for one in variations[:number]) or Rejection.NOT_UNIQUE
    )


def _clear_steps(
    variations: Sequence[Variation], rules: MiningRules, limits: ExerciseRules, task: Task, slack: float = 0.0
) -> Iterator[int]:
    """Yield after how many of the variations the next one is clearly worse, and not good enough.

    `slack` (in win chance) relaxes all thresholds.
    """
    best = variations[0].chance
    for number, (last, following) in enumerate(pairwise(variations), 1):
        if last.chance < _least(task, rules, limits) - slack:
            return
        is_clear = last.chance - following.chance >= limits.margin - slack
        loses = task is Task.WIN or following.chance <= slack - rules.won
        if is_clear and loses and best - following.chance >= rules.drop - slack:
            yield number


def _mating(variations: Sequence[Variation], limits: ExerciseRules) -> tuple[chess.Move, ...]:
    """Return the moves that mate if the best one does so soon and some variation does not, else none.

    Where there is a mate in one, a longer one does not count.
    """
    soonest = variations[0].mate_in
    if soonest not in range(1, limits.longest_mate + 1):
        return ()

    def mates(one: Variation) -> bool:
        return one.mate_in is not None and (one.mate_in == 1 if soonest == 1 else one.mate_in > 0)

    mating = tuple(one.move for one in variations if mates(one))
    return mating if len(mating) < len(variations) else ()


def _least(task: Task, rules: MiningRules, limits: ExerciseRules) -> float:
    """Return the win chance that an accepted move has at least."""
    return limits.winning if task is Task.WIN else -rules.won


def _reaches(
    position: chess.Board,
    move: chess.Move,
    engine: Searcher,
    rules: MiningRules,
    limits: ExerciseRules,
    task: Task,
) -> bool:
    """Return whether a move is good enough when it alone is searched."""
    after = board_after(position, [move])
    if after.is_game_over():
        return after.is_checkmate() or task is Task.HOLD
    return -searched(engine, after, limits.confirm_nodes)[0].chance >= _least(task, rules, limits)


def _held(
    position: chess.Board, move: chess.Move, engine: Searcher, limits: ExerciseRules
) -> tuple[chess.Move, ...]:
    """Return a line that begins with a move that holds, and ends with a move of the solver.

    It does not end in the middle of an exchange.
    """
    after = board_after(position, [move])
    if after.is_game_over():
        return (move,)
    # The search that has confirmed the move.
    line = (move, *searched(engine, after, limits.confirm_nodes)[0].moves)
    return without_last_exchange(position, line[: len(line) - 1 + len(line) % 2])


def gaining_part(position: chess.Board, variation: Variation, rules: MiningRules) -> tuple[chess.Move, ...]:
    """Return a variation up to the solver's move that mates or has won `rules.least_gain` pawns for good.

    It is empty if none of its moves does.
    """
    at_start = material_balance(position, position.turn)
    board = position.copy(stack=False)
    for ply, move in enumerate(variation.moves):
        board.push(move)
        if ply % 2 == 0 and isinstance(ending(board, at_start, variation.chance, rules), Ending):
            return variation.moves[: ply + 1]
    return ()


def won_line(
    position: chess.Board, best: chess.Move, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> WonLine | None:
    """Return a line that begins with the best move and shows why it wins, None if that shows in no gain.

    If the move is a capture that wins at once although the opponent can recapture, the line shows what
    happens after the recapture by the least valuable piece, if that wins too. Raises `EngineFailedError`.
    """
    rules = replace(rules, least_gain=limits.least_gain)
    line = until_won(position, [best], engine, limits.line, rules)
    if line is None or len(line.moves) > 1 or not position.is_capture(best):
        return line
    board = board_after(position, [best])
    recaptures = list(board.generate_legal_moves(to_mask=chess.BB_SQUARES[best.to_square]))
    if not recaptures:
        return line
    recapture = min(recaptures, key=lambda move: PIECE_VALUES[board.piece_type_at(move.from_square) or 0])
    return until_won(position, [best, recapture], engine, limits.line, rules) or line
