"""The command as a user types it: what it prints, where, and with which exit status."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chess_motif import __version__
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.formats.importing import import_puzzles
from puzzlegen.formats.lichess_csv import COLUMNS
from tests.helpers.commands import Command, CommandOn
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.quick_mining import games_mined
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

PUZZLE = (
    "Made2,1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1,b8b7 e2e8,900,75,95,300,"
    "backRankMate mate mateIn1,https://lichess.org/y/black#1,Italian_Game"
)


@pytest.fixture
def puzzlegen(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "puzzlegen")


@pytest.fixture
def filled(sqlite_store: Store, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(",".join(COLUMNS[:-1]) + f"\n{PUZZLE}\n")
    import_puzzles(str(file), sqlite_store)


@pytest.mark.usefixtures("filled")
def test_show_draws_the_board(puzzlegen: Command) -> None:
    shown = puzzlegen("show", "Made2").out
    assert "White to move" in shown
    assert "1 · ♖ · · · · ♔ ·" in shown
    assert "1...Rb7" in shown
    assert "Next: motifsearch similar" in shown


def test_show_says_who_may_castle_if_it_matters(puzzlegen: Command, sqlite_store: Store) -> None:
    put(sqlite_store, *(row(*PUZZLES[name]) for name in ("fork", "back rank")))
    said = "rights      White may still castle kingside. Black may still castle on either side.\n"
    assert said in puzzlegen("show", id_of("fork")).out
    assert "castle" not in puzzlegen("show", id_of("back rank")).out


@pytest.mark.usefixtures("filled")
def test_list_as_json(puzzlegen: Command) -> None:
    (puzzle,) = json.loads(puzzlegen("list", "--json").out)
    columns = {"id", "source_id", "puzzle_fen", "solution", "blunder", "rating", "difficulty", "tags", "gap"}
    assert columns <= puzzle.keys()
    assert puzzle["source_id"] == "Made2"


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("rating", "count"), [("800-1000", 1), ("1000-", 0), ("-900", 1), ("900", 1)])
def test_list_by_rating(puzzlegen: Command, rating: str, count: int) -> None:
    assert len(json.loads(puzzlegen("list", "--json", "--rating", rating).out)) == count


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    "command", [["list"], ["list", "--json"], ["list", "Made2"], ["export", "-", "--format", "csv"]]
)
def test_a_filter_says_what_it_cannot_judge(puzzlegen: Command, command: list[str]) -> None:
    done = puzzlegen(*command, "--gap", "0.7", "--player", "anna")
    assert "1 puzzle was left out because the gap or players are not known\n" in done.err
    assert "left out" not in puzzlegen(*command, "--tag", "mate").err


@pytest.mark.usefixtures("filled")
def test_tags_with_their_definitions_and_counts(puzzlegen: Command) -> None:
    lines = puzzlegen("tags").out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("rookEndgame")] == [["rookEndgame", "1"]]
    assert "An endgame with only rooks and pawns." in "\n".join(lines)


@pytest.mark.usefixtures("filled")
def test_tags_as_json(puzzlegen: Command) -> None:
    tags = {tag["tag"]: tag["puzzles"] for tag in json.loads(puzzlegen("tags", "--json").out)}
    assert (tags["backRankMate"], tags["fork"]) == (1, 0)


def test_a_puzzle_without_a_motif_says_so(puzzlegen: Command, sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row("plain", tags="mate mateIn1 oneMove opening")])
    assert "no motif found" in puzzlegen("show", "plain").out
    assert "no motif found" in puzzlegen("list").out


@pytest.mark.usefixtures("filled")
def test_the_counts_of_an_export_as_json(puzzlegen: Command, tmp_path: Path) -> None:
    file = str(tmp_path / "out.csv")
    counts = {"file": file, "written": 1, "left_out": 0, "files": [file], "deleted": 0, "last_change": 2}
    assert json.loads(puzzlegen("export", file, "--json").out) == counts


@pytest.mark.parametrize(
    "options", [["--tag", "fork"], ["--limit", "3"], ["--sort", "rating"], ["--random", "3"]]
)
def test_an_empty_database_says_what_to_do(puzzlegen: Command, options: list[str]) -> None:
    assert "puzzlegen mine" in puzzlegen("list", *options).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nosuch"], "nosuch"),
        (["show", "\udcff"], "no puzzle"),
        (["import", "nowhere.csv"], "nowhere.csv: no such file"),
        (["mine", "-", "--engine", "/no/engine"], "no such engine"),
        (["list", "--db", "sqlite:////proc/x/y.db"], "cannot be opened"),
        (["runs", "9"], "no run 9"),
        (["cache", "pack", "x.pos"], "no search is stored with its position"),
    ],
)
def test_a_failure_is_one_line(puzzlegen: Command, arguments: list[str], said: str) -> None:
    done = puzzlegen(*arguments)
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert said in done.err


def test_an_option_that_the_engine_does_not_have(puzzlegen: Command, fake_engine: FakeEngine) -> None:
    done = puzzlegen("mine", "-", "--engine", fake_engine(), "--engine-option", "Hsh=64", "--workers", "1")
    assert (done.status, "Fake 1.0 has no option 'Hsh'" in done.err) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["mine"],
        ["mine", "-", "--engine-option", "Hash"],
        ["show", "x", "--html", "x.html"],
        ["export", "x.jsonl", "--since", "0", "--limit", "2"],
        ["nosuchcommand"],
        ["list", "--rating", "many"],
        ["list", "--rating", "1600-1200"],
        ["list", "--rating", "99999999999999999999-"],
        ["list", "--limit", "0"],
        ["list", "--side", "red"],
        ["list", "--sort", "beauty"],
        ["list", "--sort", "--rating"],
        ["list", "--seed", "1"],
        ["audit", "--seed", "1"],
        ["delete"],
        ["delete", "-"],
        ["mine", "x.pgn", "--pattern", "brilliancy"],
        ["mine", "x.pgn", "--workers", "9999999999"],
        ["mine", "x.pgn", "--cluster", "tcp://127.0.0.1:1", "--workers", "2"],
        ["export", "x", "--format", "docx"],
        ["export", "x.docx"],
        ["export", "-", "--format", "csv", "--json"],
        ["export", "x.epd", "--title", "Forks"],
        ["export", "x.apkg", "--for", "Anna"],
        ["export", "x.html", "--per-page", "4"],
        ["export", "x.pdf", "--per-page", "5"],
        ["export", "-", "--format", "study"],
        ["export", "x.pgn", "--since", "-1"],
    ],
)
def test_wrong_usage(puzzlegen: Command, arguments: list[str]) -> None:
    done = puzzlegen(*arguments)
    assert done.status == 2
    assert "Usage" in done.err


@pytest.fixture
def ambiguous(sqlite_store: Store) -> None:
    """Store a puzzle in which either rook takes a knight."""
    fen = "4k3/8/8/1n1n4/8/8/8/1R1RK3 w - - 0 1"
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row("two", puzzle_fen=fen, solution="b1b5")])


@pytest.mark.usefixtures("ambiguous", "stockfish")
def test_an_audit_says_what_does_not_hold(puzzlegen: Command) -> None:
    said = puzzlegen("audit", "--nodes", "2000").out
    assert "1. Rxb5  ambiguous  another move wins too: Rxd5" in said
    assert "0 of 1 puzzles hold (0.0%), 2,000 nodes a search\n1 ambiguous\n" in said
    assert "--delete deletes the 1 puzzle that --sound would leave out" in said


@pytest.mark.usefixtures("ambiguous", "stockfish")
def test_show_and_stats_report_what_an_audit_found(puzzlegen: Command) -> None:
    assert puzzlegen("audit", "--nodes", "2000").out.endswith("Next: puzzlegen list --sound\n")
    assert "audit       ambiguous: 1. Rxb5 another move wins too (Rxd5" in puzzlegen("show", "two").out
    assert "audit: ambiguous" in puzzlegen("stats").out
    assert json.loads(puzzlegen("show", "two", "--json").out)["verdict"] == "ambiguous"


@pytest.mark.usefixtures("filled", "stockfish")
def test_a_simplified_puzzle(puzzlegen: Command) -> None:
    # Without the other rook Re8 is the only move that wins.
    said = puzzlegen("simplify", "Made2", "--mirror").out
    assert "simplified, White to move" in said
    assert "mirrored, White to move" in said
    assert "1. Rd8#" in said
    assert "♖b1" in said.partition("removed")[2].splitlines()[0]
    assert re.search(r"^Next: motifsearch similar '\S+ w - - 0 1' --moves e2e8$", said, re.MULTILINE)


@pytest.mark.usefixtures("filled", "stockfish")
def test_a_simplified_puzzle_as_json(puzzlegen: Command) -> None:
    found = json.loads(puzzlegen("simplify", "Made2", "--json").out)
    assert (found["solution"], found["mirrored"], found["shifted"]) == (["e2e8"], False, [0, 0])
    assert "Rb1" in found["removed"]


@pytest.mark.usefixtures("stockfish")
def test_a_puzzle_of_which_nothing_can_be_removed_or_moved(puzzlegen: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.epd"
    file.write_text('6k1/5ppp/8/8/8/8/8/R5K1 w - - bm a1a8; id "bare"; pv a1a8;\n')
    puzzlegen("import", str(file))
    done = puzzlegen("simplify", "bare", "--shift")
    assert done.status == 0
    assert "removed     nothing" in done.out
    assert "not shifted: the solution does not hold there" in done.err


@pytest.mark.usefixtures("filled", "stockfish")
def test_simplified_versions_are_written_and_can_be_imported(puzzlegen: Command, tmp_path: Path) -> None:
    file = tmp_path / "versions.jsonl"
    puzzlegen("simplify", "Made2", "--mirror", "--out", str(file))
    assert len(file.read_text().splitlines()) == 3
    puzzlegen("import", str(file))
    stored = json.loads(puzzlegen("list", "--json", "--source", "simplified").out)
    assert {puzzle["solution"][0] for puzzle in stored} == {"e2e8", "d2d8"}


@pytest.mark.usefixtures("stockfish")
def test_an_audit_of_nothing(puzzlegen: Command) -> None:
    assert "No puzzles to audit" in puzzlegen("audit").out


@pytest.mark.parametrize(
    ("options", "reason"),
    [(["--player", "nobody"], "skipped: other players"), (["--evaluated-only"], "skipped: no evaluations")],
)
def test_games_that_are_skipped_unread_are_in_the_report(
    puzzlegen: Command, tmp_path: Path, stockfish: str, options: list[str], reason: str
) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[Event "x"]\n[White "A"]\n\n1. e4 e5 *\n\n' * 2)
    status, out, _ = puzzlegen("mine", str(games), *options)
    assert status == 0
    assert [reason, "2"] in [line.rsplit(maxsplit=1) for line in out.splitlines()]


def test_mine_as_json(puzzlegen: Command, tmp_path: Path, stockfish: str) -> None:
    file = tmp_path / "games.pgn"
    file.write_text('1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. a3 *\n\n[Event "x"]\n\n1. e4 e9 *\n')
    done = puzzlegen("mine", str(file), "--json")
    assert done.status == 0
    report = json.loads(done.out)
    assert report["games"] == 2
    assert report["skipped"] == {"illegal move": 1}
    # The scholar's mate, which White does not see.
    assert report["puzzles"] == 1
    assert {"positions_searched", "nodes", "candidates", "rejected"} <= report.keys()


def test_a_damaged_archive_is_a_failure_with_a_result(
    puzzlegen: Command, tmp_path: Path, stockfish: str
) -> None:
    file = tmp_path / "games.pgn.gz"
    file.write_bytes(b"\x1f\x8b\x08\x00")
    done = puzzlegen("mine", str(file), "--json")
    assert done.status == 1
    assert "cut off" in done.err
    assert json.loads(done.out)["games"] == 0


@pytest.mark.parametrize("interrupts", [1, 2])
def test_ctrl_c_saves_the_work(
    sqlite_store: Store, archive: Path, games: list[bytes], stockfish: str, interrupts: int
) -> None:
    arguments = ["mine", str(archive), "--pattern", "blunder", "--workers", "1"]
    mining = subprocess.Popen(
        [sys.executable, "-m", "puzzlegen", *arguments, "--db", str(sqlite_store.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while games_mined(sqlite_store) == 0:
        assert mining.poll() is None
        time.sleep(0.05)
    for _ in range(interrupts):
        mining.send_signal(signal.SIGINT)
        time.sleep(0.2)
    _, said = mining.communicate(timeout=60)
    assert mining.returncode == 130
    assert said.splitlines()[-1] == "puzzlegen: interrupted; what was finished is saved"
    assert 0 < games_mined(sqlite_store) < len(games)


def test_as_a_program_it_starts_without_a_warning() -> None:
    command = [sys.executable, "-W", "error", "-m", "puzzlegen", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"chess-motif {__version__}\n", "")
