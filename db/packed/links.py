"""Which positions follow from which: a forest whose edges are legal moves between positions of a block.

McKenzie (1994), section 6.3, describes a position by the pieces that stand elsewhere in the one before, and
suggests a spanning tree for the order. Here a position follows from another one by one legal move, a capture
included, and Kruskal's algorithm chooses among several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import chess
import numpy as np

from db.packed.moves import move_of, possible_moves
from db.packed.placement import contents_of
from db.packed.position import en_passant_of, identity

# Squares that a move can change: four by castling.
MOST_CHANGED = 4


@dataclass
class Node:
    """A position (by its number) and those that follow from it.

    `move` says which of the `possible_moves` of the position above leads here.
    """

    position: int
    move: int = 0
    children: list[Node] = field(default_factory=list)


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the position after a move. It has an en-passant square only if a pawn can capture there.

    Its move counters are those of a new game: they do not belong to the position.
    """
    board = board.copy(stack=False)
    board.push(move)
    board.clear_stack()
    board.ep_square = en_passant_of(board)
    board.halfmove_clock, board.fullmove_number = 0, 1
    return board


def forest(boards: Sequence[chess.Board]) -> list[Node]:
    """Return the roots of a forest of all these positions, which are different, in their order."""
    nodes = [Node(number) for number in range(len(boards))]
    trees = list(range(len(boards)))

    def tree_of(number: int) -> int:
        while trees[number] != number:
            trees[number] = number = trees[trees[number]]
        return number

    roots = set(range(len(boards)))
    for parent, child, move in _links(boards):
        upper, lower = tree_of(parent), tree_of(child)
        if child in roots and upper != lower:
            trees[lower] = upper
            roots.remove(child)
            nodes[child].move = move
            nodes[parent].children.append(nodes[child])
    for node in nodes:
        node.children.sort(key=lambda child: child.move)
    return [nodes[number] for number in sorted(roots)]


def _links(boards: Sequence[chess.Board]) -> Iterator[tuple[int, int, int]]:
    """Yield which positions follow from which others by one move, and the number of that move."""
    squares = contents_of(boards)
    turns = np.array([board.turn for board in boards])
    identities = [identity(board) for board in boards]
    for parent, board in enumerate(boards):
        changed = squares != squares[parent]
        near = (changed.sum(1) <= MOST_CHANGED) & (turns != board.turn)
        if not near.any():
            continue
        moves = possible_moves(board)
        for child in np.flatnonzero(near).tolist():
            for number, move in enumerate(map(move_of, moves)):
                # Both squares of a move change: a cheap test before the exact one.
                is_likely = changed[child, move.from_square ^ 56] and changed[child, move.to_square ^ 56]
                if is_likely and identity(after(board, move)) == identities[child]:
                    yield parent, child, number
                    break
