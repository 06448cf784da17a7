"""The engines over UCI: options, what they say, whole conversations, and playing without a memory."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Never

import chess
import chess.engine
import numpy as np
import pytest

from chess_motif.errors import StoreError
from engines.human.model import MODEL_VARIABLE
from engines.uci_server import serve
from motifsearch.retrieval import chesscone
from motifsearch.retrieval.chessbert import SHIPPED_NETWORKS, Form, chessbert_engine
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.engine import ALONE, MemoryEngine
from motifsearch.retrieval.policy import PolicyPlayer
from tests.helpers.paths import ROOT


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A memory in a folder of its own."""
    for file in (built / "memory").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "games.db").symlink_to(built / "games.db")
    return tmp_path


def conversation(folder: Path | None, *commands: str) -> list[str]:
    out = io.StringIO()
    serve(chesscone_engine(memory=folder), [*commands, "quit"], out)
    return out.getvalue().splitlines()


def comments(lines: list[str]) -> list[str]:
    return [line.removeprefix("info string ") for line in lines if line.startswith("info string")]


def test_it_names_the_games_that_a_move_comes_from(folder: Path) -> None:
    lines = conversation(
        folder, "setoption name Form value memory", "position startpos moves e2e4 e7e5", "go"
    )
    assert comments(lines) == [
        "Nf3 1 game + 1 in similar positions, 25 %, Anand–Carlsen 2013, https://example.org/1"
    ]


def test_each_variation_has_its_games_and_its_outcome(folder: Path) -> None:
    settings = ("setoption name Form value memory", "setoption name MultiPV value 3")
    lines = conversation(folder, *settings, "position startpos moves e2e4", "go")
    said = {line.split()[2]: line.partition(" string ")[2] for line in lines if " string " in line}
    third = sans(lines)[2]
    assert said == {
        "1": "c5 1 game, 100 %, Karjakin–Anand 2006, position 2.1",
        "2": "e5 1 game, 50 %, Anand–Carlsen 2013, https://example.org/1",
        "3": f"{third} no games",
    }
    assert all(" score cp " in line and " wdl " in line for line in lines if " pv " in line)


def sans(lines: list[str]) -> list[str]:
    board = chess.Board()
    board.push_san("e4")
    return [board.san(chess.Move.from_uci(line.split()[-1])) for line in lines if " pv " in line]


@pytest.mark.parametrize(
    ("option", "moves", "played"),
    [
        ("Player value Karjakin", "e2e4 c7c5", "g1f3"),
        ("Opening value B9", "e2e4", "c7c5"),
        ("Memory Min Elo value 2750", "e2e4", "e7e5"),
    ],
)
def test_it_plays_by_the_games_that_pass(folder: Path, option: str, moves: str, played: str) -> None:
    settings = ("setoption name Form value memory", f"setoption name {option}")
    lines = conversation(folder, *settings, f"position startpos moves {moves}", "go")
    assert lines[-1] == f"bestmove {played}"


def test_a_filter_can_be_lifted(folder: Path) -> None:
    lines = conversation(
        folder, "setoption name Player value Nobody", "go", "setoption name Player value <empty>", "go"
    )
    assert "Anand" in comments(lines)[-1]


