"""The meaningful search tree of a puzzle: the moves that a person would look at to solve it.

After Stoiljkovikj, *Computer-based estimation of the difficulty of chess tactical problems* (Ljubljana
2015), section 2.2 and Algorithm 1. The solver moves at levels 1, 3 and 5 and has the moves that win. The
opponent moves at levels 2 and 4 and has the best move and those that are about as good.

If section 2.2 and Algorithm 1 differ, the text of the section counts. Read literally, Algorithm 1

- adds every reply that gets mated: here such replies are kept only if the best reply gets mated, too;
- adds every reply that wins for the opponent: here the reply must be about as good as the best one;
- gives a solver without a winning move the moves that are about as good as the best one: here there are none,
  so the tree is empty if the first move does not win at depth 10. A win that is not seen at this depth is
  hard to find; literal trees do not tell easy from hard puzzles better (AUC of attributes 1 to 10 by logistic
  regression .640 instead of .664 on 802 puzzles of Lichess, see `training.thesis`).

Algorithm 10 takes the scores of first moves from the search of the first position. Here the scores come from
the searches of the replies, one ply deeper, because the first position is searched for eight moves only. In
Algorithm 10, `onlyOneAnswer` keeps the value of the previous move if the best reply does not help; here, the
move then wins, and is not seemingly good.

Scores are centipawns as the engine sends them. Those of Stockfish 15.1 and later are close to those of the
engines of 2015, which counted a pawn as 100: on 287 positions of puzzles, the hand-written evaluation that
15.1 still has (`Use NNUE` off, divided by its pawn of 208) gives 0.85 (median) to 1.02 (least squares) times
the score that it sends. Stockfish 12 to 15 sends 1.7 times as much, see `engines.winchance`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import chess
from chess.engine import Cp, Score

from chess_motif.boards import board_after
from engines.engine import Variation
from engines.search_cache import Searcher, searched


@dataclass(frozen=True)
class TreeRules:
    """The thresholds of a tree. All but the limits on its cost are those of the thesis."""

    # Plies of a search, and levels of the tree (sections 2.3 and 2.5.1).
    depth: int = 10
    levels: int = 5

    # Variations of a search (section 2.5.5): a position has at most this many moves in the tree.
    lines: int = 8

    # A position is won from this score on (the parameter w), and a reply is as good as the best one if it is
    # worse by no more than this (the parameter m), in centipawns.
    won: int = 200
    margin: int = 50

    # The most positions of a tree that are searched. If many moves win and many replies are as good, there
    # would be thousands. The upper levels come first, so only the last levels are incomplete. To find
    # seemingly good moves, there is one more search for each legal first move that does not win.
    most_positions: int = 75

    # Nodes of a search. Depth 10 with eight variations takes 90,000 on average and 460,000 at most.
    nodes: int = 2_000_000

    def wins(self, score: Score) -> bool:
        """Return whether a score of the solver wins. A mate is worth more than any centipawns."""
        return score >= Cp(self.won)


@dataclass
class TreeMove:
    """A move of the tree, its score from the solver's side, and the position after it.

    `after` is None at the last level, if the game is over, and where the tree is cut.
    """

    move: chess.Move
    score: Score
    after: TreePosition | None = None


@dataclass
class TreePosition:
    """A position of the tree, the number of its legal moves, and its meaningful moves, best first."""

    board: chess.Board
    legal_moves: int
    moves: list[TreeMove] = field(default_factory=list)

    def san(self, move: TreeMove) -> str:
        """Return a move of the position in SAN."""
        return self.board.san(move.move)

    def as_dict(self) -> dict[str, Any]:
        """Return the position as the keys and values of its JSON object.

        A score has centipawns or moves to mate; the other of the two keys is None.
        """
        return {
            "legal_moves": self.legal_moves,
            "moves": [
                {
                    "uci": move.move.uci(),
                    "san": self.san(move),
                    "score": move.score.score(),
                    "mate": move.score.mate(),
                    "after": move.after and move.after.as_dict(),
                }
                for move in self.moves
            ],
        }


@dataclass(frozen=True)
class MeaningfulTree:
    """The tree of a puzzle.

    `seemingly_good` has the first moves that do not win, but would win if the opponent missed the only good
    reply (even a forced one). `searches` is the number of searches. If the tree would have more positions
    than `rules` allows, it is not `complete`: positions, and the moves below them, are missing.
    """

    root: TreePosition
    rules: TreeRules = TreeRules()
    seemingly_good: tuple[chess.Move, ...] = ()
    searches: int = 0
    complete: bool = True

    @property
    def solver(self) -> chess.Color:
        """The colour of the solver."""
        return self.root.board.turn

    def levels(self) -> list[list[TreePosition]]:
        """Return the positions of each level, the first position being level 1."""
        levels = [[self.root]]
        while below := [move.after for _, move in moves_of(levels[-1]) if move.after is not None]:
            levels.append(below)
        return levels

    def line(self, solution: Sequence[chess.Move]) -> list[TreeMove]:
        """Return the moves of the tree along a solution, up to where it leaves the tree."""
        line: list[TreeMove] = []
        position: TreePosition | None = self.root
        for played in solution:
            found = next((move for move in position.moves if move.move == played), None) if position else None
            if found is None:
                break
            line.append(found)
            position = found.after
        return line

    def as_dict(self) -> dict[str, Any]:
        """Return the tree as the keys and values of its JSON object. Scores are the solver's."""
        return {
            "searches": self.searches,
            "complete": self.complete,
            "seemingly_good": [move.uci() for move in self.seemingly_good],
            **self.root.as_dict(),
        }


