"""The report on the engines: with a real memory and a real Stockfish, and a tiny ChessBERT."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from chess_motif.errors import IndexUnavailableError
from db.store import Store
from motifsearch.evaluation.move_quality import engines_report, players
from motifsearch.evaluation.move_quality.engines_report import EnginesReport, measure_engines
from motifsearch.evaluation.move_quality.players import JOINED, LEGEND, RANDOM
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval.chessbert.model import ChessBert
from motifsearch.retrieval.memory.build import build_memory
from tests.helpers.chessbert_files import copying_network
from tests.helpers.commands import CommandOn
from tests.helpers.sample_games import PGN, RUY_LOPEZ, pgn

OTHERS = "".join(
    pgn(f"1. {first} {reply} 2. a3 a6 3. h3 h6 4. b3 b6 5. g3 g6 6. c3 c6 7. Nf3 Nf6", White=first)
    for first, reply in (("e4", "e5"), ("d4", "d5"))
)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
    monkeypatch.setattr("motifsearch.cli.report_engines.os.cpu_count", lambda: 1)
    monkeypatch.setattr(players, "load_chessbert", lambda: ChessBert(copying_network()))


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
    monkeypatch.setattr(engines_report, "PLAYING", [RANDOM])
    report = measured(database, tmp_path, stockfish, OTHERS, games=2)
    assert [len(played.games) for played in report.games] == [2]


def test_without_a_memory_there_is_no_report(sqlite_store: Store, tmp_path: Path, stockfish: str) -> None:
    with pytest.raises(IndexUnavailableError, match="retrieval build"):
        measured(Path(str(sqlite_store.url.database)), tmp_path, stockfish, OTHERS)


def test_the_command_prints_a_table(
    database: Path, tmp_path: Path, stockfish: str, command_on: CommandOn
) -> None:
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    with Store(str(database)) as store:
        outcome = command_on(store, "motifsearch", "report", "engines")(str(tmp_path / "held-out.pgn"))
    assert outcome.status == 0
    assert {RANDOM, JOINED} <= {line.split("  ")[0] for line in outcome.out.splitlines()}
    assert "only 2 positions" in outcome.err


def test_json(database: Path, tmp_path: Path, stockfish: str, command_on: CommandOn) -> None:
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    with Store(str(database)) as store:
        outcome = command_on(store, "motifsearch", "report", "engines")(
            str(tmp_path / "held-out.pgn"), "--json"
        )
    assert {"quality", "games"} == json.loads(outcome.out).keys()
