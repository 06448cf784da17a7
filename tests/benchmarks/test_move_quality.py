"""Scores of moves, answers and their figures, and the report as text."""

from __future__ import annotations

import json

import chess
import pytest

from benchmarks.move_quality import (
    MATE,
    MOST_LOST,
    Answer,
    MoveQualityReport,
    MoveScores,
    ask,
    measure_choosers,
    players_answer,
    score_moves,
)
from benchmarks.questions import Question
from chess_motif.errors import InputError
from db.store import Store
from engines.engine import MOST_CENTIPAWNS, Engine
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.move_choosers import BACK_RANK, BrokenChooser, ScriptedChooser, move_scores, question
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.scripted_engine import ScriptedEngine

E4, D4, C4, A4 = (chess.Move.from_uci(uci) for uci in ("e2e4", "d2d4", "c2c4", "a2a4"))


def scored(opinion: dict[str, int | str]) -> MoveScores:
    return score_moves(chess.Board(), ScriptedEngine({chess.STARTING_FEN: opinion}))


def test_the_best_move_has_rank_1() -> None:
    assert move_scores(e2e4=30, d2d4=20).rank(E4) == 1


def test_moves_with_the_same_score_have_the_better_rank() -> None:
    scores = move_scores(e2e4=30, d2d4=20, c2c4=20, a2a4=10)
    assert [scores.rank(move) for move in (E4, D4, C4, A4)] == [1, 2, 2, 4]


def test_the_rank_of_a_random_move_is_the_mean_of_all_ranks() -> None:
    assert move_scores(e2e4=30, d2d4=20, c2c4=20, a2a4=10).random_rank() == pytest.approx(9 / 4)


def test_a_loss_is_to_the_best_move() -> None:
    assert move_scores(e2e4=30, d2d4=-20).loss(D4) == 50


def test_mate_missed_in_a_won_position_is_no_loss() -> None:
    assert move_scores(e2e4=MATE - 1, d2d4=MOST_LOST + 200).loss(D4) == 0


def test_a_loss_is_limited() -> None:
    assert move_scores(e2e4=MATE - 1, d2d4=1 - MATE).loss(D4) == 2 * MOST_LOST


def test_scores_are_best_first() -> None:
    assert [*scored({"a2a4": -5, "d2d4": 20, "e2e4": 30}).scores.values()] == [30, 20, -5]


def test_of_moves_with_the_same_score_the_engines_first_is_best() -> None:
    assert scored({"d2d4": 30, "e2e4": 30}).best == D4


def test_a_mate_is_beyond_all_centipawns() -> None:
    scores = scored({"d2d4": MOST_CENTIPAWNS, "e2e4": "#1000"})
    assert (scores.best, scores.rank(D4)) == (E4, 2)


def test_a_quicker_mate_is_better() -> None:
    assert scored({"e2e4": "#3", "d2d4": "#2"}).best == D4


def test_being_mated_later_is_better() -> None:
    assert scored({"e2e4": "#-2", "d2d4": "#-3"}).best == D4


def test_every_legal_move_is_asked_for() -> None:
    assert len(score_moves(chess.Board(), ScriptedEngine({})).scores) == 20


def test_stockfish_scores_every_move(stockfish: str) -> None:
    board = chess.Board(BACK_RANK)
    with Engine(stockfish) as engine:
        scores = score_moves(board, engine)
    assert scores.scores.keys() == {*board.legal_moves}
    assert (scores.best, scores.scores[scores.best]) == (chess.Move.from_uci("a1a8"), MATE - 1)


def test_stockfish_scores_a_position_the_same_after_another(stockfish: str) -> None:
    board = chess.Board()
    with Engine(stockfish) as engine:
        alone = score_moves(board, engine)
        board.push_uci("e2e4")
        score_moves(board, engine)
        board.pop()
        assert score_moves(board, engine) == alone


# Two pawns that can each move to two squares, and a king with two: e2e4 is best, e1d1 worst.
FEN = "4k3/8/8/8/8/3p1p2/4P3/4K3 w - - 0 1"
SCORES = {"e2e4": 30, "e2e3": 20, "e2d3": 20, "e2f3": 10, "e1f2": -50, "e1f1": -80, "e1d2": -90, "e1d1": -99}


