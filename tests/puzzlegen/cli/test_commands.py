"""The command as a user types it: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from db.models import Checkpoint
from db.store import Store
from puzzlegen.formats.importing import import_puzzles
from puzzlegen.formats.lichess_csv import COLUMNS
from tests.helpers.paths import SAMPLE_GAMES

PUZZLE = (
    "Made2,1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1,b8b7 e2e8,900,75,95,300,"
    "backRankMate mate mateIn1,https://lichess.org/y/black#1,Italian_Game"
)


MiningRun = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def puzzlegen(tmp_path: Path) -> MiningRun:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "puzzlegen", *arguments],
            env=os.environ | {"CHESS_MOTIF_DB": f"{tmp_path}/cli.db", "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def filled(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(",".join(COLUMNS) + f"\n{PUZZLE}\n")
    with Store(f"{tmp_path}/cli.db") as store:
        import_puzzles(str(file), store)


def failed(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a failed command says."""
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.usefixtures("filled")
def test_show_draws_the_board(puzzlegen: MiningRun) -> None:
    shown = puzzlegen("show", "Made2").stdout
    assert "White to move" in shown
    assert "1 · ♖ · · · · ♔ ·" in shown
    assert "1...Rb7" in shown
    assert "Next: motifsearch similar" in shown


@pytest.mark.usefixtures("filled")
def test_list_as_json(puzzlegen: MiningRun) -> None:
    (puzzle,) = json.loads(puzzlegen("list", "--json").stdout)
    wanted = {"id", "source_id", "puzzle_fen", "solution", "blunder", "rating", "difficulty", "tags", "gap"}
    assert wanted <= puzzle.keys()
    assert puzzle["source_id"] == "Made2"


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("rating", "count"), [("800-1000", 1), ("1000-", 0), ("-900", 1), ("900", 1)])
def test_list_by_rating(puzzlegen: MiningRun, rating: str, count: int) -> None:
    assert len(json.loads(puzzlegen("list", "--json", "--rating", rating).stdout)) == count


@pytest.mark.usefixtures("filled")
def test_stats_as_json(puzzlegen: MiningRun) -> None:
    assert json.loads(puzzlegen("stats", "--json").stdout)["puzzles"] == 1


@pytest.mark.usefixtures("filled")
def test_export_to_standard_output(puzzlegen: MiningRun) -> None:
    done = puzzlegen("export", "-", "--format", "csv")
    assert done.stdout.splitlines()[0] == ",".join(COLUMNS)
    assert done.stderr == "1 puzzles written\n"


def test_an_empty_database_says_what_to_do(puzzlegen: MiningRun) -> None:
    assert "puzzlegen mine" in puzzlegen("list").stdout


def test_an_unknown_puzzle(puzzlegen: MiningRun) -> None:
    assert "nosuch" in failed(puzzlegen("show", "nosuch"))


def test_a_missing_file(puzzlegen: MiningRun) -> None:
    assert "nowhere.csv: no such file" in failed(puzzlegen("import", "nowhere.csv"))


def test_a_missing_engine(puzzlegen: MiningRun) -> None:
    assert "no such engine" in failed(puzzlegen("mine", "games.pgn", "--engine", "/no/engine"))


