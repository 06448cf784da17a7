"""Games against RANDOM."""

from __future__ import annotations

import json
from functools import partial
from random import Random

import chess
import pytest

from benchmarks.engines import RandomChooser
from benchmarks.random_games import (
    RandomGame,
    RandomGamesReport,
    play_against_random,
    play_game,
    questions_of,
)
from tests.helpers.move_choosers import BACK_RANK, BrokenChooser, MatingChooser, ScriptedChooser
from tests.helpers.recording_progress import RecordingProgress

STALEMATING = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
# The only legal move is a mate.
ONE_MOVE_MATES = "2R5/6PP/6PK/7P/7N/8/7p/2b4k w - - 0 1"
ROOKS = "r3k3/8/8/8/8/8/8/4K2R w - - 149 200"
CAGED = "k7/p1p5/P1P5/8/8/p1p5/P1P5/K7 w - - 0 1"


class CountedChooser(ScriptedChooser):
    """Counts how many of its kind have been made."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        CountedChooser.made += 1


def played(fen: str, *moves: str, colour: chess.Color = chess.WHITE, seed: int = 0) -> RandomGame:
    return play_game(ScriptedChooser(*moves), colour, Random(seed), chess.Board(fen))


def game(winner: chess.Color | None, plies: int = 2, colour: chess.Color = chess.WHITE) -> RandomGame:
    termination = chess.Termination.STALEMATE if winner is None else chess.Termination.CHECKMATE
    return RandomGame(colour, (chess.Move.null(),) * plies, winner, termination)


def test_a_chooser_that_mates_wins() -> None:
    mated = play_game(MatingChooser(), chess.WHITE, Random(0), chess.Board(BACK_RANK))
    assert mated.won


def test_with_black_a_mate_wins_too() -> None:
    position = chess.Board(BACK_RANK).mirror()
    assert play_game(MatingChooser(), chess.BLACK, Random(0), position).won


def test_a_chooser_that_is_mated_has_lost() -> None:
    lost = played(ONE_MOVE_MATES, colour=chess.BLACK)
    assert (lost.won, lost.drawn) == (False, False)


def test_a_stalemate_is_a_draw() -> None:
    drawn = played(STALEMATING, "g6f7")
    assert (drawn.drawn, drawn.termination) == (True, chess.Termination.STALEMATE)


def test_bare_kings_are_a_draw() -> None:
    drawn = played("7k/8/8/8/8/8/1q6/K7 w - - 0 1", "a1b2")
    assert drawn.termination == chess.Termination.INSUFFICIENT_MATERIAL


def test_75_quiet_moves_are_a_draw() -> None:
    assert played(ROOKS, "h1h2").termination == chess.Termination.SEVENTYFIVE_MOVES


def test_nothing_is_claimed_at_the_third_repetition() -> None:
    caged = played(CAGED)
    assert caged.termination == chess.Termination.FIVEFOLD_REPETITION


def test_random_may_play_every_legal_move() -> None:
    replies = [played(ROOKS.replace("149", "148"), "h1h2", seed=seed).moves[1] for seed in range(200)]
    position = chess.Board(ROOKS)
    position.push_uci("h1h2")
    assert {*replies} == {*position.legal_moves}


def test_a_chooser_cannot_change_the_board() -> None:
    class Clearer(ScriptedChooser):
        def ranked(self, board: chess.Board) -> list[chess.Move]:
            moves = super().ranked(board)
            board.clear()
            return moves

    position = chess.Board(STALEMATING)
    assert play_game(Clearer("g6f7"), chess.WHITE, Random(0), position).drawn


def test_an_illegal_move_is_an_error() -> None:
    illegal = BrokenChooser(lambda legal: [chess.Move.from_uci("a1a5")])
    with pytest.raises(ValueError, match="broken chooses a1a5, which is illegal"):
        play_game(illegal, chess.WHITE, Random(0))


def test_half_of_the_games_are_with_each_colour() -> None:
    report = play_against_random(RandomChooser, 4)
    assert [game.colour for game in report.games] == [chess.WHITE, chess.BLACK] * 2


def test_the_games_are_whole() -> None:
    for one in play_against_random(RandomChooser, 2).games:
        board = chess.Board()
        for move in one.moves:
            assert board.outcome() is None
            board.push(move)
        outcome = board.outcome()
        assert outcome is not None
        assert (outcome.termination, outcome.winner) == (one.termination, one.winner)


def test_every_game_is_another() -> None:
    report = play_against_random(ScriptedChooser, 4)
    assert len({game.moves for game in report.games}) == 4


def test_a_seed_gives_the_same_games_again() -> None:
    assert play_against_random(ScriptedChooser, 2, 1) == play_against_random(ScriptedChooser, 2, 1)


def test_another_seed_gives_other_games() -> None:
    assert play_against_random(ScriptedChooser, 2, 1) != play_against_random(ScriptedChooser, 2, 2)


def test_processes_play_the_same_games() -> None:
    factory = partial(ScriptedChooser, name="elsewhere")
    assert play_against_random(factory, 2, workers=2) == play_against_random(factory, 2)


def test_the_chooser_is_made_once() -> None:
    CountedChooser.made = 0
    play_against_random(CountedChooser, 3)
    assert CountedChooser.made == 1


def test_progress_counts_games() -> None:
    progress = RecordingProgress()
    play_against_random(RandomChooser, 2, progress=progress)
    assert progress.updates == [1, 2]


def test_wins_draws_and_losses_are_the_choosers() -> None:
    games = [game(chess.WHITE), game(None), game(chess.BLACK), game(chess.BLACK, colour=chess.BLACK)]
    report = RandomGamesReport("chooser", games)
    assert (report.won, report.drawn, report.lost) == (2, 1, 1)


def test_the_win_rate_has_wilsons_interval() -> None:
    report = RandomGamesReport("chooser", [game(chess.WHITE)] * 10)
    assert report.win_rate == pytest.approx((1, 0.7225, 1), abs=1e-4)


def test_a_decisive_game_is_won_or_lost() -> None:
    games = [game(chess.WHITE), game(chess.BLACK), game(None), game(None)]
    assert RandomGamesReport("chooser", games).decisive.mean == 0.5


def test_the_length_is_in_plies() -> None:
    assert RandomGamesReport("chooser", [game(None, 2), game(None, 5)]).plies == 3.5


def test_draws_are_counted_by_how_they_came_about() -> None:
    report = RandomGamesReport("chooser", [game(None), game(chess.WHITE), game(None)])
    assert report.draws == {chess.Termination.STALEMATE: 2}


def test_the_document_has_every_game() -> None:
    report = RandomGamesReport("chooser", [played(STALEMATING, "g6f7")])
    document = json.loads(json.dumps(report.as_dict()))
    assert document["draws"] == {"stalemate": 1}
    assert document["games"] == [
        {"colour": "white", "result": "1/2-1/2", "termination": "stalemate", "moves": "g6f7"}
    ]


def test_positions_in_which_the_chooser_moved() -> None:
    moves = tuple(chess.Move.from_uci(move) for move in ("e2e4", "e7e5", "g1f3", "b8c6"))
    as_white = RandomGame(chess.WHITE, moves, None, chess.Termination.STALEMATE)
    as_black = RandomGame(chess.BLACK, moves, None, chess.Termination.STALEMATE)
    questions = questions_of(RandomGamesReport("one", [as_white, as_black]), 10)
    assert [(one.ply, one.move.uci()) for one in questions] == [
        (0, "e2e4"),
        (2, "g1f3"),
        (1, "e7e5"),
        (3, "b8c6"),
    ]


def test_a_sample_of_positions_is_the_same_again() -> None:
    report = play_against_random(RandomChooser, 1)
    boards = [[one.board.fen() for one in questions_of(report, 5)] for _ in range(2)]
    assert len(boards[0]) == 5
    assert boards[0] == boards[1]
