"""Packed files: writing, finding positions, real games, and what becomes of damage."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given, settings

from chess_motif.errors import PackedFileError
from db.packed.file import (
    BLOCK_POSITIONS,
    HEADER_BYTES,
    VERSION,
    PackedFile,
    read_header,
    read_index,
    write_index,
    write_packed,
)
from db.packed.position import after_captures, identity, material_key
from db.packed.verdicts import PackedEntry, Verdict
from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import usable_games
from puzzlegen.games.split import split_games
from tests.db.packed.test_block import GAME
from tests.helpers.random_games import games

QUICK = Verdict(0, "Fish", 10_000, 1, None, "31 e2e4 e7e5")
SLOW = Verdict(0, "Fish", 200_000, 2, None, "28 e2e4 e7e5;25 d2d4")
DEEP = Verdict(0, "Fish", 200_000, 2, 12, "#3 e2e4")

# How many games of moves from the first position on, so that there are several blocks.
GAMES = 30

# Real games whose positions are written.
REAL_GAMES = 60


def many_positions() -> list[chess.Board]:
    """Return different positions of several materials, enough for several blocks."""
    boards = {}
    for number in range(GAMES):
        board = chess.Board()
        for ply in range(40):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[(number * 7 + ply * ply) % len(moves)])
            boards[board.epd()] = board.copy(stack=False)
    return list(boards.values())


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "many.pos"
    write_packed(path, [PackedEntry(board, [QUICK]) for board in many_positions()], workers=1)
    return path


@pytest.fixture
def file(written: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    copy = tmp_path / "copy.pos"
    copy.write_bytes(written.read_bytes())
    return copy


def flipped(data: bytes, place: int) -> bytes:
    damaged = bytearray(data)
    damaged[place] ^= 1
    return bytes(damaged)


@settings(max_examples=20)
@given(boards=games())
def test_what_is_written_is_found(
    tmp_path_factory: pytest.TempPathFactory, boards: list[chess.Board]
) -> None:
    path = tmp_path_factory.mktemp("packed") / "game.pos"
    header = write_packed(path, [PackedEntry(board, []) for board in boards], workers=1)
    assert header.positions == len({board.epd() for board in boards})
    with PackedFile(path) as packed:
        assert all((found := packed.get(board)) and found.board.epd() == board.epd() for board in boards)


def test_every_position_is_in_the_file_once(written: Path) -> None:
    with PackedFile(written) as packed:
        read = [entry.board.epd() for entry in packed.entries()]
        assert packed.header.blocks > 3
    assert sorted(read) == sorted(board.epd() for board in many_positions())


def test_positions_have_no_move_counters(written: Path) -> None:
    with PackedFile(written) as packed:
        boards = [entry.board for entry in packed.entries()]
    assert {(board.halfmove_clock, board.fullmove_number) for board in boards} == {(0, 1)}


def test_a_position_that_is_not_there_is_not_found(written: Path) -> None:
    with PackedFile(written) as packed:
        assert packed.get(chess.Board("8/8/8/8/8/8/8/K1k5 w - - 0 1")) is None
        assert packed.get(chess.Board("qqqqkqqq/8/8/8/8/8/8/K7 w - - 0 1")) is None


@pytest.mark.parametrize("captures", [0, 1, 2])
def test_near_finds_all_positions_of_a_material_and_after_captures(written: Path, captures: int) -> None:
    boards = many_positions()
    wanted = set(after_captures(material_key(boards[100]), captures))
    expected = {board.epd() for board in boards if material_key(board) in wanted}
    with PackedFile(written) as packed:
        near = [entry.board for entry in packed.near(boards[100], captures)]
    assert sorted(board.epd() for board in near) == sorted(expected)
    assert [chess.popcount(board.occupied) for board in near] == sorted(
        (chess.popcount(board.occupied) for board in near), reverse=True
    )


def test_verdicts_stay_with_their_position(tmp_path: Path) -> None:
    board = chess.Board()
    entries = []
    for number, move in enumerate(GAME.split()):
        board.push_san(move)
        verdicts = [Verdict(number, "Fish", 10_000, 1, None, str(number))] * (number % 2)
        entries.append(PackedEntry(board.copy(stack=False), verdicts))
    write_packed(tmp_path / "game.pos", entries, workers=1)
    with PackedFile(tmp_path / "game.pos") as packed:
        found = {identity(entry.board): entry.verdicts for entry in packed.entries()}
    assert found == {identity(entry.board): entry.verdicts for entry in entries}


def test_verdicts_on_a_position_that_comes_again_are_added(tmp_path: Path) -> None:
    board = chess.Board()
    other = QUICK._replace(found="99 a2a4")
    entries = [
        PackedEntry(board, [SLOW]),
        PackedEntry(board, [QUICK, DEEP]),
        PackedEntry(board, [SLOW]),
        PackedEntry(board, [other]),
    ]
    assert write_packed(tmp_path / "one.pos", entries, workers=1)[1:3] == (1, 3)
    with PackedFile(tmp_path / "one.pos") as packed:
        found = packed.get(board)
    assert found is not None
    assert sorted(found.verdicts, key=str) == sorted([QUICK, SLOW, DEEP], key=str)


def test_the_same_positions_in_another_order_make_the_same_file(written: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pos"
    write_packed(again, [PackedEntry(board, [QUICK]) for board in reversed(many_positions())], workers=2)
    assert again.read_bytes() == written.read_bytes()


def test_what_fails_on_the_way_leaves_the_old_file(file: Path) -> None:
    before = file.read_bytes()

    def broken() -> object:
        yield PackedEntry(chess.Board(), [])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_packed(file, broken(), workers=1)  # type: ignore[arg-type]
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PackedFileError, match=r"nowhere.*cannot be written: no such file"):
        write_packed(tmp_path / "nowhere" / "x.pos", [PackedEntry(chess.Board(), [])], workers=1)


def test_a_bad_block_loses_that_block_alone(file: Path) -> None:
    with PackedFile(file) as packed:
        slot = packed.slots[1]
    file.write_bytes(flipped(file.read_bytes(), slot.at + 5))
    with PackedFile(file) as packed:
        damage: list[str] = []
        left = list(packed.entries(damage.append))
        assert len(left) == packed.header.positions - slot.number
        lost = f"bytes {slot.at:,} to {slot.end:,}, where {BLOCK_POSITIONS} positions were"
        assert damage == packed.damage() == [f"{file}: damaged at {lost}"]
        with pytest.raises(PackedFileError, match="damaged at bytes"):
            list(packed.entries())


def test_a_number_that_is_too_large_to_be_sorted_is_one_line(tmp_path: Path) -> None:
    entry = PackedEntry(chess.Board(), [QUICK._replace(nodes=2**63)])
    with pytest.raises(PackedFileError, match=r"cannot be written: .* too large"):
        write_packed(tmp_path / "x.pos", [entry], workers=1)
    assert [*tmp_path.iterdir()] == []


def test_a_disk_without_room_for_sorting_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("db.packed.file._sorted", full)
    with pytest.raises(PackedFileError, match="cannot be written: database or disk is full"):
        write_packed(tmp_path / "x.pos", [PackedEntry(chess.Board(), [])], workers=1)
    assert [*tmp_path.iterdir()] == []


def resealed(data: bytes, index: bytes | None = None, **fields: Any) -> bytes:
    """Return a file with another index or other fields of the header, and the checksums that fit."""
    header = read_header(data, len(data))
    index = data[header.index_at :] if index is None else index
    other = header._replace(index_bytes=len(index), index_checksum=zlib.crc32(index))._replace(**fields)
    return other.written() + data[HEADER_BYTES : header.index_at] + index


def with_first_slot(data: bytes, **fields: Any) -> bytes:
    header = read_header(data, len(data))
    first, *others = read_index(data[header.index_at :], header)
    return resealed(data, write_index([first._replace(**fields), *others]))


IN_INDEX = r"damaged in its index \(bytes"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-1], r"cut off after [\d,]+ of [\d,]+ bytes$"),
        (lambda data: data[:HEADER_BYTES], rf"cut off after {HEADER_BYTES} of [\d,]+ bytes$"),
        (lambda data: data[: HEADER_BYTES - 1], r"cut off after \d+ bytes, in its header"),
        (lambda data: data + b"\0", "has 1 byte too many"),
        (lambda data: flipped(data, 8), f"has version {VERSION ^ 1} of the format"),
        (lambda data: flipped(data, 20), r"damaged in its header \(bytes"),
        (lambda data: flipped(data, -3), IN_INDEX),
        (lambda data: resealed(data, models=bytes(8)), "was written with other models"),
        (lambda data: resealed(data, b""), IN_INDEX),
        (lambda data: resealed(data, blocks=2**31), IN_INDEX),
        (lambda data: with_first_slot(data, position_bytes=2**32 - 1), IN_INDEX),
        (lambda data: with_first_slot(data, number=2**32 - 1), IN_INDEX),
        (lambda data: with_first_slot(data, number=0), IN_INDEX),
        (lambda data: b"x", "not a file of packed positions"),
        (lambda data: b"1. e4 e5 *\n" * 50, "not a file of packed positions"),
        (lambda data: b"", "is empty"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(file: Path, change: Callable[[bytes], bytes], said: str) -> None:
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(PackedFileError, match=rf"copy\.pos: {said}"):
        PackedFile(file)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(PackedFileError, match="cannot be read: no such file"):
        PackedFile(tmp_path / "nothing.pos")
    with pytest.raises(PackedFileError, match="cannot be read: is a directory"):
        PackedFile(tmp_path)


@pytest.mark.parametrize("name", ["otb_games.pgn.zst", "lichess_games_eval.pgn.zst"])
def test_every_position_of_real_games_comes_back(name: str, data: Path, tmp_path: Path) -> None:
    boards: dict[str, chess.Board] = {}
    with open_archive(str(data / name)) as archive:
        for game in islice(usable_games(split_games(archive.chunks())), REAL_GAMES):
            boards |= {board.epd(): board for board in game.positions()}
    header = write_packed(tmp_path / "games.pos", (PackedEntry(board, []) for board in boards.values()))
    with PackedFile(tmp_path / "games.pos") as packed:
        assert {entry.board.epd() for entry in packed.entries()} == set(boards)
    assert header.positions == len(boards)
