"""Positions put elsewhere on the board."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.upkeep.simplify import UNMOVED, Shift, shifts


@st.composite
def positions(draw: st.DrawFn) -> chess.Board:
    """A position from random play, in which nobody may castle any more."""
    board = chess.Board()
    for choice in draw(st.lists(st.integers(0, 200), max_size=80)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    fresh = board.copy(stack=False)
    fresh.castling_rights = chess.BB_EMPTY
    fresh.halfmove_clock, fresh.fullmove_number = 0, 1
    return fresh


def put(place: Shift, board: chess.Board) -> chess.Board | None:
    placed = place.of_line(board, ())
    return placed[0] if placed else None


@given(positions())
def test_mirrored_twice_is_the_same(board: chess.Board) -> None:
    mirrored = put(Shift(mirrored=True), board)
    assert mirrored is not None
    assert put(Shift(mirrored=True), mirrored) == board


@given(positions())
def test_mirrored_there_are_the_same_moves(board: chess.Board) -> None:
    moves = list(board.legal_moves)
    placed = Shift(mirrored=True).of_line(board, moves)
    assert placed is not None
    assert set(placed[1]) == set(placed[0].legal_moves)


@given(positions(), st.booleans(), st.integers(-7, 7), st.integers(-7, 7))
def test_what_is_put_elsewhere_comes_back(board: chess.Board, mirrored: bool, files: int, ranks: int) -> None:
    for square in chess.SquareSet(board.occupied & ~board.kings):
        # Few pieces fit in many places.
        if square % 3:
            board.remove_piece_at(square)
    board.ep_square = None
    placed = put(Shift(mirrored, files, ranks), board)
    if placed is not None:
        assert len(placed.piece_map()) == len(board.piece_map())
        back = Shift(mirrored, files if mirrored else -files, -ranks)
        assert put(back, placed) == board


def test_a_shift_takes_the_line_along() -> None:
    board = chess.Board("8/2k5/8/8/8/8/1P2K3/8 w - - 0 1")
    placed = Shift(files=2, ranks=1).of_line(board, [chess.Move.from_uci("b2b3")])
    assert placed is not None
    assert (placed[0].fen(), placed[1][0].uci()) == ("4k3/8/8/8/8/3P2K1/8/8 w - - 0 1", "d3d4")


def test_promotions_and_captures_in_passing_are_mirrored() -> None:
    board = chess.Board("7k/P7/8/3pP3/8/8/8/4K3 w - d6 0 1")
    placed = Shift(mirrored=True).of_line(board, [chess.Move.from_uci("a7a8q")])
    assert placed is not None
    assert (placed[0].fen(), placed[1][0].uci()) == ("k7/7P/8/3Pp3/8/8/8/3K4 w - e6 0 1", "h7h8q")


@pytest.mark.parametrize(
    ("fen", "move", "place"),
    [
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", "a1a2", Shift(files=1)),
        ("8/8/2k5/8/8/8/8/2K5 w - - 0 1", "c1c2", Shift(ranks=-1)),
        # No piece, but the move would leave the board.
        ("8/8/2k5/8/8/8/2K4R/8 w - - 0 1", "h2h1", Shift(ranks=-1)),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h7", Shift(mirrored=True)),
    ],
)
def test_what_does_not_fit(fen: str, move: str, place: Shift) -> None:
    assert place.of_line(chess.Board(fen), [chess.Move.from_uci(move)]) is None


def test_sideways_and_far_comes_first() -> None:
    places = shifts(mirrored=False, shifted=True)
    assert {abs(place.files) for place in places[:2]} == {7}
    assert [place.ranks for place in places[:14]] == [0] * 14
    assert UNMOVED not in places


def test_mirrored_alone_is_one_place() -> None:
    assert shifts(mirrored=True, shifted=False) == [Shift(mirrored=True)]
