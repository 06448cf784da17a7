"""Mining that is over quickly, and what came of it: for tests of the machinery, not of the puzzles."""

from __future__ import annotations

from sqlalchemy import select

from db.models import Puzzle
from db.store import Store
from puzzlegen.rules import MiningRules, Pattern, Rung

QUICK = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=500,
    decide_nodes=1_000,
    ladder=(Rung(1_000, 0.2, 0.3), Rung(5_000, 0.0, 0.0)),
    reply_nodes=2_000,
    confirm_nodes=10_000,
)


def stored(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as session:
        return sorted(
            (puzzle.id, puzzle.fen, puzzle.solution, puzzle.gap, puzzle.game.key if puzzle.game else None)
            for puzzle in session.scalars(select(Puzzle))
        )
