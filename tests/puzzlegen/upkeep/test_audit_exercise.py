"""What an audit finds wrong with an exercise."""

from __future__ import annotations

import chess

from db.models import Kind
from db.puzzles import PuzzleFilter, add_puzzles
from db.store import Store
from puzzlegen.rules import MiningRules
from puzzlegen.upkeep.audit import Fault, audit, audit_exercise
from tests.helpers.rows import puzzle_row
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

HANGING = "4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1"
ACCEPTED = [chess.Move.from_uci("c3d5"), chess.Move.from_uci("d1d5")]


def faults(other: int, knight: int = 700) -> list[tuple[Fault, str]]:
    opinions: dict[str, Opinion] = {
        HANGING: {"c3d5": 700, "d1d5": 700, "e1e2": other},
        after(HANGING, "c3d5"): {"e8d8": -knight},
        after(HANGING, "d1d5"): {"e8e7": -700},
    }
    engine = ScriptedEngine(opinions)
    found = audit_exercise(chess.Board(HANGING), ACCEPTED, engine, MiningRules(), nodes=10)
    return [(finding.fault, finding.move) for finding in found]


def test_an_exercise_that_holds() -> None:
    assert faults(other=0) == []


def test_an_accepted_move_that_does_not_win() -> None:
    assert faults(other=-900, knight=0) == [(Fault.NOT_WINNING, "1. Nxd5")]


def test_another_move_that_is_as_good() -> None:
    assert faults(other=700) == [(Fault.AS_GOOD, "1. Ke2")]


def test_exercises_are_audited_by_their_own_rules(sqlite_store: Store, stockfish: str) -> None:
    exercise = puzzle_row(
        "hanging", kind="exercise", fen=HANGING, puzzle_fen=HANGING, solution="c3d5", accepted="c3d5 d1d5"
    )
    with sqlite_store.session() as session:
        add_puzzles(session, [exercise])
    report = audit(sqlite_store, stockfish, filters=PuzzleFilter(kind=Kind.EXERCISE), nodes=20_000)
    assert (report.audited, report.held) == (1, 1)
