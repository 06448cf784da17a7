"""Chances that are found quickly: for tests of the machinery.

    python -m tests.helpers.quick_chances ARCHIVE DATABASE ENGINE

finds those of all sample games, so that it can be killed on the way.
"""

from __future__ import annotations

import sys

from sqlalchemy import func, select

from db.models import Puzzle
from db.store import Store
from db.training import AnalysedGame, Chance
from puzzlegen.mining.opportunities import OpportunityReport, find_opportunities
from puzzlegen.rules import ExerciseRules
from tests.helpers.quick_mining import QUICK

LIMITS = ExerciseRules(first_nodes=10_000, nodes=20_000, line_nodes=2_000, confirm_nodes=2_000)

# Both sides of the sample games.
PLAYER = "Stockfish"


def analyse(store: Store, archive: str, engine: str, workers: int = 1) -> OpportunityReport:
    return find_opportunities([archive], store, [PLAYER], engine, rules=QUICK, limits=LIMITS, workers=workers)


def games_analysed(store: Store) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count(AnalysedGame.game_number))) or 0


def stored_chances(store: Store) -> list[tuple[object, ...]]:
    """Return what does not depend on the order in which games were analysed."""
    with store.reading() as session:
        accepted = {one.id: one.accepted for one in session.scalars(select(Puzzle))}
        return sorted(
            (one.game.key, one.ply, one.taken, one.solution, one.puzzle_id, accepted.get(one.puzzle_id))
            for one in session.scalars(select(Chance))
        )


if __name__ == "__main__":
    with Store(sys.argv[2]) as database:
        analyse(database, sys.argv[1], sys.argv[3], workers=2)
