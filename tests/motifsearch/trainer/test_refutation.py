"""What is said of a wrong move."""

from __future__ import annotations

import chess
import pytest

from motifsearch.trainer.refutation import Refuter, refute
from tests.helpers.scripted_engine import Opinion, ScriptedEngine

# Position, wrong move, what the engine thinks of the answers, and what is said.
CASES: dict[str, tuple[str, str, Opinion, str]] = {
    "mate": ("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e1c1", {"d8d1": "#1"}, "1...Rd1+ is mate."),
    "takes": ("6k1/5ppp/8/8/8/8/1r3PK1/3Q4 w - - 0 1", "d1b1", {"b2b1": 900}, "1...Rxb1 takes the queen."),
    "takes for": (
        "3r2k1/3p1ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1",
        "d1d7",
        {"d8d7": 900},
        "1...Rxd7 takes the queen for the pawn.",
    ),
    "even": (
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "d1d2",
        {"h7h6": 0},
        "After 1...h6 the game is about even.",
    ),
    "still winning": (
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "d1d2",
        {"h7h6": -500},
        "After 1...h6 White is still winning, but by less than with the best move.",
    ),
    # The pawn takes the bishop: what is lost is not simply the queen.
    "wins material": (
        "3r2k1/3p1ppp/8/8/8/7b/5PPP/3Q2K1 w - - 0 1",
        "d1d7",
        {"d8d7": 900},
        "1...Rxd7 wins material.",
    ),
    "slower mate": (
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "d1d7",
        {"h7h6": "#-2"},
        "That mates, too, but after 1...h6 only in 3 moves.",
    ),
}


@pytest.mark.parametrize(("fen", "move", "opinion", "said"), CASES.values(), ids=CASES)
def test_the_answer_and_what_it_does_are_said(fen: str, move: str, opinion: Opinion, said: str) -> None:
    board = chess.Board(fen)
    after = board.copy()
    after.push_uci(move)
    engine = ScriptedEngine({after.fen(): opinion})
    assert refute(board, chess.Move.from_uci(move), engine).sentence == said


@pytest.mark.parametrize(("fen", "move", "opinion", "said"), CASES.values(), ids=CASES)
def test_black_is_told_the_same(fen: str, move: str, opinion: Opinion, said: str) -> None:
    board = chess.Board(fen).mirror()
    wrong = mirrored(move)
    after = board.copy()
    after.push(wrong)
    engine = ScriptedEngine({after.fen(): {mirrored(reply).uci(): it for reply, it in opinion.items()}})
    sentence = refute(board, wrong, engine).sentence
    assert ("White" in said) == ("Black" in sentence)
    assert sentence.split()[0] == said.split()[0] or sentence.startswith("2. ")


def mirrored(uci: str) -> chess.Move:
    move = chess.Move.from_uci(uci)
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))


def test_stalemate_needs_no_engine() -> None:
    board = chess.Board("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")
    assert refute(board, chess.Move.from_uci("g1g6"), ScriptedEngine({})).sentence == "1. Qg6 is stalemate."


def test_a_real_engine_finds_what_a_move_loses(stockfish: str) -> None:
    refuter = Refuter(stockfish)
    board = chess.Board("3r2k1/5pp1/7p/8/8/8/4QPPP/4R1K1 w - - 0 1")
    assert refuter.refute(board, chess.Move.from_uci("e2d2")).sentence == "1...Rxd2 takes the queen."
    refuter.close()
