"""The idea of a position: its whole winning line, and other moves that are as good.

Unlike the solution of a puzzle, the line need not be unique. Both sides play their best moves until the gain
is made or the king is mated, and the line ends with a move of the solver. If the best defence declines a
piece that the first move offers, the idea has a second line, in which the piece is taken: against the best
defence, Légal's mate wins only a pawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import chess

from chess_motif.boards import board_after
from chess_motif.errors import PositionError
from engines.engine import Engine, Variation
from engines.options import EngineChoice
from engines.search_cache import CachedEngine, Searcher, searched
from puzzlegen.motifs.tags import has_motif, solution_tags
from puzzlegen.rules import IdeaRules, LineRules, WinningRules
from puzzlegen.verify.ending import Ending, to_the_solver
from puzzlegen.verify.won_line import WonLine, offered, until_won

if TYPE_CHECKING:
    from chess.engine import Score

LIMITS = IdeaRules()
RULES = WinningRules()


@dataclass(frozen=True)
class WinningMove:
    """A first move, and the solver's score after it."""

    move: chess.Move
    score: Score


@dataclass(frozen=True)
class Idea:
    """The tactic of a position: the line that begins with the move `first`, and other moves that are as good.

    If the best defence declines an offered piece, there are two lines, against this defence and against the
    capture. `line` is the one that shows more (mate, or else a motif) and `instead` the other; `is_taken`
    says whether the piece is taken in `line`.
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
    """A position without a tactic: `moves` are the engine's line, `first` its first move.

    The line may win (`wins`), but neither mates nor wins material soon.
    """

    first: WinningMove
    moves: tuple[chess.Move, ...]
    wins: bool

    is_tactic: ClassVar[bool] = False


def find_idea(position: chess.Board, engine: Searcher) -> Idea | NoTactic:
    """Return the idea of a position that is not over, for the side to move. Raises `EngineFailedError`."""
    best, *others = _compared(position, engine)
    if best.chance < RULES.winning:
        return _no_tactic(best, wins=False)
    as_good = [WinningMove(one.move, one.score) for one in (best, *others) if _is_as_good(one, best)]
    limits = LIMITS.line
    if len(as_good) >= LIMITS.most_compared:
        limits = replace(limits, most_moves=LIMITS.most_moves_if_all_win)
    without_motif: Idea | None = None
    for first in as_good:
        idea = _idea(position, first, engine, limits)
        if idea is None:
            continue
        idea = replace(idea, also=tuple(other for other in as_good if other is not first))
        if any(_shows(position, idea.line)):
            return idea
        without_motif = without_motif or idea
    return without_motif or _no_tactic(best, wins=True)


def _compared(position: chess.Board, engine: Searcher) -> list[Variation]:
    """Return the best moves with their scores, best first.

    There are two searches, because a search for several moves may overlook the best one.
    """
    best = searched(engine, position, LIMITS.nodes)[0]
    several = searched(engine, position, LIMITS.nodes, LIMITS.most_compared)
    return [best, *(other for other in several if other.move != best.move)]


def _is_as_good(other: Variation, best: Variation) -> bool:
    """Return whether a move wins and is about as good as the best one. Mates must be equally short."""
    if best.mate_in is not None:
        return other.mate_in == best.mate_in
    return other.chance >= max(RULES.winning, best.chance - RULES.as_good)


def _idea(position: chess.Board, first: WinningMove, engine: Searcher, limits: LineRules) -> Idea | None:
    """Return the idea that begins with a move, None if no line wins."""
    defended = until_won(position, [first.move], engine, limits, RULES)
    capture = offered(position, first.move, RULES)
    taken = None
    if capture is not None and (defended is None or defended.moves[1:2] != (capture,)):
        taken = until_won(position, [first.move, capture], engine, limits, RULES)
    if taken is None:
        return Idea(first, defended) if defended else None
    if defended is None:
        return Idea(first, taken, _best_play(position, first.move, engine), True)
    # The shorter line, if both show the same.
    more = max(defended, taken, key=lambda line: (_shows(position, line), -len(line.moves)))
    less = taken if more is defended else defended
    return Idea(first, more, less.moves, more is taken)


def _best_play(position: chess.Board, move: chess.Move, engine: Searcher) -> tuple[chess.Move, ...]:
    """Return a move with the best reply, and the best answer to that."""
    moves = [move]
    for nodes in (LIMITS.line.reply_nodes, LIMITS.line.nodes):
        moves.append(searched(engine, board_after(position, moves), nodes)[0].move)
    return tuple(moves)


def _shows(position: chess.Board, line: WonLine) -> tuple[bool, bool]:
    """Return what a line shows: whether it mates, and whether it has a motif."""
    return line.ending is Ending.MATE, has_motif(solution_tags(position, line.moves))


def _no_tactic(best: Variation, *, wins: bool) -> NoTactic:
    return NoTactic(WinningMove(best.move, best.score), to_the_solver(best.moves), wins)


def idea_of(board: chess.Board, engine: EngineChoice = None) -> Idea | NoTactic:
    """Return the idea of a position, found by an engine.

    `engine` is a path, a command name or an `EngineSetup` (default: Stockfish). Raises `PositionError` if the
    game is over, and `EngineError`.
    """
    if board.is_game_over():
        raise PositionError(f"the game is over in {board.fen()}")
    with Engine(engine) as opened:
        return find_idea(board, CachedEngine(opened))
