from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from backports import zstd

from chess_motif.errors import TableError
from db.models import Puzzle
from db.puzzles import add_puzzles, find_puzzles, get_puzzle
from db.store import Store
from puzzlegen.formats import importing
from puzzlegen.formats.entry import Parsed
from puzzlegen.formats.exporting import Format, export_puzzles
from puzzlegen.formats.importing import ImportReport, import_puzzles
from puzzlegen.formats.lichess_csv import COLUMNS, read, write
from tests.helpers import puzzle_files
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.puzzle_files import archive_of, exported, stored

# As it was before Lichess added the last column.
HEADER = ",".join(COLUMNS[:-1])
# Made up: a back-rank mate and a knight fork, each after a move that allows it.
MATE = "Made1,r5k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,a8b8 a1a7,1500,80,90,100,endgame,https://lichess.org/x#2,"
BACK_RANK = (
    "Made2,1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1,b8b7 e2e8,900,75,95,300,"
    "backRankMate mate mateIn1,https://lichess.org/y/black#1,Italian_Game"
)


def table(*rows: str, header: str = HEADER) -> str:
    return "\n".join([header, *rows, ""])


def load(store: Store, tmp_path: Path, *rows: str, header: str = HEADER) -> tuple[ImportReport, list[str]]:
    return puzzle_files.load(store, tmp_path, "puzzles.csv", table(*rows, header=header))


def cells_in(store: Store, tmp_path: Path) -> dict[str, str]:
    """Return the cells of the only puzzle of a store, as it is exported."""
    (cells,) = csv.DictReader(exported(store, tmp_path, Format.CSV).splitlines())
    return cells


def read_row(row: str) -> Puzzle:
    ((_, parsed),) = read(archive_of(table(row).encode()))
    assert isinstance(parsed, Parsed)
    return parsed.puzzle


def test_a_row_becomes_a_puzzle() -> None:
    puzzle = read_row(BACK_RANK)
    assert puzzle.source_id == "Made2"
    assert puzzle.blunder == "b8b7"
    assert puzzle.solution == "e2e8"
    assert puzzle.puzzle_fen == "6k1/1r3ppp/8/8/8/8/4RPPP/1R4K1 w - - 1 2"
    assert puzzle.themes == "backRankMate mate mateIn1"


def test_a_server_that_is_restarted_while_a_file_is_stored(
    postgresql_store: Store,
    postgresql_server: PostgreSQLServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add = postgresql_server.restarting(add_puzzles)
    monkeypatch.setattr(importing, "add_puzzles", add)
    report, _ = load(postgresql_store, tmp_path, MATE, BACK_RANK)
    assert (report.stored, report.known) == (2, 0)
    assert [name for *_, name in stored(postgresql_store)] == ["Made1", "Made2"]


def test_a_puzzle_is_imported_once(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, MATE)
    report, _ = load(store, tmp_path, MATE, BACK_RANK)
    assert (report.stored, report.known) == (1, 1)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x,too,short", "3 columns instead of 10"),
        (MATE.replace("r5k1", "r5kk1"), "not a FEN"),
        (MATE.replace("r5k1/", "r7/"), "illegal position"),
        (MATE.replace("a1a7", "a1b3"), "the move a1b3 is not legal: the rook on a1 cannot go to b3"),
        (MATE.replace("a1a7", "a1"), "'a1' is not a move in UCI notation"),
        (MATE.replace("a1a7", "0000"), "'0000' is a null move"),
        (MATE.replace(" a1a7", ""), "fewer than two moves"),
        (MATE.replace("1500", "high"), "Rating is not a number: 'high'"),
        (MATE.replace("1500", "9" * 20), "Rating is too large: 999"),
        ('a,"b', "not CSV"),
    ],
)
def test_a_broken_row_is_named_and_the_rest_is_stored(
    sqlite_store: Store, tmp_path: Path, row: str, said: str
) -> None:
    report, lines = load(sqlite_store, tmp_path, MATE, row, BACK_RANK)
    assert (report.stored, report.skipped) == (2, 1)
    assert len(lines) == 1
    assert f"line 3: {said}" in lines[0]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", ""])
def test_another_kind_of_file_is_refused(sqlite_store: Store, tmp_path: Path, text: str) -> None:
    with pytest.raises(TableError, match=r"puzzles\.csv: no column PuzzleId"):
        puzzle_files.load(sqlite_store, tmp_path, "puzzles.csv", text)


def test_columns_may_stand_in_any_order_and_number(sqlite_store: Store, tmp_path: Path) -> None:
    row = "a8b8 a1a7,extra,r5k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,M"
    assert load(sqlite_store, tmp_path, row, header="Moves,New,FEN,PuzzleId")[0].stored == 1


