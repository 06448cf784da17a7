"""Blocks of positions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chess_motif.errors import StoreError
from db.packed.block import Node, forest, read_block, write_block
from db.packed.models import load_models, move_of, possible_moves
from db.packed.position import material_key, pack_simply, sort_key
from tests.helpers.random_games import games

GAME = "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4 exd4 Nxd4 c5 Nb3 Qxd1 Rxd1"


def in_order(boards: Sequence[chess.Board]) -> list[chess.Board]:
    """Return different positions in the order of a file."""
    by_place = {sort_key(board) + pack_simply(board): board for board in boards}
    return [by_place[place] for place in sorted(by_place)]


def positions_of(moves: str) -> list[chess.Board]:
    board = chess.Board()
    boards = [board.copy(stack=False)]
    for move in moves.split():
        board.push_san(move)
        boards.append(board.copy(stack=False))
    return in_order(boards)


def everything(nodes: Sequence[Node]) -> list[int]:
    return [number for node in nodes for number in (node.position, *everything(node.children))]


def read(written: bytes, boards: Sequence[chess.Board]) -> list[chess.Board]:
    return read_block(written, material_key(boards[0]), len(boards), load_models())


@given(several=st.lists(games(), min_size=1, max_size=4))
def test_positions_come_back_in_the_order_that_writing_returns(several: list[list[chess.Board]]) -> None:
    boards = in_order([board for each in several for board in each])
    block = write_block(boards, load_models())
    back = read(block.written, boards)
    assert sorted(block.order) == list(range(len(boards)))
    assert [board.epd() for board in back] == [boards[number].epd() for number in block.order]


@given(boards=games())
def test_a_position_follows_from_another_by_one_move_or_is_a_root(boards: list[chess.Board]) -> None:
    boards = in_order(boards)
    roots = forest(boards)
    assert sorted(everything(roots)) == list(range(len(boards)))

    def check(node: Node) -> None:
        for child in node.children:
            board = boards[node.position].copy(stack=False)
            board.push(move_of(possible_moves(board)[child.move]))
            assert board.epd() == boards[child.position].epd()
            check(child)

    for root in roots:
        check(root)


# In the second game, positions follow from each other in a circle.
@pytest.mark.parametrize("moves", [GAME, "Nf3 Nf6 Ng1 Ng8"])
def test_a_game_has_one_root(moves: str) -> None:
    assert len(forest(positions_of(moves))) == 1


def test_positions_that_follow_take_a_third_of_those_that_do_not() -> None:
    models = load_models()
    boards = positions_of(GAME)
    together = len(write_block(boards, models).written)
    alone = sum(len(write_block([board], models).written) for board in boards)
    assert together < alone / 3


@given(boards=games())
def test_every_legal_move_is_possible(boards: list[chess.Board]) -> None:
    for board in boards:
        numbers = possible_moves(board)
        assert numbers == sorted(set(numbers))
        assert set(board.legal_moves) <= set(map(move_of, numbers))


# A position that follows from one without a move.
@example(damage=b" \x05\xb7\xb8", number=19)
@given(damage=st.binary(max_size=200), number=st.integers(1, 40))
def test_bytes_that_are_no_block_are_positions_or_an_error(damage: bytes, number: int) -> None:
    try:
        boards = read_block(damage, material_key(chess.Board()), number, load_models())
    except StoreError:
        return
    assert len(boards) == number


def test_every_computer_writes_the_same_bytes() -> None:
    # Only a new version of the format may change this: files that were written before could not be read.
    written = write_block(positions_of(GAME), load_models()).written
    assert hashlib.sha256(written).hexdigest()[:16] == "cf7b31aa9ea34c6c"


@pytest.mark.parametrize("fen", ["8/8/8/8/8/8/8/K1k5 w - - 0 1", chess.STARTING_FEN])
def test_one_position_is_a_block(fen: str) -> None:
    boards = [chess.Board(fen)]
    assert [board.epd() for board in read(write_block(boards, load_models()).written, boards)] == [
        boards[0].epd()
    ]
