"""The solution of a puzzle: a winning line whose every solver move is the only one that wins.

Built with MultiPV 2 at each solver move; the defender answers with the engine's choice, which puts
off mate as long as it can. The line goes on while its moves are unique and ends at its last place
where the win is plain: mate, or material won in a stable position.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import chess

from engines.uci import UciEngine, Variation
from puzzlegen.material import balance, settled_balance
from puzzlegen.rules import MiningRules


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
    NOT_CONFIRMED = "not confirmed at the largest budget"
    REPEATED = "inside another puzzle of the game"


@dataclass(frozen=True)
class Line:
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
    mates: bool
    # The defender's reply, None where the game is over, and the solver's win chance before it.
    reply: chess.Move | None
    chance: float

    def after(self) -> chess.Board:
        board = self.before.copy()
        board.push(self.move)
        return board


def find_line(position: chess.Board, engine: UciEngine, rules: MiningRules) -> Line | Rejection:
    """Return the verified solution of `position` (solver to move), or why there is none.

    Raises `EngineFailedError`.
    """
    rejection = _screened_out(position, engine, rules)
    if rejection:
        return rejection
    steps = _unique_steps(position, engine, rules)
    if isinstance(steps, Rejection):
        return steps
    found = _cut(position, steps, rules)
    if isinstance(found, Rejection):
        return found
    return _confirmed(found, engine, rules)


def uniqueness(variations: list[Variation], *, finishing: bool) -> float | None:
    """Return by how much the best of the variations beats the second (0…2); None when mate decides.

    A lone legal move has nothing to compare with and counts as 2. Mate in one at the end of a line
    (`finishing`) needs no gap: several mates count as one, and merely winning is no match for mate.
    """
    best = variations[0]
    if finishing and best.mate_in == 1:
        return None
    return best.chance - variations[1].chance if len(variations) > 1 else 2.0


def _screened_out(position: chess.Board, engine: UciEngine, rules: MiningRules) -> Rejection | None:
    variations = engine.search(position, rules.screen_nodes, lines=2)
    if variations[0].chance < rules.winning * rules.screen_share:
        return Rejection.NOT_WINNING
    gap = uniqueness(variations, finishing=False)
    return Rejection.NOT_UNIQUE if gap is not None and gap < rules.gap * rules.screen_share else None


def _unique_steps(position: chess.Board, engine: UciEngine, rules: MiningRules) -> list[_Step] | Rejection:
    """Follow the line while the solver's moves are unique; a rejection when the first one is not."""
    board = position.copy(stack=False)
    steps: list[_Step] = []
    while len(steps) < rules.most_moves:
        variations = engine.search(board, rules.line_nodes, lines=2)
        best = variations[0]
        gap = uniqueness(variations, finishing=bool(steps))
        if best.chance < rules.winning:
            return steps or Rejection.NOT_WINNING
        if gap is not None and gap < rules.gap:
            return steps or Rejection.NOT_UNIQUE
        before = board.copy()
        board.push(best.move)
        reply, chance = None, 1.0 if board.is_checkmate() else 0.0
        if not board.is_game_over():
            answer = engine.search(board, rules.reply_nodes)[0]
            reply, chance = answer.move, -answer.chance
        steps.append(_Step(before, best.move, best.mate_in == 1, reply, chance))
        if reply is None:
            return steps
        board.push(reply)
        if board.is_game_over():
            return steps
    return steps


def _cut(position: chess.Board, steps: list[_Step], rules: MiningRules) -> list[_Step] | Rejection:
    """Return the line up to its last good end, without a tail that plays itself."""
    at_start = balance(position, position.turn)
    verdicts = [_end(step, at_start, rules) for step in steps]
    good = [number for number, verdict in enumerate(verdicts, 1) if isinstance(verdict, Ending)]
    if not good:
        last = verdicts[-1]
        assert isinstance(last, Rejection)
        return last
    length = good[-1]
    while length - 1 in good and steps[length - 1].before.legal_moves.count() == 1:
        length -= 1
    alone_is_enough = length == 1 and steps[0].mates
    return steps[:length] if length >= rules.least_moves or alone_is_enough else Rejection.TOO_SHORT


def _end(step: _Step, at_start: int, rules: MiningRules) -> Ending | Rejection:
    """Judge a line that ends with this step, `at_start` being the solver's balance before it all."""
    solver = step.before.turn
    board = step.after()
    if board.is_checkmate():
        return Ending.MATE
    if balance(board, solver) - at_start < rules.least_gain:
        return Rejection.NO_GAIN
    if settled_balance(board, solver) - at_start < rules.least_gain or step.chance < rules.winning:
        return Rejection.UNSTABLE
    return Ending.MATERIAL


def _confirmed(steps: list[_Step], engine: UciEngine, rules: MiningRules) -> Line | Rejection:
    """Search each solver move of the line again with the largest budget."""
    gaps = []
    for number, step in enumerate(steps):
        if step.mates and number:
            continue
        variations = engine.search(step.before, rules.confirm_nodes, lines=2)
        gap = uniqueness(variations, finishing=False)
        best = variations[0]
        if best.move != step.move or best.chance < rules.winning or gap is None or gap < rules.gap:
            return Rejection.NOT_CONFIRMED
        gaps.append(gap)
    *earlier, last = steps
    moves = [move for step in earlier for move in (step.move, step.reply) if move is not None]
    ending = Ending.MATE if last.after().is_checkmate() else Ending.MATERIAL
    return Line((*moves, last.move), ending, min(gaps), last.chance)
