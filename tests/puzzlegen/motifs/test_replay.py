"""What is kept with a position is what python-chess says of its board."""

from __future__ import annotations

from itertools import product

import chess
from hypothesis import given, settings

from chess_motif.boards import mates, passed
from puzzlegen.motifs.replay import AttackMap, Replay
from tests.helpers.solutions import Solution, random_lines


def positions(solution: Solution) -> list[AttackMap]:
    replay = Replay(*solution)
    return [replay.start, *(ply.after for ply in replay.plies)]


@settings(max_examples=100)
@given(random_lines())
def test_the_end_of_a_game(solution: Solution) -> None:
    for position in positions(solution):
        board = position.board
        is_over = board.is_checkmate(), board.is_stalemate(), board.is_game_over() or board.is_check()
        assert (position.mate, position.stalemate, position.passed is None) == is_over


@settings(max_examples=100)
@given(random_lines())
def test_mates_after_a_pass(solution: Solution) -> None:
    for position in positions(solution):
        waits = passed(position.board)
        legal = list(waits.legal_moves) if waits else []
        assert {*position.mating_moves} == {move for move in legal if waits and mates(waits, move)}


@settings(max_examples=100)
@given(random_lines())
def test_pins(solution: Solution) -> None:
    for position in positions(solution):
        for color, square in product(chess.COLORS, chess.scan_forward(position.board.occupied)):
            if position.board.color_at(square) == color:
                assert position.pin_mask(color, square) == position.board.pin_mask(color, square)


@settings(max_examples=100)
@given(random_lines())
def test_repetitions(solution: Solution) -> None:
    for one, other in product(positions(solution), repeat=2):
        assert one.repeats(other) is (one.board.epd() == other.board.epd())


def test_a_pinning_piece() -> None:
    board = chess.Board("4k3/8/4n3/8/8/8/8/4RK2 b - - 0 1")
    assert AttackMap(board).pinners == {chess.WHITE: {}, chess.BLACK: {chess.E6: chess.E1}}
