from __future__ import annotations

import io
import json
from pathlib import Path

import chess
import chess.pgn
import pytest

from chess_motif.errors import InputError
from db.games import game_number
from db.puzzles import PuzzleFilter, add_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format, export_puzzles, format_of

BOARD = chess.Board("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 2")


@pytest.fixture
def filled(store: Store) -> Store:
    common = {
        "puzzle_fen": BOARD.fen(),
        "solution": "b1b8",
        "source": "mined",
        "rating": None,
    }
    with store.session() as session:
        played = {"key": "k", "white": 'A "B" [C]', "date": "2024.01.02", "eco": "C60", "result": "1-0"}
        game = game_number(session, played)
        add_puzzles(
            session,
            [
                common
                | {"id": "whole", "fen": "6k1/1r3ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", "blunder": "b7b1"}
                | {"game_number": game},
                common | {"id": "bare", "fen": BOARD.fen(), "blunder": "", "game_number": None},
            ],
        )
    return store


def exported(store: Store, tmp_path: Path, kind: Format) -> str:
    file = tmp_path / f"out.{kind.value}"
    export_puzzles(str(file), kind, store)
    return file.read_text()


def test_csv_leaves_out_what_has_no_move_before(filled: Store, tmp_path: Path) -> None:
    report = export_puzzles(f"{tmp_path}/out.csv", Format.CSV, filled)
    assert (report.written, report.left_out) == (1, 1)
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("whole,6k1/1r3ppp")


def test_jsonl_has_an_object_a_line(filled: Store, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in exported(filled, tmp_path, Format.JSONL).splitlines()]
    assert [line["id"] for line in lines] == ["whole", "bare"]
    assert [line["blunder"] for line in lines] == ["b7b1", None]
    assert lines[0]["solution"] == ["b1b8"]


def test_epd_is_read_by_chess_programs(filled: Store, tmp_path: Path) -> None:
    board, operations = chess.Board.from_epd(exported(filled, tmp_path, Format.EPD).splitlines()[0])
    assert board.epd() == BOARD.epd()
    assert operations["bm"] == [chess.Move.from_uci("b1b8")]
    assert operations["id"] == "whole"


def test_pgn_is_read_by_chess_programs(filled: Store, tmp_path: Path) -> None:
    game = chess.pgn.read_game(io.StringIO(exported(filled, tmp_path, Format.PGN)))
    assert game is not None
    assert game.errors == []
    assert game.board().epd() == BOARD.epd()
    assert [move.uci() for move in game.mainline_moves()] == ["b1b8"]
    assert game.headers["PuzzleId"] == "whole"


def test_quotes_in_a_name_are_escaped_as_pgn_demands(filled: Store, tmp_path: Path) -> None:
    assert '[White "A \\"B\\" [C]"]' in exported(filled, tmp_path, Format.PGN)


def test_pgn_has_what_is_known_of_the_game_but_not_its_result(filled: Store, tmp_path: Path) -> None:
    game = chess.pgn.read_game(io.StringIO(exported(filled, tmp_path, Format.PGN)))
    assert game is not None
    assert {name: game.headers[name] for name in ("Event", "Date", "ECO", "Result")} == {
        "Event": "Puzzle whole",
        "Date": "2024.01.02",
        "ECO": "C60",
        "Result": "*",
    }


def test_a_filter_applies(filled: Store, tmp_path: Path) -> None:
    report = export_puzzles(f"{tmp_path}/x.epd", Format.EPD, filled, PuzzleFilter(source="lichess"))
    assert report.written == 0


def test_a_failed_export_leaves_the_old_file(filled: Store, tmp_path: Path) -> None:
    file = tmp_path / "out.epd"
    file.write_text("old")
    with filled.session() as session:
        add_puzzles(
            session,
            [
                {
                    "id": "bad",
                    "fen": "x",
                    "puzzle_fen": "x",
                    "solution": "b1b8",
                    "source": "mined",
                    "blunder": "",
                }
            ],
        )
    with pytest.raises(ValueError, match="x"):
        export_puzzles(str(file), Format.EPD, filled)
    assert [path.name for path in tmp_path.iterdir() if "epd" in path.name] == ["out.epd"]
    assert file.read_text() == "old"


def test_a_folder_that_is_not_there(filled: Store) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        export_puzzles("/no/such/folder/out.epd", Format.EPD, filled)


@pytest.mark.parametrize("name", ["puzzles", "puzzles.txt", "-"])
def test_an_unknown_format_names_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="csv, pgn, epd, jsonl"):
        format_of(name)
