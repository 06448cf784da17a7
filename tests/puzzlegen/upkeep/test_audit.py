"""What an audit finds fault with, and what it does about it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import chess
import pytest

from chess_motif.errors import EngineFailedError
from chess_motif.progress import Progress
from db.models import Kind
from db.puzzles import PuzzleFilter, add_puzzles, find_puzzles, get_audits, mark_audited
from db.selection import sample_ids
from db.store import Store
from engines.engine import Engine
from puzzlegen.rules import MiningRules
from puzzlegen.upkeep.audit import VERDICTS, Fault, Finding, audit, audit_exercise, audit_line, verdict_of
from puzzlegen.upkeep.stats import stats
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.rows import puzzle_row
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

# Ra8+ goes through the king to the queen.
SKEWER = "4k2q/8/8/8/8/8/8/R3K3 w - - 0 1"
LINE = ["a1a8", "e8d7", "a8h8"]


def opinions(**changed: Opinion) -> dict[str, Opinion]:
    first: Opinion = {"a1a8": 700, "e1e2": -900}
    last: Opinion = {"a8h8": 700, "a8a7": -900}
    end: Opinion = {"d7e7": -700}
    return {
        SKEWER: changed.get("first", first),
        after(SKEWER, *LINE[:2]): changed.get("last", last),
        after(SKEWER, *LINE): changed.get("end", end),
    }


def faults(said: dict[str, Opinion], fen: str = SKEWER, moves: list[str] = LINE) -> list[tuple[Fault, int]]:
    line = [chess.Move.from_uci(move) for move in moves]
    found = audit_line(chess.Board(fen), line, ScriptedEngine(said), MiningRules(), nodes=10)
    return [(finding.fault, finding.ply) for finding in found]


def test_a_puzzle_that_holds() -> None:
    assert faults(opinions()) == []


def test_another_best_move() -> None:
    said = opinions(last={"a8a7": 900, "a8h8": 0}, end={"d7e7": 0})
    assert faults(said) == [(Fault.BEST_MOVE, 2)]


def test_another_best_move_where_the_solution_wins_too() -> None:
    assert faults(opinions(last={"a8a7": 900, "a8h8": 700})) == [(Fault.GAP, 2)]


def test_a_best_move_that_does_not_win() -> None:
    assert faults(opinions(first={"a1a8": 50, "e1e2": -900})) == [(Fault.NOT_WINNING, 0)]


def test_a_second_move_that_wins() -> None:
    assert faults(opinions(first={"a1a8": 700, "e1e2": 500})) == [(Fault.GAP, 0)]


def test_an_end_that_the_engine_does_not_think_won() -> None:
    assert faults(opinions(end={"d7e7": 0})) == [(Fault.STABILITY, 3)]


def test_an_end_without_gain() -> None:
    assert faults({SKEWER: {"a1a8": 700, "e1e2": -900}}, moves=["a1a8"]) == [(Fault.END, 1)]


def test_any_mate_at_the_end_will_do() -> None:
    fen = "2rr2k1/5ppp/8/8/8/3Q4/5PPP/3R2K1 w - - 0 1"
    line = ["d3d8", "c8d8", "d1d8"]
    said: dict[str, Opinion] = {
        fen: {"d3d8": "#2", "d3d2": -300},
        after(fen, *line[:2]): {"d1d7": "#1", "d1d8": "#1"},
    }
    assert faults(said, fen, line) == []


@pytest.mark.parametrize("best", ["a2e6", "a1a8", "a2a8"])
def test_no_other_move_is_as_good_as_mate_at_once(best: str) -> None:
    """Not one that merely wins, and another mate is no fault."""
    fen = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    said: Opinion = {best: 900 if best == "a2e6" else "#1", "a2b1": 850}
    assert faults({fen: said}, fen, ["a2a8"]) == []


def test_what_holds_need_not_win() -> None:
    fen = "8/8/8/8/3k4/4p3/8/4K3 w - - 0 1"
    said: dict[str, Opinion] = {fen: {"e1e2": 0, "e1f1": -700}, after(fen, "e1e2"): {"d4e4": 0}}
    line = [chess.Move.from_uci("e1e2")]
    for rules, expected in ((MiningRules(), [Fault.NOT_WINNING]), (MiningRules().holding, [])):
        found = audit_line(chess.Board(fen), line, ScriptedEngine(said), rules, nodes=10)
        assert [finding.fault for finding in found] == expected


GOOD = puzzle_row("good", fen=SKEWER, puzzle_fen=SKEWER, solution=" ".join(LINE), tags="skewer")
# The rook has other ways to win against a bare king.
BAD = puzzle_row("bad", puzzle_fen="4k3/8/8/8/8/8/7Q/R3K3 w - - 0 1", solution="a1a7", tags="skewer")


@pytest.fixture
def two(store: Store) -> Store:
    with store.session() as session:
        add_puzzles(session, [GOOD, BAD])
    return store


def left(store: Store, *, sound: bool = False) -> set[str]:
    with store.reading() as session:
        return {puzzle.id for puzzle in find_puzzles(session, PuzzleFilter(sound=sound))}


def test_every_fault_has_a_verdict() -> None:
    assert set(VERDICTS) == set(Fault)


def test_a_puzzle_of_equality_need_not_win(sqlite_store: Store, stockfish: str) -> None:
    puzzle = puzzle_row(
        "equal", puzzle_fen="8/8/8/8/3k4/4p3/8/4K3 w - - 0 1", solution="e1e2", themes="endgame equality"
    )
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle])
    assert audit(sqlite_store, stockfish, nodes=50_000).findings == {}


@pytest.mark.parametrize("fault", Fault)
def test_what_ends_early_is_sound(two: Store, fault: Fault) -> None:
    judge(two, "good", 10, Finding(fault, 0, "1. Ra8+", ""))
    is_sound = fault in (Fault.END, Fault.STABILITY)
    assert left(two, sound=True) == ({"good", "bad"} if is_sound else {"bad"})
    assert stats(two).verdicts == {VERDICTS[fault].value: 1}


def test_a_fault_found_by_an_earlier_version_does_not_count(two: Store, stockfish: str) -> None:
    facts = {"engine": "Fish", "nodes": 50_000, "faults": [asdict(SEEN)]}
    with two.session() as session:
        mark_audited(session, "good", passed=False, facts=facts)
    assert left(two, sound=True) == {"good", "bad"}
    assert stats(two).verdicts == {}
    assert set(audit(two, stockfish, nodes=5_000).findings) == {"bad"}


def test_what_ends_early_is_not_deleted(two: Store, stockfish: str) -> None:
    judge(two, "good", 50_000, Finding(Fault.END, 3, "", "win chance 0.90"))
    judge(two, "bad", 50_000, SEEN)
    report = audit(two, stockfish, nodes=5_000, delete=True)
    assert (report.unsound, left(two)) == (["bad"], {"good"})
    assert report.verdicts == {"ends early": 1, "ambiguous": 1}


def test_faulty_puzzles_can_be_left_out(two: Store, stockfish: str) -> None:
    report = audit(two, stockfish, nodes=5_000, workers=2)
    assert (report.audited, set(report.findings)) == (2, {"bad"})
    assert left(two) == {"good", "bad"}
    assert left(two, sound=True) == {"good"}


def test_a_verdict_says_how_it_was_found(two: Store, stockfish: str) -> None:
    audit(two, stockfish, nodes=5_000)
    with two.reading() as session:
        found = {puzzle.id: (puzzle.audit_passed, puzzle.audit) for puzzle in find_puzzles(session)}
    assert found["good"] == (
        True,
        {"engine": engine_name(stockfish), "nodes": 5_000, "verdict": "holds", "faults": []},
    )
    assert found["bad"][0] is False


def test_faulty_puzzles_are_deleted(two: Store, stockfish: str) -> None:
    audit(two, stockfish, nodes=5_000, delete=True)
    assert left(two) == left(two, sound=True) == {"good"}


def test_an_audit_is_not_done_twice(two: Store, stockfish: str) -> None:
    first = audit(two, stockfish, nodes=5_000)
    again = audit(two, stockfish, nodes=5_000)
    assert first.searches > 0
    assert (again.searches, again.reused, again.findings) == (0, first.searches, first.findings)


def judge(store: Store, name: str, nodes: int, *found: Finding) -> None:
    """Store a verdict, as an audit with so many nodes a search does."""
    seen = [asdict(one) for one in found]
    facts = {"engine": "Fish", "nodes": nodes, "verdict": verdict_of(found), "faults": seen}
    with store.session() as session:
        mark_audited(session, name, passed=not found, facts=facts)


SEEN = Finding(Fault.GAP, 0, "1. Ra8+", "Ra7, gap 0.10")


def test_the_verdict_of_more_nodes_stands(two: Store, stockfish: str) -> None:
    judge(two, "good", 50_000, SEEN)
    judge(two, "bad", 50_000)
    report = audit(two, stockfish, nodes=5_000)
    assert (report.findings, report.standing, report.searches) == ({"good": [SEEN]}, 2, 0)
    assert left(two, sound=True) == {"bad"}
    with two.reading() as session:
        assert {facts["nodes"] for _, facts in get_audits(session, ["good", "bad"])} == {50_000}


def test_a_puzzle_is_deleted_by_the_verdict_of_more_nodes(two: Store, stockfish: str) -> None:
    judge(two, "good", 50_000, SEEN)
    judge(two, "bad", 50_000)
    audit(two, stockfish, nodes=5_000, delete=True)
    assert left(two) == {"bad"}


@pytest.mark.parametrize("nodes", [4_999, 5_000])
def test_a_verdict_of_no_more_nodes_is_replaced(two: Store, stockfish: str, nodes: int) -> None:
    judge(two, "good", nodes, SEEN)
    judge(two, "bad", nodes)
    report = audit(two, stockfish, nodes=5_000)
    assert (report.standing, left(two, sound=True)) == (0, {"good"})


def test_a_stronger_audit_that_was_faster_stands(two: Store, stockfish: str) -> None:
    class Other(Progress):
        def update(self, name: str, done: int, *_: object) -> None:
            if done == 1:
                judge(two, "good", 50_000, SEEN)

    # They are audited in the order of their ids.
    report = audit(two, stockfish, nodes=5_000, progress=Other())
    assert (report.standing, report.findings["good"]) == (1, [SEEN])
    with two.reading() as session:
        assert [facts["nodes"] for _, facts in get_audits(session, ["good"])] == [50_000]


def test_a_verdict_that_is_damaged_does_not_stand(two: Store, stockfish: str) -> None:
    verdicts: dict[str, dict[str, Any]] = {
        "good": {"nodes": "many"},
        "bad": {"nodes": 50_000, "faults": [{"fault": "?"}]},
    }
    for name, facts in verdicts.items():
        with two.session() as session:
            mark_audited(session, name, passed=name == "bad", facts=facts)
    assert set(audit(two, stockfish, nodes=5_000).findings) == {"bad"}


def test_a_sample_is_as_large_as_asked_for(two: Store, stockfish: str) -> None:
    assert audit(two, stockfish, nodes=1_000, sample=1).audited == 1


def test_a_seed_chooses_the_sample(two: Store, stockfish: str) -> None:
    with two.reading() as session:
        seeds = {sample_ids(session, None, 1, seed)[0]: seed for seed in range(10)}
    reports = {name: audit(two, stockfish, nodes=5_000, sample=1, seed=seed) for name, seed in seeds.items()}
    assert {name: set(report.findings) for name, report in reports.items()} == {"good": set(), "bad": {"bad"}}


def test_only_puzzles_that_pass_the_filters_are_audited(two: Store, stockfish: str) -> None:
    assert audit(two, stockfish, nodes=1_000, filters=PuzzleFilter(tags=("fork",))).audited == 0


def test_a_dead_engine_ends_the_audit(two: Store, fake_engine: FakeEngine) -> None:
    with pytest.raises(EngineFailedError, match="died"):
        audit(two, fake_engine("die@always"))


def engine_name(command: str) -> str:
    with Engine(command) as engine:
        return engine.name


HANGING = "4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1"
ACCEPTED = [chess.Move.from_uci("c3d5"), chess.Move.from_uci("d1d5")]


def faults_of_exercise(
    other: int, knight: int = 700, least: float = MiningRules.winning
) -> list[tuple[Fault, str]]:
    opinions: dict[str, Opinion] = {
        HANGING: {"c3d5": 700, "d1d5": 700, "e1e2": other},
        after(HANGING, "c3d5"): {"e8d8": -knight},
        after(HANGING, "d1d5"): {"e8e7": -700},
    }
    engine = ScriptedEngine(opinions)
    found = audit_exercise(chess.Board(HANGING), ACCEPTED, engine, least, nodes=10)
    return [(finding.fault, finding.move) for finding in found]


def test_an_exercise_that_holds() -> None:
    assert faults_of_exercise(other=0) == []


def test_an_accepted_move_that_does_not_win() -> None:
    assert faults_of_exercise(other=-900, knight=0) == [(Fault.NOT_WINNING, "1. Nxd5")]


def test_an_accepted_move_that_holds() -> None:
    assert faults_of_exercise(other=-900, knight=0, least=-0.3) == []


def test_another_move_that_is_as_good() -> None:
    assert faults_of_exercise(other=700) == [(Fault.AS_GOOD, "1. Ke2")]


def test_another_move_that_wins_where_the_accepted_one_does_not() -> None:
    assert faults_of_exercise(other=700, knight=0) == [
        (Fault.BEST_MOVE, "1. Ke2"),
        (Fault.NOT_WINNING, "1. Nxd5"),
    ]


def test_no_longer_mate_is_as_good_as_mate_in_one() -> None:
    position = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    engine = ScriptedEngine({position: {"a2a8": "#1", "a2e6": "#3"}})
    mate = chess.Move.from_uci("a2a8")
    assert audit_exercise(chess.Board(position), [mate], engine, MiningRules.winning, nodes=10) == []


def test_exercises_are_audited_by_their_own_rules(sqlite_store: Store, stockfish: str) -> None:
    exercise = puzzle_row(
        "hanging", kind="exercise", fen=HANGING, puzzle_fen=HANGING, solution="c3d5", accepted="c3d5 d1d5"
    )
    with sqlite_store.session() as session:
        add_puzzles(session, [exercise])
    report = audit(sqlite_store, stockfish, filters=PuzzleFilter(kind=Kind.EXERCISE), nodes=20_000)
    assert (report.audited, report.held) == (1, 1)
