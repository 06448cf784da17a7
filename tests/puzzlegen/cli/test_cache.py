"""The commands `puzzlegen cache`, as a user types them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import chess
import pytest

from chess_motif.search import Search
from db.evaluations import keep_evaluations
from db.packed.file import PackedFile
from db.store import Store
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_games import PGN

START = chess.STARTING_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.fixture
def cache(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "puzzlegen", "cache")


@pytest.fixture
def packed(sqlite_store: Store, cache: Command, tmp_path: Path) -> str:
    """A packed file of two positions, one of them searched twice."""
    first = Search.of(chess.Board(), "Fish", 1_000, 1)
    with sqlite_store.session() as session:
        keep_evaluations(session, {first: "31 e2e4 e7e5", first._replace(nodes=200): "-12 d2d4"})
        keep_evaluations(session, {Search.of(chess.Board(AFTER_E4), "Fish", 1_000, 1): "#-3 e7e5"})
    path = str(tmp_path / "searched.pos")
    done = cache("pack", path)
    assert done.status == 0
    assert "Packed 2 positions with 3 verdicts in" in done.out
    assert f"Next: puzzlegen cache info {path}" in done.out
    return path


def test_a_missing_library_names_the_extra(
    cache: Command, packed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "constriction", None)
    outcome = cache("near", packed, START)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.endswith("packed files need constriction; pip install 'chess-motif[cache]'\n")


def test_info_counts_positions_and_searches(cache: Command, packed: str) -> None:
    lines = cache("info", packed).out.splitlines()
    assert lines[2].split()[:2] == ["positions", "2"]
    assert [line.split() for line in lines[-2:]] == [["Fish", "1,000", "1", "2"], ["Fish", "200", "1", "1"]]
    contents = json.loads(cache("info", packed, "--json").out)
    assert (contents["positions"], contents["verdicts"], contents["damage"]) == (2, 3, [])


def test_info_reports_damage(cache: Command, packed: str) -> None:
    data = bytearray(Path(packed).read_bytes())
    with PackedFile(Path(packed)) as file:
        data[file.slots[0].at] ^= 1
    Path(packed).write_bytes(data)
    done = cache("info", packed)
    assert done.status == 1
    assert "positions" in done.out
    assert "damaged at bytes" in done.err


def test_mining_takes_a_cache(
    packed: str, sqlite_store: Store, command_on: CommandOn, tmp_path: Path, stockfish: str
) -> None:
    (tmp_path / "games.pgn").write_text(PGN)
    mine = command_on(sqlite_store, "puzzlegen", "mine")
    done = mine(str(tmp_path / "games.pgn"), "--cache", packed, "--evaluated-only", "--json")
    assert (done.status, json.loads(done.out)["games"]) == (0, 3)


def test_near_shows_a_position_with_its_verdicts(cache: Command, packed: str) -> None:
    done = cache("near", packed, START)
    assert "8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜" in done.out
    rows = [line.split() for line in done.out.splitlines() if line.strip().startswith(("200", "1,000"))]
    assert rows == [["200", "-0.12", "1.", "d4"], ["1,000", "+0.31", "1.", "e4", "e5"]]
    first, other = json.loads(cache("near", packed, START, "--json").out)["positions"]
    assert (first["fen"], other["fen"]) == (START, AFTER_E4)
    assert [verdict["found"] for verdict in first["verdicts"]] == ["-12 d2d4", "31 e2e4 e7e5"]


def test_positions_with_the_same_material_follow(cache: Command, packed: str) -> None:
    done = cache("near", packed, START)
    itself, other = (line.split()[-3:] for line in done.out.splitlines()[-4:-2])
    assert (itself, other) == (["+0.31", "e4", "1,000"], ["#-3", "e5", "1,000"])
    assert "2 positions" in done.out
    found = json.loads(cache("near", packed, START, "--json").out)
    assert (found["total"], len(found["positions"])) == (2, 2)


def test_positions_that_are_not_there(cache: Command, packed: str) -> None:
    kings = "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    assert "no position with this material" in cache("near", packed, kings).out
    assert "illegal position" in cache("near", packed, "8/8/8/8/8/8/8/K7 w - - 0 1").err


def test_games_are_packed_and_joined(cache: Command, packed: str, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(PGN)
    games, both = str(tmp_path / "games.pos"), str(tmp_path / "both.pos")
    alone = json.loads(cache("pack", games, str(tmp_path / "games.pgn"), "--json").out)
    joined = json.loads(cache("merge", both, games, packed, "--json").out)
    assert joined["positions"] == alone["positions"]
    assert joined["verdicts"] == 3
    assert joined["bits_per_position"] == round(8 * Path(both).stat().st_size / joined["positions"], 2)
