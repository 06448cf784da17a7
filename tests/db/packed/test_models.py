"""The models of packed files: every sum of theirs must be exact."""

from __future__ import annotations

import numpy as np

from db.packed.models import FILE, TOP, load_models

# Up to here, floating-point numbers of 64 bits count exactly.
EXACT = 2.0**53


def test_all_numbers_but_scales_are_integers() -> None:
    arrays = dict(np.load(FILE))
    assert {name for name, array in arrays.items() if array.dtype.kind == "f"} == {
        "placement_scales",
        "moves_scale",
    }


def test_no_sum_is_too_large() -> None:
    placement, moves, _, _ = load_models()
    units = len(placement.base)
    assert units * TOP * np.abs(placement.outputs).max() + np.abs(placement.bias).max() < EXACT
    assert len(moves.base) * TOP * 2 * np.abs(moves.origins).max() < EXACT
    assert 64 * np.abs(placement.squares).max() < EXACT


def test_every_symbol_of_a_table_is_possible() -> None:
    assert all(weights.min() >= 1 for weights in load_models().tables.values())
    assert load_models().placement.exponentials.min() >= 1