def test_the_names_of_columns_may_be_in_any_case(sqlite_store: Store, tmp_path: Path) -> None:
    load(sqlite_store, tmp_path, BACK_RANK, header="\ufeff" + HEADER.lower())
    with sqlite_store.reading() as session:
        (puzzle,) = find_puzzles(session)
    assert (puzzle.rating, puzzle.rating_deviation, puzzle.popularity, puzzle.plays) == (900, 75, 95, 300)
    assert (puzzle.opening_tags, puzzle.game_url) == ("Italian_Game", "https://lichess.org/y/black#1")


def test_damage_keeps_what_came_before(sqlite_store: Store, tmp_path: Path) -> None:
    packer = zstd.ZstdCompressor()
    text = table(MATE, BACK_RANK).encode()
    file = tmp_path / "puzzles.csv.zst"
    file.write_bytes(
        packer.compress(text, packer.FLUSH_BLOCK) + packer.compress(text * 50, packer.FLUSH_FRAME)[:-9]
    )
    report = import_puzzles(str(file), sqlite_store)
    assert report.stored == 2
    assert "cut off" in report.damage


def test_the_real_database_is_read(store: Store, tmp_path: Path, data: Path) -> None:
    with zstd.open(data / "lichess_puzzles.csv.zst") as packed:
        head = b"".join(packed.readline() for _ in range(501)).decode()
    report, lines = puzzle_files.load(store, tmp_path, "head.csv", head)
    assert (report.entries, report.skipped, lines) == (500, 0, [])
    assert report.stored + report.known == 500


def test_the_columns_are_those_of_lichess() -> None:
    out = io.StringIO()
    write(out, [])
    assert out.getvalue() == f"{HEADER},DailyDate\n"


def test_csv_leaves_out_what_has_no_move_before(filled: Store, tmp_path: Path) -> None:
    report = export_puzzles(f"{tmp_path}/out.csv", filled, Format.CSV)
    assert (report.written, report.left_out) == (1, 1)
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("whole,5k2/5ppp")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-x", "@SUM(A1)", "\uff1dA1", "'=x"])
def test_a_spreadsheet_runs_no_cell(sqlite_store: Store, tmp_path: Path, text: str) -> None:
    row = BACK_RANK.replace("https://lichess.org/y/black#1", text).replace("Italian_Game", text)
    load(sqlite_store, tmp_path, row)
    cells = cells_in(sqlite_store, tmp_path)
    assert cells["OpeningTags"] == cells["GameUrl"] != ""
    assert cells["GameUrl"].startswith("'")
    # What is imported is what the file means: an apostrophe before a formula is an escape there, too.
    with sqlite_store.reading() as session:
        assert get_puzzle(session, "Made2").game_url == text.removeprefix("'")


def test_a_negative_number_stays_a_number(sqlite_store: Store, tmp_path: Path) -> None:
    load(sqlite_store, tmp_path, BACK_RANK.replace(",95,", ",-95,"))
    assert cells_in(sqlite_store, tmp_path)["Popularity"] == "-95"


def test_an_unrated_puzzle_is_one_that_lichess_can_read() -> None:
    mined = read_row(BACK_RANK)
    mined.source, mined.themes, mined.difficulty = "mined", "", 1234.0
    mined.rating = mined.rating_deviation = mined.popularity = mined.plays = None
    mined.tags = "backRankMate windmill"
    out = io.StringIO()
    write(out, [mined])
    (cells,) = csv.DictReader(out.getvalue().splitlines())
    assert [cells[name] for name in ("Rating", "RatingDeviation", "NbPlays")] == ["1500", "500", "0"]
    assert cells["Themes"] == "backRankMate"
    ((_, parsed),) = read(archive_of(out.getvalue().encode()))
    assert isinstance(parsed, Parsed)
    again = parsed.puzzle
    assert (again.rating, again.rating_deviation, again.plays) == (None, None, 0)


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (BACK_RANK, "mate"),
        # Wins a rook; gives a rook back; is a quiet move.
        ("W,r3k3/8/8/8/8/8/r7/R3K2R b - - 0 1,a8b8 a1a2,,,,,,,", "material"),
        ("L,1r2k3/8/8/8/8/8/r7/R3K3 b - - 0 1,b8a8 a1a2,,,,,,,", ""),
        ("Q,1r2k3/8/8/8/8/8/r7/R3K3 b - - 0 1,b8a8 e1f1,,,,,,,", ""),
    ],
)
def test_the_outcome_is_what_the_moves_show(row: str, outcome: str) -> None:
    assert read_row(row).outcome == outcome
