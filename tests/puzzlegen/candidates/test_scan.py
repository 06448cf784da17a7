from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.candidates.blunders import find_triples
from puzzlegen.candidates.scan import surely_without_candidates
from puzzlegen.games.pgn import read_game
from puzzlegen.games.split import RawGame
from puzzlegen.rules import MiningRules, Pattern

TAGS = b'[Event "x"]\n[Site "y"]\n\n'


@pytest.mark.parametrize("pattern", Pattern)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_the_bytes_say_what_the_parsed_game_says(pattern: Pattern, seed: int, plies: int) -> None:
    rules = MiningRules(pattern=pattern)
    text = random_game(random.Random(seed), plies)
    game = read_game(RawGame(1, 0, text))
    assert game.evaluated
    assert surely_without_candidates(text, rules) == (not find_triples(game.chances, chess.WHITE, rules))


def random_game(dice: random.Random, plies: int) -> bytes:
    board, words = chess.Board(), []
    for ply in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = dice.choice(moves)
        san = board.san(move)
        board.push(move)
        evaluation = dice.choice(
            [f"{dice.gauss(0, 1.2):.2f}", "#3", "#-4"] if dice.random() < 0.1 else ["0.2"]
        )
        comment = "" if board.is_checkmate() else f" {{ [%eval {evaluation}] [%clk 0:01:00] }}"
        words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'} {san}{comment}")
    return TAGS + " ".join(words).encode() + b" 1/2-1/2\n\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TAGS + b"1. e4 e5 *\n", id="no evaluations"),
        pytest.param(TAGS + b"1. e4 { [%eval 0.1] } e5 *\n", id="one is missing"),
        pytest.param(TAGS + b"1. e4 { [%eval 0.1] } (1. d4 { [%eval 0.1] }) *\n", id="variation"),
        pytest.param(b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 { [%eval 0.1] } *\n', id="set up"),
        pytest.param(b'[Variant "Atomic"]\n\n1. e4 { [%eval 0.1] } *\n', id="variant"),
    ],
)
def test_what_the_bytes_cannot_tell_is_parsed(text: bytes) -> None:
    assert not surely_without_candidates(text, MiningRules())
