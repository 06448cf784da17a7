"""What a network sees of a position, and which entry of its policy is which move."""

from __future__ import annotations

import chess
import numpy as np
import pytest
from hypothesis import given

from engines.human.planes import (
    DIRECTIONS,
    HISTORY,
    HISTORY_PLANES,
    KNIGHT_MOVES,
    PIECE_PLANES,
    PLANES_OF_POSITION,
    PROMOTIONS,
    encode,
    encode_pieces,
    policy_index,
)
from tests.helpers.random_games import games

KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


def pieces(board: chess.Board, age: int = 0) -> set[tuple[int, str]]:
    """Return the planes of the position `age` plies before, as pairs of a plane and a square."""
    first = age * PLANES_OF_POSITION
    planes = encode([board])[0, first : first + PLANES_OF_POSITION]
    return {(plane, chess.square_name(8 * rank + file)) for plane, rank, file in np.argwhere(planes).tolist()}


def played(*moves: str, fen: str = chess.STARTING_FEN) -> chess.Board:
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)
    return board


def test_own_pieces_come_first() -> None:
    board = chess.Board("3r2k1/8/8/8/8/2N5/8/4K3 w - - 0 1")
    assert pieces(board) == {(1, "c3"), (5, "e1"), (9, "d8"), (11, "g8")}


def test_black_sees_the_board_from_the_other_end() -> None:
    board = chess.Board("3r2k1/8/8/8/8/2N5/8/4K3 b - - 0 1")
    assert pieces(board) == {(3, "d1"), (5, "g1"), (7, "c6"), (11, "e8")}


def test_earlier_positions_are_seen_by_the_player_to_move_now() -> None:
    board = played("c3d5", fen="6k1/8/8/8/8/2N5/8/4K3 w - - 0 1")
    assert pieces(board, age=1) == {(5, "g1"), (7, "c6"), (11, "e8")}


def test_the_oldest_position_is_repeated() -> None:
    board = played("e1e2", fen=KINGS)
    assert {frozenset(pieces(board, age)) for age in range(1, HISTORY)} == {frozenset(pieces(board, 1))}


def test_before_the_start_position_there_is_nothing() -> None:
    board = played("e2e4")
    assert [bool(pieces(board, age)) for age in range(HISTORY)] == [True, True] + 6 * [False]


@pytest.mark.parametrize(
    ("fen", "now", "before"),
    [
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", (6, "e5"), (6, "e7")),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", (6, "d5"), (6, "d7")),
    ],
)
def test_a_pawn_that_can_be_taken_en_passant_was_on_its_first_square(
    fen: str, now: tuple[int, str], before: tuple[int, str]
) -> None:
    board = chess.Board(fen)
    assert pieces(board) - pieces(board, age=1) == {now}
    assert pieces(board, age=1) - pieces(board) == {before}


def test_a_repetition_is_marked() -> None:
    board = played(*2 * ("e1e2", "e8e7", "e2e1", "e7e8"), fen=KINGS)
    repeated = [(12, "a1") in pieces(board, age) for age in range(HISTORY)]
    assert repeated == [True, True, True, True, True, False, False, False]


def test_a_repetition_is_found_further_back_than_the_planes_go() -> None:
    away = ("e1e2", "e8e7", "e2e3", "e7e6", "e3e4", "e6d6")
    back = ("e4e3", "d6e6", "e3e2", "e6e7", "e2e1", "e7e8")
    assert (12, "a1") in pieces(played(*away, *back, fen=KINGS))


@pytest.mark.parametrize(
    ("fen", "values"),
    [
        ("r3k3/8/8/8/8/8/8/4K2R w Kq - 7 30", [0, 1, 1, 0, 0, 7, 0, 1]),
        ("r3k3/8/8/8/8/8/8/4K2R b Kq - 7 30", [1, 0, 0, 1, 1, 7, 0, 1]),
    ],
)
def test_castling_rights_colour_and_clock(fen: str, values: list[int]) -> None:
    planes = encode([chess.Board(fen)])[0, HISTORY_PLANES:]
    assert planes.min(axis=(1, 2)).tolist() == planes.max(axis=(1, 2)).tolist() == values


@given(games())
def test_each_position_of_a_game_is_encoded_alike_alone_and_among_others(boards: list[chess.Board]) -> None:
    alone = [encode([board]) for board in boards]
    assert np.array_equal(encode(boards), np.concatenate(alone))


@given(games())
def test_encoding_leaves_the_board_as_it_was(boards: list[chess.Board]) -> None:
    before = [(board.fen(), list(board.move_stack)) for board in boards]
    encode(boards)
    assert [(board.fen(), board.move_stack) for board in boards] == before


@given(games())
def test_the_pieces_alone_are_the_first_planes(boards: list[chess.Board]) -> None:
    assert np.array_equal(encode_pieces(boards), encode(boards)[:, :PIECE_PLANES])


def decoded(board: chess.Board, index: int) -> tuple[int, int, int | None]:
    """Return the squares and the promotion of an entry, as its plane describes them."""
    plane, origin = divmod(index, 64)
    promotion = None
    if plane < 56:
        east, north = ((plane % 7 + 1) * step for step in DIRECTIONS[plane // 7])
    elif plane < 64:
        east, north = KNIGHT_MOVES[plane - 56]
    else:
        (east, promotion), north = PROMOTIONS[plane - 64], 1
    target = chess.square(chess.square_file(origin) + east, chess.square_rank(origin) + north)
    if board.turn == chess.BLACK:
        origin, target = chess.square_mirror(origin), chess.square_mirror(target)
    return origin, target, promotion


def described(board: chess.Board, move: chess.Move) -> tuple[int, int, int | None]:
    """Return the same for a move: castling ends on the rook, and a knight is not named."""
    target = move.to_square
    if board.is_castling(move):
        target = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(target))
    return move.from_square, target, None if move.promotion == chess.KNIGHT else move.promotion


@given(games())
def test_an_entry_is_the_move_that_it_was_made_from(boards: list[chess.Board]) -> None:
    for board in boards:
        for move in board.legal_moves:
            assert decoded(board, policy_index(board, move)) == described(board, move)


@pytest.mark.parametrize(
    ("fen", "move", "plane", "square"),
    [
        (chess.STARTING_FEN, "e2e4", 1, chess.E2),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 6, chess.A1),
        ("4k3/8/8/8/8/8/8/4K2B w - - 0 1", "h1a8", 55, chess.H1),
        ("4k3/8/8/8/8/8/8/4K2b b - - 0 1", "h1g2", 35, chess.H8),
        (chess.STARTING_FEN, "b1c3", 56, chess.B1),
        (chess.STARTING_FEN, "g1f3", 63, chess.G1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 16, chess.E1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", 45, chess.E1),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", 16, chess.E1),
        ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "e1g1", 15, chess.E1),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7d8r", 64, chess.E7),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8b", 68, chess.E7),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8n", 0, chess.E7),
        ("4k3/8/8/8/K7/8/4p3/5N2 b - - 0 1", "e2f1q", 72, chess.E7),
    ],
)
def test_moves_have_these_planes(fen: str, move: str, plane: int, square: int) -> None:
    assert divmod(policy_index(chess.Board(fen), chess.Move.from_uci(move)), 64) == (plane, square)
