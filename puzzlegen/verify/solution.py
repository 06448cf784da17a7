"""The solution of a puzzle: a winning line whose every solver move is the only one that wins.

Built with MultiPV 2 at each solver move, with as many nodes as it takes to be clear; the defender
answers with the engine's choice, which puts off mate as long as it can. The line goes on while its
moves are unique and ends at its last place where the win is plain: mate, or material won in a stable
position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import chess

from chess_motif.material import material_balance
from engines.engine import Variation
from engines.search_cache import Searcher
from puzzlegen.rules import MiningRules
from puzzlegen.verify.quiescence import settled_balance


class Ending(StrEnum):
    """How a solution wins."""

    MATE = "mate"
    MATERIAL = "material"


class Rejection(StrEnum):
    """Why a candidate is no puzzle. The words stand in the summary of a run."""

    UNDECIDED = "no triple at the deciding budget"
    NOT_WINNING = "best move does not win"
    NOT_UNIQUE = "another move wins too"
    TOO_SHORT = "only one move to find"
    NO_GAIN = "no clear gain of material"
    UNSTABLE = "ends in an unstable position"
    NOT_CONFIRMED = "not confirmed with more nodes"
    REPEATED = "inside another puzzle of the game"


@dataclass(frozen=True)
class Solution:
    """A verified solution.

    `moves` alternate, solver first and last. `gap` is the smallest win-chance gap (-1…1) between the
    best and second-best solver move; `chance` the solver's win chance at the end.
    """

    moves: tuple[chess.Move, ...]
    ending: Ending
    gap: float
    chance: float


@dataclass(frozen=True)
class _Step:
    """A unique solver move: the position it is played in, and what the engine thinks."""

    before: chess.Board
    move: chess.Move
    # None where it mates at the end of a line, which needs no gap.
    gap: float | None
    # The defender's reply, None where the game is over, and the solver's win chance before it.
    reply: chess.Move | None
    chance: float

    def after(self) -> chess.Board:
        board = self.before.copy()
        board.push(self.move)
        return board


def find_solution(position: chess.Board, engine: Searcher, rules: MiningRules) -> Solution | Rejection:
    """Return the verified solution of `position` (solver to move), or why there is none.

    Raises `EngineFailedError`.
    """
    steps = _follow(position, engine, rules)
    if isinstance(steps, Rejection):
        return steps
    found = _cut(steps, rules)
    if isinstance(found, Rejection):
        found = _against_other_defence(steps, engine, rules) or found
    return found if isinstance(found, Rejection) else _confirmed(found, engine, rules)


def ending(board: chess.Board, at_start: int, chance: float, rules: MiningRules) -> Ending | Rejection:
    """Return how a line that ends in `board` wins, or why it does not.

    The opponent of the solver is to move. `at_start` is the solver's material balance before the
    line, in pawns; `chance` the solver's win chance (-1…1) at its end.
    """
    solver = not board.turn
    if board.is_checkmate():
        return Ending.MATE
    if material_balance(board, solver) - at_start < rules.least_gain:
        return Rejection.NO_GAIN
    if settled_balance(board, solver) - at_start < rules.least_gain or chance < rules.winning:
        return Rejection.UNSTABLE
    return Ending.MATERIAL


def _against_other_defence(steps: list[_Step], engine: Searcher, rules: MiningRules) -> list[_Step] | None:
    """Return a good line with another last reply that is about as good, if there is one.

    Where the engine's reply leaves the solver several ways to win, one that is no worse may leave
    only one, and is then the sterner test. One that is mated sooner is worse.
    """
    *earlier, last = steps
    if last.reply is None:
        return None
    best, *others = engine.search(last.after(), rules.reply_nodes, 1 + rules.other_defences)
    for answer in [best, *others]:
        worse = best.chance - answer.chance > rules.as_good or best.mate_in != answer.mate_in
        if worse or answer.move == last.reply:
            continue
        step = replace(last, reply=answer.move, chance=-answer.chance)
        board = last.after()
        board.push(answer.move)
        further = _follow(board, engine, rules, len(steps))
        if not isinstance(further, Rejection):
            found = _cut([*earlier, step, *further], rules)
            if not isinstance(found, Rejection):
                return found
    return None


def gap_of(variations: Sequence[Variation]) -> float:
    """Return by how much the best variation beats the second (0…2); a lone legal move counts as 2."""
    return variations[0].chance - variations[1].chance if len(variations) > 1 else 2.0


def _follow(
    position: chess.Board, engine: Searcher, rules: MiningRules, earlier: int = 0
) -> list[_Step] | Rejection:
    """Follow a line while the solver's moves are unique; a rejection when the first one is not.

    A position that the line has seen before ends it: repeating moves win nothing.
    """
    board = position.copy(stack=False)
    steps: list[_Step] = []
    seen: set[str] = set()
    while earlier + len(steps) < rules.most_moves and board.epd() not in seen:
        seen.add(board.epd())
        found = _only_winning_move(board, engine, rules, after_others=bool(earlier + len(steps)))
        if isinstance(found, Rejection):
            return steps or found
        best, gap = found
        before = board.copy()
        board.push(best.move)
        reply, chance = None, 1.0 if board.is_checkmate() else 0.0
        if not board.is_game_over():
            answer = engine.search(board, rules.reply_nodes)[0]
            reply, chance = answer.move, -answer.chance
        steps.append(_Step(before, best.move, gap, reply, chance))
        if reply is None:
            return steps
        board.push(reply)
        if board.is_game_over():
            return steps
    return steps


def _only_winning_move(
    board: chess.Board, engine: Searcher, rules: MiningRules, *, after_others: bool
) -> tuple[Variation, float | None] | Rejection:
    """Return the one move that wins and its gap, or why there is none.

    Mate in one at the end of a line (`after_others`) needs no gap, which is then None: several mates
    count as one, and merely winning is no match for mate.
    """
    gap = 0.0
    for stage in rules.stages:
        variations = engine.search(board, stage.nodes, lines=2)
        best, gap = variations[0], gap_of(variations)
        if after_others and best.mate_in == 1:
            return best, None
        if gap < rules.gap - stage.hopeless:
            return Rejection.NOT_UNIQUE
        if best.chance < rules.winning - stage.hopeless:
            return Rejection.NOT_WINNING
        if gap >= rules.gap + stage.clear and best.chance >= rules.winning + stage.clear:
            return best, gap
    return Rejection.NOT_UNIQUE if gap < rules.gap else Rejection.NOT_WINNING


def _cut(steps: list[_Step], rules: MiningRules) -> list[_Step] | Rejection:
    """Return the line up to its last good end, without a tail that plays itself."""
    position = steps[0].before
    at_start = material_balance(position, position.turn)
    verdicts = [_end(step, at_start, rules) for step in steps]
    good = [number for number, verdict in enumerate(verdicts, 1) if isinstance(verdict, Ending)]
    if not good:
        last = verdicts[-1]
        assert isinstance(last, Rejection)
        return last
    length = good[-1]
    while length - 1 in good and steps[length - 1].before.legal_moves.count() == 1:
        length -= 1
    alone_is_enough = length == 1 and verdicts[0] is Ending.MATE
    return steps[:length] if length >= rules.least_moves or alone_is_enough else Rejection.TOO_SHORT


def _end(step: _Step, at_start: int, rules: MiningRules) -> Ending | Rejection:
    """Judge a line that ends with this step, `at_start` being the solver's balance before it all."""
    return ending(step.after(), at_start, step.chance, rules)


def _confirmed(steps: list[_Step], engine: Searcher, rules: MiningRules) -> Solution | Rejection:
    """Search the solver moves that leave a doubt again, with more nodes."""
    gaps = []
    for step in steps:
        gap = step.gap
        if gap is None:
            continue
        for again in rules.confirmations:
            if gap < again.below:
                variations = engine.search(step.before, again.nodes, rules.confirm_lines)
                best, gap = variations[0], gap_of(variations)
                if best.move != step.move or best.chance < rules.winning or gap < again.gap:
                    return Rejection.NOT_CONFIRMED
        gaps.append(gap)
    *earlier, last = steps
    moves = [move for step in earlier for move in (step.move, step.reply) if move is not None]
    ending = Ending.MATE if last.after().is_checkmate() else Ending.MATERIAL
    return Solution((*moves, last.move), ending, min(gaps), last.chance)
