"""Which positions choosers are asked about, and how good the moves are that they choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import chess
import pytest

from benchmarks.moves import (
    FIRST_PLY,
    MATE,
    METRICS,
    MOST_LOST,
    PLAYERS,
    Answer,
    MoveScores,
    Question,
    ask,
    measure_choosers,
    sample_questions,
    score_moves,
)
from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.store import Store
from engines.engine import MOST_CENTIPAWNS
from tests.helpers.archived_games import random_moves
from tests.helpers.sample_games import pgn
from tests.helpers.scripted_engine import ScriptedEngine

E4, D4, C4, A4 = (chess.Move.from_uci(uci) for uci in ("e2e4", "d2d4", "c2c4", "a2a4"))

# Two pawns that can each move to two squares, and a king with two: e2e4 is best, e1d1 worst.
FEN = "4k3/8/8/8/8/3p1p2/4P3/4K3 w - - 0 1"
SCORES = {"e2e4": 30, "e2e3": 20, "e2d3": 20, "e2f3": 10, "e1f2": -50, "e1f1": -80, "e1d2": -90, "e1d1": -99}

# The mate and 19 other moves.
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def scripted(*best: str) -> Callable[[chess.Board], list[chess.Move]]:
    """Return a chooser that ranks these moves first, and the others in the order of their names."""
    moves = [chess.Move.from_uci(uci) for uci in best]

    def ranked(board: chess.Board) -> list[chess.Move]:
        others = sorted(board.legal_moves, key=chess.Move.uci)
        return [*moves, *(move for move in others if move not in moves)]

    return ranked


def move_scores(**scores: int) -> MoveScores:
    """Return scores given as moves in UCI, best first."""
    return MoveScores({chess.Move.from_uci(uci): score for uci, score in scores.items()})


def question(fen: str = FEN, move: str = "e2e4") -> Question:
    return Question(chess.Board(fen), chess.Move.from_uci(move))


def scored(opinion: dict[str, int | str]) -> MoveScores:
    asked = question(chess.STARTING_FEN)
    return score_moves(asked, ScriptedEngine({chess.STARTING_FEN: opinion}))


def answer(*best: str, played: str = "e2e4") -> Answer:
    return ask(scripted(*best), question(move=played), move_scores(**SCORES))


def value(metric: str, one: Answer) -> float:
    return METRICS[metric].value(one)


def game(number: int, plies: int = 60) -> str:
    """Return a game of random moves; each number is another game."""
    board = chess.Board()
    moves = [chess.Move.from_uci(uci) for uci in random_moves(number).split()[:plies]]
    return pgn(board.variation_san(moves), White=f"White {number}", WhiteElo="2100", BlackElo="?")


GAMES = [game(number) for number in range(20)]


@pytest.fixture
def sample(tmp_path: Path) -> Sampler:
    return Sampler(tmp_path / "games.pgn")


class Sampler:
    """Samples the questions of games, given as PGN."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(
        self,
        games: Sequence[str],
        count: int,
        in_memory: Callable[[chess.Board], bool] = lambda board: False,
        known_game: Callable[[str], bool] = lambda key: False,
    ) -> list[Question]:
        self._file.write_text("".join(games))
        return sample_questions(str(self._file), count, 0, in_memory, known_game)


def asked(questions: Sequence[Question]) -> list[tuple[str, str]]:
    return [(one.board.fen(), one.move.uci()) for one in questions]


def test_one_position_of_each_game_with_moves_before_it_and_one_after(sample: Sampler) -> None:
    questions = sample([game(number, FIRST_PLY + 1) for number in range(20)], 30)
    assert len(questions) == 20
    assert {len(one.board.move_stack) for one in questions} == {FIRST_PLY}


def test_the_elo_is_that_of_the_player_to_move(sample: Sampler) -> None:
    for one in sample(GAMES, 20):
        assert one.elo == (2100 if one.board.turn else None)


def test_the_order_of_the_games_does_not_matter(sample: Sampler) -> None:
    assert asked(sample(GAMES, 5)) == asked(sample(GAMES[::-1], 5)) == asked(sample(GAMES, 9))[:5]


