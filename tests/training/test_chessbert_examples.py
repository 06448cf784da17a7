"""The examples that ChessBERT learns from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import pytest

from motifsearch.retrieval.chessbert import CONTEXTS, Context, move_tokens, tokens_of
from tests.helpers.sample_games import RUY_LOPEZ, SICILIAN, pgn
from training import chessbert_examples as examples
from training.chessbert_examples import Position, make_examples, positions_of

E4, D4, E5 = (chess.Move.from_uci(move) for move in ("e2e4", "d2d4", "e7e5"))
AFTER_E4 = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")

# Keys of games: the first is for the test.
POSITIONS = [Position(chess.Board(), E4, "00a1"), Position(AFTER_E4, E5, "ffa1")]


def one_for_the_first(positions: Sequence[Position], count: int) -> list[list[Context]]:
    return [[Context(chess.Board(), D4)], *([] for _ in positions[1:])]


def made(folder: Path) -> dict[str, np.ndarray]:
    make_examples(folder / "examples.npz", POSITIONS, one_for_the_first)
    with np.load(folder / "examples.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_tokens_of_each_example(tmp_path: Path) -> None:
    arrays = made(tmp_path)
    first, second = np.split(arrays["tokens"], arrays["token_ends"][:-1])
    assert first.tolist() == tokens_of(chess.Board(), [Context(chess.Board(), D4)]).tolist()
    assert second.tolist() == tokens_of(AFTER_E4, []).tolist()


def test_the_tokens_of_the_query_are_counted(tmp_path: Path) -> None:
    assert made(tmp_path)["query_tokens"].tolist() == [32, 32]


def test_the_move_that_was_played_is_the_first(tmp_path: Path) -> None:
    arrays = made(tmp_path)
    firsts = [moves[:1].tolist() for moves in np.split(arrays["moves"], arrays["move_ends"][:-1])]
    assert firsts == [move_tokens(board, [move]).tolist() for board, move, _ in POSITIONS]


def test_every_legal_move_is_there_once(tmp_path: Path) -> None:
    arrays = made(tmp_path)
    every = np.split(arrays["moves"], arrays["move_ends"][:-1])
    sizes = [len({tuple(move) for move in moves.tolist()}) for moves in every]
    assert sizes == [20, 20]


def test_whole_games_are_for_the_test(tmp_path: Path) -> None:
    assert made(tmp_path)["test"].tolist() == [True, False]


def test_neighbours_are_asked_for_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def none(positions: Sequence[Position], count: int) -> list[list[Context]]:
        asked.append((len(positions), count))
        return [[] for _ in positions]

    monkeypatch.setattr(examples, "POSITIONS_AT_ONCE", 2)
    assert make_examples(tmp_path / "examples.npz", POSITIONS[:1] * 3, none) == 3
    assert asked == [(2, CONTEXTS), (1, CONTEXTS)]


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # No other processes.
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    file = tmp_path / "games.pgn"
    strong = {"WhiteElo": "2600", "BlackElo": "2000"}
    file.write_text(
        "\n\n".join([pgn(RUY_LOPEZ, **strong), pgn("1. e5"), pgn("1. e4"), pgn(SICILIAN, **strong)])
    )
    return file


def test_so_many_positions_of_each_game(archive: Path) -> None:
    games = [position.game for position in positions_of(archive)]
    assert [games.count(game) for game in dict.fromkeys(games)] == 2 * [examples.POSITIONS_OF_A_GAME]


def test_the_moves_of_positions_are_legal(archive: Path) -> None:
    assert all(position.board.is_legal(position.move) for position in positions_of(archive))


def test_the_sample_is_always_the_same(archive: Path) -> None:
    first, second = ([(p.board.fen(), p.move) for p in positions_of(archive)] for _ in range(2))
    assert first == second
