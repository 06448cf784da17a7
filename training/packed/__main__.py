"""Train the models of packed files on the examples that `training.packed.examples` made.

    python -m training.packed EXAMPLES.npz db/packed/models.npz --minutes 30

Files that were packed with other models cannot be read any more: a new version of the format.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from db.packed.models import EXPONENTIALS, TABLE
from training.packed.networks import MoveNetwork, PlacementNetwork, exponentials, train

# The share of the time that goes to the moves, which are learned sooner.
MOVES_SHARE = 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    rows = dict(np.load(arguments.examples))
    placement, moves = PlacementNetwork(), MoveNetwork()
    train(
        moves,
        {name: rows[name] for name in ("pieces", "origins", "targets", "played")},
        MOVES_SHARE * arguments.minutes,
        lambda line: print("moves", line, flush=True),
    )
    train(
        placement,
        {name: rows[name] for name in ("squares", "state")},
        (1 - MOVES_SHARE) * arguments.minutes,
        lambda line: print("placement", line, flush=True),
    )
    tables = {name: table for name, table in rows.items() if name.startswith(TABLE)}
    arrays = {EXPONENTIALS: exponentials(), **placement.arrays(), **moves.arrays(), **tables}
    np.savez_compressed(arguments.models, allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
