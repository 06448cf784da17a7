"""A meaningful search tree and its attributes, as text for a terminal and as a self-contained HTML page.

The page draws the tree level by level, as in the thesis (Fig. 2.6). Each move is a box below the move before.
The solution is on the left, however wide the tree is, and the other moves follow to the right, best first.
Moves of the last level, which have nothing below them, are stacked.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess
from chess.engine import Score

from chess_motif.boards import board_after, solution_san, to_move
from chess_motif.pages import render
from chess_motif.pages.boards import Arrow, Look, Size, board_svg, label_of
from chess_motif.tables import table
from puzzlegen.difficulty.attributes import BY_LEVEL, LEVELS, OF_TREE, TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreeMove, TreePosition

# The most columns of the text; every terminal has at least so many.
WIDTH = 80

# Marks the moves of the solution.
MARK = "*"

# Keeps a move and its score on one line.
NO_BREAK = "\N{NO-BREAK SPACE}"

# Pixels: the size of a box, the space between boxes, between stacked boxes and between levels, the width of
# the names of the levels, and the height of the first position.
BOX_WIDTH, BOX_HEIGHT = 68, 36
GAP, STACK_GAP, LEVEL_GAP = 10, 4, 30
NAMES_WIDTH = 76
ROOT_HEIGHT = 16

# A point, in pixels to the right and down.
Point = tuple[int, int]


def tree_text(tree: MeaningfulTree, solution: Sequence[chess.Move]) -> str:
    """Return a tree with a line for each move, except that moves of the last level share lines.

    The moves of the solution are marked.
    """
    if not tree.root.moves:
        return textwrap.fill(explanation(tree), WIDTH)
    line = tree.line(solution)
    marked = {id(move) for move in line}
    text = [*_lines(tree, tree.root, 1, marked), "", *_notes(tree, solution[: tree.rules.levels], len(line))]
    return "\n".join(text).replace(NO_BREAK, " ")


def attributes_text(attributes: TreeAttributes) -> str:
    """Return a table of the attributes of levels, and a table of those of the whole tree."""
    by_level = table(["level", *map(str, LEVELS)], _by_level(attributes), right="l" + len(LEVELS) * "r")
    others = _of_tree(attributes)
    half = (len(others) + 1) // 2
    pairs = [[*left, "  ", *right] for left, right in zip(others[:half], others[half:], strict=True)]
    return f"{by_level}\n\n{table(['whole tree', '', '', '', ''], pairs, right='lrllr')}"


def tree_page(name: str, attributes: TreeAttributes, solution: Sequence[chess.Move]) -> str:
    """Return the page of a puzzle: its board, its tree and the attributes of the tree."""
    tree = attributes.tree
    return render(
        "puzzlegen/difficulty/tree.html",
        name=name,
        tree=tree,
        turn="White" if tree.solver else "Black",
        solution=solution_san(tree.root.board, solution),
        seemingly_good=[tree.root.board.san(move) for move in tree.seemingly_good],
        board=board_svg(tree.root.board, _look(tree.root.board, solution[:1])),
        drawing=draw(tree, solution),
        explanation=explanation(tree),
        box=(BOX_WIDTH, BOX_HEIGHT),
        levels=LEVELS,
        by_level=_by_level(attributes),
        of_tree=_of_tree(attributes),
    )


def _look(board: chess.Board, first: Sequence[chess.Move]) -> Look:
    arrows = tuple(Arrow(move.from_square, move.to_square) for move in first)
    label = ", ".join([to_move(board), *([label_of(arrows, board)] if arrows else [])])
    return Look(board.turn, label, Size.MEDIUM, arrows=arrows)


def _by_level(attributes: TreeAttributes) -> list[list[str]]:
    """Return a row for each attribute that every level has: its name and its values."""
    return [[name, *(_number(of(attributes, level)) for level in LEVELS)] for name, of in BY_LEVEL.items()]


def _of_tree(attributes: TreeAttributes) -> list[list[str]]:
    """Return a row for each attribute of the whole tree: its name and its value."""
    return [[name, _number(of(attributes))] for name, of in OF_TREE.items()]


def _number(value: float) -> str:
    return f"{round(value, 3):g}"


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
        board = board_after(tree.root.board, solution[:in_tree])
        yield f"The solution's move {_numbered(board, board.san(solution[in_tree]))} is not in the tree."


@dataclass(frozen=True)
class Box:
    """The box of a move: its upper left corner, its text, and its style.

    `link` is the path of the line from the move before.
    """

    x: int
    y: int
    san: str
    score: str
    is_solver: bool
    is_solution: bool
    link: str


@dataclass(frozen=True)
class Band:
    """The stripe behind the moves of a level."""

    level: int
    y: int
    height: int
    is_solver: bool


@dataclass(frozen=True)
class TreeDrawing:
    """The first position of a tree, the boxes of its moves, the stripes of its levels, and its size."""

    root: Point
    boxes: Sequence[Box]
    bands: Sequence[Band]
    width: int
    height: int


def draw(tree: MeaningfulTree, solution: Sequence[chess.Move]) -> TreeDrawing:
    """Return where everything is drawn; the moves of `solution` are marked."""
    marked = {id(move) for move in tree.line(solution)}
    depth = TreeAttributes(tree).depth
    boxes: list[Box] = []

    def place(position: TreePosition, level: int, left: int, parent: Point) -> int:
        """Place the moves below a position, from `left` to the right; return where the next column begins.

        Moves of the last level are in one column. `parent` is the middle of the lower edge of the box above.
        """
        x, y = left, _top(level)
        for move in sorted(position.moves, key=lambda move: id(move) not in marked):
            middle = x + BOX_WIDTH // 2
            boxes.append(
                Box(
                    x,
                    y,
                    position.san(move),
                    score_text(move.score),
                    is_solver=position.board.turn == tree.solver,
                    is_solution=id(move) in marked,
                    # Down, to the right, and down again.
                    link=f"M{parent[0]} {parent[1]} V{_top(level) - LEVEL_GAP // 2} H{middle} V{y}",
                )
            )
            if level == depth:
                y += BOX_HEIGHT + STACK_GAP
            elif move.after is not None:
                x = place(move.after, level + 1, x, (middle, y + BOX_HEIGHT))
            else:
                x += BOX_WIDTH + GAP
        return max(x, left + BOX_WIDTH + GAP)

    root = (NAMES_WIDTH + BOX_WIDTH // 2, ROOT_HEIGHT // 2)
    width = place(tree.root, 1, NAMES_WIDTH, root)
    bottom = max((box.y + BOX_HEIGHT for box in boxes), default=ROOT_HEIGHT) + LEVEL_GAP // 2
    edges = [*(_top(level) - LEVEL_GAP // 2 for level in range(1, depth + 1)), bottom]
    bands = [
        Band(level, upper, lower - upper, is_solver=level % 2 == 1)
        for level, (upper, lower) in enumerate(pairwise(edges), 1)
    ]
    return TreeDrawing(root, boxes, bands, width, bottom)


def _top(level: int) -> int:
    """Return the upper edge of the boxes of a level."""
    return ROOT_HEIGHT + LEVEL_GAP // 2 + (level - 1) * (BOX_HEIGHT + LEVEL_GAP)
