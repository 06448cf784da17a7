"""Simplified puzzles: which pieces go, and where the rest may be moved."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import InputError
from db.store import Store
from engines.engine import Engine
from puzzlegen.upkeep.simplify import (
    CONFIRM_NODES,
    NODES,
    UNMOVED,
    Shift,
    SimplifiedPuzzle,
    move_elsewhere,
    parent_of,
    remove_pieces,
    shifts,
    simplify,
    stored_version,
)
from tests.helpers.agreeing_engine import AgreeingEngine
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

# Ra8+ goes through the king to the queen; the pawn on h3 looks on.
SKEWER = "4k2q/8/8/8/8/8/8/R3K3 w - - 0 1"
WATCHED = "4k2q/8/8/8/8/7p/8/R3K3 w - - 0 1"
LINE = ["a1a8", "e8d7", "a8h8"]


def line(moves: list[str]) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


def names(version: SimplifiedPuzzle) -> list[str]:
    return list(version.as_dict()["removed"])


def skewer_said(fen: str = SKEWER, **changed: Opinion) -> dict[str, Opinion]:
    """What the engine says of the skewer, without the pawn or with it."""
    first: Opinion = {"a1a8": 700, "e1e2": -900}
    reply: Opinion = {"e8e7": -690, "e8d7": -700}
    last: Opinion = {"a8h8": 700, "a8a7": -900}
    end: Opinion = {"d7e7": -700}
    return {
        fen: changed.get("first", first),
        after(fen, *LINE[:1]): changed.get("reply", reply),
        after(fen, *LINE[:2]): changed.get("last", last),
        after(fen, *LINE): changed.get("end", end),
    }


def skewer_without(
    said: dict[str, Opinion], by_nodes: dict[int, dict[str, Opinion]] | None = None
) -> list[str]:
    return names(remove_pieces(chess.Board(WATCHED), line(LINE), ScriptedEngine(said, by_nodes)))


@pytest.mark.parametrize(
    ("said", "removed"),
    [
        pytest.param(skewer_said(), ["ph3"], id="the line does not need it"),
        pytest.param(skewer_said(first={"e1e2": 900, "a1a8": 700}), [], id="another first move is best"),
        pytest.param(skewer_said(first={"a1a8": 50, "e1e2": -900}), [], id="the first move does not win"),
        pytest.param(skewer_said(first={"a1a8": 700, "e1e2": 500}), [], id="another first move wins"),
        pytest.param(skewer_said(last={"a8h8": 700, "a8a7": 500}), [], id="another last move wins"),
        pytest.param(skewer_said(reply={"e8e7": 0, "e8d7": -700}), [], id="another reply holds"),
        # Whatever the engine sees after it.
        pytest.param(skewer_said(reply={"e8d7": -100, "e8e7": -700}), ["ph3"], id="the reply is the best"),
        pytest.param(skewer_said(end={"d7e7": 0}), [], id="the end is not won"),
    ],
)
def test_a_piece_without_which_the_line_holds_goes(said: dict[str, Opinion], removed: list[str]) -> None:
    assert skewer_without(said) == removed


def test_a_piece_comes_back_when_more_nodes_see_another_win() -> None:
    assert skewer_without(skewer_said(), {CONFIRM_NODES: {SKEWER: {"a1a8": 700, "e1e2": 500}}}) == []


def test_a_puzzle_that_takes_many_nodes_gets_them() -> None:
    blind: dict[str, Opinion] = {fen: {"a1a8": 0, "e1e2": 0} for fen in (WATCHED, SKEWER)}
    assert skewer_without(skewer_said() | skewer_said(WATCHED), {NODES: blind}) == ["ph3"]
    assert skewer_without(skewer_said(), {NODES: blind}) == []


@pytest.mark.parametrize(("longest", "removed"), [("#-1", ["Pa2"]), ("#-4", [])])
def test_a_reply_that_is_mated_sooner_is_no_defence(longest: str, removed: list[str]) -> None:
    fen, moves = "6k1/8/8/R7/1R6/8/8/6K1 w - - 0 1", ["b4b7", "g8f8", "a5a8"]
    said: dict[str, Opinion] = {
        fen: {"b4b7": "#2", "g1f1": -900},
        after(fen, "b4b7"): {"g8h8": longest, "g8f8": "#-1"},
        after(fen, "b4b7", "g8f8"): {"a5a8": "#1", "b7b8": "#1"},
    }
    full = chess.Board(fen)
    full.set_piece_at(chess.A2, chess.Piece.from_symbol("P"))
    assert names(remove_pieces(full, line(moves), ScriptedEngine(said))) == removed


def stripped(fen: str, moves: str) -> SimplifiedPuzzle:
    """Take off all that the rules of chess let go."""
    board = chess.Board(fen)
    return remove_pieces(board, line(moves.split()), AgreeingEngine(board, line(moves.split())))


@pytest.mark.parametrize(
    ("fen", "moves", "left"),
    [
        # Kings stay, and what moves or is captured, also in passing.
        ("4k2q/1pp5/2n5/8/8/7p/1PP5/R3K2N w - - 0 1", "a1a8 e8d7 a8h8", SKEWER),
        (
            "4k3/8/8/3pP3/8/7P/6n1/7K w - d6 0 1",
            "e5d6 e8d7 h1g2",
            "4k3/8/8/3pP3/8/8/6n1/7K w - d6 0 1",
        ),
        # A pawn goes that could be captured in passing if there were another.
        ("4k2q/8/8/6p1/8/8/8/R3K3 w - g6 0 1", "a1a8 e8d7 a8h8", SKEWER),
        # What mates goes on to mate: without a pawn the line still wins a rook.
        ("3r2k1/1p3ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", "3r2k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1"),
        # Castling in the line stays possible, and no other.
        ("5k2/8/8/5n2/8/8/8/R3K2R w KQ - 0 1", "e1g1 f8g8 f1f5", "5k2/8/8/5n2/8/8/8/4K2R w K - 0 1"),
        # The counters of the game are gone.
        ("4k2q/8/8/8/8/8/8/R3K3 w - - 17 43", "a1a8 e8d7 a8h8", SKEWER),
    ],
)
def test_what_the_rules_of_chess_let_go(fen: str, moves: str, left: str) -> None:
    assert stripped(fen, moves).board.fen() == left


@pytest.mark.parametrize(
    ("fen", "moves", "removed"),
    [
        # The farthest goes first.
        ("4k2q/8/8/8/4p3/8/1P3n2/R3K3 w - - 0 1", "a1a8 e8d7 a8h8", ["nf2", "pe4", "Pb2"]),
        # A piece stays between a rook and the king of the side that is not to move.
        ("4k3/8/8/4n3/8/8/K7/4R2q w - - 0 1", "e1h1", []),
        # The pawn on d3 keeps the bishop from giving check, after which Rxh8 is no legal move.
        ("4k2q/8/8/3b4/8/3P4/8/R4K1R w - - 0 1", "h1h8", ["Ra1", "Pd3", "bd5"]),
    ],
)
def test_which_pieces_go(fen: str, moves: str, removed: list[str]) -> None:
    assert names(stripped(fen, moves)) == removed


def test_castling_goes_where_the_line_has_none() -> None:
    version = stripped("r3k2r/8/8/3q4/8/8/8/R3K2R w KQkq - 0 1", "a1a8 d5d8 a8d8")
    assert version.board.castling_rights == chess.BB_EMPTY


def moved(fen: str, moves: str, *, mirrored: bool = False, shifted: bool = False) -> SimplifiedPuzzle:
    """Put a version wherever the rules of chess let it."""
    version = SimplifiedPuzzle(chess.Board(fen), line(moves.split()))
    places = shifts(mirrored=mirrored, shifted=shifted)
    said: dict[str, Opinion] = {}
    for board, placed in filter(None, (place.of_line(version.board, version.moves) for place in places)):
        for move in placed:
            said[board.fen()] = {move.uci(): 700 if board.turn == version.board.turn else -700}
            board.push(move)
        said[board.fen()] = {move.uci(): -700 for move in board.legal_moves}
    return move_elsewhere(version, places, ScriptedEngine(said))


def test_a_mirrored_version() -> None:
    version = moved(SKEWER, "a1a8 e8d7 a8h8", mirrored=True)
    assert version.board.fen() == "q2k4/8/8/8/8/8/8/3K3R w - - 0 1"
    assert version.moves == line(["h1h8", "d8e7", "h8a8"])
    assert version.shift == Shift(mirrored=True)


def test_a_version_with_room_beside_it_is_shifted_sideways() -> None:
    version = moved("6k1/5ppp/8/8/8/8/8/2R3K1 w - - 0 1", "c1c8", shifted=True)
    assert version.board.fen() == "4k3/3ppp2/8/8/8/8/8/R3K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        # Below the king there would be room.
        ("6k1/5ppp/8/8/8/8/R7/6K1 w - - 0 1", "a2a8"),
        ("8/P6k/8/8/8/8/2K5/8 w - - 0 1", "a7a8q"),
    ],
)
def test_mates_and_promotions_are_not_shifted_off_the_last_rank(fen: str, move: str) -> None:
    assert moved(fen, move, shifted=True).shift == UNMOVED


@pytest.mark.parametrize("nodes", [NODES, CONFIRM_NODES])
def test_where_the_line_does_not_hold_another_place_is_taken(nodes: int) -> None:
    version = SimplifiedPuzzle(chess.Board("8/8/3k2q1/8/8/8/8/3K2R1 w - - 0 1"), line(["g1g6"]))
    right, left = "8/8/4k2q/8/8/8/8/4K2R w - - 0 1", "8/8/2k2q2/8/8/8/8/2K2R2 w - - 0 1"
    said = ScriptedEngine(
        {
            right: {"h1h6": 700, "e1e2": -900},
            after(right, "h1h6"): {"e6e5": -700},
            left: {"f1f6": 700, "c1c2": -900},
            after(left, "f1f6"): {"c6c5": -700},
        },
        {nodes: {right: {"h1h6": 700, "e1e2": 700}}},
    )
    places = [Shift(files=1), Shift(files=-1)]
    assert move_elsewhere(version, places, said).shift == Shift(files=-1)
    assert move_elsewhere(version, places[:1], said) == version


# The queens, knights and pawns on the queen's side have no part in 1. Qe8+ Rxe8 2. Rxe8#.
BACK_RANK = "3r2k1/pp3ppp/1q6/n7/8/2N5/PP2QPPP/4R1K1 w - - 4 20"


def test_stockfish_needs_the_pawns_before_the_king(stockfish: str) -> None:
    (version,) = simplify(chess.Board(BACK_RANK), line(["e2e8", "d8e8", "e1e8"]), stockfish)
    assert {"Nc3", "na5", "Pa2", "pa7"} <= set(names(version))
    assert all(version.board.piece_at(square) for square in (chess.F7, chess.G7, chess.H7))


def test_each_version_is_tried_for_itself(stockfish: str) -> None:
    board, moves = chess.Board(BACK_RANK), line(["e2e8", "d8e8", "e1e8"])
    simple, mirrored, shifted = simplify(board, moves, stockfish, mirror=True, shift=True)
    assert simple.moves == moves
    assert mirrored.moves == line(["d2d8", "e8d8", "d1d8"])
    assert all(mirrored.board.piece_at(square) for square in (chess.A7, chess.B7, chess.C7))
    assert (shifted.shift.mirrored, shifted.shift.shifted) == (False, True)


def test_a_version_that_does_not_hold_is_left_out(stockfish: str) -> None:
    # The board is full from left to right, and the mate is on the back rank.
    board = chess.Board("k7/pp5q/8/8/8/8/6PP/3R2K1 w - - 0 1")
    versions = simplify(board, line(["d1d8"]), stockfish, mirror=True, shift=True)
    assert [version.name for version in versions] == ["simplified", "mirrored"]


def test_stockfish_leaves_a_line_that_is_not_the_only_one(stockfish: str) -> None:
    # With queen and rook against a bare king everything wins.
    board = chess.Board("4k3/8/8/8/8/8/7Q/R3K3 w - - 0 1")
    with Engine(stockfish) as engine:
        assert remove_pieces(board, line(["a1a7"]), engine).removed == ()


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
def test_mirrored_there_are_the_same_moves(board: chess.Board) -> None:
    moves = list(board.legal_moves)
    placed = Shift(mirrored=True).of_line(board, moves)
    assert placed is not None
    assert set(placed[1]) == set(placed[0].legal_moves)
    assert put(Shift(mirrored=True), placed[0]) == board


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


@pytest.mark.parametrize(
    ("fen", "move", "shift", "placed"),
    [
        (
            "8/2k5/8/8/8/8/1P2K3/8 w - - 0 1",
            "b2b3",
            Shift(files=2, ranks=1),
            ("4k3/8/8/8/8/3P2K1/8/8 w - - 0 1", "d3d4"),
        ),
        # A promotion, where a capture in passing is possible.
        (
            "7k/P7/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "a7a8q",
            Shift(mirrored=True),
            ("k7/7P/8/3Pp3/8/8/8/3K4 w - e6 0 1", "h7h8q"),
        ),
    ],
)
def test_a_shift_takes_the_line_along(fen: str, move: str, shift: Shift, placed: tuple[str, str]) -> None:
    found = shift.of_line(chess.Board(fen), [chess.Move.from_uci(move)])
    assert found is not None
    assert (found[0].fen(), found[1][0].uci()) == placed


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


def test_a_version_is_stored_with_its_parent(sqlite_store: Store) -> None:
    parent = parent_of(BACK_RANK, "Qe8+ Rxe8 Rxe8#", sqlite_store)
    version = SimplifiedPuzzle(chess.Board(BACK_RANK), tuple(parent.moves()), shift=Shift(mirrored=True))
    stored = stored_version(version, parent)
    assert (stored.source, stored.source_id) == ("simplified", f"{parent.id}-mirrored")
    assert "backRankMate" in stored.tags


def test_moves_are_for_a_position_only(sqlite_store: Store) -> None:
    with pytest.raises(InputError, match="for a FEN only"):
        parent_of("abcdefgh", "Qe8+", sqlite_store)


def test_a_position_without_an_only_line(sqlite_store: Store, stockfish: str) -> None:
    with pytest.raises(InputError, match="there is no unique winning line"):
        parent_of(chess.STARTING_FEN, None, sqlite_store, stockfish)


def test_the_only_line_of_a_position_is_found(sqlite_store: Store, stockfish: str) -> None:
    assert parent_of(BACK_RANK, None, sqlite_store, stockfish).moves() == list(line(["e2e8", "d8e8", "e1e8"]))
