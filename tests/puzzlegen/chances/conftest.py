"""Games with chances, and rules under which they are found quickly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.store import Store
from puzzlegen.mining.opportunities import OpportunityReport, find_opportunities
from puzzlegen.rules import ExerciseRules
from tests.helpers.pool_here import analysing_here
from tests.helpers.quick_mining import QUICK

LIMITS = ExerciseRules(first_nodes=2_000, nodes=5_000, line_nodes=2_000, confirm_nodes=2_000)

# Ann misses mate in one, and Bob takes the queen that she leaves.
MISSED_MATE = """\
[White "Miller, Ann"]
[Black "Bob"]
[Site "https://lichess.org/abcdefgh"]
[Result "0-1"]

1. e4 { [%eval 0.3] [%clk 0:03:00] } 1... e5 { [%eval 0.3] [%clk 0:03:00] }
2. Qh5 { [%eval -0.3] [%clk 0:02:50] } 2... Nc6 { [%eval -0.2] [%clk 0:02:55] }
3. Bc4 { [%eval -0.2] [%clk 0:02:40.5] } 3... Nf6 { [%eval #1] [%clk 0:02:50] }
4. Nf3 { [%eval -4.5] [%clk 0:02:30] } 4... Nxh5 { [%eval -4.5] [%clk 0:02:45] }
5. d3 { [%eval -4.6] [%clk 0:02:20] } 0-1

"""

Analyse = Callable[..., OpportunityReport]


@pytest.fixture
def analyse(store: Store, tmp_path: Path, stockfish: str) -> Analyse:
    """Return a function that analyses games, given as texts, for players."""

    def run(text: str, *players: str, engine: str = stockfish, **options: Any) -> OpportunityReport:
        file = tmp_path / "games.pgn"
        file.write_text(text)
        with analysing_here():
            return find_opportunities(
                [str(file)], store, players, engine, rules=QUICK, limits=LIMITS, **options
            )

    return run
