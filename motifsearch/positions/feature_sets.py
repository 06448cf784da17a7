"""Feature sets: which families of terms a search uses, and the weight of each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from motifsearch.positions.terms import Family


class FeatureSet(StrEnum):
    """The seven runs of Ganguly, Leveling & Jones, SIGIR 2014, under their names there, and our own."""

    TRUE_POS = "TruePos"
    RCHBLE_POS = "RchblePos"
    ATTK = "Attk"
    DFNS = "Dfns"
    RAY_ATTK = "RayAttk"
    COMB_NO_RAY = "CombNoRay"
    COMB_ALL = "CombAll"
    DEFAULT = "Default"


def _equal(*families: Family) -> Mapping[Family, float]:
    return dict.fromkeys(families, 1.0)


# The weight of each family in a feature set; families that are not listed are not used.
WEIGHTS: dict[FeatureSet, Mapping[Family, float]] = {
    FeatureSet.TRUE_POS: _equal(Family.PLACED),
    FeatureSet.RCHBLE_POS: _equal(Family.PLACED, Family.REACH),
    FeatureSet.ATTK: _equal(Family.ATTACK),
    FeatureSet.DFNS: _equal(Family.DEFENCE),
    FeatureSet.RAY_ATTK: _equal(Family.XRAY),
    FeatureSet.COMB_NO_RAY: _equal(Family.PLACED, Family.REACH, Family.ATTACK, Family.DEFENCE),
    FeatureSet.COMB_ALL: _equal(*Family),
    # Set by `benchmarks.position_weights`; see docs/how-it-works/positions.md.
    FeatureSet.DEFAULT: {Family.PLACED: 1.0, Family.REACH: 0.7, Family.DEFENCE: 0.1, Family.XRAY: 0.2},
}
