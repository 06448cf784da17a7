"""The idea of a position: its whole winning line, and the moves that are as good.

Unlike the solution of a puzzle, the line need not be unique. It goes on with the best moves of both sides
until the gain is made or the king is mated, and ends with a move of the solver. Where the best defence
declines what the first move offers, the idea has a second line, in which it is taken: Légal's mate wins a
pawn against the best defence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import chess

from chess_motif.boards import board_after
from chess_motif.errors import PositionError
from chess_motif.material import PIECE_VALUES, capture_by, material_balance
from engines.engine import Engine, Variation, find_engine
from engines.search_cache import CachedEngine, Searcher, searched
from puzzlegen.motifs.tags import main_motif, solution_tags
from puzzlegen.rules import IdeaRules, MiningRules
from puzzlegen.verify.ending import Ending, settled_balance
from puzzlegen.verify.solution import Rejection, ending

if TYPE_CHECKING:
    from chess.engine import Score


@dataclass(frozen=True)
class WonLine:
    """A line that begins and ends with moves of the solver, and wins by its last one.

    `win_chance` (-1…1) is the solver's at the end.
    """

    moves: tuple[chess.Move, ...]
    ending: Ending
    win_chance: float


@dataclass(frozen=True)
class WinningMove:
    """A first move, and the solver's score after it."""

    move: chess.Move
    score: Score


@dataclass(frozen=True)
class Idea:
    """The tactic of a position: the line that begins with the move `first`, and other moves that are as good.

    `instead` is the line against the other reply, if the opponent can take what the first move offers and the
    best defence does not. Of both, `line` is the one that shows more: mate, or else a motif; `is_taken` says
    whether it is the one in which the offer is taken.
    """

    first: WinningMove
    line: WonLine
    instead: tuple[chess.Move, ...] = ()
    is_taken: bool = False
    also: tuple[WinningMove, ...] = ()

    is_tactic: ClassVar[bool] = True

    @property
    def moves(self) -> tuple[chess.Move, ...]:
        """The moves of the line."""
        return self.line.moves


@dataclass(frozen=True)
class NoTactic:
    """There is no tactic in a position: `moves` are the engine's line, `first` its first move.

    It may win (`wins`), but neither mates nor wins material soon.
    """

    first: WinningMove
    moves: tuple[chess.Move, ...]
    wins: bool

    is_tactic: ClassVar[bool] = False


def find_idea(
    position: chess.Board, engine: Searcher, limits: IdeaRules | None = None, rules: MiningRules | None = None
) -> Idea | NoTactic:
    """Return the idea of a position that is not over, for the side to move. Raises `EngineFailedError`."""
    limits, rules = limits or IdeaRules(), rules or MiningRules()
    best, *others = _compared(position, engine, limits)
    if best.chance < rules.winning:
        return _no_tactic(best, wins=False)
    as_good = [best, *(other for other in others if _is_as_good(other, best, rules))]
    if len(as_good) >= limits.most_compared:
        limits = replace(limits, most_moves=limits.most_moves_if_all_win)
    without_motif: Idea | None = None
    for variation in as_good:
        also = tuple(WinningMove(one.move, one.score) for one in as_good if one is not variation)
        idea = _idea(position, WinningMove(variation.move, variation.score), engine, limits, rules)
        if idea is None:
            continue
        idea = replace(idea, also=also)
        if any(_shows(position, idea.line)):
            return idea
        without_motif = without_motif or idea
    return without_motif or _no_tactic(best, wins=True)


def _compared(position: chess.Board, engine: Searcher, limits: IdeaRules) -> list[Variation]:
    """Return the best moves with their scores, best first.

    A search for several moves may overlook what one for a single move finds, so both are made.
    """
    best = searched(engine, position, limits.nodes)[0]
    several = searched(engine, position, limits.nodes, limits.most_compared)
    return [best, *(other for other in several if other.move != best.move)]


def _is_as_good(other: Variation, best: Variation, rules: MiningRules) -> bool:
    """Return whether a move wins and is about as good as the best one; a mate, if it is as short."""
    if best.mate_in is not None:
        return other.mate_in == best.mate_in
    return other.chance >= max(rules.winning, best.chance - rules.as_good)


