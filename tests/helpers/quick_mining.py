"""Mining that is over quickly, and what came of it: for tests of the machinery, not of the puzzles.

    python -m tests.helpers.quick_mining ARCHIVE DATABASE ENGINE

mines a little slower, so that it can be killed on the way.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import select

from db.models import Checkpoint, Puzzle
from db.store import Store
from puzzlegen.mining.run import MiningReport, mine
from puzzlegen.rules import Confirmation, MiningRules, Pattern, Stage

QUICK = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=500,
    decide_nodes=1_000,
    stages=(Stage(1_000, 0.2, 0.3), Stage(5_000, 0.0, 0.0)),
    reply_nodes=2_000,
    confirmations=(Confirmation(0.75, 10_000, 0.55),),
)
SLOWER = replace(QUICK, stages=(Stage(20_000, 0.0, 0.0),))


class Mined(NamedTuple):
    """A store that is not to be changed, and the report of the run that filled it."""

    store: Store
    report: MiningReport


# The columns of a puzzle that do not depend on the order in which games were mined, and the key of its game.
PuzzleFacts = tuple[object, ...]


def stored_puzzles(store: Store) -> list[PuzzleFacts]:
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


if __name__ == "__main__":
    with Store(sys.argv[2]) as database:
        mine([sys.argv[1]], database, sys.argv[3], rules=SLOWER, workers=2)
