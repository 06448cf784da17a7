"""A block: some positions of a file as bytes that can be read without the rest.

A position follows from another position of the block if one legal move leads there. Positions that follow
from no other position (roots) are coded square by square, all at once, by the `PlacementModel`; the others
are coded as the moves that lead to them, by the `MoveModel`. These links are a forest: McKenzie (1994),
section 6.3, describes a position by its differences from another one, and suggests a spanning tree; Kruskal's
algorithm chooses among several links. The order in which the positions were given is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.errors import StoreError
from db.packed.coder import Coder, EntropyReader, EntropyWriter, Symbols
from db.packed.models import Models, Roots, contents_of, move_of, possible_moves
from db.packed.position import (
    MATERIAL_BYTES,
    board_of,
    castling_of,
    en_passant_of,
    en_passant_squares,
    identity,
    material_key,
)

# The most squares that a move can change: four by castling.
MOST_CHANGED = 4

# Tables depend on the share of roots in a block, in this many steps: the fewer the roots, the more alike the
# positions.
SHARES = 8


class Block(NamedTuple):
    """The bytes of a block, and the numbers of its positions in the order in which they are read."""

    written: bytes
    order: list[int]


def write_block(boards: Sequence[chess.Board], models: Models) -> Block:
    """Return different positions as a block. The first position must have the lowest sort key."""
    writer = EntropyWriter(models.tables)
    roots = forest(boards)
    _, order = code_block(writer, models, material_key(boards[0]), len(boards), (boards, roots))
    return Block(writer.written(), order)


def read_block(written: bytes, first: bytes, number: int, models: Models) -> list[chess.Board]:
    """Return the `number` positions of a block whose lowest material is `first`.

    Raises `StoreError` if the bytes are not such a block.
    """
    try:
        boards, _ = code_block(EntropyReader(models.tables, written), models, first, number, None)
    except (ValueError, IndexError, AssertionError) as error:
        raise StoreError("not a block of packed positions") from error
    if len(boards) != number:
        raise StoreError("not a block of packed positions")
    return boards


def code_block(
    coder: Coder,
    models: Models,
    first: bytes,
    number: int,
    given: tuple[Sequence[chess.Board], list[Node]] | None,
) -> tuple[list[chess.Board], list[int]]:
    """Write the `given` positions of a block with the roots of their forest, or read `number` positions.

    Returns the positions in the order of reading, and the numbers that they had if they were given.
    """
    boards, nodes = given or ((), [])
    tops = [boards[node.position] for node in nodes] if given else None
    count = 1 + coder.one(np.ones(number, np.float32), len(nodes) - 1 if given else None)
    share = SHARES * count // number
    level = _code_roots(coder, models, first, count, tops, share)
    coded: list[chess.Board] = []
    order: list[int] = []
    # How many positions follow from a root is coded with another table than how many follow from the others.
    context = 2 * share
    while level:
        coded += level
        order += [node.position for node in nodes]
        if len(coded) == number:
            break
        level = _code_next(coder, models, level, nodes if given else None, context)
        nodes = [child for node in nodes for child in node.children]
        context = 2 * share + 1
    return coded, order


def _code_next(
    coder: Coder, models: Models, boards: Sequence[chess.Board], nodes: Sequence[Node] | None, context: int
) -> list[chess.Board]:
    """Write or read the positions that follow from those of a level, and return them."""
    numbers = None if nodes is None else np.array([len(node.children) for node in nodes], np.int32)
    numbers = coder.look_up_all("children", np.full(len(boards), context), numbers)
    parents = [board for board, number in zip(boards, numbers, strict=True) if number]
    if not parents:
        return []
    moves = [possible_moves(board) for board in parents]
    if not all(moves):
        raise ValueError("a position follows from one without moves")
    weights = models.moves.weights(parents, moves)
    rows = np.repeat(np.arange(len(parents)), numbers[numbers > 0])
    chosen = None
    if nodes is not None:
        chosen = np.array([child.move for node in nodes for child in node.children], np.int32)
    chosen = coder.code(weights[rows], chosen)
    return [after(parents[row], move_of(moves[row][move])) for row, move in zip(rows, chosen, strict=True)]


def _code_roots(
    coder: Coder,
    models: Models,
    first: bytes,
    count: int,
    boards: Sequence[chess.Board] | None,
    share: int,
) -> list[chess.Board]:
    """Write or read `count` positions without links, and return them."""
    given = None if boards is None else [material_key(board) for board in boards]
    materials = _code_materials(coder, first, count, given, share)
    turns = _rows(boards, lambda board: int(board.turn))
    turns = coder.look_up_all("turn", np.zeros(count, np.int64), turns)
    rights = coder.look_up_all("castling", materials.sum(1, dtype=np.int64), _rows(boards, castling_of))
    roots = Roots(materials, np.stack([turns, rights], 1))
    given_squares = None if boards is None else contents_of(boards).astype(np.int32)
    squares = models.placement.code(coder, roots, given_squares)
    read = []
    for index in range(count):
        board = board_of(squares[index].tobytes(), bool(turns[index]), int(rights[index]))
        passed = None if boards is None else en_passant_of(boards[index])
        board.ep_square = _code_en_passant(coder, board, passed, reading=boards is None)
        read.append(board)
    return read


def _rows(boards: Sequence[chess.Board] | None, of: Callable[[chess.Board], int]) -> Symbols | None:
    """Return an array of the values `of` each position, None if there is nothing to write."""
    return None if boards is None else np.array([of(board) for board in boards], np.int32)


def _code_materials(
    coder: Coder, first: bytes, count: int, given: Sequence[bytes] | None, share: int
) -> npt.NDArray[np.uint8]:
    """Write or read `count` sorted materials, none below `first`, and return them as rows."""
    materials, before = [], first
    for index in range(count):
        material = None if given is None else given[index]
        same = coder.look_up("same", (share,), None if material is None else int(material == before))
        before = before if same else _code_material(coder, before, material)
        materials.append(before)
    return np.frombuffer(b"".join(materials), np.uint8).reshape(count, MATERIAL_BYTES)


def _code_material(coder: Coder, before: bytes, material: bytes | None) -> bytes:
    """Write or read a material that does not sort below `before`.

    Up to the first count that differs, no count is lower than in `before`.
    """
    counts = bytearray()
    for index in range(MATERIAL_BYTES):
        equal = counts == before[:index]
        opposite = counts[index - MATERIAL_BYTES // 2] if index >= MATERIAL_BYTES // 2 else 0
        context = (index, int(equal), before[index], opposite)
        counts.append(coder.look_up("material", context, None if material is None else material[index]))
    return bytes(counts)


def _code_en_passant(
    coder: Coder, board: chess.Board, square: chess.Square | None, *, reading: bool
) -> chess.Square | None:
    """Write or read the en-passant square, one of the possible ones or None."""
    squares = en_passant_squares(board)
    if not squares or not coder.look_up("en passant", (), None if reading else int(square is not None)):
        return None
    index = None if square is None else squares.index(square)
    return squares[coder.one(np.ones(len(squares), np.float32), index)]


@dataclass
class Node:
    """A position (by its number) and the nodes that follow from it.

    `move` says which of the `possible_moves` of the parent leads to this position.
    """

    position: int
    move: int = 0
    children: list[Node] = field(default_factory=list)


def forest(boards: Sequence[chess.Board]) -> list[Node]:
    """Return the roots of a forest of different positions, in the order of the positions."""
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
    """Yield each pair of positions of which one follows from the other, and the number of the move."""
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
                # A cheap test before the exact one: both squares of a move change.
                is_likely = changed[child, move.from_square ^ 56] and changed[child, move.to_square ^ 56]
                if is_likely and identity(after(board, move)) == identities[child]:
                    yield parent, child, number
                    break


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the position after a move, with an en-passant square only if a pawn can capture there.

    The move counters, which do not belong to the position, are those of a new game.
    """
    board = board.copy(stack=False)
    board.push(move)
    board.clear_stack()
    board.ep_square = en_passant_of(board)
    board.halfmove_clock, board.fullmove_number = 0, 1
    return board
