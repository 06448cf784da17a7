"""The parts of a memory: what is kept of the positions of games."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest
from hypothesis import given

from db.games import GameRecord
from motifsearch.retrieval.folder import (
    UNKNOWN,
    MemoryPart,
    decode_move,
    embed_games,
    encode_move,
    key_of,
    load_parts,
)
from motifsearch.retrieval.memory import Memory
from tests.helpers.random_games import games

WON_BY_BLACK = GameRecord(7, "", "f2f3 e7e5 g2g4 d8h4", "0-1", 1200, None)
EMPTY = GameRecord(9, "", "", "*", None, None)


@given(games())
def test_moves_survive_encoding(positions: list[chess.Board]) -> None:
    board = positions[-1]
    for move in board.legal_moves:
        assert decode_move(encode_move(move, board.turn), board.turn) == move


@given(games())
def test_a_move_is_encoded_as_its_reverse(positions: list[chess.Board]) -> None:
    board = positions[-1]
    encoded = {encode_move(move, board.turn) for move in board.legal_moves}
    mirror = board.mirror()
    assert encoded == {encode_move(move, mirror.turn) for move in mirror.legal_moves}


@given(games())
def test_reversed_positions_share_their_key(positions: list[chess.Board]) -> None:
    assert key_of(positions[-1]) == key_of(positions[-1].mirror())


def test_castling_rights_change_the_key() -> None:
    with_rights, without = (chess.Board(f"4k3/8/8/8/8/8/8/4K2R w {rights} - 0 1") for rights in "K-")
    assert key_of(with_rights) != key_of(without)


@pytest.fixture
def part(memory: Memory) -> MemoryPart:
    return embed_games(memory.embedding, [WON_BY_BLACK, EMPTY])


def test_each_move_is_an_occurrence(part: MemoryPart) -> None:
    rows = part.occurrences
    assert [
        decode_move(move, white).uci() for move, white in zip(rows["move"], rows["white"], strict=True)
    ] == (WON_BY_BLACK.moves.split())


def test_points_are_those_of_the_player_to_move(part: MemoryPart) -> None:
    assert part.occurrences["points"].tolist() == [0, 2, 0, 2]


def test_ratings_are_those_of_the_player_to_move(part: MemoryPart) -> None:
    assert part.occurrences["elo"].tolist() == [1200, UNKNOWN, 1200, UNKNOWN]


def test_the_last_game_may_have_no_position(part: MemoryPart) -> None:
    assert part.last == EMPTY.number


def test_saved_parts_are_read_in_order(part: MemoryPart, tmp_path: Path) -> None:
    for last in (200, 30):
        MemoryPart(part.keys, part.vectors, part.occurrences, last).save(tmp_path)
    assert [read.last for read in load_parts(tmp_path)] == [30, 200]
