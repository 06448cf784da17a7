"""The whole line of an idea, and the moves that are as good, on written-down evaluations."""

from __future__ import annotations

from collections.abc import Mapping

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.boards import solution_san
from chess_motif.errors import PositionError
from puzzlegen.rules import LineRules, MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.idea import Idea, NoTactic, find_idea, idea_of
from puzzlegen.verify.won_line import WonLine, offered, until_won
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

RULES = MiningRules()

LEGAL = "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5"
ACCEPTED = ["f3e5", "g4d1", "c4f7", "e8e7", "c3d5"]

# The rook can take the queen, or give check and take it then; the knight forks king and queen.
HANGING = "4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1"
FORK = "q3k3/8/8/1N6/8/8/5PPP/4K3 w - - 0 1"

# Mate in two: a rook gives check on the seventh rank, the other one mates.
LADDER = "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1"


def line(board: chess.Board, said: Mapping[str, Opinion], *moves: str) -> WonLine | None:
    given_moves = [chess.Move.from_uci(move) for move in moves]
    return until_won(board, given_moves, ScriptedEngine(dict(said)), LineRules(), MiningRules())


def ucis(moves: tuple[chess.Move, ...]) -> list[str]:
    return [move.uci() for move in moves]


def test_a_fork_goes_on_until_the_queen_is_taken() -> None:
    said: dict[str, Opinion] = {
        after(FORK, "b5c7"): {"e8d7": -600},
        after(FORK, "b5c7", "e8d7"): {"c7a8": 600},
        after(FORK, "b5c7", "e8d7", "c7a8"): {"d7c6": -600},
    }
    found = line(chess.Board(FORK), said, "b5c7")
    assert isinstance(found, WonLine)
    assert ucis(found.moves) == ["b5c7", "e8d7", "c7a8"]
    assert found.ending is Ending.MATERIAL


# The queens come off, and only then is the rook on a8 lost.
EXCHANGE = "r5k1/5pp1/4p2p/p1rpP3/1q6/7P/RQ3PP1/R5K1 w - - 7 34"


def test_the_gain_is_made_once_nothing_is_to_be_recaptured() -> None:
    said: dict[str, Opinion] = {
        after(EXCHANGE, "b2b4"): {"a5b4": -600},
        after(EXCHANGE, "b2b4", "a5b4"): {"a2a8": 600},
        after(EXCHANGE, "b2b4", "a5b4", "a2a8"): {"g8h7": -600},
    }
    found = line(chess.Board(EXCHANGE), said, "b2b4")
    assert found is not None
    assert ucis(found.moves) == ["b2b4", "a5b4", "a2a8"]


def test_a_knight_that_is_lost_in_the_corner_has_won_the_queen() -> None:
    fen = "q3k2r/8/8/1N6/8/8/5PPP/4K3 w - - 0 1"
    said: dict[str, Opinion] = {
        after(fen, "b5c7"): {"e8d7": -600},
        after(fen, "b5c7", "e8d7"): {"c7a8": 600},
        after(fen, "b5c7", "e8d7", "c7a8"): {"h8a8": -600},
    }
    found = line(chess.Board(fen), said, "b5c7")
    assert found is not None
    assert ucis(found.moves) == ["b5c7", "e8d7", "c7a8"]


def test_a_mate_is_shown_to_its_end_although_several_moves_mate() -> None:
    said: dict[str, Opinion] = {
        after(LADDER, "b5b7"): {"e8d8": "#-1"},
        after(LADDER, "b5b7", "e8d8"): {"a6a8": "#1", "b7b8": "#2"},
    }
    found = line(chess.Board(LADDER), said, "b5b7")
    assert isinstance(found, WonLine)
    assert ucis(found.moves) == ["b5b7", "e8d8", "a6a8"]
    assert found.ending is Ending.MATE


@pytest.mark.parametrize(
    ("fen", "shown"),
    [
        ("8/P7/8/8/8/6k1/8/K7 w - - 0 1", "a7a8q"),
        # A queen would stalemate.
        ("8/5P1k/8/6K1/8/8/8/8 w - - 0 1", "f7f8r"),
    ],
)
def test_a_rook_is_promoted_only_if_a_queen_would_stalemate(fen: str, shown: str) -> None:
    board = chess.Board(fen)
    reply = next(iter(chess.Board(after(fen, shown)).legal_moves))
    said: dict[str, Opinion] = {fen: {f"{shown[:4]}r": 900}, after(fen, shown): {reply.uci(): -900}}
    found = line(board, said)
    assert found is not None
    assert ucis(found.moves)[0] == shown


