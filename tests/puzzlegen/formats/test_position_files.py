from __future__ import annotations

from pathlib import Path

import pytest

from db.puzzles import find_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format, export_puzzles
from puzzlegen.formats.importing import ImportReport, import_puzzles
from tests.helpers.listening import Listening

MATE = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - -"
SKEWER = "4k2q/8/8/8/8/8/5PPP/R5K1 w - -"


def load(store: Store, tmp_path: Path, name: str, text: str) -> tuple[ImportReport, list[str]]:
    file = tmp_path / name
    file.write_text(text)
    progress = Listening()
    return import_puzzles(str(file), store, progress), progress.lines


def stored(store: Store) -> list[tuple[str, str, str, str]]:
    with store.reading() as session:
        return [(p.blunder, p.solution, p.source, p.source_id) for p in find_puzzles(session)]


def test_epd_with_a_best_move_or_a_line(store: Store, tmp_path: Path) -> None:
    text = f'{MATE} bm Rb8#; id "one";\n{SKEWER} pv Ra8+ Kd7 Rxh8;\n'
    load(store, tmp_path, "puzzles.epd", text)
    assert stored(store) == [("", "b1b8", "epd", "one"), ("", "a1a8 e8d7 a8h8", "epd", "")]


def test_a_reply_at_the_end_is_left_out(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, "puzzles.epd", f"{SKEWER} pv Ra8+ Kd7;\n")
    assert stored(store)[0][1] == "a1a8"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{MATE} bm Rb9;", "not EPD"),
        (f"{MATE} bm Rb8 Ra1;", "several best moves"),
        (f"{MATE} id 4;", "no solution"),
        ("6k1/5ppp/8/8/8/8/5PPP/1R4R1 w - - bm Rb8;", "illegal position"),
        ("what is this", "not a FEN"),
    ],
)
def test_a_broken_line_is_named(store: Store, tmp_path: Path, line: str, said: str) -> None:
    report, lines = load(store, tmp_path, "puzzles.epd", f"{line}\n{MATE} bm Rb8;\n")
    assert report.stored == 1
    assert "line 1" in lines[0]
    assert said in lines[0]


def test_pgn_with_set_up_positions(store: Store, tmp_path: Path) -> None:
    text = (
        f'[Event "x"]\n[SetUp "1"]\n[FEN "{SKEWER} 0 1"]\n[PuzzleId "s1"]\n\n1. Ra8+ Kd7 2. Rxh8 *\n\n'
        '[Event "a whole game"]\n\n1. e4 e5 *\n'
    )
    report, lines = load(store, tmp_path, "puzzles.pgn", text)
    assert stored(store) == [("", "a1a8 e8d7 a8h8", "pgn", "s1")]
    assert report.skipped == 1
    assert "game 2: no set-up position" in lines[0]


@pytest.mark.parametrize("kind", [Format.EPD, Format.PGN])
def test_what_is_exported_can_be_imported(store: Store, tmp_path: Path, kind: Format) -> None:
    load(store, tmp_path, "puzzles.epd", f"{MATE} bm Rb8#;\n{SKEWER} pv Ra8+ Kd7 Rxh8;\n")
    out = tmp_path / f"out.{kind.value}"
    export_puzzles(str(out), kind, store)
    with Store(f"{tmp_path}/again.db") as again:
        import_puzzles(str(out), again)
        with store.reading() as one, again.reading() as two:
            ids = [[p.id for p in find_puzzles(session)] for session in (one, two)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 2
