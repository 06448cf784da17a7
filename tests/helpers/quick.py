"""Mining that is over quickly, and what came of it: for tests of the machinery, not of the puzzles."""

from __future__ import annotations

from sqlalchemy import select

from db.models import Puzzle
from db.store import Store
from puzzlegen.rules import Confirmation, MiningRules, Pattern, Stage

QUICK = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=500,
    decide_nodes=1_000,
    stages=(Stage(1_000, 0.2, 0.3), Stage(5_000, 0.0, 0.0)),
    reply_nodes=2_000,
    confirmations=(Confirmation(0.75, 10_000, 0.55),),
)


def stored(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as session:
        return sorted(
            (puzzle.id, puzzle.fen, puzzle.solution, puzzle.gap, puzzle.game.key if puzzle.game else None)
            for puzzle in session.scalars(select(Puzzle))
        )