def test_a_line_that_loses_its_win_wins_nothing() -> None:
    said: dict[str, Opinion] = {after(FORK, "b5c7"): {"e8d7": 0}, after(FORK, "b5c7", "e8d7"): {"c7a8": 10}}
    assert line(chess.Board(FORK), said, "b5c7") is None


def test_a_move_that_only_goes_back_gives_way_to_one_that_wins_something() -> None:
    start = "7k/1b4R1/5B2/7q/8/8/5PPP/6K1 w - - 0 1"
    said: dict[str, Opinion] = {
        # The engine, which does not know the moves before, thinks that going round is best.
        start: {"g7g5": 500, "g7b7": 490},
        after(start, "g7g5"): {"h8h7": -500},
        after(start, "g7g5", "h8h7"): {"g5g7": 500, "g5h5": 100},
        after(start, "g7g5", "h8h7", "g5g7"): {"h7h8": -500},
        after(start, "g7b7"): {"h8g8": -500},
        after(start, "g7b7", "h8g8"): {"b7g7": 500},
        after(start, "g7b7", "h8g8", "b7g7"): {"g8h8": -500},
        after(start, "g7b7", "h8g8", "b7g7", "g8h8"): {"g7g5": 500},
        after(start, "g7b7", "h8g8", "b7g7", "g8h8", "g7g5"): {"h8h7": -500},
        after(start, "g7b7", "h8g8", "b7g7", "g8h8", "g7g5", "h8h7"): {"g5h5": 900},
        after(start, "g7b7", "h8g8", "b7g7", "g8h8", "g7g5", "h8h7", "g5h5"): {"h7g6": -900},
    }
    found = line(chess.Board(start), said)
    assert isinstance(found, WonLine)
    assert ucis(found.moves)[0] == "g7b7"


def test_what_is_offered_is_the_best_capture() -> None:
    board = chess.Board(LEGAL)
    assert offered(board, chess.Move.from_uci("f3e5"), RULES) == chess.Move.from_uci("g4d1")
    assert offered(board, chess.Move.from_uci("d2d3"), RULES) is None


@given(st.sampled_from(list(chess.Board(LEGAL).legal_moves)))
def test_colours_do_not_matter_to_an_offer(move: chess.Move) -> None:
    board = chess.Board(LEGAL)
    mirrored = chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))
    capture, other = offered(board, move, RULES), offered(board.mirror(), mirrored, RULES)
    assert (capture is None) == (other is None)


def legal_said() -> dict[str, Opinion]:
    """The best defence takes the knight and not the queen."""
    return {
        LEGAL: {"f3e5": 300, "d2d4": 90},
        after(LEGAL, "f3e5"): {"d6e5": -300},
        after(LEGAL, "f3e5", "d6e5"): {"d1g4": 300},
        after(LEGAL, *ACCEPTED[:2]): {"c4f7": "#2"},
        after(LEGAL, *ACCEPTED[:3]): {"e8e7": "#-1"},
        after(LEGAL, *ACCEPTED[:4]): {"c3d5": "#1"},
    }


def test_the_line_in_which_the_offer_is_taken_is_the_idea_if_it_mates() -> None:
    found = find_idea(chess.Board(LEGAL), ScriptedEngine(legal_said()))
    assert isinstance(found, Idea)
    assert ucis(found.moves) == ACCEPTED
    assert found.is_taken
    assert ucis(found.instead) == ["f3e5", "d6e5", "d1g4"]
    assert found.also == ()


@pytest.mark.parametrize(
    ("if_taken", "goes_on"),
    [
        (310, ("g4d1", "c4f7")),
        (900, ("d6e5", "d1g4")),
        # A defender who is not mated otherwise does not allow it.
        ("#2", ("d6e5", "d1g4")),
    ],
)
def test_an_offer_is_taken_if_that_is_about_as_good(if_taken: int | str, goes_on: tuple[str, str]) -> None:
    engine = ScriptedEngine(legal_said() | {after(LEGAL, "f3e5", "g4d1"): {"c4f7": if_taken}})
    until_won(chess.Board(LEGAL), [chess.Move.from_uci("f3e5")], engine, LineRules(), MiningRules())
    # Asked for the reply, for both answers to it, for the solver's next move, and for the reply to that.
    position, _ = engine.asked[4]
    assert position == chess.Board(after(LEGAL, "f3e5", *goes_on)).epd()


