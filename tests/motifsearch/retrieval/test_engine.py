"""The engines over UCI: options, what they say, whole conversations, and the blunder check."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest

from engines.uci_server import serve
from motifsearch.retrieval import chesscone
from motifsearch.retrieval.chessbert import chessbert_engine
from motifsearch.retrieval.chesscone import Chesscone, chesscone_engine
from motifsearch.retrieval.engine import PATIENCE, Blunder, blunder_of, blunders_last
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
    assert comments(lines)[0] == (
        "Anand, Viswanathan – Carlsen, Magnus, 2013, 1/2-1/2: the same position at move 2"
    )


def test_it_plays_like_a_player(folder: Path) -> None:
    settings = ("setoption name Form value memory", "setoption name Player value Karjakin")
    lines = conversation(folder, *settings, "position startpos moves e2e4 c7c5", "go")
    assert lines[-1] == "bestmove g1f3"


def test_it_plays_an_opening(folder: Path) -> None:
    settings = ("setoption name Form value memory", "setoption name Opening value B9")
    assert conversation(folder, *settings, "position startpos moves e2e4", "go")[-1] == "bestmove c7c5"


def test_it_plays_like_strong_players(folder: Path) -> None:
    settings = ("setoption name Form value memory", "setoption name Memory Min Elo value 2750")
    assert conversation(folder, *settings, "position startpos moves e2e4", "go")[-1] == "bestmove e7e5"


@pytest.mark.parametrize(
    ("option", "why"),
    [("Player value Nobody", "no game passes the filters"), ("Memory value /nowhere", "no memory")],
)
def test_without_games_it_says_so_and_plays_all_the_same(option: str, why: str, folder: Path) -> None:
    lines = conversation(folder, f"setoption name {option}", "go")
    assert why in comments(lines)[0]
    assert lines[-1].startswith("bestmove ")


def test_it_says_so_once(folder: Path) -> None:
    lines = conversation(folder, "setoption name Player value Nobody", "go", "go")
    assert len(comments(lines)) == 1


def test_a_filter_can_be_lifted(folder: Path) -> None:
    lines = conversation(
        folder, "setoption name Player value Nobody", "go", "setoption name Player value <empty>", "go"
    )
    assert "Anand" in comments(lines)[-1]


def test_it_varies_in_well_known_positions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    lines = conversation(folder, *(50 * ["position startpos moves e2e4", "go"]))
    played = {line for line in lines if line.startswith("bestmove")}
    assert played == {"bestmove c7c5", "bestmove e7e5"}


def test_it_can_play_the_same_always(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chesscone, "WELL_KNOWN", 2)
    settings = ["setoption name Variety value false"]
    lines = conversation(folder, *settings, *(20 * ["position startpos moves e2e4", "go"]))
    assert len({line for line in lines if line.startswith("bestmove")}) == 1


def test_weak_players_play_differently() -> None:
    position = "position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
    engine = chesscone_engine(memory=Path("/nowhere"))
    serve(engine, [position, "go", "setoption name UCI_LimitStrength value true", "isready"], io.StringIO())
    assert isinstance(engine._decider, Chesscone)
    assert engine._decider.rating == 1500


def test_only_searchmoves_are_played(folder: Path) -> None:
    assert conversation(folder, "go searchmoves a2a3 h2h4")[-1] in ("bestmove a2a3", "bestmove h2h4")


def test_a_damaged_memory_is_named(folder: Path) -> None:
    (folder / "table-3.npz").unlink()
    (folder / "table-3.npz").write_bytes(b"damaged")
    assert "table-3.npz" in comments(conversation(folder, "go"))[0]


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


def test_without_faiss_it_names_the_extra() -> None:
    start = "from motifsearch.cli.retrieval import chesscone; chesscone()"
    script = f"import sys; sys.modules['faiss'] = None\n{start}"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, input="uci\n", capture_output=True, text=True, timeout=60
    )
    assert ended.stderr == (
        "chesscone: a memory of positions needs faiss; pip install 'chess-motif[retrieval]'\n"
    )


@pytest.mark.parametrize(
    ("fen", "san", "expected"),
    [
        # Back rank: leaving it to take a pawn allows Rd1.
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "Rxa2", Blunder.ALLOWS_MATE),
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "h3", Blunder.NONE),
        # Stalemate with a queen ahead.
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7", Blunder.DRAWS),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc2", Blunder.NONE),
        # The losing side is glad of a stalemate, and of bare kings.
        ("7K/8/8/8/8/8/5q1k/8 w - - 0 1", "Kh7", Blunder.NONE),
        # Taking the last piece of the opponent, but losing the own pawn's chance: a bishop cannot win.
        ("8/8/8/8/8/2k5/p7/B2K4 w - - 0 1", "Kc1", Blunder.NONE),
        # A queen that only moves about.
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "Qd1", Blunder.NO_PROGRESS),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "b4", Blunder.NONE),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE - 1} 90", "Qd1", Blunder.NONE),
        # With little ahead, a draw is nothing to avoid.
        (f"kr6/8/8/8/8/8/1P6/K1R5 w - - {PATIENCE} 90", "Rd1", Blunder.NONE),
    ],
)
def test_blunders(fen: str, san: str, expected: Blunder) -> None:
    board = chess.Board(fen)
    assert blunder_of(board, board.parse_san(san)) == expected


def test_a_position_is_not_repeated_when_winning() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K1Q5 w - - 0 1")
    for san in ("Qd1", "Ka7", "Qc1"):
        board.push_san(san)
    board.push_san("Ka8")
    assert blunder_of(board, board.parse_san("Qd1")) == Blunder.DRAWS


def test_a_position_may_be_repeated_when_losing() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K1Q5 w - - 0 1")
    for san in ("Qd1", "Ka7", "Qc1"):
        board.push_san(san)
    assert blunder_of(board, board.parse_san("Ka8")) == Blunder.NONE


def test_mate_comes_first() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    moves = sorted(board.legal_moves, key=chess.Move.uci, reverse=True)
    assert board.san(blunders_last(board, moves)[0]) == "Ra8#"


def test_moves_that_are_no_blunders_stay_in_order() -> None:
    board = chess.Board()
    moves = list(board.legal_moves)
    assert blunders_last(board, moves) == moves


def test_the_board_is_unchanged() -> None:
    board = chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
    blunders_last(board, list(board.legal_moves))
    assert board == chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
