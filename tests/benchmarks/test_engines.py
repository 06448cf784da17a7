"""The engines measured, with a real memory and a real Stockfish, and a tiny ChessBERT."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from benchmarks import engines
from benchmarks.engines import (
    JOINED,
    LEGEND,
    RANDOM,
    EnginesReport,
    HumanChooser,
    RandomChooser,
    measure_engines,
)
from chess_motif.errors import IndexUnavailableError, InputError
from db.store import Store
from engines.human.model import SHIPPED_MODEL, load_human_model
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval.build import build_memory
from motifsearch.retrieval.chessbert import ChessBert
from tests.helpers.chessbert_files import copying_network
from tests.helpers.commands import CommandOn
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.paths import ROOT
from tests.helpers.sample_games import PGN, RUY_LOPEZ, pgn

OTHERS = "".join(
    pgn(f"1. {first} {reply} 2. a3 a6 3. h3 h6 4. b3 b6 5. g3 g6 6. c3 c6 7. Nf3 Nf6", White=first)
    for first, reply in (("e4", "e5"), ("d4", "d5"))
)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
    monkeypatch.setattr("benchmarks.engines.os.cpu_count", lambda: 1)
    monkeypatch.setattr(engines, "load_chessbert", lambda path: ChessBert(copying_network()))
    # Only some of the games would be for the test.
    monkeypatch.setattr(engines, "game_is_for_test", lambda key: True)


@pytest.fixture(scope="module")
def database(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of three games and their memory."""
    folder = tmp_path_factory.mktemp("engines")
    (folder / "games.pgn").write_text(PGN)
    file = Path(shutil.copy(migrated, folder / "games.db"))
    with Store(str(file)) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
        add_games([str(folder / "games.pgn")], store)
        build_memory(store)
    return file


def measured(database: Path, folder: Path, stockfish: str, text: str, games: int = 0) -> EnginesReport:
    (folder / "held-out.pgn").write_text(text)
    return measure_engines(
        str(folder / "held-out.pgn"), str(database), queries=5, games=games, engine=stockfish
    )


def test_every_chooser_is_asked(database: Path, tmp_path: Path, stockfish: str) -> None:
    report = measured(database, tmp_path, stockfish, OTHERS)
    assert list(report.quality.answers) == list(LEGEND)


def test_games_of_the_memory_are_left_out(database: Path, tmp_path: Path, stockfish: str) -> None:
    report = measured(database, tmp_path, stockfish, OTHERS + PGN)
    assert len(report.quality.questions) == 2


def test_positions_of_the_memory_are_left_out(database: Path, tmp_path: Path, stockfish: str) -> None:
    # The same moves under another name, but for the last one.
    text = OTHERS + pgn(RUY_LOPEZ.rpartition(" ")[0], White="Somebody else")
    report = measured(database, tmp_path, stockfish, text)
    assert len(report.quality.questions) == 2


def test_games_against_random_moves(
    database: Path, tmp_path: Path, stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "PLAYING", [RANDOM])
    monkeypatch.setattr(engines, "POSITIONS_IN_GAMES", 3)
    report = measured(database, tmp_path, stockfish, OTHERS, games=2)
    assert [len(played.games) for played in report.games] == [2]
    assert {name: len(found.questions) for name, found in report.in_games.items()} == {RANDOM: 3}


def test_games_that_were_learned_from_are_left_out(
    database: Path, tmp_path: Path, stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "game_is_for_test", lambda key: False)
    with pytest.raises(InputError, match="no game"):
        measured(database, tmp_path, stockfish, OTHERS)


def test_without_a_memory_there_is_no_report(sqlite_store: Store, tmp_path: Path, stockfish: str) -> None:
    with pytest.raises(IndexUnavailableError, match="retrieval build"):
        measured(Path(str(sqlite_store.url.database)), tmp_path, stockfish, OTHERS)


