"""What other k1 and b of BM25 would find than Tantivy's, which has k1 = 1.2 and b = 0.75 built in.

    python -m benchmarks.position_k1_b DATABASE [--positions N] [--queries N] [--plot OUT.svg]

As Ganguly, Leveling & Jones (SIGIR 2014, Figure 9), but for positions of which pieces are moved (see
`benchmarks.transformations`), among a sample of the archived positions in DATABASE. Needs scipy,
and matplotlib to plot. Prints a table for each feature set.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.command import parser_for, run, show
from benchmarks.intervals import paired_difference
from benchmarks.position_bm25 import K1, B, PlantedSample, queries_of, sample
from benchmarks.position_weights import reciprocal, with_margin
from chess_motif.tables import table
from db.store import Store
from motifsearch.positions.terms import WEIGHTS, Family, FeatureSet

FEATURE_SETS = (FeatureSet.TRUE_POS, FeatureSet.COMB_ALL)
K1S = (0.2, 0.4, 0.8, K1, 1.6, 2.0)
BS = (0.0, 0.25, 0.5, B, 1.0)

# The mean reciprocal ranks of queries, by feature set and by k1 and b.
Ranks = dict[FeatureSet, dict[tuple[float, float], NDArray[np.float64]]]


def measured(planted: PlantedSample) -> Ranks:
    found: Ranks = {feature_set: {} for feature_set in FEATURE_SETS}
    for feature_set in FEATURE_SETS:
        for k1 in K1S:
            for b in BS:
                weights = WEIGHTS[feature_set]
                scores = planted.parts(k1, b, families=weights, reach=Family.REACH in weights)
                total = sum(weight * scores[family] for family, weight in weights.items())
                found[feature_set][k1, b] = reciprocal(planted.ranks(np.asarray(total)))
    return found


def text_of(found: Ranks) -> str:
    """Return a table for each feature set, and what the best k1 and b gain."""
    parts = []
    for feature_set, grid in found.items():
        rows = [[f"{k1:.1f}", *(f"{grid[k1, b].mean():.4f}" for b in BS)] for k1 in K1S]
        best = max(grid, key=lambda place: grid[place].mean())
        gain = paired_difference([*grid[best]], [*grid[K1, B]])
        parts += [
            f"{feature_set}: mean reciprocal rank",
            table(["k1 \\ b", *(f"{b:.2f}" for b in BS)], rows, right="lrrrrr"),
            f"best: k1 = {best[0]}, b = {best[1]}; {with_margin(gain)} against Tantivy's",
        ]
    return "\n\n".join(parts)


def document_of(found: Ranks) -> dict[str, list[dict[str, float]]]:
    return {
        feature_set: [{"k1": k1, "b": b, "mrr": float(ranks.mean())} for (k1, b), ranks in grid.items()]
        for feature_set, grid in found.items()
    }


def plot(found: Ranks, file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(found), figsize=(9, 3.5), layout="constrained", sharey=True)
    for axis, (feature_set, grid) in zip(axes, found.items(), strict=True):
        for b in BS:
            axis.plot(K1S, [grid[k1, b].mean() for k1 in K1S], marker="o", markersize=3, label=f"b = {b}")
        axis.set(title=feature_set, xlabel="k1", ylabel="mean reciprocal rank")
        axis.axvline(K1, color="grey", linewidth=0.5)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    figure.savefig(file)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("database")
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()

    with Store(arguments.database, create=False) as store:
        documents = sample(store, arguments.positions, lambda key: True)
        planted = PlantedSample(documents, queries_of(store, arguments.queries, lambda key: True))
    found = measured(planted)
    show(text_of(found), document_of(found), as_json=arguments.json)
    if arguments.plot is not None:
        plot(found, arguments.plot)


if __name__ == "__main__":
    run(main)
