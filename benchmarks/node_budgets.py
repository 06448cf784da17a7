"""Mine the same games with different budgets of engine nodes: puzzles, their cost, and how many hold.

    python -m benchmarks.node_budgets GAMES PUZZLES.csv [--games N] [--skip N] [--plot FILE.svg]

GAMES is an archive of Lichess games with one official puzzle each; PUZZLES.csv has these puzzles. An official
puzzle counts as found if position and first move are the same. A mined puzzle holds if an audit with a
million nodes a search finds no fault. Prints a table; the plot needs matplotlib.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import select

from benchmarks.command import parser_for, run
from benchmarks.official_puzzles import official_ids, texts_of
from chess_motif.output import note
from chess_motif.search import Search
from chess_motif.tables import table
from db.evaluations import keep_evaluations
from db.models import Evaluation
from db.packed.position import unpack_simply
from db.puzzles import find_puzzles
from db.store import Store
from engines.finding import find_engine
from puzzlegen.mining.run import mine
from puzzlegen.rules import MiningRules, Pattern, Stage
from puzzlegen.upkeep.audit import audit

DEFAULT = MiningRules(pattern=Pattern.BLUNDER)


def one_budget(nodes: int) -> MiningRules:
    """Return rules that search each move of the line once, without confirmation."""
    return replace(DEFAULT, stages=(Stage(nodes, 0.0, 0.0),), confirm_below=-1.0)


def with_gap(gap: float) -> MiningRules:
    """Return the default rules with another gap, and dependent thresholds moved by the same amount."""
    return replace(DEFAULT, gap=gap, confirm_below=DEFAULT.confirm_below + gap - DEFAULT.gap)


# The audit of each setting requires the gap of its rules.
SETTINGS = {
    "25k once": one_budget(25_000),
    "100k once": one_budget(100_000),
    "200k once": one_budget(200_000),
    "stages": DEFAULT,
    "stages, not confirmed": replace(DEFAULT, confirm_below=-1.0),
    "stages, gap 0.3": with_gap(0.3),
    "stages, gap 0.7": with_gap(0.7),
}


@dataclass
class BudgetOutcome:
    """The figures of one setting."""

    setting: str
    candidates: int
    puzzles: int
    found: int
    nodes: int
    held: float

    @property
    def nodes_a_puzzle(self) -> float:
        """Million engine nodes spent per puzzle."""
        return self.nodes / 1e6 / max(1, self.puzzles)


def measure(
    setting: str, rules: MiningRules, part: Path, official: set[str], audits: dict[Search, str]
) -> BudgetOutcome:
    """Mine and audit with one setting. `audits` has the searches of earlier audits, and gets new searches."""
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/puzzles.db") as store:
        summary = mine([str(part)], store, rules=rules, workers=workers).summary
        with store.session() as session:
            mined = {puzzle.id for puzzle in find_puzzles(session)}
            before = set(session.scalars(select(Evaluation.key)))
            keep_evaluations(session, audits)
        report = audit(store, find_engine(), rules=rules, workers=workers)
        with store.reading() as session:
            audits |= {
                search_of(row): row.found
                for row in session.scalars(select(Evaluation))
                if row.key not in before
            }
    return BudgetOutcome(
        setting, summary.candidates, len(mined), len(mined & official), summary.nodes, report.share
    )


def search_of(row: Evaluation) -> Search:
    """Return the search whose result is stored in a row of this version."""
    columns = (row.clock, row.settings, row.nodes, row.lines)
    assert row.position is not None
    return Search(unpack_simply(row.position).epd(), *columns, row.depth)  # type: ignore[arg-type]


def draw(outcomes: list[BudgetOutcome], official: int, file: Path) -> None:
    """Plot the share of official puzzles found against the cost of a puzzle."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for outcome in outcomes:
        share = 100 * outcome.found / official
        axes.scatter(
            outcome.nodes_a_puzzle,
            share,
            s=60,
            color="tab:red" if outcome.setting == "stages" else "tab:blue",
        )
        axes.annotate(
            f"{outcome.setting} ({outcome.held:.0%} hold)",
            (outcome.nodes_a_puzzle, share),
            xytext=(8, -3),
            textcoords="offset points",
        )
    axes.set(xlabel="million engine nodes a puzzle", ylabel="official puzzles found (%)")
    axes.set_xlim(0, 1.45 * max(outcome.nodes_a_puzzle for outcome in outcomes))
    axes.grid(alpha=0.3)
    figure.savefig(file)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--games", dest="count", type=int, default=60)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()

    texts = texts_of(arguments.games, arguments.skip, arguments.count)
    official = official_ids(arguments.puzzles, texts)
    audits: dict[Search, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "games.pgn"
        part.write_bytes(b"".join(texts))
        outcomes = []
        for setting, rules in SETTINGS.items():
            outcomes.append(measure(setting, rules, part, official, audits))
            note(f"{setting}: {outcomes[-1].puzzles} puzzles")
    rows = [
        [
            outcome.setting,
            outcome.candidates,
            outcome.puzzles,
            f"{outcome.found} of {len(official)}",
            f"{outcome.nodes / 1e6:.0f}",
            f"{outcome.nodes_a_puzzle:.2f}",
            f"{outcome.held:.1%}",
        ]
        for outcome in outcomes
    ]
    header = ["nodes a move", "candidates", "puzzles", "official found", "million nodes", "a puzzle", "hold"]
    print(table(header, rows, right="lrrrrrr"))
    if arguments.plot:
        draw(outcomes, len(official), arguments.plot)


if __name__ == "__main__":
    run(main)
