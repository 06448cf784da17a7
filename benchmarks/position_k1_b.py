"""What other k1 and b of BM25 would find than Tantivy's, which has k1 = 1.2 and b = 0.75 built in.

    python benchmarks/position_k1_b.py DATABASE [--positions N] [--queries N] [--plot OUT.svg]

As Ganguly, Leveling & Jones (SIGIR 2014, Figure 9), but for positions of which pieces are moved (see
`motifsearch report transformations`), among a sample of the archived positions in DATABASE. Needs numpy and
scipy, and matplotlib to plot.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from position_bm25 import K1, B, PlantedSample, queries_of, sample
from position_weights import reciprocal

from chess_motif.tables import table
from db.store import Store
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.terms import Family

RUNS = (FeatureSet.TRUE_POS, FeatureSet.COMB_ALL)
K1S = (0.2, 0.4, 0.8, K1, 1.6, 2.0)
BS = (0.0, 0.25, 0.5, B, 1.0)

# The mean reciprocal ranks of queries, by feature set and by k1 and b.
Ranks = dict[FeatureSet, dict[tuple[float, float], NDArray[np.float64]]]


def measured(planted: PlantedSample) -> Ranks:
    found: Ranks = {run: {} for run in RUNS}
    for run in RUNS:
        for k1 in K1S:
            for b in BS:
                weights = WEIGHTS[run]
                scores = planted.parts(k1, b, families=weights, reach=Family.REACH in weights)
                total = sum(weight * scores[family] for family, weight in weights.items())
                found[run][k1, b] = reciprocal(planted.ranks(np.asarray(total)))
    return found


def printed(found: Ranks) -> str:
    """Return a table for each run, and what the best k1 and b gain."""
    parts = []
    for run, grid in found.items():
        rows = [[f"{k1:.1f}", *(f"{grid[k1, b].mean():.4f}" for b in BS)] for k1 in K1S]
        best = max(grid, key=lambda place: grid[place].mean())
        gain = grid[best] - grid[K1, B]
        margin = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
        parts += [
            f"{run}: mean reciprocal rank",
            table(["k1 \\ b", *(f"{b:.2f}" for b in BS)], rows, right="lrrrrr"),
            f"best: k1 = {best[0]}, b = {best[1]}; {gain.mean():+.4f} ± {margin:.4f} against Tantivy's",
        ]
    return "\n\n".join(parts)


def plot(found: Ranks, file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(found), figsize=(9, 3.5), layout="constrained", sharey=True)
    for axis, (run, grid) in zip(axes, found.items(), strict=True):
        for b in BS:
            axis.plot(K1S, [grid[k1, b].mean() for k1 in K1S], marker="o", markersize=3, label=f"b = {b}")
        axis.set(title=run, xlabel="k1", ylabel="mean reciprocal rank")
        axis.axvline(K1, color="grey", linewidth=0.5)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()

    with Store(arguments.database) as store:
        documents = sample(store, arguments.positions, lambda key: True)
        planted = PlantedSample(documents, queries_of(store, arguments.queries, lambda key: True))
    found = measured(planted)
    print(printed(found))
    if arguments.plot is not None:
        plot(found, arguments.plot)


if __name__ == "__main__":
    main()
