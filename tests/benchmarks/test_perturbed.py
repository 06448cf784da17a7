"""Positions with a few pieces moved."""

from __future__ import annotations

from itertools import islice
from random import Random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.perturbed import perturbations
from chess_motif.material import material_of
from tests.helpers.solutions import random_lines

positions = random_lines().map(lambda line: line[0])
seeds = st.integers(0, 1000)


def steps(board: chess.Board, seed: int = 0) -> list[chess.Board]:
    return list(islice(perturbations(board, Random(seed)), 6))


def squares_that_differ(one: chess.Board, other: chess.Board) -> set[chess.Square]:
    return {square for square in chess.SQUARES if one.piece_at(square) != other.piece_at(square)}


@given(positions, seeds)
def test_every_position_is_legal_whoever_is_to_move(board: chess.Board, seed: int) -> None:
    for after in steps(board, seed):
        for after.turn in chess.COLORS:
            assert after.is_valid()
            assert not after.is_check()


@given(positions, seeds)
def test_the_material_stays(board: chess.Board, seed: int) -> None:
    assert {material_of(after) for after in steps(board, seed)} <= {material_of(board)}


@given(positions, seeds)
def test_one_more_piece_has_left_its_square_each_time(board: chess.Board, seed: int) -> None:
    for moved, after in enumerate(steps(board, seed), start=1):
        changed = squares_that_differ(board, after)
        assert len(changed) == 2 * moved
        assert sum(after.piece_at(square) is None for square in changed) == moved
        assert sum(board.piece_at(square) is None for square in changed) == moved


@given(positions, seeds)
def test_each_step_is_a_legal_move_of_either_side(board: chess.Board, seed: int) -> None:
    before = board.copy()
    for after in steps(board, seed):
        left, reached = sorted(
            squares_that_differ(before, after), key=lambda square: after.piece_at(square) is not None
        )
        before.castling_rights, before.turn = chess.BB_EMPTY, bool(before.color_at(left))
        assert before.is_legal(chess.Move(left, reached))
        before = after


@given(positions, seeds)
def test_the_side_to_move_stays_and_the_position_asked_for_is_left_alone(
    board: chess.Board, seed: int
) -> None:
    fen = board.fen()
    assert {after.turn for after in steps(board, seed)} <= {board.turn}
    assert board.fen() == fen


def test_the_same_seed_gives_the_same_moves() -> None:
    board = chess.Board()
    assert steps(board, 1) == steps(board, 1)
    assert steps(board, 1) != steps(board, 2)


def test_it_ends_when_every_piece_has_moved() -> None:
    assert len(steps(chess.Board("8/8/4k3/8/8/4K3/8/8 w - - 0 1"))) == 2


def test_pawns_do_not_promote() -> None:
    assert len(steps(chess.Board("8/P6k/8/8/8/8/8/K7 w - - 0 1"))) == 2


def test_kings_do_not_castle() -> None:
    board = chess.Board("4k3/8/8/8/8/7P/7P/4K2R w K - 0 1")
    assert not any(
        after.king(chess.WHITE) == chess.G1 for seed in range(50) for after in steps(board, seed)[:1]
    )


def test_men_of_both_sides_move() -> None:
    seen = {
        after.color_at(square)
        for seed in range(20)
        for after in steps(chess.Board(), seed)[:1]
        for square in range(16, 48)
    }
    assert seen >= set(chess.COLORS)


@pytest.mark.parametrize("seed", range(5))
def test_who_is_in_check_moves_first(seed: int) -> None:
    board = chess.Board("4k3/8/8/8/8/8/4r3/3NK2R w - - 0 1")
    after = steps(board, seed)[0]
    assert after.color_at(chess.E2) == chess.BLACK
    assert not after.piece_at(chess.E1)


def test_a_check_that_only_a_capture_answers_leaves_nothing_to_move() -> None:
    assert steps(chess.Board("7k/8/8/8/8/8/5PPq/5RK1 w - - 0 1").mirror()) == []
