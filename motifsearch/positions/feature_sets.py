"""The runs: which families of terms a search asks for, and what each counts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from motifsearch.positions.terms import Family


class FeatureSet(StrEnum):
    """The seven configurations of Ganguly, Leveling & Jones, SIGIR 2014, by their names there; and ours."""

    TRUE_POS = "TruePos"
    RCHBLE_POS = "RchblePos"
    ATTK = "Attk"
    DFNS = "Dfns"
    RAY_ATTK = "RayAttk"
    COMB_NO_RAY = "CombNoRay"
    COMB_ALL = "CombAll"
    DEFAULT = "Default"


def _alike(*families: Family) -> Mapping[Family, float]:
    return dict.fromkeys(families, 1.0)


# What the terms of each family count in a run; those that are missing are not asked for.
WEIGHTS: dict[FeatureSet, Mapping[Family, float]] = {
    FeatureSet.TRUE_POS: _alike(Family.PLACED),
    FeatureSet.RCHBLE_POS: _alike(Family.PLACED, Family.REACH),
    FeatureSet.ATTK: _alike(Family.ATTACK),
    FeatureSet.DFNS: _alike(Family.DEFENCE),
    FeatureSet.RAY_ATTK: _alike(Family.XRAY),
    FeatureSet.COMB_NO_RAY: _alike(Family.PLACED, Family.REACH, Family.ATTACK, Family.DEFENCE),
    FeatureSet.COMB_ALL: _alike(*Family),
    # Set by benchmarks/position_weights.py; see docs/how-it-works/positions.md.
    FeatureSet.DEFAULT: {Family.PLACED: 1.0, Family.REACH: 0.7, Family.DEFENCE: 0.1, Family.XRAY: 0.2},
}
