"""How much the vectors of positions should count beside their terms: the weight of the run `Fused`.

    python benchmarks/position_fusion.py DATABASE [--index DIR] [--queries N]

DATABASE holds archived games and their memory; a hash of the keys of the games divides them into a training
part and a test part, of which the queries are. The positions of all games are searched, with pieces moved in
some (see `motifsearch report transformations`). The weight with the best mean reciprocal rank on the training
part is measured on the test part, once. `Embedded, side to move` compares positions with the same side to
move only, as if it were always known. Needs numpy. Prints a table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import chess
import numpy as np
from divide import is_for_test
from position_weights import reciprocal, shares

from chess_motif.tables import table
from db.store import Store
from motifsearch.evaluation.perturbation_report import PerturbedQuery, sample_queries
from motifsearch.evaluation.planted import Planted, Ranks, fused_games
from motifsearch.index.snapshot import temporary_copy
from motifsearch.positions.colours import Colours
from motifsearch.positions.index import sync_positions
from motifsearch.positions.opening import opening_moves
from motifsearch.runs.embedded import EmbeddedSearcher, View
from motifsearch.runs.names import Run
from motifsearch.runs.searcher import RunSearcher

WEIGHTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SEARCHED = (Run.TRUE_POS, Run.DEFAULT, Run.EMBEDDED)
KNOWN_SIDE = "Embedded, side to move"


@contextmanager
def side_known(searcher: EmbeddedSearcher) -> Iterator[None]:
    """Let positions be compared with the same side to move only."""

    def views(board: chess.Board) -> list[View]:
        return [view for view in EmbeddedSearcher.views(searcher, board) if view.turn == board.turn]

    vars(searcher)["views"] = views
    yield
    del vars(searcher)["views"]


def ranks_by_run(
    store: Store, directory: Path | None, queries: Sequence[PerturbedQuery], weights: Sequence[float]
) -> dict[str, list[Ranks]]:
    """Return the ranks of each query's planted positions, by run, or the weight of the vectors."""
    names = [*map(str, SEARCHED), KNOWN_SIDE, *map(str, weights)]
    found: dict[str, list[Ranks]] = {name: [] for name in names}
    _, synced = sync_positions(store, directory)
    boards = [query.perturbed for query in queries]
    with RunSearcher(store, directory) as searcher, temporary_copy(synced.path) as copy:
        planted = Planted(copy, boards, searcher.embedded)
        for group, query in enumerate(queries):
            rankings = planted.rankings(group, query.board, Colours.SAME, SEARCHED)
            scores = planted.both_scores(group, query.board, Colours.SAME, rankings)
            with side_known(searcher.embedded):
                known = planted.rankings(group, query.board, Colours.SAME, [Run.EMBEDDED])[Run.EMBEDDED]
            games = {str(run): [one.place.number for one in ranking] for run, ranking in rankings.items()}
            games[KNOWN_SIDE] = [one.place.number for one in known]
            games |= {str(weight): fused_games(scores, weight) for weight in weights}
            for name, ranking in games.items():
                found[name].append(planted.ranks_in(ranking, group))
    return found


def rows_of(found: Mapping[str, list[Ranks]]) -> list[list[str]]:
    base = reciprocal(found[Run.DEFAULT])
    rows = []
    for name, ranks in found.items():
        gain = reciprocal(ranks) - base
        margin = 1.96 * np.std(gain, ddof=1) / len(gain) ** 0.5
        rows.append([name, *shares(ranks), f"{gain.mean():+.4f} ± {margin:.4f}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--index", type=Path)
    parser.add_argument("--queries", type=int, default=300)
    arguments = parser.parse_args()
    header = ["run, or weight of vectors", "top 1", "top 10", "MRR", f"MRR against {Run.DEFAULT}"]
    with Store(arguments.database) as store:
        weights: Sequence[float] = WEIGHTS
        for for_test in (False, True):
            with store.reading() as session:
                sampled = sample_queries(session, opening_moves(store), seed=0)
                chosen = (query for query in sampled if is_for_test(query.key) == for_test)
                queries = list(islice(chosen, arguments.queries))
            found = ranks_by_run(store, arguments.index, queries, weights)
            print("\n" + ("test" if for_test else "training"))
            print(table(header, rows_of(found), right="lrrrr"))
            weights = [max(weights, key=lambda weight: float(reciprocal(found[str(weight)]).mean()))]


if __name__ == "__main__":
    main()
