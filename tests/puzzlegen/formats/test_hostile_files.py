"""Whatever a file contains, it is read to its end, or an error says where it cannot be."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from db.puzzles import find_puzzles
from db.store import Store
from puzzlegen.formats import jsonl
from puzzlegen.formats.lichess_csv import COLUMNS
from tests.helpers.puzzle_files import MATE, load, stored

HEADER = ",".join(COLUMNS[:-1])
ROW = "Made2,1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1,b8b7 e2e8,900,75,95,300,mate,https://lichess.org/y,"
OBJECT = '{"fen": "1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1", "blunder": "b8b7", "solution": ["e2e8"]'
GAME = f'[SetUp "1"]\n[FEN "{MATE} 0 1"]\n\n1. Rb8# *\n'


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_may_end_in_any_way(sqlite_store: Store, tmp_path: Path, end: str) -> None:
    report, lines = load(sqlite_store, tmp_path, "puzzles.csv", end.join([HEADER, "x,y", "", ROW, ""]))
    assert (report.stored, lines) == (1, [f"{tmp_path}/puzzles.csv: line 2: 2 columns instead of 10"])


@pytest.mark.parametrize("line", ["\0", "\0\0,\0", "\x1b[31m", "'\r'"])
def test_a_strange_line_spoils_no_other(store: Store, tmp_path: Path, line: str) -> None:
    assert load(store, tmp_path, "puzzles.csv", f"{HEADER}\n{line}\n{ROW}\n")[0].stored == 1


def test_damage_keeps_what_came_before_it(sqlite_store: Store, tmp_path: Path) -> None:
    report, _ = load(sqlite_store, tmp_path, "puzzles.csv", f"{HEADER}\n{ROW}\n{'x' * 100_001}\n")
    assert report.stored == 1
    assert report.damage == f"{tmp_path}/puzzles.csv: line 3 has more than 100,000 characters"


@pytest.mark.parametrize("name", ["puzzles.csv", "puzzles.epd", "puzzles.pgn", "puzzles.jsonl"])
def test_a_move_counter_of_any_length_is_an_error(sqlite_store: Store, tmp_path: Path, name: str) -> None:
    digits = "9" * 4300
    text = {
        "puzzles.csv": f"{HEADER}\n{ROW.replace(' 1,', f' {digits},')}\n",
        "puzzles.epd": f"{MATE} fmvn {digits}; bm Rb8;\n",
        "puzzles.pgn": GAME.replace("0 1", f"0 {digits}"),
        "puzzles.jsonl": f"{OBJECT.replace('0 1', f'0 {digits}')}}}\n",
    }[name]
    report, lines = load(sqlite_store, tmp_path, name, text)
    assert (report.entries, report.skipped) == (1, 1)
    assert "not a FEN: it has 4,3" in lines[0]


def test_no_text_of_a_file_controls_the_terminal(store: Store, tmp_path: Path) -> None:
    row = ROW.replace("mate", "x\x1b[31m\x9b1m\u202ey")
    load(store, tmp_path, "puzzles.csv", f"{HEADER}\n{row}\n")
    load(store, tmp_path, "puzzles.epd", f'{MATE} bm Rb8; id "e\x1b\x90\u2066";\n')
    assert [name for *_, name in stored(store)] == ["Made2", "e"]
    out = io.StringIO()
    with store.reading() as session:
        jsonl.write(out, find_puzzles(session))
    assert set(out.getvalue()).isdisjoint("\x1b\x9b\x90\u202e\u2066")


def test_an_escaped_control_character_in_json_is_removed(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, "puzzles.jsonl", f'{OBJECT}, "source_id": "a\\u001b[31m\\u202e\\nb"}}\n')
    assert [name for *_, name in stored(store)] == ["a[31m b"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "Invalid JSON"),
        (', "gap": 3}', "gap: Input should be less than or equal to 2"),
        (', "gap": NaN}', "gap: Input should be a finite number"),
        (', "rating": "1500"}', "rating: Input should be a valid integer"),
        (', "rating": 99999999999}', "rating: Input should be less than or equal to 2147483647"),
        (', "outcome": "luck"}', "outcome: Input should be 'mate', 'material', 'won', 'held' or ''"),
        (', "audit": {"nodes": 1, "faults": [{}]}}', "audit.faults.0.fault: Field required"),
        (', "game_key": "\u00e9"}', "game_key: String should match pattern"),
        (', "blunder": "b8b9"}', "not a move in UCI notation"),
        (', "schema_version": 2}', "schema_version: Input should be 1"),
        (', "kind": "test"}', "neither a puzzle nor an exercise: 'test'"),
        (', "kind": "exercise"}', "an exercise needs accepted moves"),
        (', "accepted": ["e2e8"]}', "accepted moves in a puzzle"),
        (', "kind": "exercise", "accepted": ["e2e7"]}', "the first move of the solution, e2e8, is not"),
        (', "kind": "exercise", "accepted": ["e2e8", "a1a8"]}', "the move a1a8 is not legal"),
        (', "blunder": "b8b7 e2e8"}', "not a move in UCI notation"),
        (', "other_defences": [["g8h8", "a1a8"]]}', "other_defences: "),
    ],
)
def test_a_broken_object_is_named_and_the_rest_is_stored(
    sqlite_store: Store, tmp_path: Path, keys: str, said: str
) -> None:
    report, lines = load(sqlite_store, tmp_path, "puzzles.jsonl", f"{OBJECT}{keys}\n{OBJECT}}}\n")
    assert (report.stored, report.skipped) == (1, 1)
    assert "line 1: " in lines[0]
    assert said in lines[0]
