"""Measuring choosers with an engine."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import InputError
from db.store import Store
from motifsearch.evaluation.move_quality.measure import measure_choosers
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.move_choosers import BACK_RANK, ScriptedChooser, question
from tests.helpers.recording_progress import RecordingProgress

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