def scores() -> MoveScores:
    return MoveScores({chess.Move.from_uci(uci): score for uci, score in SCORES.items()})


def answer(*best: str, played: str = "e2e4") -> Answer:
    return ask(ScriptedChooser(*best), question(FEN, played), scores())


def report(**chosen: list[str]) -> MoveQualityReport:
    """Return a report in which each chooser chooses the moves given; the players played e2e3."""
    count = len(next(iter(chosen.values())))
    questions: list[Question] = [question(FEN, "e2e3", 2000 + 100 * number) for number in range(count)]
    return MoveQualityReport(
        "Scripted",
        questions,
        [scores()] * count,
        [players_answer(asked, scores()) for asked in questions],
        {
            name: [
                ask(ScriptedChooser(uci), asked, scores()) for uci, asked in zip(ucis, questions, strict=True)
            ]
            for name, ucis in chosen.items()
        },
    )


def test_the_scores_are_those_of_all_legal_moves() -> None:
    assert scores().scores.keys() == {*chess.Board(FEN).legal_moves}


def test_the_first_move_is_the_chosen_one() -> None:
    assert answer("e2d3", "e2e4").move == chess.Move.from_uci("e2d3")


def test_the_rank_is_that_of_the_chosen_move() -> None:
    assert answer("e2f3").rank == 4


def test_the_loss_is_that_of_the_chosen_move() -> None:
    assert answer("e1f2").loss == 80


@pytest.mark.parametrize(("played", "agreed"), [("e2d3", True), ("e2e4", False)])
def test_whether_it_was_played(played: str, agreed: bool) -> None:
    assert answer("e2d3", played=played).as_played == agreed


@pytest.mark.parametrize(("k", "recalled"), [(2, False), (3, True), (10, True)])
def test_the_best_move_is_recalled_from_its_place_on(k: int, recalled: bool) -> None:
    assert answer("e1d1", "e1d2", "e2e4").recalled(k) == recalled


def test_a_move_as_good_as_the_best_does_not_recall_it() -> None:
    # As in the paper, the optimal move is the engine's first.
    tied = MoveScores(dict.fromkeys(scores().scores, 0))
    found = ask(ScriptedChooser("e2e3"), question(FEN, "e2e4"), tied)
    assert (found.rank, found.recalled(1)) == (1, False)


def test_a_missing_move_is_an_error() -> None:
    with pytest.raises(ValueError, match="broken does not rank the legal moves"):
        ask(BrokenChooser(lambda legal: legal[1:]), question(FEN, "e2e4"), scores())


def test_a_move_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="broken does not rank the legal moves"):
        ask(BrokenChooser(lambda legal: [*legal, legal[0]]), question(FEN, "e2e4"), scores())


def test_figures_are_means_over_positions() -> None:
    figures = report(chooser=["e2e4", "e2e3", "e2f3", "e2f3"]).figures("chooser")
    means = {name: figure.mean for name, figure in figures.items()}
    assert (means["as_played"], means["rank"], means["loss"]) == (1 / 4, 11 / 4, 50 / 4)
    assert (means["recall_1"], means["recall_10"]) == (1 / 4, 1)


def test_the_intervals_of_shares_are_wilsons() -> None:
    figures = report(chooser=["e2e4"] * 10).figures("chooser")
    assert figures["recall_1"] == pytest.approx((1, 0.7225, 1), abs=1e-4)


def test_the_intervals_of_other_figures_are_normal() -> None:
    figures = report(chooser=["e2e4", "e2f3"] * 5).figures("chooser")
    margin = 1.96 * (1.5 * (10 / 9) ** 0.5) / 10**0.5
    assert figures["rank"] == pytest.approx((2.5, 2.5 - margin, 2.5 + margin))


def test_of_the_players_one_move_is_known() -> None:
    figures = report(chooser=["e2e4"] * 2).player_figures()
    assert {name: figure.mean for name, figure in figures.items()} == {"rank": 2, "loss": 10, "recall_1": 0}


def test_differences_are_between_answers_to_the_same_question() -> None:
    found = report(one=["e2e4", "e1f2"] * 5, other=["e2e3", "e1f1"] * 5).differences("one", "other")
    assert found["rank"] == (-1, -1, -1)


def test_the_difference_of_shares_that_are_equal_has_an_interval() -> None:
    found = report(one=["e2e4"] * 5, other=["e2e4"] * 5).differences("one", "other")["recall_1"]
    assert found.low < found.mean == 0 < found.high


