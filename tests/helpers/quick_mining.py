"""Mining that is over quickly, and what came of it: for tests of the machinery, not of the puzzles.

    python -m tests.helpers.quick_mining JOB ARCHIVE DATABASE ENGINE

looks for `puzzles` or `opportunities`, and waits on the way to be killed (see `tests.helpers.kills`).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import func, select

from db.analyses import AnalysedGame, Opportunity
from db.models import Checkpoint, Puzzle
from db.store import Store
from motifsearch.trainer.analysis.opportunities import OpportunityReport, find_opportunities
from motifsearch.trainer.analysis.rules import ExerciseRules
from puzzlegen.games.players import find_players
from puzzlegen.mining.report import MiningReport
from puzzlegen.mining.run import mine
from puzzlegen.rules import LineRules, MiningRules, Pattern, Stage
from tests.helpers.kills import PausingProgress

QUICK = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=500,
    decide_nodes=1_000,
    stages=(Stage(1_000, 0.2, 0.3), Stage(5_000, 0.0, 0.0)),
    reply_nodes=4_000,
    confirm_below=0.75,
    confirmation=(Stage(10_000, 0.05, -0.05),),
)
LIMITS = ExerciseRules(
    stages=(Stage(1_000, 0.2, 0.2), Stage(5_000, 0.0, 0.0)),
    confirmation=(Stage(2_000, 0.0, 0.0),),
    line=LineRules(2_000, most_moves=6),
)
SLOWER = replace(QUICK, stages=(Stage(20_000, 0.0, 0.0),))


class Mined(NamedTuple):
    """A store that is not to be changed, and the report of the run that filled it."""

    store: Store
    report: MiningReport


# What of a row does not depend on the order in which games were mined.
Facts = tuple[object, ...]


def stored_puzzles(store: Store) -> list[Facts]:
    with store.reading() as session:
        return sorted(
            (puzzle.id, puzzle.fen, puzzle.solution, puzzle.gap, puzzle.game.key if puzzle.game else None)
            for puzzle in session.scalars(select(Puzzle))
        )


def games_mined(store: Store) -> int:
    """Return how many games of the one archive have been mined."""
    with store.reading() as session:
        checkpoint = session.scalars(select(Checkpoint)).one_or_none()
        return checkpoint.games if checkpoint else 0


def stored_opportunities(store: Store) -> list[Facts]:
    with store.reading() as session:
        accepted = {one.id: one.accepted for one in session.scalars(select(Puzzle))}
        return sorted(
            (one.game.key, one.ply, one.taken, one.solution, one.puzzle_id, accepted.get(one.puzzle_id))
            for one in session.scalars(select(Opportunity))
        )


def games_analysed(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count(AnalysedGame.game_number))) or 0


def analyse(store: Store, archive: str, engine: str, **options: Any) -> OpportunityReport:
    """Find the opportunities of both sides of the sample games."""
    players = [player.name for player in find_players([archive], "Stockfish")]
    return find_opportunities([archive], store, players, engine, rules=SLOWER, limits=LIMITS, **options)


if __name__ == "__main__":
    _, job, archive, database, engine = sys.argv
    pausing = PausingProgress()
    with Store(database) as store:
        if job == "puzzles":
            mine([archive], store, engine, rules=SLOWER, workers=2, progress=pausing)
        else:
            analyse(store, archive, engine, workers=2, progress=pausing)