def test_several_variations_do_not_vary(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    commands = ["setoption name MultiPV value 2", *(10 * ["position startpos moves e2e4", "go"])]
    played = {line for line in conversation(folder, *commands) if line.startswith("bestmove")}
    assert len(played) == 1


def test_it_varies_in_well_known_positions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    lines = conversation(folder, *(20 * ["position startpos moves e2e4", "go"]))
    played = {line for line in lines if line.startswith("bestmove")}
    assert played == {"bestmove c7c5", "bestmove e7e5"}


def test_it_can_play_the_same_always(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    settings = ["setoption name Variety value false"]
    lines = conversation(folder, *settings, *(10 * ["position startpos moves e2e4", "go"]))
    assert len({line for line in lines if line.startswith("bestmove")}) == 1


def test_weak_players_play_differently() -> None:
    position = "position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
    engine = chesscone_engine(memory=Path("/nowhere"))
    serve(engine, [position, "go", "setoption name UCI_LimitStrength value true", "isready"], io.StringIO())
    assert isinstance(engine._decider, PolicyPlayer)
    assert engine._decider.rating == 1500


def test_only_searchmoves_are_played(folder: Path) -> None:
    assert conversation(folder, "go searchmoves a2a3 h2h4")[-1] in ("bestmove a2a3", "bestmove h2h4")


@pytest.mark.parametrize("move", [0, 0xFFFF])
def test_a_memory_with_an_impossible_move_is_damaged(folder: Path, move: int) -> None:
    file = folder / "table-3.npz"
    with np.load(file) as arrays:
        columns = {**arrays}
    columns["occurrences"]["move"] = move
    file.unlink()
    np.savez(file, **columns)
    out = io.StringIO()
    serve(chessbert_engine(memory=folder), ["go", "quit"], out)
    assert comments(out.getvalue().splitlines()) == [
        f"{ALONE}: the memory is damaged: it has an illegal move in {chess.STARTING_FEN}"
    ]


@pytest.fixture(params=["chesscone", "chessbert"])
def engine(request: pytest.FixtureRequest, folder: Path) -> Iterator[chess.engine.SimpleEngine]:
    command = f"from motifsearch.cli.retrieval import {request.param} as run; run()"
    with chess.engine.SimpleEngine.popen_uci(
        [sys.executable, "-c", command, "--memory", str(folder)], cwd=ROOT, timeout=60
    ) as opened:
        yield opened


def test_a_whole_game_against_stockfish(engine: chess.engine.SimpleEngine, stockfish: str) -> None:
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(stockfish) as opponent:
        opponent.configure({"Skill Level": 0})
        sides = {chess.WHITE: engine, chess.BLACK: opponent}
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            played = sides[board.turn].play(board, chess.engine.Limit(nodes=100))
            assert played.move is not None
            board.push(played.move)
    assert board.is_game_over(claim_draw=True)


def test_chessbert_reads_the_memory(folder: Path) -> None:
    out = io.StringIO()
    serve(chessbert_engine(memory=folder), ["position startpos moves e2e4", "go", "quit"], out)
    lines = out.getvalue().splitlines()
    assert lines[-1] in ("bestmove c7c5", "bestmove e7e5")
    assert "Anand" in comments(lines)[0]


# Without a memory

# The move of the human-move model after 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6; it is not the first legal one.
RUY_LOPEZ = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"
EXPECTED = "bestmove b5a4"

Make = Callable[..., MemoryEngine]


def alone(engine: MemoryEngine, *commands: str) -> tuple[list[str], str]:
    """Return the comments after some commands, without those on moves, and the last move."""
    out = io.StringIO()
    serve(engine, [*commands, RUY_LOPEZ, "go", "go", "quit"], out)
    lines = out.getvalue().splitlines()
    return [text for text in comments(lines) if text.startswith("playing")], lines[-1]


def only_note(engine: MemoryEngine, *commands: str) -> str:
    """Return the only comment of an engine that plays the move of the model."""
    notes, move = alone(engine, *commands)
    assert (len(notes), move) == (1, EXPECTED)
    return notes[0]


@pytest.fixture(params=[chesscone_engine, chessbert_engine])
def make(request: pytest.FixtureRequest) -> Make:
    made: Make = request.param
    return made


@pytest.mark.parametrize(
    ("database", "why"),
    [
        ("/proc/nowhere/games.db", "cannot be opened"),
        ("/", "cannot be opened"),
        ("mysql://server/games", "not the URL"),
        ("postgresql://127.0.0.1:1/games", "cannot be opened"),
    ],
)
def test_without_a_database_the_model_plays(make: Make, database: str, why: str) -> None:
    note = only_note(make(database))
    assert note.startswith(ALONE)
    assert why in note


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("Player value Nobody", "no game passes the filters"),
        ("Memory value /nowhere", "no memory"),
        ("Memory value /" + 5000 * "x", "xxx"),
    ],
)
def test_without_games_the_model_plays(make: Make, folder: Path, option: str, why: str) -> None:
    assert why in only_note(make(memory=folder), f"setoption name {option}")


@pytest.mark.parametrize(
    "file", ["memory.json", "table-3.npz", "vectors-3.faiss", "embedding.npz", "games.db"]
)
def test_with_a_damaged_memory_the_model_plays(folder: Path, file: str) -> None:
    (folder / file).unlink()
    (folder / file).write_bytes(b"damaged")
    assert file in only_note(chesscone_engine(memory=folder))


def test_a_memory_that_is_named_late_is_used(folder: Path) -> None:
    engine = chesscone_engine(memory=Path("/nowhere"))
    assert alone(engine, "isready", f"setoption name Memory value {folder}")[0] == []


def test_a_memory_that_is_lost_twice_is_said_twice(folder: Path) -> None:
    lost = ("setoption name Memory value /nowhere", "go")
    engine = chesscone_engine(memory=folder)
    notes, _ = alone(engine, *lost, f"setoption name Memory value {folder}", "go", *lost)
    assert len(notes) == 2


def test_the_model_plays_on_if_the_database_goes(
    make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make(memory=folder)
    engine.prepare()

    def gone(*_: object) -> Never:
        raise StoreError("the connection is closed")

    monkeypatch.setattr(engine._memory, "games", gone)
    assert alone(engine) == ([f"{ALONE}: the connection is closed"], EXPECTED)


def test_a_network_that_cannot_be_read_is_replaced(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path / "none.onnx"))
    notes, move = alone(make(memory=tmp_path))
    assert [note.split(":")[0] for note in notes] == [
        ALONE,
        "playing with the human-move model of this package",
    ]
    assert move == EXPECTED


def test_a_network_of_chessbert_that_cannot_be_read_is_replaced(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SHIPPED_NETWORKS, Form.IMPROVED, tmp_path / "none.onnx")
    assert only_note(chessbert_engine(memory=folder))


@pytest.mark.parametrize("command", ["chesscone", "chessbert"])
def test_without_faiss_the_model_plays(command: str, folder: Path) -> None:
    start = f"from motifsearch.cli.retrieval import {command}; {command}()"
    script = f"import sys; sys.modules['faiss'] = None\n{start}"
    ended = subprocess.run(
        [sys.executable, "-c", script, "--memory", str(folder)],
        cwd=ROOT,
        input=f"uci\n{RUY_LOPEZ}\ngo\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    lines = ended.stdout.splitlines()
    assert "uciok" in lines
    assert comments(lines)[0] == (
        f"{ALONE}: a memory of positions needs faiss; pip install 'chess-motif[retrieval]'"
    )
    assert lines[-1] == EXPECTED
