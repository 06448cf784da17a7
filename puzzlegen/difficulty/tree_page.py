"""A meaningful search tree drawn as a self-contained HTML page, level by level as in the thesis (Fig. 2.6).

Each move is a box below the move that it answers. The solution runs down the left side, however wide the
tree is; other moves are to the right of it, best first. Moves of the last level, which have nothing below
them, are stacked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess
from markupsafe import Markup

from chess_motif.boards import solution_san, svg_board
from chess_motif.pages.html import render
from puzzlegen.difficulty.attributes import BY_LEVEL, LEVELS, OF_TREE, TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreePosition
from puzzlegen.difficulty.tree_text import explanation, score_text

# Pixels: the size of a box, the space between boxes, between stacked boxes and between levels, the width of
# the names of the levels, and the height of the first position.
BOX_WIDTH, BOX_HEIGHT = 68, 36
GAP, STACK_GAP, LEVEL_GAP = 10, 4, 30
NAMES_WIDTH = 76
ROOT_HEIGHT = 16


# A point, in pixels to the right and down.
Point = tuple[int, int]


@dataclass(frozen=True)
class Box:
    """A move as it is drawn: its left upper corner, what is written on it, and what it looks like.

    `link` is the path of the line from the move that it answers.
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
class Drawing:
    """The first position of a tree, the boxes of its moves, the stripes of its levels, and its size."""

    root: Point
    boxes: Sequence[Box]
    bands: Sequence[Band]
    width: int
    height: int


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
        board=Markup(svg_board(tree.root.board, solution[:1])),
        drawing=draw(tree, solution),
        explanation=explanation(tree),
        box=(BOX_WIDTH, BOX_HEIGHT),
        levels=LEVELS,
        by_level={name: [of(attributes, level) for level in LEVELS] for name, of in BY_LEVEL.items()},
        of_tree={name: of(attributes) for name, of in OF_TREE.items()},
    )


def draw(tree: MeaningfulTree, solution: Sequence[chess.Move]) -> Drawing:
    """Return where everything is drawn; the moves of `solution` are marked."""
    drawer = _Drawer(tree, {id(move) for move in tree.line(solution)})
    root = (NAMES_WIDTH + BOX_WIDTH // 2, ROOT_HEIGHT // 2)
    width = drawer.place(tree.root, 1, NAMES_WIDTH, root)
    bottom = max((box.y + BOX_HEIGHT for box in drawer.boxes), default=ROOT_HEIGHT) + LEVEL_GAP // 2
    return Drawing(root, drawer.boxes, _bands(drawer.depth, bottom), width, bottom)


class _Drawer:
    """Places the boxes of a tree from left to right, and those of its last level in columns."""

    def __init__(self, tree: MeaningfulTree, marked: Collection[int]) -> None:
        self.tree = tree
        self.marked = marked
        self.depth = TreeAttributes(tree).depth
        self.boxes: list[Box] = []

    def place(self, position: TreePosition, level: int, left: int, parent: Point) -> int:
        """Place what follows a position, from `left` to the right; return where the next column begins.

        `parent` is the middle of the lower edge of the move that led to the position.
        """
        x, y = left, _top(level)
        for move in sorted(position.moves, key=lambda move: id(move) not in self.marked):
            middle = x + BOX_WIDTH // 2
            self.boxes.append(
                Box(
                    x,
                    y,
                    position.san(move),
                    score_text(move.score),
                    is_solver=position.board.turn == self.tree.solver,
                    is_solution=id(move) in self.marked,
                    # Down, to the right, and down again.
                    link=f"M{parent[0]} {parent[1]} V{_top(level) - LEVEL_GAP // 2} H{middle} V{y}",
                )
            )
            if level == self.depth:
                y += BOX_HEIGHT + STACK_GAP
            elif move.after is not None:
                x = self.place(move.after, level + 1, x, (middle, y + BOX_HEIGHT))
            else:
                x += BOX_WIDTH + GAP
        return max(x, left + BOX_WIDTH + GAP)


def _top(level: int) -> int:
    """Return the upper edge of the boxes of a level."""
    return ROOT_HEIGHT + LEVEL_GAP // 2 + (level - 1) * (BOX_HEIGHT + LEVEL_GAP)


def _bands(depth: int, bottom: int) -> list[Band]:
    """Return the stripes of the levels; the last one goes down to `bottom`."""
    edges = [_top(level) - LEVEL_GAP // 2 for level in range(1, depth + 1)] + [bottom]
    return [
        Band(level, upper, lower - upper, is_solver=level % 2 == 1)
        for level, (upper, lower) in enumerate(pairwise(edges), 1)
    ]
