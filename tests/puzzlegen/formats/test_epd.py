from __future__ import annotations

from pathlib import Path

import chess
import pytest

from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format
from tests.helpers.puzzle_files import BOARD, MATE, SKEWER, exported, load, stored


def test_epd_with_a_best_move_or_a_line(store: Store, tmp_path: Path) -> None:
    text = f'{MATE} bm Rb8#; id "one";\n{SKEWER} pv Ra8+ Kd7 Rxh8;\n'
    load(store, tmp_path, "puzzles.epd", text)
    assert stored(store) == [("", "b1b8", "epd", "one"), ("", "a1a8 e8d7 a8h8", "epd", "")]


@pytest.mark.parametrize(
    ("operations", "kind", "solution", "accepted"),
    [
        ("bm Rd1 Rb8#; pv Rb8#;", "exercise", "b1b8", "b1b8 b1d1"),
        ("bm Ra1 Rd1;", "exercise", "b1a1", "b1a1 b1d1"),
        # One that is named twice.
        ("bm Rb8# Rb8;", "puzzle", "b1b8", ""),
    ],
)
def test_several_best_moves_are_an_exercise(
    sqlite_store: Store, tmp_path: Path, operations: str, kind: str, solution: str, accepted: str
) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{MATE} {operations}\n")
    with sqlite_store.reading() as session:
        (puzzle,) = find_puzzles(session, PuzzleFilter(kind=None))
    assert (puzzle.kind, puzzle.solution, puzzle.accepted) == (kind, solution, accepted)


@pytest.mark.parametrize("operand", ["001", "3.10", "1e3", "+7", "WAC 001", r"C:\new", '"a \\"b\\"; c"'])
def test_an_id_is_kept_as_written(sqlite_store: Store, tmp_path: Path, operand: str) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{MATE} bm Rb8#; id {operand};\n")
    name = 'a "b"; c' if operand.startswith('"') else operand
    assert stored(sqlite_store)[0][3] == name
    with Store(str(tmp_path / "again.db")) as again:
        load(again, tmp_path, "again.epd", exported(sqlite_store, tmp_path, Format.EPD))
        assert stored(again)[0][3] == name


CASTLING = "r3k2r/8/8/8/8/8/7P/R3K2R w KQkq -"


@pytest.mark.parametrize(
    ("line", "solution"),
    [
        # Castling is written with zeros or letters.
        (f"{CASTLING} bm 0-0;", "e1g1"),
        (f"{CASTLING} bm 0-0-0;", "e1c1"),
        (f"{CASTLING} bm O-O;", "e1g1"),
        (f"{CASTLING} pv 0-0 Ke7 Rfe1+;", "e1g1 e8e7 f1e1"),
        (f"{CASTLING} pv h3 0-0-0 0-0;", "h2h3 e8c8 e1g1"),
        # A reply at the end is left out.
        (f"{SKEWER} pv Ra8+ Kd7;", "a1a8"),
    ],
)
def test_the_moves_of_a_solution(sqlite_store: Store, tmp_path: Path, line: str, solution: str) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{line}\n")
    assert stored(sqlite_store)[0][1] == solution


def test_move_counters_are_operations(sqlite_store: Store, tmp_path: Path) -> None:
    load(sqlite_store, tmp_path, "puzzles.epd", f"{MATE} hmvc 3; fmvn 21; bm Rb8#;\n")
    with sqlite_store.reading() as session:
        assert [puzzle.puzzle_fen for puzzle in find_puzzles(session)] == [f"{MATE} 3 21"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{MATE} bm Rb9;", "not EPD"),
        (f"{MATE} id 4;", "no solution"),
        (f"{MATE} bm Rb8#; pv Rb7 Kf8;", "pv begins with Rb7, which is not in bm"),
        (f"{MATE} bm Rb8# Rd1; pv Rb7;", "pv begins with Rb7, which is not in bm"),
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
