"""Exercises: positions in which a few moves are good and all others are much worse.

The student has to find one move. Several moves may be accepted. As in a puzzle, accepted moves must be better
than all other moves by a gap, or mate soon if other moves merely win; but the moves that follow need not be
unique. Accepted moves win, or hold a position that all other moves lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import chess

from chess_motif.boards import board_after
from chess_motif.material import PIECE_VALUES, capture_by
from engines.engine import Variation
from engines.search_cache import Searcher, chance_reached
from motifsearch.trainer.analysis.rules import ExerciseRules
from puzzlegen.rules import NEVER, MiningRules
from puzzlegen.verify.ending import Ending, to_the_solver, without_last_exchange
from puzzlegen.verify.solution import Rejection, Solution, ending
from puzzlegen.verify.staged import Reached, Staged
from puzzlegen.verify.won_line import WonLine, until_won


class Task(Enum):
    """What the accepted moves of an exercise achieve, and no other move does."""

    WIN = "win"
    HOLD = "hold"


@dataclass(frozen=True)
class Exercise:
    """A verified exercise.

    `accepted` are the moves that solve the exercise, best first. The `solution` begins with the best move and
    shows what it does. The ending is `Ending.MATE` only if the mate is forced, and `Ending.WON` if the line
    wins but shows neither mate nor material. The gap is between the best move and the best move that is not
    accepted.
    """

    accepted: tuple[chess.Move, ...]
    solution: Solution


@dataclass(frozen=True)
class Choice:
    """Which of the best moves of a search an exercise accepts: all down to the first clear step.

    The worst accepted move has a win chance of at least `least`, and is better than the next move by
    `margin`. The best move is better than the next move by `drop`, and no other move has a win chance above
    `others`. If the best move mates in up to `longest_mate` moves and not all variations mate, the mating
    moves are accepted instead, or only the mates in one if there are any.
    """

    least: float
    margin: float
    drop: float
    others: float
    longest_mate: int

    @classmethod
    def of(cls, task: Task, rules: MiningRules, limits: ExerciseRules) -> Choice:
        """Return the choice for a task by the rules."""
        least, others = (limits.winning, NEVER) if task is Task.WIN else (-rules.won, -rules.won)
        return cls(least, limits.margin, rules.drop, others, limits.longest_mate)

    @property
    def key(self) -> str:
        """A text of all thresholds, which the answer depends on."""
        thresholds = f"least={self.least}, margin={self.margin}, drop={self.drop}, others={self.others}"
        return f"Choice({thresholds}, longest_mate={self.longest_mate})"

    def answer(self, variations: Sequence[Variation], slack: float = 0.0) -> int:
        """Return how many of the variations are accepted."""
        best = variations[0]
        if mating := self._mating(variations):
            ahead = NEVER if best.mate_in == 1 else 1 - variations[mating].chance
            return mating if ahead >= -slack else 0
        for number, (last, following) in enumerate(pairwise(variations), 1):
            if last.chance < self.least - slack:
                break
            is_clear = last.chance - following.chance >= self.margin - slack
            is_worse = following.chance <= self.others + slack
            if is_clear and is_worse and best.chance - following.chance >= self.drop - slack:
                return number
        return 0

    def _mating(self, variations: Sequence[Variation]) -> int:
        """Return how many variations mate if the best one mates soon and not all mate, otherwise 0."""
        soonest = variations[0].mate_in
        if soonest not in range(1, self.longest_mate + 1):
            return 0
        mates = [one.mate_in for one in variations if one.mate_in is not None and one.mate_in > 0]
        number = mates.count(1) or len(mates)
        return number if number < len(variations) else 0


def find_exercise(
    position: chess.Board, engine: Searcher, rules: MiningRules, limits: ExerciseRules, task: Task = Task.WIN
) -> Exercise | Rejection:
    """Return the exercise of `position` (solver to move), or why there is no exercise.

    If the best move does more than hold, the task is to win. Raises `EngineFailedError`.
    """
    choice = Choice.of(task, rules, limits)
    look = Staged(limits.stages, choice)
    variations = look.search(position, engine, limits.lines)
    accepted = tuple(one.move for one in variations[: look.decision(variations)])
    if not accepted:
        return Rejection.NOT_WINNING if variations[0].chance < choice.least else Rejection.NOT_UNIQUE
    if len(accepted) > limits.most_share * position.legal_moves.count():
        return Rejection.NOT_UNIQUE
    # To the engine, promoting to a rook that is taken at once is as good as promoting to a queen.
    accepted = tuple(sorted(accepted, key=lambda move: move.promotion in (chess.BISHOP, chess.ROOK)))
    if task is Task.HOLD:
        if len(accepted) > limits.most_holding:
            return Rejection.NO_GAIN
        if _reaches(position, accepted[0], engine, rules.won, limits):
            return find_exercise(position, engine, rules, limits)
    if not all(_reaches(position, move, engine, choice.least, limits) for move in accepted):
        return Rejection.NOT_CONFIRMED
    gap = variations[0].chance - variations[len(accepted)].chance
    line = won_line(position, accepted[0], engine, rules, limits) if task is Task.WIN else None
    if line is None:
        if len(accepted) > limits.most_holding:
            return Rejection.NO_GAIN
        best = _best_line(position, accepted[0], engine, choice.least, limits)
        how = Ending.WON if task is Task.WIN else Ending.HELD
        return Exercise(accepted, Solution(best, how, gap, variations[0].chance))
    # A line may end in a mate that is not forced.
    how = line.ending if variations[0].mate_in is not None else Ending.MATERIAL
    return Exercise(accepted, Solution(line.moves, how, gap, line.win_chance))


def _reaches(
    position: chess.Board, move: chess.Move, engine: Searcher, least: float, limits: ExerciseRules
) -> bool:
    """Return whether a move reaches the win chance `least` when it alone is searched."""
    search = Staged(limits.confirmation, Reached(least))
    return chance_reached(engine, board_after(position, [move]), search.stages[-1].nodes, search) >= least


def _best_line(
    position: chess.Board, move: chess.Move, engine: Searcher, least: float, limits: ExerciseRules
) -> tuple[chess.Move, ...]:
    """Return the engine's line after an accepted move.

    The line ends with a move of the solver, and not in the middle of an exchange.
    """
    after = board_after(position, [move])
    if after.is_game_over():
        return (move,)
    # The search that confirmed the move in `_reaches`.
    line = (move, *Staged(limits.confirmation, Reached(least)).search(after, engine)[0].moves)
    return without_last_exchange(position, to_the_solver(line))


def gaining_part(position: chess.Board, variation: Variation, rules: MiningRules) -> tuple[chess.Move, ...]:
    """Return a variation up to the solver's move that mates or has won `rules.least_gain` pawns for good.

    The result is empty if there is no such move.
    """
    for length in range(1, len(variation.moves) + 1, 2):
        line = variation.moves[:length]
        if isinstance(ending(position, board_after(position, line), variation.chance, rules), Ending):
            return line
    return ()


def won_line(
    position: chess.Board, best: chess.Move, engine: Searcher, rules: MiningRules, limits: ExerciseRules
) -> WonLine | None:
    """Return a line that begins with the best move and shows its gain, or None without a gain.

    If a capture of a piece that is not worth more wins at once although the opponent can recapture, the line
    shows the recapture by the least valuable piece, if the solver still wins. Raises `EngineFailedError`.
    """
    rules = replace(rules, least_gain=limits.least_gain)
    line = until_won(position, [best], engine, limits.line, rules)
    recapture = _recapture(position, best)
    if line is None or len(line.moves) > 1 or recapture is None:
        return line
    taken_back = until_won(position, [best, recapture], engine, limits.line, rules)
    if taken_back is None:
        return line
    # It is obvious that a queen cannot take a defended pawn.
    is_worse = _value(board_after(position, [best]), recapture) > _value(position, best)
    return line if is_worse and taken_back.moves[2].to_square == best.to_square else taken_back


def _recapture(position: chess.Board, move: chess.Move) -> chess.Move | None:
    """Return the recapture by the least valuable piece, or None.

    After a capture of a more valuable piece, there is no recapture worth showing.
    """
    capture = capture_by(position, move)
    if capture is None or PIECE_VALUES[capture.kind] > _value(position, move):
        return None
    board = board_after(position, [move])
    recaptures = board.generate_legal_moves(to_mask=chess.BB_SQUARES[move.to_square])
    return min(recaptures, key=lambda recapture: _value(board, recapture), default=None)


def _value(board: chess.Board, move: chess.Move) -> int:
    """Return the value of the piece that moves, in pawns."""
    return PIECE_VALUES[board.piece_type_at(move.from_square) or chess.PAWN]
