"""The solution of a puzzle: a line in which every move of the solver is the only one that wins.

Each solver move is searched with MultiPV until the result is clear. The defender plays the engine's replies,
which delay mate as long as possible. The line is followed while the solver's moves are unique, and cut after
the last move that wins clearly: by mate, or with material won in a quiet position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import itemgetter

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settled_balance, settles_at_least
from chess_motif.errors import PositionError
from chess_motif.material import material_balance
from chess_motif.notation import check_position
from engines.engine import Variation
from engines.search_cache import Searcher, chance_reached, searched
from puzzlegen.rules import MiningRules, WinningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.staged import Staged


class Rejection(StrEnum):
    """Why a candidate is not a puzzle, in the words of the summary of a mining run."""

    UNDECIDED = "no triple at the deciding budget"
    NOT_WINNING = "best move does not win"
    NOT_UNIQUE = "another move wins too"
    TOO_SHORT = "only one move to find"
    NO_GAIN = "no clear gain of material"
    UNSTABLE = "ends in an unstable position"
    NOT_CONFIRMED = "not confirmed with more nodes"
    REPEATED = "inside another puzzle of the game"
    ONLY_LEGAL = "the only legal move"
    RECAPTURE = "only takes back"
    OBVIOUS = "nearly everybody plays it"
    KNOWN = "the same opportunity as before"


@dataclass(frozen=True)
class Solution:
    """A verified solution.

    `moves` begin and end with a move of the solver. `gap` is the smallest difference (0…2) in win chance
    between the best and the second-best solver move; `win_chance` is the solver's (-1…1) at the end.
    """

    moves: tuple[chess.Move, ...]
    ending: Ending
    gap: float
    win_chance: float


@dataclass(frozen=True)
class _Step:
    """A unique solver move in the position `before`, and the defender's reply.

    `gap` is None for a mate at the end of a line, which needs no gap; `reply` is None if the game is over
    after the move. `win_chance` is the solver's (-1…1) after the move.
    """

    before: chess.Board
    move: chess.Move
    gap: float | None
    reply: chess.Move | None
    win_chance: float

    @cached_property
    def after(self) -> chess.Board:
        """The position after the move."""
        return board_after(self.before, [self.move])

    @property
    def after_reply(self) -> chess.Board:
        """The position after the reply, or after the move if the game is over."""
        return board_after(self.after, [self.reply] if self.reply else [])


def find_solution(
    position: chess.Board, engine: Searcher, rules: MiningRules | None = None
) -> Solution | Rejection:
    """Return the verified solution of `position` (solver to move), or why there is none.

    `engine` is an `Engine` or another `Searcher`; `puzzlegen.rules` explains the thresholds. Raises
    `PositionError` if the position is not legal or the game is over, and `EngineFailedError`.
    """
    check_position(position)
    if position.is_game_over():
        raise PositionError(f"the game is over in {position.fen()}")
    rules = rules or MiningRules()
    steps = _follow(position, engine, rules)
    if isinstance(steps, Rejection):
        return steps
    line = _cut(steps, rules)
    if isinstance(line, Rejection):
        line = _against_other_defence(steps, engine, rules) or line
    return line if isinstance(line, Rejection) else _confirmed(line, engine, rules)


def ending(
    position: chess.Board, end: chess.Board, win_chance: float, rules: WinningRules
) -> Ending | Rejection:
    """Return how a line from `position` to `end` wins for the side to move, or why it does not.

    The defender is to move at the end; `win_chance` is the solver's win chance (-1…1) there.
    """
    solver = position.turn
    if end.is_checkmate():
        return Ending.MATE
    at_least = material_balance(position, solver) + rules.least_gain
    if material_balance(end, solver) < at_least:
        return Rejection.NO_GAIN
    if win_chance < rules.winning or not settles_at_least(end, solver, at_least):
        return Rejection.UNSTABLE
    return Ending.MATERIAL


def ending_shown(position: chess.Board, end: chess.Board) -> Ending | None:
    """Return how a solution from `position` to `end` wins; None if the moves do not show it.

    The gain of material must be as large as in a mined puzzle, also after the captures that may follow.
    """
    how = ending(position, end, 1.0, WinningRules())
    return None if end.is_stalemate() or isinstance(how, Rejection) else how


def gap_of(variations: Sequence[Variation]) -> float:
    """Return by how much win chance (0…2) the best variation beats the second; 2 for a single legal move."""
    return variations[0].chance - variations[1].chance if len(variations) > 1 else 2.0


@dataclass(frozen=True)
class Uniqueness:
    """Whether the best move of a search is the only winning move, and better than any other by `gap`.

    With `mate_decides`, a mate in one needs no gap: several mates count as one, and are better than a win.
    """

    gap: float
    winning: float
    mate_decides: bool = False

    @property
    def key(self) -> str:
        """What the answer depends on."""
        return f"Uniqueness(gap={self.gap}, winning={self.winning}, mate_decides={self.mate_decides})"

    def answer(self, variations: Sequence[Variation], slack: float = 0.0) -> int | None:
        """Return 1 if only the best move wins, 0 if another one is about as good, None if no move wins.

        None is not final: that a move wins may show only after many nodes.
        """
        if self.is_mate(variations):
            return 1
        if gap_of(variations) < self.gap - slack:
            return 0
        return 1 if variations[0].chance >= self.winning - slack else None

    def is_mate(self, variations: Sequence[Variation]) -> bool:
        """Return whether a mate in one decides."""
        return self.mate_decides and variations[0].mate_in == 1


def _follow(
    board: chess.Board, engine: Searcher, rules: MiningRules, begun: Sequence[_Step] = ()
) -> list[_Step] | Rejection:
    """Return a line from `board`, followed while the solver's moves are unique, or why the first one is not.

    The line has `begun` with some steps. The first repetition of a position ends the line, because repeating
    moves wins nothing.
    """
    steps, seen = [*begun], set[str]()
    while len(steps) < rules.most_moves and not board.is_game_over() and board.epd() not in seen:
        seen.add(board.epd())
        step = _step(board, engine, rules, is_first=not steps)
        if isinstance(step, Rejection):
            return steps if len(steps) > len(begun) else step
        steps.append(step)
        board = step.after_reply
    return steps


def _step(before: chess.Board, engine: Searcher, rules: MiningRules, *, is_first: bool) -> _Step | Rejection:
    """Return the only move that wins, with the engine's reply, or why there is none."""
    unique = Uniqueness(rules.gap, rules.winning, mate_decides=not is_first)
    search = Staged(rules.stages, unique)
    variations = search.search(before, engine, rules.lines)
    found = search.decision(variations)
    if not found:
        return Rejection.NOT_WINNING if found is None else Rejection.NOT_UNIQUE
    best = variations[0]
    gap = None if unique.is_mate(variations) else gap_of(variations)
    after = board_after(before, [best.move])
    if after.is_game_over():
        return _Step(before, best.move, gap, None, 1.0 if after.is_checkmate() else 0.0)
    if len(best.moves) > 1:
        return _Step(before, best.move, gap, best.moves[1], best.chance)
    reply = searched(engine, after, rules.reply_nodes)[0]
    return _Step(before, best.move, gap, reply.move, -reply.chance)