def test_moves_that_are_as_good_are_named_with_their_scores() -> None:
    said: dict[str, Opinion] = {
        HANGING: {"c3d5": 700, "d1d5": 690, "e1e2": 0},
        after(HANGING, "c3d5"): {"e8d7": -700},
        after(HANGING, "d1d5"): {"e8e7": -690},
    }
    found = find_idea(chess.Board(HANGING), ScriptedEngine(said))
    assert isinstance(found, Idea)
    assert ucis(found.moves) == ["c3d5"]
    assert [(other.move.uci(), other.score.score()) for other in found.also] == [("d1d5", 690)]


def test_of_moves_that_are_as_good_the_one_with_a_motif_is_chosen() -> None:
    # The rook may be taken, or the queen forked, which is better by a hair.
    fen = "q3k2r/8/8/1N4B1/8/8/5PPP/4K3 w - - 0 1"
    said: dict[str, Opinion] = {
        fen: {"g5f6": 610, "b5c7": 600},
        after(fen, "g5f6"): {"e8d7": -610},
        after(fen, "g5f6", "e8d7"): {"f6h8": 610},
        after(fen, "g5f6", "e8d7", "f6h8"): {"d7e6": -610},
        after(fen, "b5c7"): {"e8d7": -600},
        after(fen, "b5c7", "e8d7"): {"c7a8": 600},
        after(fen, "b5c7", "e8d7", "c7a8"): {"h8a8": -600},
    }
    found = find_idea(chess.Board(fen), ScriptedEngine(said))
    assert isinstance(found, Idea)
    assert ucis(found.moves)[0] == "b5c7"
    assert [other.move.uci() for other in found.also] == ["g5f6"]


def test_mate_is_better_than_any_other_win() -> None:
    said: dict[str, Opinion] = {
        LADDER: {"b5b7": "#2", "e1e2": 2000},
        after(LADDER, "b5b7"): {"e8d8": "#-1"},
        after(LADDER, "b5b7", "e8d8"): {"a6a8": "#1"},
    }
    found = find_idea(chess.Board(LADDER), ScriptedEngine(said))
    assert isinstance(found, Idea)
    assert found.also == ()


@pytest.mark.parametrize(("said", "wins"), [({"e2e4": 30, "d2d4": 25}, False), ({"e2e4": 500}, True)])
def test_a_position_without_a_tactic(said: Opinion, wins: bool) -> None:
    found = find_idea(chess.Board(), ScriptedEngine({chess.STARTING_FEN: said}))
    assert isinstance(found, NoTactic)
    assert (found.wins, found.first.move.uci()) == (wins, "e2e4")
    assert len(found.moves) % 2 == 1


@pytest.mark.parametrize(("others", "is_tactic"), [(["d1e1", "d1f1", "d1c1"], False), ([], True)])
def test_what_wins_slowly_is_no_tactic_where_every_move_wins(others: list[str], is_tactic: bool) -> None:
    # The rook takes six moves to win the knight.
    start = "6k1/n7/8/8/8/8/8/K2R4 w - - 0 1"
    path = ["d1d2", "g8f8", "d2d3", "f8g8", "d3d4", "g8f8", "d4d5", "f8g8", "d5a5", "g8f8", "a5a7", "f8g8"]
    said: dict[str, Opinion] = {start: {"d1d2": 610, **dict.fromkeys(others, 600)}}
    for number in range(1, len(path)):
        said[after(start, *path[:number])] = {path[number]: 600 if number % 2 == 0 else -600}
    assert find_idea(chess.Board(start), ScriptedEngine(said)).is_tactic is is_tactic


def test_a_game_that_is_over_has_no_idea() -> None:
    with pytest.raises(PositionError, match="the game is over"):
        idea_of(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))


@pytest.mark.parametrize(
    ("fen", "san"),
    [
        (LEGAL, "5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#"),
        # Torre – Lasker, Moscow 1925.
        (
            "r3rnk1/pb3pp1/3pp2p/1q4BQ/1P1P4/4N1R1/P4PPP/4R1K1 w - - 4 25",
            "25. Bf6 Qxh5 26. Rxg7+ Kh8 27. Rxf7+ Kg8 28. Rg7+ Kh8 29. Rxb7+ Kg8 30. Rg7+ Kh8 31. Rg5+ Kh7 "
            "32. Rxh5",
        ),
    ],
)
def test_stockfish_finds_the_whole_line(fen: str, san: str, stockfish: str) -> None:
    board = chess.Board(fen)
    found = idea_of(board, stockfish)
    assert solution_san(board, found.moves) == san
