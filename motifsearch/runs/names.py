"""The names of all runs."""

from __future__ import annotations

from enum import StrEnum

from motifsearch.positions.feature_sets import FeatureSet


class Run(StrEnum):
    """A way to search for similar positions: by a feature set, or by one of the two that need the memory.

    `EMBEDDED` compares the vectors of positions, and `FUSED` unites what it finds with what `DEFAULT` does.
    """

    TRUE_POS = FeatureSet.TRUE_POS.value
    RCHBLE_POS = FeatureSet.RCHBLE_POS.value
    ATTK = FeatureSet.ATTK.value
    DFNS = FeatureSet.DFNS.value
    RAY_ATTK = FeatureSet.RAY_ATTK.value
    COMB_NO_RAY = FeatureSet.COMB_NO_RAY.value
    COMB_ALL = FeatureSet.COMB_ALL.value
    DEFAULT = FeatureSet.DEFAULT.value
    EMBEDDED = "Embedded"
    FUSED = "Fused"

    @property
    def feature_set(self) -> FeatureSet | None:
        """The feature set, if the run is one."""
        return None if self in WITH_MEMORY else FeatureSet(self.value)


# The runs that need the memory.
WITH_MEMORY = (Run.EMBEDDED, Run.FUSED)