def _cut(steps: list[_Step], rules: MiningRules) -> list[_Step] | Rejection:
    """Return the line up to the last move after which it wins clearly.

    Moves at its end that are forced, or that complete an even exchange, are cut off.
    """
    verdicts = [ending(steps[0].before, step.after, step.win_chance, rules) for step in steps]
    good = {number for number, verdict in enumerate(verdicts, 1) if isinstance(verdict, Ending)}
    if isinstance(verdicts[-1], Rejection) and not good:
        return verdicts[-1]
    length = max(good)
    while length - 1 in good and _adds_nothing(steps[length - 2], steps[length - 1], rules):
        length -= 1
    is_mate_in_one = length == 1 and verdicts[0] is Ending.MATE
    return steps[:length] if length >= rules.least_moves or is_mate_in_one else Rejection.TOO_SHORT


def _adds_nothing(won: _Step, last: _Step, rules: MiningRules) -> bool:
    """Return whether a last move is forced, or takes back without winning more than the move before.

    Taking back counts if the opponent has captured the piece that moved before: it shows why that move works.
    """
    if last.before.legal_moves.count() == 1:
        return True
    reply, target = won.reply, last.move.to_square
    if reply is None or reply.to_square != target or target == won.move.to_square:
        return False
    solver = last.before.turn
    more = settled_balance(last.after, solver) - settled_balance(won.after, solver)
    return won.after.is_capture(reply) and more < rules.least_gain


def _against_other_defence(steps: list[_Step], engine: Searcher, rules: MiningRules) -> list[_Step] | None:
    """Return a line that wins against another last reply that is about as good, or None.

    If the engine's reply leaves the solver several ways to win, another reply may leave only one way. That
    reply must not cost the defender more than `as_good`, or change the number of moves to mate.
    """
    *earlier, last = steps
    if last.reply is None:
        return None
    replies = searched(engine, last.after, rules.reply_nodes, 1 + rules.other_defences)
    for reply in replies:
        is_worse = replies[0].chance - reply.chance > rules.as_good or replies[0].mate_in != reply.mate_in
        step = replace(last, reply=reply.move, win_chance=-reply.chance)
        if is_worse or reply.move == last.reply or step.after_reply.is_game_over():
            continue
        further = _follow(step.after_reply, engine, rules, [*earlier, step])
        line = further if isinstance(further, Rejection) else _cut(further, rules)
        if not isinstance(line, Rejection):
            return line
    return None


def _confirmed(steps: list[_Step], engine: Searcher, rules: MiningRules) -> Solution | Rejection:
    """Return the line as a solution if other searches confirm its end and its doubtful moves."""
    *earlier, last = steps
    win_chance = chance_reached(engine, last.after, rules.reply_nodes)
    if win_chance < rules.winning:
        return Rejection.UNSTABLE
    search = Staged(rules.confirmation, Uniqueness(rules.gap, rules.winning))
    gaps = []
    # The steps that are most likely to be rejected come first.
    for gap, step in sorted(((step.gap, step) for step in steps if step.gap is not None), key=itemgetter(0)):
        if gap < rules.confirm_below:
            variations = search.search(step.before, engine, rules.lines)
            if variations[0].move != step.move or not search.decision(variations):
                return Rejection.NOT_CONFIRMED
            gap = gap_of(variations)
        gaps.append(gap)
    moves = [move for step in earlier for move in (step.move, step.reply) if move is not None]
    outcome = Ending.MATE if last.after.is_checkmate() else Ending.MATERIAL
    return Solution((*moves, last.move), outcome, min(gaps), win_chance)