def _idea(
    position: chess.Board, first: WinningMove, engine: Searcher, limits: IdeaRules, rules: MiningRules
) -> Idea | None:
    """Return the idea that begins with a move, None if it has no line that wins."""
    defended = until_won(position, [first.move], engine, limits, rules)
    capture = offered(position, first.move, rules)
    taken = None
    if capture is not None and (defended is None or defended.moves[1:2] != (capture,)):
        taken = until_won(position, [first.move, capture], engine, limits, rules)
    if taken is None:
        return Idea(first, defended) if defended else None
    if defended is None:
        return Idea(first, taken, _best_play(position, first.move, engine, limits), True)
    # The shorter one, if they show the same.
    more = max(defended, taken, key=lambda line: (_shows(position, line), -len(line.moves)))
    less = taken if more is defended else defended
    return Idea(first, more, less.moves, more is taken)


def _best_play(
    position: chess.Board, move: chess.Move, engine: Searcher, limits: IdeaRules
) -> tuple[chess.Move, ...]:
    """Return a move with the best reply, and the best answer to that."""
    moves = [move]
    for nodes in (limits.reply_nodes, limits.line_nodes):
        moves.append(searched(engine, board_after(position, moves), nodes)[0].move)
    return tuple(moves)


def _shows(position: chess.Board, line: WonLine) -> tuple[bool, bool]:
    """Return what a line shows: whether it mates, and whether it has a motif."""
    return line.ending is Ending.MATE, main_motif(solution_tags(position, line.moves)) is not None


def _no_tactic(best: Variation, *, wins: bool) -> NoTactic:
    return NoTactic(WinningMove(best.move, best.score), _odd(best.moves), wins)


def _odd(moves: tuple[chess.Move, ...]) -> tuple[chess.Move, ...]:
    """Return moves without the last one if it is the opponent's."""
    return moves[: len(moves) - (len(moves) + 1) % 2]


def offered(position: chess.Board, move: chess.Move, rules: MiningRules) -> chess.Move | None:
    """Return the capture by which the opponent can win most material after a move, None if that is little."""
    solver, board = position.turn, board_after(position, [move])
    captures = {
        capture: settled_balance(board_after(board, [capture]), solver)
        for capture in board.generate_legal_captures()
    }
    at_most = material_balance(position, solver) - rules.least_gain
    capture = min(captures, key=captures.__getitem__, default=None)
    return capture if capture is not None and captures[capture] <= at_most else None


def until_won(
    position: chess.Board,
    moves: Sequence[chess.Move],
    engine: Searcher,
    limits: IdeaRules | None = None,
    rules: MiningRules | None = None,
) -> WonLine | None:
    """Return a line that begins with some moves and goes on until it has won, None if it does not win.

    The first of `moves` is the solver's, and so is the last one of the line. The line wins by mate, or by
    material that stays won (`verify.ending`): then it goes on while that grows, or mate is near. The defender
    plays the best reply; if taking what is offered is about as good, it is taken. Raises `EngineFailedError`.
    """
    limits, rules = limits or IdeaRules(), rules or MiningRules()
    return _Line(position, moves, engine, limits, rules).until_won()


@dataclass(frozen=True)
class _Gain:
    """A line that wins material: the solver's balance after all captures, and whether the gain is made.

    It is, if no capture of the opponent pays, or if it stays whatever is captured next. Otherwise the solver
    has still to recapture.
    """

    line: WonLine
    balance: int
    is_made: bool

    def is_more_than(self, other: _Gain, least: int) -> bool:
        """Return whether this is `least` pawns more than an earlier gain, or that was not made yet."""
        return not other.is_made or self.balance >= other.balance + least


