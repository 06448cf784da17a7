"""How often each feature set finds a position in which one to four pieces have been moved: without grades.

    python -m benchmarks.transformations [--queries N] [--seed N] [--colours same|either] [--db URL]

Positions are sampled from the archived games and perturbed: one to four pieces are moved at random. The
perturbed positions are planted in a copy of the index, each as the only position of another game. Each
feature set then searches for the sampled position, and the ranks of its planted positions among the games
count. All other planted positions are left out, and so are the games in which the sampled position itself
occurred. Prints a table for each figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.command import at_least, parser_for, run, show
from benchmarks.perturbed import MAX_MOVED, PerturbedQuery, Planted, Ranks, sample_queries, temporary_copy
from chess_motif.errors import InputError
from chess_motif.intervals import Interval, share_interval
from chess_motif.output import note
from chess_motif.progress import Progress, TerminalProgress
from chess_motif.tables import table
from db.games import archived_keys
from db.store import Store
from motifsearch.positions.index import opening_moves, sync_positions
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.positions.terms import FeatureSet


@dataclass(frozen=True)
class Figures:
    """How well `planted` positions were found: in first place, in the top 10, and mean reciprocal rank."""

    planted: int
    top1: Interval
    top10: Interval
    mrr: Interval

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for a JSON document."""
        shares = {"top1": self.top1, "top10": self.top10, "mrr": self.mrr}
        return {"hidden": self.planted} | {name: share._asdict() for name, share in shares.items()}


@dataclass(frozen=True)
class PerturbationReport:
    """The ranks of the planted positions by feature set, in the order of `sampled`.

    `games` and `positions` are the numbers of those searched, without the planted ones.
    """

    sampled: Sequence[PerturbedQuery]
    games: int
    positions: int
    seed: int
    colours: Colours
    ranks: Mapping[FeatureSet, Sequence[Ranks]]

    def figures(self, feature_set: FeatureSet, moved: int | None = None) -> Figures | None:
        """Return the figures of a feature set, for all planted positions or those with `moved` pieces moved.

        None if there are no such positions.
        """
        chosen = [ranks if moved is None else ranks[moved - 1 : moved] for ranks in self.ranks[feature_set]]
        return figures([ranks for ranks in chosen if ranks])

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "queries": len(self.sampled),
            "games": self.games,
            "positions": self.positions,
            "positions_looked_at": CANDIDATES,
            "seed": self.seed,
            "colours": self.colours,
            "figures": {
                feature_set: {
                    str(moved or "all"): summary.as_dict()
                    for moved in (*range(1, MAX_MOVED + 1), None)
                    if (summary := self.figures(feature_set, moved))
                }
                for feature_set in self.ranks
            },
            "ranks": [
                {
                    "game": query.key,
                    "ply": query.ply,
                    "fen": query.board.fen(),
                    "hidden": [board.fen() for board in query.perturbed],
                    "ranks": {feature_set: list(ranks[place]) for feature_set, ranks in self.ranks.items()},
                }
                for place, query in enumerate(self.sampled)
            ],
        }


def figures(ranks: Sequence[Ranks]) -> Figures | None:
    """Return the figures of some queries, given the ranks of the positions planted for each (at least one).

    All queries have the same weight. Positions planted for the same query are not independent, so that the
    confidence intervals (Wilson's) count each query as one trial: they are rather too wide than too narrow.
    None if there are no queries.
    """
    if not ranks:
        return None

    def share(worth: Callable[[int], float]) -> Interval:
        total = sum(sum(worth(rank) for rank in planted if rank) / len(planted) for planted in ranks)
        return share_interval(total / len(ranks), len(ranks))

    return Figures(
        sum(map(len, ranks)),
        share(lambda rank: rank == 1),
        share(lambda rank: rank <= 10),
        share(lambda rank: 1 / rank),
    )


def measure_transformations(
    store: Store,
    queries: int,
    *,
    seed: int = 0,
    colours: Colours = Colours.SAME,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> PerturbationReport:
    """Return how well each feature set finds perturbed positions, for a position each of `queries` games.

    The same games and seed give the same positions. Perturbed positions keep their colours; with either
    `colours`, those like the sampled one with its colours reversed compete with them. The index (in
    `directory`, by default beside the database) is brought up to date; nothing else is changed. Raises
    `InputError` if no archived position can be perturbed, `IndexUnavailableError`, `StoreError`.
    """
    progress = progress or Progress()
    _, synced = sync_positions(store, directory, progress=progress)
    with store.reading() as session:
        games = len(archived_keys(session))
        sampled = list(islice(sample_queries(session, opening_moves(store), seed), queries))
    if not sampled:
        raise InputError("no archived game has a position after its opening in which a piece can be moved")
    ranks: dict[FeatureSet, list[Ranks]] = {feature_set: [] for feature_set in FeatureSet}
    with temporary_copy(synced.folders) as copy:
        planted = Planted(copy, [query.perturbed for query in sampled])
        for place, query in enumerate(sampled):
            for feature_set, planted_ranks in planted.ranks(place, query.board, colours).items():
                ranks[feature_set].append(planted_ranks)
            progress.update("searching", place + 1, len(sampled), "query")
    return PerturbationReport(sampled, games, synced.indexed, seed, colours, ranks)


def transformations_text(report: PerturbationReport) -> str:
    """Return a table for each figure: a row for each feature set, a column for 1, 2, … moved pieces."""
    planted = sum(len(query.perturbed) for query in report.sampled)
    parts = [
        f"{len(report.sampled):,} positions, each from a different game, were searched for among the "
        f"{report.positions:,} positions of {report.games:,} games.\n"
        f"{planted:,} planted positions were to be found: the same with 1 to {MAX_MOVED} pieces moved.\n"
        "Games in which the position itself occurred do not count.",
        _figures("Found at rank 1", report, lambda found: found.top1),
        _figures("Found among the first ten games", report, lambda found: found.top10),
        _figures("Mean reciprocal rank", report, lambda found: found.mrr),
        f"In parentheses: 95 % confidence intervals. Each search returns the best {CANDIDATES:,} positions.\n"
        "The positions were planted in a copy of the index, which has been deleted.",
    ]
    return "\n\n".join(parts)


def _figures(title: str, report: PerturbationReport, figure: Callable[[Figures], Interval]) -> str:
    columns = [*range(1, MAX_MOVED + 1), None]
    rows = []
    for feature_set in report.ranks:
        cells = [report.figures(feature_set, moved) for moved in columns]
        rows.append([feature_set, *("–" if cell is None else _interval(figure(cell)) for cell in cells)])
    header = ["pieces moved", *(str(moved or "all") for moved in columns)]
    return f"{title}\n\n{table(header, rows, right='lrrrrr')}"


def _interval(share: Interval) -> str:
    return f"{share.mean:.3f} ({share.low:.2f}–{share.high:.2f})"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--queries", type=at_least(1), default=300, help="positions to search for")
    parser.add_argument("--seed", type=int, default=0, help="for choosing the positions and the moves")
    parser.add_argument("--colours", type=Colours, choices=[*Colours], default=Colours.SAME)
    parser.add_argument("--index", type=Path, metavar="DIR")
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()
    with Store(options.db, create=False) as store, TerminalProgress() as progress:
        report = measure_transformations(
            store,
            options.queries,
            seed=options.seed,
            colours=options.colours,
            directory=options.index,
            progress=progress,
        )
    if len(report.sampled) < options.queries:
        note(f"only {len(report.sampled)} positions: no other game has one that can be used")
    show(transformations_text(report), report.as_dict(), as_json=options.json)


if __name__ == "__main__":
    run(main)
