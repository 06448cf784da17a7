"""The learned models of a packed file, which are part of its format: `models.npz`.

Other models make other files. `python -m training.packed` made these.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from db.packed.entropy import Tables
from db.packed.moves import MoveModel
from db.packed.placement import Placement

FILE = Path(__file__).parent / "models.npz"

# What the name of an array begins with.
PLACEMENT, MOVES, TABLE = "placement_", "moves_", "table_"
EXPONENTIALS = "exponentials"


class Models(NamedTuple):
    """The models, and a digest of their file."""

    placement: Placement
    moves: MoveModel
    tables: Tables
    digest: bytes


@cache
def load_models() -> Models:
    """Return the models of the package."""
    data = FILE.read_bytes()
    arrays = dict(np.load(io.BytesIO(data)))

    def named(prefix: str) -> dict[str, np.ndarray]:
        """Return some arrays of integers, to be added and multiplied fast."""
        return {
            name.removeprefix(prefix): array.astype(np.float64)
            for name, array in arrays.items()
            if name.startswith(prefix)
        }

    exponentials = arrays[EXPONENTIALS].astype(np.float32)
    return Models(
        Placement(**named(PLACEMENT), exponentials=exponentials),
        MoveModel(**named(MOVES), exponentials=exponentials),
        {name: weights.astype(np.float32) for name, weights in named(TABLE).items()},
        hashlib.sha256(data).digest()[:8],
    )
