"""ChessBERT: positions and moves as tokens, its scores, and which network it opens."""

from __future__ import annotations

import math
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import ChessBertError
from motifsearch.retrieval.chessbert import (
    CONTEXTS,
    ChessBert,
    Context,
    load_chessbert,
    move_tokens,
    numbered_pieces,
    tokens_of,
)
from tests.helpers.chessbert_files import copying_network
from tests.helpers.random_games import games

PAWN_ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def numbered(fen: str) -> dict[str, int]:
    pieces = numbered_pieces(chess.Board(fen))
    return {chess.square_name(square): piece for square, piece in pieces.items()}


def moves_of(fen: str, *moves: str) -> list[tuple[str, int, str]]:
    rows = move_tokens(chess.Board(fen), map(chess.Move.from_uci, moves)).tolist()
    return [(chess.square_name(target), piece, chess.square_name(origin)) for target, piece, origin in rows]


def mirrored(context: Context) -> Context:
    move = context.move
    squares = chess.square_mirror(move.from_square), chess.square_mirror(move.to_square)
    return Context(context.board.mirror(), chess.Move(*squares, move.promotion))


def test_the_pieces_of_a_position() -> None:
    tokens = tokens_of(chess.Board(PAWN_ENDING), [])
    assert tokens.tolist() == [[chess.E2, 0, 0], [chess.E1, 15, 0], [chess.E8, 31, 0]]


def test_a_context_is_its_pieces_and_its_move() -> None:
    board = chess.Board(PAWN_ENDING)
    contexts = [Context(board, chess.Move.from_uci(move)) for move in ("e2e4", "e1d2")]
    assert tokens_of(board, contexts).tolist()[3:] == [
        *([chess.E2, 0, 2], [chess.E1, 15, 2], [chess.E8, 31, 2]),
        [chess.E4, 0, 3],
        *([chess.E2, 0, 4], [chess.E1, 15, 4], [chess.E8, 31, 4]),
        [chess.D2, 15, 5],
    ]


def test_pieces_of_a_kind_are_numbered_by_file_and_rank() -> None:
    assert numbered("8/8/k7/1P6/P3P3/1P6/8/K7 w - - 0 1") == {
        "a4": 0,
        "b3": 1,
        "b5": 2,
        "e4": 3,
        "a1": 15,
        "a6": 31,
    }


def test_every_piece_of_the_first_position() -> None:
    pieces = numbered(chess.STARTING_FEN)
    assert [pieces[f"{file}1"] for file in "abcdefgh"] == [8, 10, 12, 14, 15, 13, 11, 9]
    assert [pieces[f"{file}7"] for file in "abcdefgh"] == list(range(16, 24))


def test_promoted_pieces_share_the_last_number() -> None:
    assert numbered("k7/8/8/8/8/8/8/KNNNQQ2 w - - 0 1") == {
        "b1": 10,
        "c1": 11,
        "d1": 11,
        "e1": 14,
        "f1": 14,
        "a1": 15,
        "a8": 31,
    }


def test_a_move_is_where_it_goes_and_which_piece_moves() -> None:
    assert moves_of(chess.STARTING_FEN, "b1c3", "g1f3") == [("c3", 10, "b1"), ("f3", 11, "g1")]


def test_castling_is_a_move_of_the_king() -> None:
    assert moves_of("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", "e8c8") == [
        ("g1", 15, "e1"),
        ("c1", 15, "e1"),
    ]


def test_promotions_differ_by_the_new_piece() -> None:
    promotions = moves_of("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e7e8n", "e7e8b", "e7e8r", "e7e8q")
    assert [piece for _, piece, _ in promotions] == [32, 33, 34, 35]


def test_too_many_contexts_are_an_error() -> None:
    context = Context(chess.Board(), chess.Move.from_uci("e2e4"))
    with pytest.raises(ValueError, match="5 contexts, and 4 are the most"):
        tokens_of(chess.Board(), (CONTEXTS + 1) * [context])


@given(games(), st.data())
def test_colours_do_not_matter(boards: list[chess.Board], data: st.DataObject) -> None:
    movable = [Context(board, move) for board in boards for move in list(board.legal_moves)[:3]]
    contexts = data.draw(st.lists(st.sampled_from(movable), max_size=CONTEXTS))
    board = data.draw(st.sampled_from(boards))
    seen_reversed = tokens_of(board.mirror(), [mirrored(context) for context in contexts])
    assert tokens_of(board, contexts).tolist() == seen_reversed.tolist()


@given(games())
def test_no_two_legal_moves_are_the_same(boards: list[chess.Board]) -> None:
    rows = move_tokens(boards[-1], boards[-1].legal_moves).tolist()
    assert len({tuple(row) for row in rows}) == boards[-1].legal_moves.count()


COPYING = ChessBert(copying_network())
KINGS_PAWN = chess.Move.from_uci("e2e4")


def test_the_highest_score_is_the_first() -> None:
    scores = COPYING.scores(chess.Board(), [Context(chess.Board(), KINGS_PAWN)])
    assert next(iter(scores)) == KINGS_PAWN


def test_scores_are_a_softmax_of_the_logits() -> None:
    scores = COPYING.scores(chess.Board(), [Context(chess.Board(), KINGS_PAWN)])
    assert scores[KINGS_PAWN] == pytest.approx(math.e / (math.e + 19))


def test_without_contexts() -> None:
    assert list(COPYING.scores(chess.Board(), []).values()) == pytest.approx(20 * [1 / 20])


def test_a_finished_game_has_no_scores() -> None:
    assert COPYING.scores(chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), []) == {}


@given(games())
def test_legal_moves_have_scores(boards: list[chess.Board]) -> None:
    contexts = [Context(board, move) for board in boards for move in list(board.legal_moves)[:1]][:4]
    assert set(COPYING.scores(boards[-1], contexts)) == set(boards[-1].legal_moves)


def test_a_promotion_is_to_the_piece_of_the_context() -> None:
    board = chess.Board("8/4P1k1/8/8/8/8/8/K7 w - - 0 1")
    to_knight = chess.Move.from_uci("e7e8n")
    assert next(iter(COPYING.scores(board, [Context(board, to_knight)]))) == to_knight


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ChessBertError, match=r"network\.onnx: no such file or directory"):
        load_chessbert(tmp_path / "network.onnx")


@pytest.mark.parametrize("content", [b"[Event]", copying_network("policy")])
def test_another_file_is_an_error(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(content)
    with pytest.raises(ChessBertError) as caught:
        load_chessbert(file)
    assert str(caught.value).startswith(f"{file}: not a network for ChessBERT: ")


def test_a_network_with_another_output_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"its output has the shape \(1, 3\)"):
        ChessBert(copying_network(keepdims=1))


def test_a_file_too_large_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(copying_network())
    monkeypatch.setattr("engines.human.model.MOST_BYTES", 100)
    with pytest.raises(ChessBertError, match="it is too large"):
        load_chessbert(file)
