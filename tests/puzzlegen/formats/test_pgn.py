from __future__ import annotations

import io
from pathlib import Path

import chess.pgn

from db.store import Store
from puzzlegen.formats.exporting import Format
from tests.helpers.puzzle_files import BOARD, SKEWER, exported, load, stored


def test_pgn_with_set_up_positions(sqlite_store: Store, tmp_path: Path) -> None:
    text = (
        f'[Event "x"]\n[SetUp "1"]\n[FEN "{SKEWER} 0 1"]\n[PuzzleId "s1"]\n\n1. Ra8+ Kd7 2. Rxh8 *\n\n'
        '[Event "a whole game"]\n\n1. e4 e5 *\n'
    )
    report, lines = load(sqlite_store, tmp_path, "puzzles.pgn", text)
    assert stored(sqlite_store) == [("", "a1a8 e8d7 a8h8", "pgn", "s1")]
    assert report.skipped == 1
    assert "game 2: no set-up position" in lines[0]


def test_pgn_is_read_by_chess_programs(filled: Store, tmp_path: Path) -> None:
    game = chess.pgn.read_game(io.StringIO(exported(filled, tmp_path, Format.PGN)))
    assert game is not None
    assert game.errors == []
    assert game.board().epd() == BOARD.epd()
    assert [move.uci() for move in game.mainline_moves()] == ["b1b8"]
    assert game.headers["PuzzleId"] == "whole"


def test_pgn_has_what_is_known_of_the_game_but_not_its_result(filled: Store, tmp_path: Path) -> None:
    game = chess.pgn.read_game(io.StringIO(exported(filled, tmp_path, Format.PGN)))
    assert game is not None
    assert {name: game.headers[name] for name in ("Event", "Date", "ECO", "Result")} == {
        "Event": "Puzzle whole",
        "Date": "2024.01.02",
        "ECO": "C60",
        "Result": "*",
    }


def test_quotes_in_a_name_are_escaped_as_pgn_demands(filled: Store, tmp_path: Path) -> None:
    assert '[White "A \\"B\\" [C]"]' in exported(filled, tmp_path, Format.PGN)