def moves_of(positions: Sequence[TreePosition]) -> Iterator[tuple[TreePosition, TreeMove]]:
    """Yield the meaningful moves of several positions, each with its position."""
    return ((position, move) for position in positions for move in position.moves)


def meaningful_tree(
    position: chess.Board, searcher: Searcher, rules: TreeRules | None = None
) -> MeaningfulTree:
    """Return the tree of a puzzle from `position`, in which the solver is to move and not yet mated.

    Raises `EngineFailedError`.
    """
    return _TreeBuilder(searcher, rules or TreeRules(), position.turn).build(position)


@dataclass
class _TreeBuilder:
    """Builds one tree. A position that occurs several times is searched once."""

    searcher: Searcher
    rules: TreeRules
    solver: chess.Color
    known: dict[tuple[str, int], list[Variation]] = field(default_factory=dict)

    def build(self, position: chess.Board) -> MeaningfulTree:
        root = self.read(_after(position))
        complete, level = True, [root]
        for _ in range(self.rules.levels - 1):
            below = []
            for before, move in moves_of(level):
                board = _after(before.board, move.move)
                if not any(board.legal_moves):
                    continue
                is_known = _key(board, self.rules.lines) in self.known
                if is_known or len(self.known) < self.rules.most_positions:
                    move.after = self.read(board)
                    below.append(move.after)
                else:
                    complete = False
            level = below
        seemingly_good = self.seemingly_good(root)
        return MeaningfulTree(root, self.rules, seemingly_good, len(self.known), complete)

    def read(self, board: chess.Board) -> TreePosition:
        """Return a position with its meaningful moves."""
        variations = self.search(board, self.rules.lines)
        if board.turn == self.solver:
            moves = [TreeMove(line.move, line.score) for line in variations if self.rules.wins(line.score)]
        else:
            best = variations[0].score
            kept = [line for line in variations if self.is_as_good(line.score, best)]
            moves = [TreeMove(line.move, -line.score) for line in kept]
        return TreePosition(board, board.legal_moves.count(), moves)

    def is_as_good(self, score: Score, best: Score) -> bool:
        """Return whether a score of the opponent is about as good as the best one."""
        centipawns = best.score()
        if centipawns is None:
            return score.is_mate() and (score > Cp(0)) == (best > Cp(0))
        return score >= Cp(centipawns - self.rules.margin)

    def seemingly_good(self, root: TreePosition) -> tuple[chess.Move, ...]:
        """Return the first moves that do not win, but would after any reply except the best one.

        Moves that allow mate are left out, since Algorithm 10 takes only moves with a score in centipawns.
        """
        winning = {move.move for move in root.moves}
        others = [move for move in root.board.legal_moves if move not in winning]
        return tuple(move for move in others if self.has_one_good_reply(_after(root.board, move)))

    def has_one_good_reply(self, board: chess.Board) -> bool:
        """Return whether the best reply of the opponent keeps the solver from winning, and no other does."""
        if not any(board.legal_moves):
            return False
        best, *others = (-line.score for line in self.search(board, 2))
        fails = not best.is_mate() and not self.rules.wins(best)
        return fails and all(map(self.rules.wins, others))

    def search(self, board: chess.Board, lines: int) -> list[Variation]:
        key = _key(board, lines)
        if key not in self.known:
            self.known[key] = searched(self.searcher, board, self.rules.nodes, lines, self.rules.depth)
        return self.known[key]


def _key(board: chess.Board, lines: int) -> tuple[str, int]:
    return board.epd(), lines


def _after(board: chess.Board, *moves: chess.Move) -> chess.Board:
    """Return the position after moves, without the halfmove clock, which depends on the order of moves."""
    after = board_after(board, moves)
    after.halfmove_clock = 0
    return after
