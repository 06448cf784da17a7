"""What is found in a game, and what is stored of it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from chess_motif.errors import EngineFailedError
from db.analyses import AnalysedGame, Opportunity, OpportunityKind, opportunities_given, opportunities_of
from db.models import Game, Kind, Puzzle
from db.store import Store
from motifsearch.trainer.analysis import opportunities
from motifsearch.trainer.analysis.opportunities import OpportunityReport, find_opportunities
from puzzlegen.mining.run import keep_result
from puzzlegen.verify.solution import Rejection
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.kills import status_after_kill
from tests.helpers.pool_here import mining_in
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.processes import KINDS, RUN
from tests.helpers.quick_mining import LIMITS, QUICK, Facts, games_analysed, stored_opportunities
from tests.helpers.quick_mining import analyse as analyse_slowly
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_games import HANGING_PIECE, MISSED_MATE

# The same game with the mate given.
TAKEN_MATE = MISSED_MATE.replace("4. Nf3", "4. Qxf7# { [%eval #0] } 1-0\n\n").partition(" { [%eval -4.5]")[0]
TAKEN_MATE = TAKEN_MATE.replace("abcdefgh", "ijklmnop").replace('"0-1"', '"1-0"')


Analyse = Callable[..., OpportunityReport]


@pytest.fixture
def analyse(store: Store, tmp_path: Path, stockfish: str) -> Analyse:
    """Return a function that analyses games, given as texts, for players."""

    def run(text: str, *players: str, engine: str = stockfish, **options: Any) -> OpportunityReport:
        file = tmp_path / "games.pgn"
        file.write_text(text)
        with mining_in():
            return find_opportunities(
                [str(file)], store, players, engine, rules=QUICK, limits=LIMITS, **options
            )

    return run


def facts(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as session:
        return [
            (one.game.key, one.ply, one.result, one.solution, one.puzzle_id, one.reason)
            for one in session.scalars(select(Opportunity).order_by(Opportunity.game_number, Opportunity.ply))
        ]


def results(store: Store) -> list[tuple[object, ...]]:
    return [(ply, result) for _, ply, result, *_ in facts(store)]


def test_opportunities_of_both_sides_are_found(store: Store, analyse: Analyse) -> None:
    report = analyse(MISSED_MATE, "miller, ann")
    assert (report.summary.games, report.opportunities) == (1, 2)
    with store.reading() as session:
        (missed,) = opportunities_of(session, ["miller, ann"])
        assert (missed.ply, missed.result, missed.played, missed.clock) == (6, "missed", "g1f3", 160.5)
        assert missed.solution == "h5f7"
        assert missed.lost == pytest.approx(0.84, abs=0.01)
        # That Bob took the queen is what nearly everybody plays.
        assert opportunities_given(session, ["miller, ann"]) == []
        (allowed,) = opportunities_of(session, ["BOB"], [OpportunityKind.ALLOWED])
        assert (allowed.ply, allowed.result, allowed.reason, allowed.clock) == (
            5,
            "allowed",
            Rejection.OBVIOUS,
            175,
        )


def test_an_opportunity_is_a_puzzle_or_else_an_exercise(store: Store, analyse: Analyse) -> None:
    report = analyse(HANGING_PIECE, "miller, ann")
    assert (report.summary.puzzles, report.exercises) == (1, 1)
    with store.reading() as session:
        (exercise,) = session.scalars(select(Puzzle)).all()
        assert exercise.kind == Kind.EXERCISE
        assert exercise.accepted.split()[0] == "d8g5"
        assert exercise.solver_found
        assert exercise.difficulty is not None
        assert exercise.game_url == "https://lichess.org/mnopqrst/black#5"


def test_a_mate_that_was_given_is_taken(store: Store, analyse: Analyse) -> None:
    analyse(TAKEN_MATE, "miller, ann")
    assert results(store) == [(5, "allowed")]


def test_a_blunder_without_a_reply_was_allowed(store: Store, analyse: Analyse) -> None:
    resigned = MISSED_MATE.partition("4. Nf3")[0] + "1-0\n\n"
    analyse(resigned, "miller, ann")
    assert results(store) == [(5, "allowed")]


def test_games_of_others_are_left_out(store: Store, analyse: Analyse) -> None:
    report = analyse(MISSED_MATE + MISSED_MATE.replace("Miller, Ann", "Carl"), "ann miller")
    assert report.summary.games == 1
    assert report.summary.skipped == {"other players": 1}


def test_a_player_may_have_several_names(analyse: Analyse) -> None:
    report = analyse(MISSED_MATE + MISSED_MATE.replace("Miller, Ann", "Annie"), "Miller, Ann", "annie")
    assert report.summary.games == 2


def test_a_server_that_is_restarted_while_a_game_is_stored(
    postgresql_store: Store,
    postgresql_server: PostgreSQLServer,
    tmp_path: Path,
    stockfish: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep = postgresql_server.restarting(keep_result)
    monkeypatch.setattr(opportunities, "keep_result", keep)
    file = tmp_path / "games.pgn"
    file.write_text(MISSED_MATE)
    with mining_in():
        report = find_opportunities(
            [str(file)], postgresql_store, ["Miller, Ann"], stockfish, rules=QUICK, limits=LIMITS
        )
    assert (report.summary.games, report.opportunities, report.summary.puzzles) == (1, 2, 1)
    assert results(postgresql_store) == [(5, "allowed"), (6, "missed")]


def test_a_known_game_is_not_analysed_again(store: Store, analyse: Analyse) -> None:
    analyse(MISSED_MATE, "miller, ann")
    before = facts(store)
    report = analyse(TAKEN_MATE + MISSED_MATE, "miller, ann")
    assert (report.summary.games, report.known_games) == (1, 1)
    assert facts(store)[:2] == before


def test_a_game_that_is_twice_in_a_file_counts_once(analyse: Analyse) -> None:
    report = analyse(2 * MISSED_MATE, "miller, ann")
    assert (report.summary.games, report.known_games) == (1, 1)


def test_known_games_are_analysed_again_if_asked_to(store: Store, analyse: Analyse) -> None:
    analyse(MISSED_MATE, "miller, ann")
    before = facts(store)
    assert analyse(MISSED_MATE, "miller, ann", restart=True).summary.games == 1
    assert facts(store) == before


def test_a_limit_can_be_raised_later(store: Store, analyse: Analyse) -> None:
    both = MISSED_MATE + TAKEN_MATE
    assert analyse(both, "miller, ann", limit=1).summary.games == 1
    assert analyse(both, "miller, ann", limit=1).summary.games == 1
    stopped = facts(store)
    with store.session() as session:
        for model in (Opportunity, AnalysedGame, Puzzle, Game):
            session.query(model).delete()
    analyse(both, "miller, ann")
    assert [fact[1:] for fact in facts(store)] == [fact[1:] for fact in stopped]


def test_a_run_that_is_stopped_keeps_what_it_has(store: Store, analyse: Analyse) -> None:
    report = analyse(
        MISSED_MATE + TAKEN_MATE,
        "miller, ann",
        progress=RecordingProgress(lambda progress: bool(progress.updates)),
    )
    assert report.interrupted
    assert analyse(MISSED_MATE + TAKEN_MATE, "miller, ann").known_games == 1
    assert len(facts(store)) == 3


def test_a_bad_game_is_named_and_the_rest_analysed(analyse: Analyse) -> None:
    progress = RecordingProgress()
    report = analyse(MISSED_MATE.replace("3. Bc4", "3. Bc5") + TAKEN_MATE, "miller, ann", progress=progress)
    assert report.summary.games == 1
    assert report.summary.skipped == {"illegal move": 1}
    assert "game 1 (byte 0): illegal move" in progress.notices[0]


def test_a_file_that_is_missing_is_reported(store: Store, stockfish: str, tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(TAKEN_MATE)
    with mining_in():
        report = find_opportunities(
            [str(tmp_path / "no.pgn"), str(file)], store, ["nobody"], stockfish, rules=QUICK, limits=LIMITS
        )
    assert "no such file" in report.damaged[0]


def test_a_game_that_the_engine_fails_on_is_tried_again_later(
    store: Store, analyse: Analyse, fake_engine: FakeEngine
) -> None:
    unrated = MISSED_MATE.replace("[%eval -0.3]", "")
    report = analyse(unrated, "miller, ann", engine=fake_engine("die@always"))
    assert report.summary.skipped == {"engine failed": 1}
    assert analyse(unrated, "miller, ann").summary.games == 1


def test_an_engine_that_keeps_failing_ends_the_run(analyse: Analyse, fake_engine: FakeEngine) -> None:
    games = [MISSED_MATE.replace("[%eval -0.3]", "").replace("abcdefgh", f"abcdefg{n}") for n in range(6)]
    with pytest.raises(EngineFailedError, match="5 games in a row, giving up"):
        analyse("".join(games), "miller, ann", engine=fake_engine("die@always"))


def test_worker_processes_find_the_same(sqlite_store: Store, tmp_path: Path, stockfish: str) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(MISSED_MATE + HANGING_PIECE)
    report = find_opportunities(
        [str(file)], sqlite_store, ["miller, ann"], stockfish, rules=QUICK, limits=LIMITS, workers=2
    )
    assert (report.opportunities, report.exercises) == (4, 1)


def test_the_best_move_misses_nothing_even_if_it_hardly_wins(store: Store, analyse: Analyse) -> None:
    # Black's best move, taking the bishop, is said to lose nearly all that the blunder gave.
    doubtful = HANGING_PIECE.replace("3... Qxg5 { [%eval -5.5]", "3... Qxg5 { [%eval 0.0]")
    analyse(doubtful, "miller, ann")
    assert (5, "found") in results(store)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, games: list[bytes], stockfish: str) -> list[Facts]:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "games.pgn").write_bytes(b"".join(games))
    with Store(f"{folder}/puzzles.db") as store, mining_in():
        analyse_slowly(store, str(folder / "games.pgn"), stockfish)
        assert stored_opportunities(store)
        return stored_opportunities(store)


@pytest.mark.parametrize("victim", KINDS)
def test_a_process_that_is_killed_changes_nothing(
    sqlite_store: Store, archive: Path, stockfish: str, victim: str, undisturbed: list[Facts]
) -> None:
    arguments = ["opportunities", str(archive), str(sqlite_store.path), stockfish]
    status = status_after_kill(victim, "tests.helpers.quick_mining", *arguments)
    assert status == (-signal.SIGKILL if victim == RUN else 0)
    if victim == RUN:
        assert 0 < games_analysed(sqlite_store) < 12
        with mining_in():
            analyse_slowly(sqlite_store, str(archive), stockfish)
    assert stored_opportunities(sqlite_store) == undisturbed
