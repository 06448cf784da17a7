from __future__ import annotations

from pathlib import Path

import chess
import pytest

from db.puzzles import find_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format
from tests.helpers.puzzle_files import BOARD, MATE, SKEWER, exported, load, stored


def test_epd_with_a_best_move_or_a_line(store: Store, tmp_path: Path) -> None:
    text = f'{MATE} bm Rb8#; id "one";\n{SKEWER} pv Ra8+ Kd7 Rxh8;\n'
    load(store, tmp_path, "puzzles.epd", text)
    assert stored(store) == [("", "b1b8", "epd", "one"), ("", "a1a8 e8d7 a8h8", "epd", "")]


def test_several_best_moves_are_an_exercise(sqlite_store: Store, tmp_path: Path) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{MATE} bm Rd1 Rb8#; pv Rb8#;\n{MATE} bm Ra1 Rd1;\n")
    with sqlite_store.reading() as session:
        exercises = [(p.kind, p.solution, p.accepted) for p in find_puzzles(session)]
    assert exercises == [("exercise", "b1b8", "b1b8 b1d1"), ("exercise", "b1a1", "b1a1 b1d1")]


def test_a_reply_at_the_end_is_left_out(sqlite_store: Store, tmp_path: Path) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{SKEWER} pv Ra8+ Kd7;\n")
    assert stored(sqlite_store)[0][1] == "a1a8"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{MATE} bm Rb9;", "not EPD"),
        (f"{MATE} id 4;", "no solution"),
        ("6k1/5ppp/8/8/8/8/5PPP/1R4R1 w - - bm Rb8;", "illegal position"),
        ("what is this", "not a FEN"),
    ],
)
def test_a_broken_line_is_named(sqlite_store: Store, tmp_path: Path, line: str, said: str) -> None:
    report, lines = load(sqlite_store, tmp_path, "puzzles.epd", f"{line}\n{MATE} bm Rb8;\n")
    assert report.stored == 1
    assert "line 1" in lines[0]
    assert said in lines[0]


def test_epd_is_read_by_chess_programs(filled: Store, tmp_path: Path) -> None:
    board, operations = chess.Board.from_epd(exported(filled, tmp_path, Format.EPD).splitlines()[0])
    assert board.epd() == BOARD.epd()
    assert operations["bm"] == [chess.Move.from_uci("b1b8")]
    assert operations["id"] == "whole"
