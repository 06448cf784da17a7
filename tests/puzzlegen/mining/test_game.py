"""Mining a game of python-chess, without a store."""

from __future__ import annotations

import io

import chess.pgn
import pytest

from chess_motif.errors import InputError
from engines.engine import Engine
from puzzlegen.mining.game import mine_game
from tests.helpers.quick_mining import QUICK
from tests.helpers.sample_games import MISSED_MATE


@pytest.fixture
def game() -> chess.pgn.Game:
    read = chess.pgn.read_game(io.StringIO(MISSED_MATE))
    assert read is not None
    return read


def test_a_puzzle_is_like_a_stored_one(stockfish: str, game: chess.pgn.Game) -> None:
    with Engine(stockfish) as engine:
        (puzzle,) = mine_game(game, engine, rules=QUICK)
    assert (puzzle.solution, "mateIn1" in puzzle.all_tags()) == ("h5f7", True)
    assert puzzle.game is not None
    assert puzzle.game.white == "Miller, Ann"
    assert puzzle.level is not None


def test_a_puzzle_comes_before_the_next_candidate_is_verified(stockfish: str, game: chess.pgn.Game) -> None:
    with Engine(stockfish) as engine:
        puzzles = mine_game(game, engine, rules=QUICK)
        next(puzzles)
        searches = engine.searches
        assert [*puzzles] == []
        assert engine.searches > searches


@pytest.mark.parametrize(("player", "found"), [("ann", ["h5f7"]), ("bob", [])])
def test_a_player_gets_only_what_she_could_have_solved(
    stockfish: str, game: chess.pgn.Game, player: str, found: list[str]
) -> None:
    with Engine(stockfish) as engine:
        puzzles = mine_game(game, engine, rules=QUICK, player=player)
        assert [puzzle.solution for puzzle in puzzles] == found


def test_a_game_that_cannot_be_used_is_refused_at_once(stockfish: str) -> None:
    with Engine(stockfish) as engine, pytest.raises(InputError, match="variant"):
        mine_game(chess.pgn.Game({"Variant": "Atomic"}), engine)
