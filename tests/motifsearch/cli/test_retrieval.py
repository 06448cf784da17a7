"""The commands `motifsearch retrieval`, and what becomes of a build that is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import chess
import chess.pgn
import pytest

from db.store import Store
from motifsearch.retrieval.memory import Memory, open_memory
from tests.helpers.archived_games import random_moves
from tests.helpers.commands import Command, CommandOn
from tests.helpers.paths import ROOT
from tests.helpers.sample_games import PGN, pgn

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed in this process: starting others takes longer."""
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)


@pytest.fixture
def games(tmp_path: Path) -> str:
    (tmp_path / "games.pgn").write_text(PGN)
    return str(tmp_path / "games.pgn")


@pytest.fixture
def build(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "motifsearch", "retrieval", "build")


def test_it_prints_what_the_memory_holds_and_the_next_command(build: Command, games: str) -> None:
    outcome = build(games)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert ["different", "positions", "64"] in [line.split() for line in lines]
    assert lines[-1] == "Next: chesscone"


def test_a_memory_of_its_own_has_its_games(build: Command, games: str, tmp_path: Path) -> None:
    folder = tmp_path / "a memory"
    outcome = build(games, "--memory", str(folder))
    assert outcome.out.splitlines()[-1] == f"Next: chesscone --memory '{folder}'"
    assert open_memory(path=folder).contains(chess.Board())


def test_a_position_that_an_engine_names_is_shown(
    sqlite_store: Store, command_on: CommandOn, build: Command, games: str
) -> None:
    build(games)
    command = command_on(sqlite_store, "motifsearch", "retrieval", "position")
    shown = chess.pgn.read_game(StringIO(command("2.1").out))
    assert shown is not None
    assert (shown.headers["Black"], shown.next().comment) == (  # type: ignore[union-attr]
        "Anand, Viswanathan",
        f"position 2.1: {AFTER_E4}",
    )
    document = json.loads(command("2.1", "--json").out)
    assert (document["position"], document["fen"], document["next_san"][:7]) == ("2.1", AFTER_E4, "1...c5 ")
    assert command("9.1").err == "motifsearch: no archived game has a position 9.1\n"


def test_json(build: Command, games: str) -> None:
    report = json.loads(build(games, "--json").out)
    assert (report["games"], report["positions"], report["archives"]["archived"]) == (3, 64, 3)


def test_games_can_be_chosen_by_rating_and_speed(build: Command, games: str) -> None:
    assert build(games, "--min-elo", "4000", "--speed", "!bullet").status == 1
    assert build(games, "--speed", "slow").status == 2


def test_the_embedding_of_the_paper(build: Command, games: str, tmp_path: Path) -> None:
    assert build(games, "--memory", str(tmp_path), "--model", "chesspos").status == 0
    memory = open_memory(path=tmp_path)
    assert memory.model is None
    assert {*memory.near(chess.Board(), 1).rows["ply"].tolist()} == {0}


def test_a_missing_archive_is_named_and_the_rest_built(
    sqlite_store: Store, build: Command, games: str
) -> None:
    outcome = build(games, "missing.pgn")
    assert outcome.status == 1
    assert "missing.pgn" in outcome.err
    assert Memory(sqlite_store).contains(chess.Board())


def test_a_model_that_is_none_is_one_line(build: Command, games: str, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    outcome = build(games, "--model", str(tmp_path / "model.onnx"))
    assert (outcome.status, outcome.err.count("Traceback")) == (1, 0)
    assert "model.onnx" in outcome.err


def test_a_killed_build_is_resumed(sqlite_store: Store, build: Command, tmp_path: Path) -> None:
    games = [pgn(chess.Board().variation_san(moves_of(seed)), White=f"W{seed}") for seed in range(40)]
    archive = tmp_path / "many.pgn"
    archive.write_text("".join(games))
    script = (
        "from motifsearch.retrieval import build; build.CHUNK = 2\n"
        "from motifsearch.cli.main import main; main()"
    )
    words = ["retrieval", "build", str(archive), "--db", str(sqlite_store.url.database)]
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while not list(tmp_path.rglob("parts/*.npz")):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert json.loads(build(str(archive), "--json").out)["games"] == 40


def moves_of(seed: int) -> list[chess.Move]:
    return [chess.Move.from_uci(word) for word in random_moves(seed).split()]