def test_an_unusable_database(puzzlegen: MiningRun) -> None:
    assert "cannot be opened" in failed(puzzlegen("list", "--db", "sqlite:////proc/x/y.db"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["mine"],
        ["nosuchcommand"],
        ["list", "--rating", "many"],
        ["list", "--rating", "1600-1200"],
        ["list", "--limit", "0"],
        ["mine", "x.pgn", "--pattern", "brilliancy"],
        ["mine", "x.pgn", "--cluster", "tcp://127.0.0.1:1", "--workers", "2"],
        ["export", "x", "--format", "docx"],
        ["audit", "--mark", "--delete"],
    ],
)
def test_wrong_usage(puzzlegen: MiningRun, arguments: list[str]) -> None:
    done = puzzlegen(*arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr


@pytest.mark.usefixtures("filled", "stockfish")
def test_an_audit_says_what_does_not_hold(puzzlegen: MiningRun) -> None:
    # The puzzle has a second win, Rxb7.
    said = puzzlegen("audit", "--nodes", "2000").stdout
    assert "2. Re8#  another move wins too" in said
    assert "0 of 1 puzzles hold (0.0%), 2,000 nodes a search" in said


@pytest.mark.usefixtures("filled", "stockfish")
def test_show_tells_what_an_audit_found(puzzlegen: MiningRun) -> None:
    puzzlegen("audit", "--nodes", "2000", "--mark")
    assert "audit       2. Re8# another move wins too" in puzzlegen("show", "Made2").stdout


@pytest.mark.usefixtures("filled", "stockfish")
def test_a_simplified_puzzle(puzzlegen: MiningRun) -> None:
    # Without the other rook Re8 is the only move that wins.
    said = puzzlegen("simplify", "Made2", "--mirror").stdout
    assert "simplified: White to move" in said
    assert "solution    1. Rd8#" in said
    assert "♖b1" in said.partition("removed")[2].splitlines()[0]
    assert "mirrored    left to right" in said
    assert re.search(r'^Next: motifsearch similar "\S+ w - - 0 1" --moves "d2d8"$', said, re.MULTILINE)


@pytest.mark.usefixtures("filled", "stockfish")
def test_a_simplified_puzzle_as_json(puzzlegen: MiningRun) -> None:
    found = json.loads(puzzlegen("simplify", "Made2", "--json").stdout)
    assert (found["solution"], found["mirrored"], found["shifted"]) == (["e2e8"], False, [0, 0])
    assert "Rb1" in found["removed"]


@pytest.mark.usefixtures("stockfish")
def test_a_puzzle_of_which_nothing_can_be_removed_or_moved(puzzlegen: MiningRun, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm a1a8; id "bare"; pv a1a8;\n')
    puzzlegen("import", str(file))
    done = puzzlegen("simplify", "bare", "--shift")
    assert done.returncode == 0
    assert "removed     nothing" in done.stdout
    assert "holds nowhere else on the board" in done.stderr


@pytest.mark.usefixtures("stockfish")
def test_an_audit_of_nothing(puzzlegen: MiningRun) -> None:
    assert "No puzzles to audit" in puzzlegen("audit").stdout


def test_mine_as_json(puzzlegen: MiningRun, tmp_path: Path, stockfish: str) -> None:
    file = tmp_path / "games.pgn"
    file.write_text('1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. a3 *\n\n[Event "x"]\n\n1. e4 e9 *\n')
    done = puzzlegen("mine", str(file), "--json")
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["games"] == 2
    assert report["skipped"] == {"illegal move": 1}
    # The scholar's mate, which White does not see.
    assert report["puzzles"] == 1
    assert {"positions_searched", "nodes", "candidates", "rejected"} <= report.keys()


def test_a_damaged_archive_is_a_failure_with_a_result(
    puzzlegen: MiningRun, tmp_path: Path, stockfish: str
) -> None:
    file = tmp_path / "games.pgn.gz"
    file.write_bytes(b"\x1f\x8b\x08\x00")
    done = puzzlegen("mine", str(file), "--json")
    assert done.returncode == 1
    assert "cut off" in done.stderr
    assert json.loads(done.stdout)["games"] == 0


@pytest.mark.parametrize("interrupts", [1, 2])
def test_ctrl_c_saves_the_work(tmp_path: Path, stockfish: str, interrupts: int) -> None:
    command = [sys.executable, "-m", "puzzlegen", "mine", str(SAMPLE_GAMES), "--pattern", "blunder"]
    environment = os.environ | {"CHESS_MOTIF_DB": f"{tmp_path}/cli.db"}
    mining = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    while games_mined(f"{tmp_path}/cli.db") == 0:
        time.sleep(0.2)
    for _ in range(interrupts):
        mining.send_signal(signal.SIGINT)
        time.sleep(0.5)
    _, said = mining.communicate(timeout=60)
    assert mining.returncode == 130
    assert said.splitlines()[-1] == "puzzlegen: interrupted; what was finished is saved"
    assert 0 < games_mined(f"{tmp_path}/cli.db") < 300


def games_mined(database: str) -> int:
    with Store(database) as store, store.reading() as session:
        checkpoint = session.scalar(select(Checkpoint))
        return checkpoint.games if checkpoint else 0


def test_the_version(puzzlegen: MiningRun) -> None:
    assert puzzlegen("--version").stdout.startswith("chess-motif ")
