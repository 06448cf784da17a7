"""Reading positions and moves: what is wrong is said in words."""

from __future__ import annotations

from contextlib import suppress

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import PositionError
from chess_motif.notation import meant_moves, parse_line, parse_moves, parse_placement, parse_position
from tests.helpers.random_games import games


def test_move_counters_may_be_missing() -> None:
    assert parse_position("4k3/8/8/8/8/8/8/4K2R w K -").fen() == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "first or last rank"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en-passant"),
        ("4k3/8/8/8/8/8/8 w - - 0 1", "not a FEN"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 one", "not a FEN"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 10000", "a move counter is above 9,999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 10000 1", "a move counter is above 9,999"),
        (f"4k3/8/8/8/8/8/8/4K3 w - - 0 {'9' * 4300}", "not a FEN: it has 4,328 characters"),
    ],
)
def test_illegal_positions(fen: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        parse_position(fen)


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("e2e5", "the move e2e5 is not legal: the pawn on e2 cannot go to e5"),
        ("e3e4", "there is no piece on e3"),
        ("e7e5", "the piece on e7 is Black's, but White is to move"),
        ("e2e4 e7e5 d1h6", "the move d1h6 is not legal"),
        ("e2-e4", "'e2-e4' is not a move in UCI notation"),
        ("0000", "null move"),
        (" ", "at least one move"),
        ("g1f3 g8f6 f3g1 f6g8 " * 51, "204 plies"),
    ],
)
def test_illegal_moves(moves: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        parse_moves(chess.Board(), moves)


def test_a_move_that_leaves_the_king_in_check() -> None:
    with pytest.raises(PositionError, match="leaves the king in check"):
        parse_moves(chess.Board("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1"), "e2d3")


def test_every_reason_of_python_chess_has_words() -> None:
    from chess_motif.notation import _REASONS

    assert set(_REASONS) == set(chess.Status) - {chess.STATUS_VALID}


@pytest.mark.parametrize(
    "fen",
    [
        "r6r/3bkpp1/2n1p3/3pP2P/2pP1N2/2K2B2/2P2P2/R5R1 w KQkq - 0 1",
        "r6r/3bkpp1/2n1p3/3pP2P/2pP1N2/2K2B2/2P2P2/R5R1",
        "r6r/3bkpp1/2n1p3/3pP2P/2pP1N2/2K2B2/2P2P2/R5R1 w - e6 0 1",
    ],
)
def test_of_a_placement_only_the_pieces_matter(fen: str) -> None:
    board = parse_placement(fen)
    assert board.board_fen() == fen.split()[0]
    assert board.turn == chess.WHITE
    assert not board.castling_rights


def test_a_placement_has_the_turn_that_is_possible() -> None:
    assert parse_placement("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1").turn == chess.BLACK


@given(st.text(st.characters(blacklist_categories=())) | st.text("rnbqkpRNBQKP12345678/ w-KQkq0"))
def test_any_text_is_a_position_or_an_error(text: str) -> None:
    for parse in (parse_position, parse_placement):
        with suppress(PositionError):
            assert parse(text).is_valid()


@pytest.mark.parametrize(
    "fen",
    ["", "nonsense", "8/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/P3K3 w", "4k3/8/8", "3Rk3/8/8/8/8/8/4r3/4K3 w"],
)
def test_a_placement_that_cannot_be(fen: str) -> None:
    with pytest.raises(PositionError):
        parse_placement(fen)


LEGACY = "5r1k/6pp/7N/8/2Q5/8/5PPP/6K1 w - - 0 1"


@pytest.mark.parametrize(
    "text",
    [
        "c4g8 f8g8 h6f7",
        "Qg8+ Rxg8 Nf7#",
        "1. Qg8+!! Rxg8 2. Nf7#",
        "1.Qg8 1...Rxg8 2.h6f7",
        "Qg8 ... f8g8 Nf7",
    ],
)
def test_a_line_as_people_write_it(text: str) -> None:
    board = chess.Board(LEGACY)
    assert parse_line(board, text) == parse_moves(board, "c4g8 f8g8 h6f7")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Qg8 Kxg8", "Kxg8 is not legal"),
        ("c4g1", "cannot go to g1"),
        ("Qx", "SAN or UCI"),
        ("--", "null move"),
        ("1. ", "at least one move"),
        ("Qg8 Rxg8 Ng4g5", "Ng4g5 is not legal"),
    ],
)
def test_a_line_that_cannot_be_played(text: str, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        parse_line(chess.Board(LEGACY), text)


def test_an_ambiguous_move() -> None:
    with pytest.raises(PositionError, match="Nd2 is ambiguous"):
        parse_line(chess.Board("4k3/8/8/8/8/1N3N2/8/4K3 w - - 0 1"), "Nd2")


CASTLING = "r3k2r/1P6/8/8/1p1p4/2P1B3/8/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "meant"),
    [
        (chess.STARTING_FEN, "nf3", ["Nf3"]),
        (chess.STARTING_FEN, "G1F3", ["Nf3"]),
        (chess.STARTING_FEN, "1. e2-e4!", ["e4"]),
        (CASTLING, "0-0", ["O-O"]),
        (CASTLING, "o-o-o", ["O-O-O"]),
        (CASTLING, "bd4", ["Bxd4"]),
        (CASTLING, "cb4", ["cxb4"]),
        (CASTLING, "b8q", ["b8=Q+"]),
        (CASTLING, "b8", ["b8=Q+", "b8=R+", "b8=B", "b8=N"]),
        (CASTLING, "g1", ["Bg1", "Rg1"]),
        ("4k3/8/8/2p1p3/1P1B4/8/8/4K3 w - - 0 1", "bxc5", ["bxc5"]),
        ("4k3/8/8/2p1p3/1P1B4/8/8/4K3 w - - 0 1", "bc5", ["Bxc5", "bxc5"]),
        ("4k3/8/8/8/3N4/8/3N4/4K3 w - - 0 1", "nf3", ["N4f3", "N2f3"]),
    ],
)
def test_what_somebody_means(fen: str, text: str, meant: list[str]) -> None:
    board = chess.Board(fen)
    assert [board.san(move) for move in meant_moves(board, text)] == meant


@pytest.mark.parametrize(
    ("text", "why"), [("", "not a move"), ("e9", "not a move"), ("Qh5", "not legal"), ("e4 e5", "one move")]
)
def test_what_is_meant_by_no_move(text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        meant_moves(chess.Board(), text)


@given(games())
def test_each_move_is_meant_by_its_notations(boards: list[chess.Board]) -> None:
    board = boards[-1]
    notations = {board.san(move): move for move in board.legal_moves}
    for san, move in notations.items():
        assert meant_moves(board, san) == meant_moves(board, move.uci()) == [move]
        # `bxc5` is a pawn's move where there is one.
        assert notations.get(san.lower(), move) in meant_moves(board, san.lower())