class _Line:
    """A line that grows move by move. `board` is the position at its end."""

    def __init__(
        self,
        position: chess.Board,
        moves: Sequence[chess.Move],
        engine: Searcher,
        limits: IdeaRules,
        rules: MiningRules,
    ) -> None:
        self.position, self.engine, self.limits, self.rules = position, engine, limits, rules
        self.solver = position.turn
        self.at_start = material_balance(position, self.solver)
        self.given, self.moves = len(moves), list(moves)
        self.board = board_after(position, moves)
        # The solver's moves that are not tried again, by position: they only lead back to an earlier one. So
        # a windmill turns until it has won enough.
        self.avoided: dict[str, set[chess.Move]] = defaultdict(set)

    def until_won(self) -> WonLine | None:
        """Let the line grow until it has won."""
        won: _Gain | None = None
        while self.board.turn != self.solver or self._play():
            if self.board.is_checkmate():
                return WonLine(tuple(self.moves), Ending.MATE, 1.0)
            if self.board.is_game_over():
                break
            reply = searched(self.engine, self.board, self.limits.reply_nodes)[0]
            gain = self._gain(-reply.chance)
            is_more = gain is not None and (won is None or gain.is_more_than(won, self.rules.least_gain))
            won = gain if is_more else won
            left = self.limits.most_moves - (len(self.moves) + 1) // 2
            near = left if won is None else min(left, self.limits.mate_near)
            mates = reply.mate_in is not None and -near <= reply.mate_in < 0
            if not left or (won is not None and won.is_made and not is_more and not mates):
                break
            self._push(self._defence(reply))
            if self._is_circle():
                self._avoid_last()
        return won.line if won else None

    def _gain(self, win_chance: float) -> _Gain | None:
        """Return what the line has won if it ends here, None if that is not enough."""
        how = ending(self.board, self.at_start, win_chance, self.rules)
        if isinstance(how, Rejection):
            return None
        balance = material_balance(self.board, self.solver)
        losses = [capture_by(self.board, move) for move in self.board.generate_legal_captures()]
        worst = max((PIECE_VALUES[loss.kind] for loss in losses if loss), default=0)
        settled = min(balance, settled_balance(self.board, self.solver))
        is_made = settled == balance or balance - worst - self.at_start >= self.rules.least_gain
        return _Gain(WonLine(tuple(self.moves), how, win_chance), settled, is_made)

    def _play(self) -> bool:
        """Add the solver's best move that is not avoided; return whether there is one that wins.

        Where only avoided moves win, the move before was wrong, and another one takes its place.
        """
        while sum(map(len, self.avoided.values())) <= self.limits.most_avoided:
            avoided = self.avoided[self.board.epd()]
            variations = searched(self.engine, self.board, self.limits.line_nodes, 1 + len(avoided))
            best = next((one for one in variations if one.move not in avoided), None)
            if best is not None and best.chance >= self.rules.winning - self.limits.margin:
                self._push(best.move)
                return True
            if not avoided or len(self.moves) < self.given + 2:
                return False
            self._avoid_last()
        return False

    def _avoid_last(self) -> None:
        """Take back the last move of the solver, and the reply to it. The move is not tried again."""
        *self.moves, avoided, _ = self.moves
        self.board = board_after(self.position, self.moves)
        self.avoided[self.board.epd()].add(avoided)

    def _is_circle(self) -> bool:
        """Return whether the line has come back to a position: the solver has won nothing since."""
        board = self.position.copy(stack=False)
        for move in self.moves:
            if board.epd() == self.board.epd():
                return True
            board.push(move)
        return False

    def _defence(self, best: Variation) -> chess.Move:
        """Return the reply: the best one, or a capture of what is offered that is about as good."""
        if best.mate_in is not None:
            return best.move
        before = board_after(self.position, self.moves[:-1])
        capture = offered(before, self.moves[-1], self.rules)
        if capture is None or capture == best.move:
            return best.move
        declined, taken = (board_after(self.board, [reply]) for reply in (best.move, capture))
        if declined.is_game_over() or taken.is_game_over():
            return best.move
        if_declined, if_taken = (
            searched(self.engine, board, self.limits.line_nodes)[0] for board in (declined, taken)
        )
        is_as_good = if_taken.chance - if_declined.chance <= self.rules.as_good
        return capture if is_as_good and if_taken.mate_in is None else best.move

    def _push(self, move: chess.Move) -> None:
        self.moves.append(move)
        self.board.push(move)


def idea_of(board: chess.Board, engine_path: str | None = None) -> Idea | NoTactic:
    """Return the idea of a position, found by an engine.

    `engine_path` is a path or a command name (default: Stockfish). Raises `PositionError` if the game is
    over, and `EngineError`.
    """
    if board.is_game_over():
        raise PositionError(f"the game is over in {board.fen()}")
    with Engine(find_engine(engine_path)) as engine:
        return engine.attempt(lambda: find_idea(board, CachedEngine(engine)))
