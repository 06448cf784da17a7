"""Mining a game of python-chess, without a store."""

from __future__ import annotations

import io
from typing import Any

import chess.pgn
import pytest

from chess_motif.errors import InputError
from engines.engine import Engine
from puzzlegen.candidates import Turn
from puzzlegen.games.pgn import played_game
from puzzlegen.mining.game import SearchedGame, mine_game
from puzzlegen.rules import MiningRules, Pattern
from tests.helpers.quick_mining import QUICK
from tests.helpers.sample_games import MISSED_MATE
from tests.helpers.scripted_engine import ScriptedEngine, key


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


# Black's queen goes where White can take it, and White does not.
BLUNDER = '[SetUp "1"]\n[FEN "3qk3/8/8/8/8/8/5PPP/3RK3 b - - 0 1"]\n\n1... Qd5 2. h3 Qd8 *'
WON = 700

CLEAR, *_, LAST = (stage.nodes for stage in MiningRules().decision)


@pytest.mark.parametrize(
    ("what", "pattern", "before", "after_reply", "is_triple", "nodes"),
    [
        ("White had not won before", Pattern.BLUNDER, -WON, WON, True, [CLEAR]),
        ("White had won before", Pattern.BLUNDER, WON, WON, False, [CLEAR]),
        ("White had nearly won before", Pattern.BLUNDER, 150, WON, True, [LAST]),
        ("Black's blunder was missed", Pattern.BLUNDER_BLUNDER, -WON, -WON, True, [CLEAR, CLEAR]),
        ("Black's blunder was not missed", Pattern.BLUNDER_BLUNDER, -WON, WON, False, [CLEAR, CLEAR]),
    ],
)
def test_what_decides_about_a_candidate(
    what: str, pattern: Pattern, before: int, after_reply: int, is_triple: bool, nodes: list[int]
) -> None:
    game = chess.pgn.read_game(io.StringIO(BLUNDER))
    assert game is not None
    played = played_game(game)
    at_first, blundered, replied, _ = (board.fen() for board in played.positions())
    engine: Any = ScriptedEngine(
        {
            at_first: {"d8d5": -before},
            blundered: {"d1d5": WON, "h2h3": 0},
            replied: {"d5d8": -after_reply},
        }
    )
    decided = SearchedGame(played, engine, MiningRules(pattern=pattern)).decided(Turn(1, 0.0, 0.5, 0.5))
    assert (decided is not None) is is_triple
    sought = {key(at_first), key(replied)}
    assert [asked for epd, asked in engine.asked if epd in sought] == nodes
