"""Which games engines are asked about, and games against random moves."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import chess
import pytest

from benchmarks import engines
from benchmarks.engines import CHOOSERS, RandomGame, play_game, questions_of, ranked_at_random
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.retrieval.build import build_memory
from motifsearch.retrieval.chessbert import ChessBert
from tests.helpers.chessbert_files import copying_network
from tests.helpers.commands import CommandOn
from tests.helpers.sample_games import PGN, RUY_LOPEZ, pgn

OTHERS = "".join(
    pgn(f"1. {first} {reply} 2. a3 a6 3. h3 h6 4. b3 b6 5. g3 g6 6. c3 c6 7. Nf3 Nf6", White=first)
    for first, reply in (("e4", "e5"), ("d4", "d5"))
)

# The only legal move is a mate.
ONE_MOVE_MATES = "2R5/6PP/6PK/7P/7N/8/7p/2b4k w - - 0 1"
CAGED = "k7/p1p5/P1P5/8/8/p1p5/P1P5/K7 w - - 0 1"


@pytest.fixture
def database(migrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A database of three games and their memory."""
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)
    monkeypatch.setattr(engines, "load_chessbert", lambda path: ChessBert(copying_network()))
    monkeypatch.setattr(engines, "POSITIONS_IN_GAMES", 3)
    engines.load_chooser.cache_clear()
    (tmp_path / "games.pgn").write_text(PGN)
    store = Store(str(shutil.copy(migrated, tmp_path / "games.db")))
    add_games([str(tmp_path / "games.pgn")], store)
    build_memory(store)
    return store


def test_games_and_positions_that_are_known_are_left_out(
    database: Store,
    tmp_path: Path,
    stockfish: str,
    command_on: CommandOn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Only some of the games would be for the test.
    monkeypatch.setattr(engines, "game_is_for_test", lambda key: True)
    # The same moves under another name, but for the last one.
    known = PGN + pgn(RUY_LOPEZ.rpartition(" ")[0], White="Somebody else")
    (tmp_path / "held-out.pgn").write_text(OTHERS + known)
    outcome = command_on(database, "benchmarks.engines")(str(tmp_path / "held-out.pgn"))
    assert outcome.status == 0
    assert "only 2 positions" in outcome.err
    assert {*CHOOSERS} <= {line.split("  ")[0] for line in outcome.out.splitlines()}


def test_games_that_were_learned_from_are_left_out(
    database: Store, tmp_path: Path, command_on: CommandOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "game_is_for_test", lambda key: False)
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    outcome = command_on(database, "benchmarks.engines")(str(tmp_path / "held-out.pgn"))
    assert outcome.status == 1
    assert "no game" in outcome.err


def test_engines_play_against_random_moves(
    database: Store,
    tmp_path: Path,
    stockfish: str,
    command_on: CommandOn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "game_is_for_test", lambda key: True)
    playing = {name: CHOOSERS[name]._replace(plays=name == "random") for name in CHOOSERS}
    monkeypatch.setattr(engines, "CHOOSERS", playing)
    (tmp_path / "held-out.pgn").write_text(OTHERS)
    run = command_on(database, "benchmarks.engines")
    outcome = run(str(tmp_path / "held-out.pgn"), "--against-random", "2")
    *_, results, in_games = outcome.out.strip().split("\n\n")
    assert results.splitlines()[-1].split()[:2] == ["random", "2"]
    assert in_games.splitlines()[-1].split()[:2] == ["random", "3"]


def test_each_first_move_is_as_likely() -> None:
    boards = [chess.Board(chess.STARTING_FEN.replace("0 1", f"0 {number}")) for number in range(1, 2001)]
    first = [ranked_at_random(board)[0] for board in boards]
    counts = [first.count(move) for move in chess.Board().legal_moves]
    # 100 are expected, with a standard deviation of 9.7.
    assert min(counts) > 60
    assert max(counts) < 140


def first_by_name(board: chess.Board) -> list[chess.Move]:
    return sorted(board.legal_moves, key=chess.Move.uci)


def played(fen: str, colour: chess.Color = chess.WHITE) -> RandomGame:
    return play_game(first_by_name, colour, Random(0), chess.Board(fen))


@pytest.mark.parametrize("colour", chess.COLORS)
def test_a_game_is_won_or_lost_for_the_chooser(colour: chess.Color) -> None:
    assert played(ONE_MOVE_MATES, colour).result == ("won" if colour else "lost")
    mirrored = chess.Board(ONE_MOVE_MATES).mirror().fen()
    assert played(mirrored, colour).result == ("lost" if colour else "won")


def test_nothing_is_claimed_at_the_third_repetition() -> None:
    caged = played(CAGED)
    assert caged.result == "drawn"
    assert caged.outcome.termination == chess.Termination.FIVEFOLD_REPETITION


def test_an_illegal_move_is_an_error() -> None:
    with pytest.raises(ValueError, match="a1a5 is illegal"):
        play_game(lambda board: [chess.Move.from_uci("a1a5")], chess.WHITE, Random(0))


def test_positions_in_which_the_chooser_moved() -> None:
    moves = [chess.Move.from_uci(move) for move in ("e2e4", "e7e5", "g1f3", "b8c6")]
    drawn = chess.Outcome(chess.Termination.STALEMATE, None)
    games = [RandomGame(colour, moves, drawn) for colour in chess.COLORS]
    questions = questions_of(games, "one", 0)
    assert sorted(one.move.uci() for one in questions) == ["b8c6", "e2e4", "e7e5", "g1f3"]
    assert all(one.board.is_legal(one.move) for one in questions)
