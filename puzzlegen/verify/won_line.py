"""A line that is followed until it has won: by mate, or by material that stays won.

Unlike the solution of a puzzle, the line need not be unique. Exercises and the ideas of positions show such
lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import chess

from chess_motif.boards import board_after
from chess_motif.captures import settled_balance
from chess_motif.material import PIECE_VALUES, capture_by, material_balance
from engines.engine import MOST_CENTIPAWNS, Variation
from engines.search_cache import Searcher, searched
from puzzlegen.rules import LineRules, WinningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, ending


@dataclass(frozen=True)
class WonLine:
    """A line that begins and ends with moves of the solver, and wins by its last one.

    `win_chance` (-1…1) is the solver's at the end.
    """

    moves: tuple[chess.Move, ...]
    ending: Ending
    win_chance: float


def offered(position: chess.Board, move: chess.Move, rules: WinningRules) -> chess.Move | None:
    """Return the capture by which the opponent can win most material after a move, None if it wins little."""
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
    limits: LineRules,
    rules: WinningRules,
) -> WonLine | None:
    """Return a line that begins with some moves and goes on until it has won, None if it does not win.

    The line begins and ends with a move of the solver. It wins by mate, or by material that stays won
    (`verify.ending`), and then goes on while the gain grows, mate is near, or the engine promises much more.
    The defender plays the best reply, but takes an offered piece if that is about as good. Raises
    `EngineFailedError`.
    """
    boards = [board_after(position, moves[:ply]) for ply in range(len(moves) + 1)]
    return _Line(engine, limits, rules, position.turn, len(moves), list(moves), boards).until_won()


@dataclass(frozen=True)
class _Gain:
    """A line that wins material: the solver's balance after all captures, and whether the gain is made.

    The gain is made if the opponent cannot win much back by captures, or if enough is left after any capture.
    Otherwise the solver may still have to recapture. `captures` says whether the last move captures.
    """

    line: WonLine
    balance: int
    is_made: bool
    captures: bool


@dataclass
class _Line:
    """A line that grows move by move, after a number of `given` moves.

    `boards` are the positions before each move, and the position at the end.
    """

    engine: Searcher
    limits: LineRules
    rules: WinningRules
    solver: chess.Color
    given: int
    moves: list[chess.Move]
    boards: list[chess.Board]
    # By position, moves of the solver that are not tried again, because they only lead back to an earlier
    # position. So a windmill turns until it has won enough.
    avoided: dict[str, set[chess.Move]] = field(default_factory=lambda: defaultdict(set))

    @property
    def board(self) -> chess.Board:
        """The position at the end."""
        return self.boards[-1]

    def until_won(self) -> WonLine | None:
        """Let the line grow until it has won."""
        won: _Gain | None = None
        while self.board.turn != self.solver or self._play():
            if self.board.is_checkmate():
                return WonLine(tuple(self.moves), Ending.MATE, 1.0)
            if self.board.is_game_over():
                break
            reply = searched(self.engine, self.board, self.limits.reply_nodes)[0]
            won = self._more(won, self._gain(-reply.chance))
            if self._may_end(won, reply):
                break
            self._push(self._defence(reply))
            # If a position is repeated, the solver has won nothing since.
            if self.board.epd() in {board.epd() for board in self.boards[:-1]}:
                self._avoid_last()
        return won.line if won else None

    def _more(self, won: _Gain | None, gain: _Gain | None) -> _Gain | None:
        """Return what the line has `won` so far, or the new `gain` if that is more."""
        if won is None or gain is None:
            return won or gain
        wins_more = gain.balance >= won.balance + self.limits.least_more
        return gain if wins_more or (gain.captures and not won.is_made) else replace(won, is_made=True)

    def _may_end(self, won: _Gain | None, reply: Variation) -> bool:
        """Return whether the line is long enough, or will not win more soon."""
        limits = self.limits
        is_near = reply.mate_in is not None and -limits.soon <= reply.mate_in < 0
        if (len(self.moves) + 1) // 2 >= limits.most_moves + (limits.soon if won or is_near else 0):
            return True
        if won is None or is_near or not won.is_made:
            return False
        promised = -reply.score.score(mate_score=MOST_CENTIPAWNS) / 100 - self._settled()
        wait = limits.soon if promised >= limits.promised else 1
        return len(self.moves) >= len(won.line.moves) + 2 * wait

    def _settled(self) -> int:
        """Return the solver's balance at the end of the line, after all captures that pay."""
        return min(material_balance(self.board, self.solver), settled_balance(self.board, self.solver))

    def _gain(self, win_chance: float) -> _Gain | None:
        """Return what the line has won if it ends here, None if that is not enough."""
        how = ending(self.boards[0], self.board, win_chance, self.rules)
        if isinstance(how, Rejection):
            return None
        at_start, balance = (material_balance(board, self.solver) for board in (self.boards[0], self.board))
        losses = [capture_by(self.board, move) for move in self.board.generate_legal_captures()]
        worst = max((PIECE_VALUES[loss.kind] for loss in losses if loss), default=0)
        stays = balance - worst - at_start >= self.rules.least_gain
        is_made = stays or balance - self._settled() < self.limits.least_more
        captures = self.boards[-2].is_capture(self.moves[-1])
        return _Gain(WonLine(tuple(self.moves), how, win_chance), self._settled(), is_made, captures)

    def _play(self) -> bool:
        """Add the solver's best move that is not avoided; return whether there is a winning one.

        If only avoided moves win, the solver's move before was wrong, and is replaced by another one.
        """
        while sum(map(len, self.avoided.values())) <= self.limits.most_avoided:
            avoided = self.avoided[self.board.epd()]
            variations = searched(self.engine, self.board, self.limits.nodes, 1 + len(avoided))
            best = next((one for one in variations if one.move not in avoided), None)
            if best is not None and best.chance >= self.rules.winning - self.limits.margin:
                self._push(best.move)
                return True
            if not avoided or len(self.moves) < self.given + 2:
                return False
            self._avoid_last()
        return False

    def _avoid_last(self) -> None:
        """Take back the last move of the solver and the reply to it, and do not try the move again."""
        avoided = self.moves[-2]
        del self.moves[-2:], self.boards[-2:]
        self.avoided[self.board.epd()].add(avoided)

    def _defence(self, best: Variation) -> chess.Move:
        """Return the reply: the best one, or a capture of what is offered that is about as good."""
        capture = offered(self.boards[-2], self.moves[-1], self.rules)
        if best.mate_in is not None or capture is None or capture == best.move:
            return best.move
        after = [board_after(self.board, [reply]) for reply in (best.move, capture)]
        if any(board.is_game_over() for board in after):
            return best.move
        declined, taken = (searched(self.engine, board, self.limits.nodes)[0] for board in after)
        is_as_good = taken.chance - declined.chance <= self.rules.as_good and taken.mate_in is None
        return capture if is_as_good else best.move

    def _push(self, move: chess.Move) -> None:
        if move.promotion in (chess.ROOK, chess.BISHOP):
            # The engine sometimes prefers a rook, because the new piece is taken at once.
            queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
            move = move if board_after(self.board, [queen]).is_stalemate() else queen
        self.moves.append(move)
        self.boards.append(board_after(self.board, [move]))