def test_the_mean_number_of_legal_moves() -> None:
    assert report(chooser=["e2e4"] * 2).legal_moves == 8


def test_the_rank_expected_of_random_moves() -> None:
    assert report(chooser=["e2e4"] * 2).random_rank == pytest.approx((1 + 2 + 2 + 4 + 5 + 6 + 7 + 8) / 8)


def test_the_mean_elo_is_that_of_players_to_move() -> None:
    assert report(chooser=["e2e4"] * 3).elo == 2100


def test_without_ratings_there_is_no_mean_elo() -> None:
    asked = question(FEN, "e2e4")
    played = players_answer(asked, scores())
    assert MoveQualityReport("Scripted", [asked] * 2, [scores()] * 2, [played] * 2, {}).elo is None


def test_the_document_has_figures_and_answers() -> None:
    document = json.loads(json.dumps(report(chooser=["e2e4", "e2f3"]).as_dict()))
    assert document["choosers"]["chooser"]["rank"]["mean"] == 2.5
    assert document["players"].keys() == {"rank", "loss", "recall_1"}
    assert document["answers"][1]["chosen"] == {"chooser": {"move": "e2f3", "rank": 4, "loss": 20}}
    assert document["answers"][1]["played"] == {"move": "e2e3", "rank": 2, "loss": 10}


# The simulated engine likes moves in the order of their names.
QUESTIONS = [question(), question(BACK_RANK, "a1a8")]
FIRST, SECOND = ScriptedChooser(name="first"), ScriptedChooser("a1a3", "a2a4", name="second")


def test_answers_are_ranked_by_the_engines_scores(fake_engine: FakeEngine) -> None:
    report = measure_choosers(QUESTIONS, [FIRST, SECOND], fake_engine())
    assert {name: [answer.rank for answer in answers] for name, answers in report.answers.items()} == {
        "first": [1, 1],
        "second": [2, 2],
    }


def test_the_players_answer_too(fake_engine: FakeEngine) -> None:
    report = measure_choosers(QUESTIONS, [FIRST], fake_engine())
    assert [answer.move for answer in report.players] == [asked.move for asked in QUESTIONS]


def test_several_engines_find_the_same(fake_engine: FakeEngine) -> None:
    command = fake_engine()
    one, two = (measure_choosers(QUESTIONS * 3, [SECOND], command, workers=count) for count in (1, 2))
    assert one == two


def test_searches_are_stored_and_not_repeated(fake_engine: FakeEngine, sqlite_store: Store) -> None:
    measured = measure_choosers(QUESTIONS, [FIRST], fake_engine(), store=sqlite_store)
    again = measure_choosers(QUESTIONS, [FIRST], fake_engine("die@always"), store=sqlite_store)
    assert again == measured


def test_a_chooser_cannot_change_the_question(fake_engine: FakeEngine) -> None:
    class Pusher(ScriptedChooser):
        def ranked(self, board: chess.Board) -> list[chess.Move]:
            moves = super().ranked(board)
            board.push(moves[0])
            return moves

    report = measure_choosers(QUESTIONS, [Pusher(name="pusher"), FIRST], fake_engine())
    assert report.answers["pusher"] == report.answers["first"]


def test_progress_counts_positions(fake_engine: FakeEngine) -> None:
    progress = RecordingProgress()
    measure_choosers(QUESTIONS, [FIRST], fake_engine(), progress=progress)
    assert progress.updates == [1, 2]


def test_one_position_is_too_few() -> None:
    with pytest.raises(InputError, match="two positions or more"):
        measure_choosers(QUESTIONS[:1], [FIRST])


def test_choosers_need_names_of_their_own() -> None:
    with pytest.raises(ValueError, match="same name"):
        measure_choosers(QUESTIONS, [FIRST, FIRST])


def test_with_stockfish_the_mate_is_best(stockfish: str) -> None:
    mates, misses = ScriptedChooser("a1a8", name="mates"), ScriptedChooser("a1a2", name="misses")
    report = measure_choosers([QUESTIONS[1]] * 2, [mates, misses], stockfish)
    assert report.figures("mates")["recall_1"].mean == 1
    assert report.figures("misses")["rank"].mean > 1
