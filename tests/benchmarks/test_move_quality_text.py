"""Reports on move choosers as text."""

from __future__ import annotations

import chess

from benchmarks.move_quality import (
    MoveQualityReport,
    ask,
    differences_text,
    move_quality_text,
    players_answer,
)
from benchmarks.random_games import RandomGame, RandomGamesReport, random_games_text
from tests.helpers.move_choosers import ScriptedChooser, move_scores, question

# Three legal moves.
FEN = "7k/8/8/8/8/8/8/K7 w - - 0 1"
SCORES = move_scores(a1a2=30, a1b1=0, a1b2=-70)


def report(elo: int | None = 2000) -> MoveQualityReport:
    """Return a report on two choosers; the players' moves are between theirs."""
    questions = [question(FEN, "a1b1", elo)] * 10
    choosers = [ScriptedChooser("a1a2", name="good"), ScriptedChooser("a1b2", name="bad")]
    return MoveQualityReport(
        "Scripted",
        questions,
        [SCORES] * 10,
        [players_answer(asked, SCORES) for asked in questions],
        {chooser.name: [ask(chooser, asked, SCORES) for asked in questions] for chooser in choosers},
    )


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_choosers_are_below_one_another_and_the_players_last() -> None:
    found = lines(move_quality_text(report()))
    place = found.index("chooser as played rank centipawn loss")
    assert found[place + 2 : place + 5] == [
        "good 0 % (0–28) 1.00 (1.00–1.00) 0 (0–0)",
        "bad 0 % (0–28) 3.00 (3.00–3.00) 100 (100–100)",
        "the players – 2.00 (2.00–2.00) 30 (30–30)",
    ]


def test_recall_has_a_table_of_its_own() -> None:
    found = lines(move_quality_text(report()))
    place = found.index("chooser recall@1 recall@3 recall@5 recall@10")
    assert found[place + 3].startswith("bad 0 % (0–28) 100 % (72–100)")


def test_what_random_moves_would_do_is_said() -> None:
    text = move_quality_text(report())
    assert "one chosen at random is expected to have rank 2.0." in text


def test_the_rating_of_the_players_is_said_if_it_is_known() -> None:
    assert "The players have 2000 Elo on average." in move_quality_text(report())


def test_the_rating_of_the_players_is_not_said_if_it_is_not_known() -> None:
    assert "Elo" not in move_quality_text(report(elo=None))


def test_tables_fit_a_terminal() -> None:
    assert max(map(len, move_quality_text(report()).splitlines())) <= 80


def test_differences_have_signs() -> None:
    found = lines(differences_text(report(), "good", "bad"))
    assert "rank -2.00 (-2.00 to -2.00)" in found
    assert "recall@1 +100 % (+57 to +100)" in found


def test_results_against_random_are_below_one_another() -> None:
    won = RandomGame(chess.WHITE, (chess.Move.null(),) * 40, chess.WHITE, chess.Termination.CHECKMATE)
    drawn = RandomGame(chess.BLACK, (chess.Move.null(),) * 80, None, chess.Termination.FIVEFOLD_REPETITION)
    found = lines(
        random_games_text([RandomGamesReport("good", [won]), RandomGamesReport("bad", [won, drawn])])
    )
    assert "good 1 1–0–0 100 % (21–100) 100 % (21–100) 40" in found
    assert "bad 2 1–1–0 50 % (9–91) 50 % (9–91) 60 1 fivefold repetition" in found
