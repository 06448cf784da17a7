from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest
from sqlalchemy import update

from db.models import Puzzle
from db.store import Store
from puzzlegen.formats.exporting import Format, export_puzzles, write_puzzles
from tests.helpers.puzzle_files import BOARD, SKEWER, exported, load, stored
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import PUZZLES, put, row


def mark_exercise(store: Store) -> None:
    """Let the first of the puzzles have another move that solves it."""
    with store.session() as session:
        one = update(Puzzle).where(Puzzle.id == "whole")
        session.execute(one.values(accepted="b1b8 b1d1", tags="backRankMate mate"))


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
    game, _ = games_of(exported(filled, tmp_path, Format.PGN))
    assert game.errors == []
    assert game.board().epd() == BOARD.epd()
    assert [move.uci() for move in game.mainline_moves()] == ["b1b8"]
    # It has what is known of the game, but not its result.
    assert {name: game.headers[name] for name in ("Event", "Date", "ECO", "Result", "PuzzleId")} == {
        "Event": "Puzzle whole",
        "Date": "2024.01.02",
        "ECO": "C60",
        "Result": "*",
        "PuzzleId": "whole",
    }


def games_of(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(file), None))


def test_other_moves_that_solve_an_exercise_are_variations(filled: Store, tmp_path: Path) -> None:
    mark_exercise(filled)
    game, _ = games_of(exported(filled, tmp_path, Format.PGN))
    assert [node.move.uci() for node in game.variations] == ["b1b8", "b1d1"]
    assert [node.nags for node in game.variations] == [{chess.pgn.NAG_GOOD_MOVE}] * 2


def test_a_chapter_of_a_study_begins_with_the_blunder(filled: Store, tmp_path: Path) -> None:
    mark_exercise(filled)
    file = tmp_path / "study.pgn"
    export_puzzles(str(file), filled, kind=Format.STUDY)
    whole, bare = games_of(file.read_text())
    assert whole.errors == []
    assert whole.board().fen() == "5k2/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1"
    blunder = whole.next()
    assert blunder is not None
    assert (blunder.move.uci(), blunder.nags) == ("f8g8", {chess.pgn.NAG_BLUNDER})
    assert [node.move.uci() for node in blunder.variations] == ["b1b8", "b1d1"]
    assert whole.headers["ChapterName"] == "Puzzle whole: White to move"
    assert bare.board().epd() == BOARD.epd()


def test_the_last_move_of_a_chapter_says_why_it_works(sqlite_store: Store, tmp_path: Path) -> None:
    put(sqlite_store, row(*PUZZLES["back rank, two moves"]))
    file = tmp_path / "study.pgn"
    export_puzzles(str(file), sqlite_store, kind=Format.STUDY)
    (game,) = games_of(file.read_text())
    assert "is backed up by the rook on e1" in game.end().comment


@pytest.mark.parametrize(("puzzles", "sizes"), [(0, [0]), (64, [64]), (65, [64, 1]), (130, [64, 64, 2])])
def test_a_study_has_64_chapters(tmp_path: Path, puzzles: int, sizes: list[int]) -> None:
    one = puzzle_row("one")
    path = str(tmp_path / "study.pgn")
    report = write_puzzles(path, [one] * puzzles, kind=Format.STUDY)
    names = ["study.pgn"] if len(sizes) == 1 else [f"study-{n}.pgn" for n in range(1, len(sizes) + 1)]
    assert [Path(file).name for file in report.files] == names
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    assert [len(games_of(Path(file).read_text(encoding="utf-8"))) for file in report.files] == sizes
    assert report.written == puzzles


def test_quotes_in_a_name_are_escaped_as_pgn_demands(filled: Store, tmp_path: Path) -> None:
    assert '[White "A \\"B\\" [C]"]' in exported(filled, tmp_path, Format.PGN)
