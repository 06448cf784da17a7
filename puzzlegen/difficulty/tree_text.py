"""A meaningful search tree and its attributes as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence

import chess
from chess.engine import Score

from chess_motif.tables import table
from puzzlegen.difficulty.attributes import BY_LEVEL, LEVELS, OF_TREE, TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreeMove, TreePosition

# Columns that the text takes at most; a terminal has at least so many.
WIDTH = 80

# Marks the moves of the solution.
MARK = "*"

# Keeps a move and its score on one line.
NO_BREAK = "\N{NO-BREAK SPACE}"


def tree_text(tree: MeaningfulTree, solution: Sequence[chess.Move]) -> str:
    """Return a tree with a line for each move, except that those of the last level share lines.

    The moves of the solution are marked.
    """
    if not tree.root.moves:
        return textwrap.fill(explanation(tree), WIDTH)
    line = tree.line(solution)
    marked = {id(move) for move in line}
    text = [*_lines(tree, tree.root, 1, marked), "", *_notes(tree, solution[: tree.rules.levels], len(line))]
    return "\n".join(text).replace(NO_BREAK, " ")


def attributes_text(attributes: TreeAttributes) -> str:
    """Return a table of the attributes that each level has, and one of the others."""
    levels = [
        [name, *(f"{round(of(attributes, level), 3):g}" for level in LEVELS)] for name, of in BY_LEVEL.items()
    ]
    others = [[name, f"{round(of(attributes), 3):g}"] for name, of in OF_TREE.items()]
    half = (len(others) + 1) // 2
    pairs = [[*left, "  ", *right] for left, right in zip(others[:half], others[half:], strict=True)]
    by_level = table(["level", *map(str, LEVELS)], levels, right="l" + len(LEVELS) * "r")
    return f"{by_level}\n\n{table(['whole tree', '', '', '', ''], pairs, right='lrllr')}"


def explanation(tree: MeaningfulTree) -> str:
    """Return what the scores of a tree mean, which moves it has, and whether it is complete."""
    rules = tree.rules
    won = f"{rules.won / 100:+.2f} or more"
    if not tree.root.moves:
        return f"The tree is empty: at depth {rules.depth}, no first move wins ({won} for the solver)."
    text = (
        f"Scores are the solver's, in pawns, at depth {rules.depth}. A position has at most {rules.lines} "
        f"moves: the solver those that win ({won}), the opponent those within {rules.margin / 100:.2f} of "
        "the best one."
    )
    return text if tree.complete else f"{text} The tree is cut after {rules.most_positions} positions."


def score_text(score: Score) -> str:
    """Return a score in pawns, such as `+3.41`, or `#3` and `#-3` for mates."""
    centipawns = score.score()
    return f"#{score.mate()}" if centipawns is None else f"{centipawns / 100:+.2f}"


def _lines(
    tree: MeaningfulTree, position: TreePosition, level: int, marked: Collection[int]
) -> Iterator[str]:
    side = "solver" if position.board.turn == tree.solver else "opponent"
    start = f"{level} {side:<9}" + "  " * level
    if level == tree.rules.levels and position.moves:
        first, *others = (_move_text(position, move, marked) for move in position.moves)
        # Only the first of several moves has its number.
        text = ", ".join([_numbered(position.board, first), *others])
        yield from textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=len(start) * " ")
        return
    for move in position.moves:
        yield start + _numbered(position.board, _move_text(position, move, marked))
        if move.after is not None:
            yield from _lines(tree, move.after, level + 1, marked)


def _move_text(position: TreePosition, move: TreeMove, marked: Collection[int]) -> str:
    mark = f" {MARK}" if id(move) in marked else ""
    return f"{position.san(move)}{NO_BREAK}({score_text(move.score)}){mark}"


def _numbered(board: chess.Board, text: str) -> str:
    return f"{board.fullmove_number}.{'' if board.turn else '..'} {text}"


def _notes(tree: MeaningfulTree, solution: Sequence[chess.Move], in_tree: int) -> Iterator[str]:
    yield textwrap.fill(f"{MARK} the solution. {explanation(tree)}", WIDTH)
    if in_tree < len(solution):
        board = tree.root.board.copy(stack=False)
        for move in solution[:in_tree]:
            board.push(move)
        yield f"The solution's move {_numbered(board, board.san(solution[in_tree]))} is not in the tree."
