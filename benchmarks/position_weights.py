"""What each family of terms should count in a search for positions: the run `Default` of `positions.runs`.

    python benchmarks/position_weights.py DATABASE [--positions N] [--queries N]

DATABASE holds archived games; a hash of their keys divides them into a training part and a test part, which
never meet. Each part has its own sample of positions to search among, and its own queries whose men are
moved (see `motifsearch report transformations`). One weight after another is changed as long as the mean
reciprocal rank of the training part rises; those of the test part are only looked at in the end. Moves
keep most pawns and most placements, so this measure likes both better than a person may who asks for
positions of the same kind. Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from parts import is_for_test
from position_bm25 import Hiding, drawn_from, sample

from db.store import Store
from motifsearch.positions.families import Family
from motifsearch.positions.hidden import Ranks
from motifsearch.positions.runs import WEIGHTS, Run
from motifsearch.positions.transformations import figures
from puzzlegen.console import table

# What a weight is multiplied by, to see whether that helps.
STEPS = (0.0, 0.5, 0.7, 1.4, 2.0)
ROUNDS = 3
WORTHWHILE = 0.0005

Weights = Mapping[Family, float]


class Part:
    """The games of one part: queries, and what each family says of each position."""

    def __init__(self, store: Store, positions: int, queries: int, *, for_test: bool) -> None:
        def wanted(key: str) -> bool:
            return is_for_test(key) == for_test

        self._hiding = Hiding(sample(store, positions, wanted), drawn_from(store, queries, wanted))
        self._scores = self._hiding.parts()

    def ranks(self, weights: Weights) -> list[Ranks]:
        total = sum(weight * self._scores[family] for family, weight in weights.items() if weight)
        return self._hiding.ranks(np.asarray(total))


def reciprocal(ranks: Sequence[Ranks]) -> NDArray[np.float64]:
    """Return the mean reciprocal rank of each query."""
    return np.array([np.mean([1 / rank if rank else 0 for rank in own]) for own in ranks])


def climb(part: Part, weights: Weights) -> Weights:
    """Change one weight after another as long as that helps; placements stay as they are."""
    best = reciprocal(part.ranks(weights)).mean()
    for _ in range(ROUNDS):
        for family in [family for family in weights if family is not Family.PLACED]:
            for step in STEPS:
                changed = {**weights, family: weights[family] * step}
                value = reciprocal(part.ranks(changed)).mean()
                if value > best + WORTHWHILE:
                    best, weights = value, changed
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=400)
    wanted = parser.parse_args()

    with Store(wanted.database) as store:
        train, test = (Part(store, wanted.positions, wanted.queries, for_test=part) for part in (False, True))
    combined = WEIGHTS[Run.COMB_ALL]
    rows = []
    for name, weights in (
        *((run, WEIGHTS[run]) for run in (Run.RCHBLE_POS, Run.COMB_NO_RAY, Run.COMB_ALL)),
        ("after climbing", climb(train, combined)),
    ):
        shares = [
            f"{share.mean:.3f}"
            for part in (train, test)
            if (found := figures(part.ranks(weights)))
            for share in (found.top1, found.top10, found.mrr)
        ]
        gain = reciprocal(test.ranks(weights)) - reciprocal(test.ranks(combined))
        margin = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
        written = [f"{weights.get(family, 0):.2f}" for family in Family]
        rows.append([name, *written, *shares, f"{gain.mean():+.4f} ± {margin:.4f}"])
    measured = [f"{part} {figure}" for part in ("train", "test") for figure in ("top 1", "top 10", "MRR")]
    header = ["run", *Family, *measured, f"test MRR against {Run.COMB_ALL}"]
    print(table([str(cell) for cell in header], rows, right="l" + "r" * (len(header) - 1)))


if __name__ == "__main__":
    main()