def test_a_game_that_occurs_again_is_asked_about_once(sample: Sampler) -> None:
    again = [text.replace("1. ", "{once more} 1. ", 1) for text in GAMES]
    assert len(sample([*GAMES, *again], 40)) == 20


def test_a_position_in_memory_is_not_asked_about(sample: Sampler) -> None:
    known = {one.board.epd() for one in sample(GAMES, 20)}
    questions = sample(GAMES, 20, in_memory=lambda board: board.epd() in known)
    assert len(questions) == 20
    assert known.isdisjoint(one.board.epd() for one in questions)


def test_a_known_game_is_left_out(sample: Sampler) -> None:
    keys: list[str] = []

    def known(key: str) -> bool:
        keys.append(key)
        return len(keys) <= 5

    assert len(sample(GAMES, 20, known_game=known)) == 15


def test_without_a_game_there_is_nothing_to_ask(sample: Sampler) -> None:
    with pytest.raises(InputError, match="no game has a position"):
        sample([game(0, 3)], 1)


def test_moves_with_the_same_score_have_the_better_rank() -> None:
    scores = move_scores(e2e4=30, d2d4=20, c2c4=20, a2a4=10)
    assert [scores.rank(move) for move in (E4, D4, C4, A4)] == [1, 2, 2, 4]
    assert scores.random_rank() == pytest.approx(9 / 4)


def test_a_loss_is_to_the_best_move_within_limits() -> None:
    assert move_scores(e2e4=30, d2d4=-20).loss(D4) == 50
    assert move_scores(e2e4=MATE - 1, d2d4=MOST_LOST + 200).loss(D4) == 0
    assert move_scores(e2e4=MATE - 1, d2d4=1 - MATE).loss(D4) == 2 * MOST_LOST


def test_scores_are_best_first_and_the_engines_first_of_equal_ones() -> None:
    assert [*scored({"a2a4": -5, "d2d4": 20, "e2e4": 30}).scores.values()] == [30, 20, -5]
    assert scored({"d2d4": 30, "e2e4": 30}).best == D4


def test_mates_are_beyond_all_centipawns_and_quicker_ones_better() -> None:
    scores = scored({"d2d4": MOST_CENTIPAWNS, "e2e4": "#1000"})
    assert (scores.best, scores.rank(D4)) == (E4, 2)
    assert scored({"e2e4": "#3", "d2d4": "#2"}).best == D4
    assert scored({"e2e4": "#-2", "d2d4": "#-3"}).best == D4


def test_the_answer_is_the_first_move() -> None:
    assert value("rank", answer("e2f3")) == 4
    assert value("centipawn loss", answer("e1f2")) == 80
    assert [value("as played", answer("e2d3", played=played)) for played in ("e2d3", "e2e4")] == [1, 0]


def test_the_best_move_is_recalled_from_its_place_on() -> None:
    found = answer("e1d1", "e1d2", "e2e4")
    assert [value(f"recall@{k}", found) for k in (1, 3, 10)] == [0, 1, 1]


def test_a_move_as_good_as_the_best_does_not_recall_it() -> None:
    # As in the paper, the optimal move is the engine's first.
    found = ask(scripted("e2e3"), question(), move_scores(**dict.fromkeys(SCORES, 0)))
    assert (found.rank, value("recall@1", found)) == (1, 0)


@pytest.mark.parametrize("ranked", [[*SCORES][1:], [*SCORES, "e2e4"]])
def test_every_legal_move_is_ranked_once(ranked: list[str]) -> None:
    moves = [chess.Move.from_uci(uci) for uci in ranked]
    with pytest.raises(ValueError, match="are not ranked"):
        ask(lambda board: moves, question(), move_scores(**SCORES))


def test_with_stockfish_the_mate_is_best(sqlite_store: Store, stockfish: str) -> None:
    choosers = {"mates": scripted("a1a8"), "misses": scripted("a1a2")}
    report = measure_choosers([question(BACK_RANK, "a1a8")] * 2, choosers, sqlite_store, Progress())
    assert report.figures()["mates"]["recall@1"].mean == 1
    assert report.figures()["misses"]["rank"].mean > 1
    assert report.figures()[PLAYERS]["rank"].mean == 1
