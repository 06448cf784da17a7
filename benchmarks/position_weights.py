"""What each family of terms should count in a search for positions: the weights of the feature set `Default`.

    python -m benchmarks.position_weights DATABASE [--positions N] [--queries N]

DATABASE holds archived games; a hash of their keys divides them into a training part and a test part, which
have no game in common. Each part has its own sample of positions to search among, and its own queries, of
which pieces are moved (see `benchmarks.transformations`). One weight after another is changed as
long as the mean reciprocal rank of the training part rises, from two starts; the test part is measured once,
in the end. Moves keep most pawns and most placements, so this measure favours both more than a person may who
asks for positions of the same kind. Needs scipy. Prints a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.command import parser_for, run, show
from benchmarks.intervals import paired_difference
from benchmarks.perturbed import Ranks
from benchmarks.position_bm25 import PlantedSample, queries_of, sample
from benchmarks.transformations import figures
from chess_motif.intervals import Interval
from chess_motif.tables import table
from db.store import Store
from motifsearch.positions.terms import WEIGHTS, Family, FeatureSet
from training.parts import WEIGHTS_SHARE, is_for_test

# What a weight may be; that of placements is 1.
VALUES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5)
ROUNDS = 2

# What a change must gain, so that no weight rests on a query or two.
WORTHWHILE = 0.0005

Weights = Mapping[Family, float]


class DividedSample:
    """The games of the training or the test part: queries, and what each family says of each position."""

    def __init__(self, store: Store, positions: int, queries: int, *, for_test: bool) -> None:
        def belongs(key: str) -> bool:
            return is_for_test(key, WEIGHTS_SHARE) == for_test

        self._planted = PlantedSample(sample(store, positions, belongs), queries_of(store, queries, belongs))
        self._scores = self._planted.parts()
        # Where reach is not asked for, placements are rarer.
        self._placed_alone = self._planted.parts(families=[Family.PLACED], reach=False)[Family.PLACED]

    def ranks(self, weights: Weights) -> list[Ranks]:
        scores = self._scores
        if not weights.get(Family.REACH):
            scores = scores | {Family.PLACED: self._placed_alone}
        total = sum(weight * scores[family] for family, weight in weights.items() if weight)
        return self._planted.ranks(np.asarray(total))


def reciprocal(ranks: Sequence[Ranks]) -> NDArray[np.float64]:
    """Return the mean reciprocal rank of each query."""
    return np.array([np.mean([1 / rank if rank else 0 for rank in own]) for own in ranks])


def climb(part: DividedSample, start: Weights) -> tuple[float, Weights]:
    """Change one weight after another to what is best; return what that achieves, and the weights."""
    weights = {family: start.get(family, 0.0) for family in Family}
    best = float(reciprocal(part.ranks(weights)).mean())
    for _ in range(ROUNDS):
        for family in [family for family in Family if family is not Family.PLACED]:
            for value in VALUES:
                changed = weights | {family: value}
                achieved = float(reciprocal(part.ranks(changed)).mean())
                if achieved > best + WORTHWHILE:
                    best, weights = achieved, changed
    return best, weights


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("database")
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=400)
    arguments = parser.parse_args()

    combined = WEIGHTS[FeatureSet.COMB_ALL]
    runs = {
        str(run): WEIGHTS[run]
        for run in (FeatureSet.TRUE_POS, FeatureSet.RCHBLE_POS, FeatureSet.COMB_NO_RAY, FeatureSet.COMB_ALL)
    }
    rows = {}
    with Store(arguments.database, create=False) as store:
        # One part at a time: each takes gigabytes.
        part = DividedSample(store, arguments.positions, arguments.queries, for_test=False)
        climbed = [climb(part, WEIGHTS[start]) for start in (FeatureSet.COMB_ALL, FeatureSet.TRUE_POS)]
        runs["after climbing"] = max(climbed, key=lambda found: found[0])[1]
        for name, weights in runs.items():
            written = [f"{weights.get(family, 0):.2f}" for family in Family]
            rows[name] = [name, *written, *shares(part.ranks(weights))]
        del part
        part = DividedSample(store, arguments.positions, arguments.queries, for_test=True)
        for name, weights in runs.items():
            ranks = part.ranks(weights)
            gain = paired_difference([*reciprocal(ranks)], [*reciprocal(part.ranks(combined))])
            rows[name] += [*shares(ranks), with_margin(gain)]
    measured = [f"{part} {figure}" for part in ("train", "test") for figure in ("top 1", "top 10", "MRR")]
    header = ["feature set", *Family, *measured, f"test MRR against {FeatureSet.COMB_ALL}"]
    text = table([str(cell) for cell in header], rows.values(), right="l" + "r" * (len(header) - 1))
    show(text, [dict(zip(header, row, strict=True)) for row in rows.values()], as_json=arguments.json)


def with_margin(difference: Interval) -> str:
    """Return a difference with half the width of its interval."""
    return f"{difference.mean:+.4f} ± {difference.high - difference.mean:.4f}"


def shares(ranks: Sequence[Ranks]) -> list[str]:
    found = figures(ranks)
    return [f"{share.mean:.3f}" for share in (found.top1, found.top10, found.mrr)] if found else []


if __name__ == "__main__":
    run(main)