def test_the_command_prints_a_table(
    database: Path, tmp_path: Path, stockfish: str, command_on: CommandOn
) -> None:
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    with Store(str(database)) as store:
        outcome = command_on(store, "benchmarks.engines")(str(tmp_path / "held-out.pgn"))
    assert outcome.status == 0
    assert {RANDOM, JOINED} <= {line.split("  ")[0] for line in outcome.out.splitlines()}
    assert "only 2 positions" in outcome.err


# Runs the command as `python -m` does, with two processes, but asks about few positions, and lets only the
# first engine play.
SMALL = """
import os, runpy
from dataclasses import replace
from benchmarks import move_quality, random_games
from training import parts

measure, play, played = move_quality.measure_choosers, random_games.play_against_random, []

def measure_two(questions, *arguments, **options):
    return measure(questions[:2], *arguments, **options)

def play_once(factory, *arguments, **options):
    if not played:
        played.append(play(factory, *arguments, **options))
    return replace(played[0], name=factory.args[0])

os.cpu_count = lambda: 2
parts.game_is_for_test = lambda key: True
move_quality.measure_choosers, random_games.play_against_random = measure_two, play_once
runpy.run_module("benchmarks.engines", run_name="__main__", alter_sys=True)
"""


def test_processes_play_against_random_moves(database: Path, tmp_path: Path, fake_engine: FakeEngine) -> None:
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    words = (tmp_path / "held-out.pgn", "--against-random", "2", "--queries", "2", "--json")
    command = (sys.executable, "-c", SMALL, *words, "--db", database, "--engine", fake_engine())
    out = subprocess.check_output(command, cwd=ROOT, env={"PYTHONPATH": "."})
    assert {len(report["games"]) for report in json.loads(out)["games"]} == {2}


def test_json(database: Path, tmp_path: Path, stockfish: str, command_on: CommandOn) -> None:
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    with Store(str(database)) as store:
        outcome = command_on(store, "benchmarks.engines")(str(tmp_path / "held-out.pgn"), "--json")
    assert {"quality", "games", "in_games"} == json.loads(outcome.out).keys()


def test_random_order_has_every_legal_move() -> None:
    board = chess.Board()
    ranked = RandomChooser().ranked(board)
    assert sorted(ranked, key=chess.Move.uci) == sorted(board.legal_moves, key=chess.Move.uci)


def test_random_order_is_the_same_again() -> None:
    board = chess.Board()
    assert RandomChooser(1).ranked(board) == RandomChooser(1).ranked(board)


def test_another_seed_is_another_order() -> None:
    board = chess.Board()
    assert RandomChooser(1).ranked(board) != RandomChooser(2).ranked(board)


def test_another_position_is_another_order() -> None:
    board = chess.Board()
    before = RandomChooser().ranked(board)
    board.set_fen(board.fen().replace("0 1", "0 2"))
    assert RandomChooser().ranked(board) != before


def test_each_first_move_is_as_likely() -> None:
    first = [RandomChooser(seed).ranked(chess.Board())[0] for seed in range(2_000)]
    counts = [first.count(move) for move in chess.Board().legal_moves]
    # 100 are expected, with a standard deviation of 9.7.
    assert min(counts) > 60
    assert max(counts) < 140


def test_people_are_expected_to_play_the_likeliest_move() -> None:
    model, board = load_human_model(SHIPPED_MODEL), chess.Board()
    (prediction,) = model.predict([board], [1900])
    probabilities = [prediction.moves[move] for move in HumanChooser(model, 1900).ranked(board)]
    assert probabilities == sorted(prediction.moves.values(), reverse=True)


def test_the_rating_counts() -> None:
    board, model = chess.Board(), load_human_model(SHIPPED_MODEL)
    assert HumanChooser(model, 800).ranked(board) != HumanChooser(model, 2400).ranked(board)


def test_the_name_says_the_rating() -> None:
    assert HumanChooser(load_human_model(SHIPPED_MODEL), 1900).name == "human 1900"
