"""A short run: the whole corpus, and a few changed inputs for each target."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fuzz.case import make_base
from tests.fuzz.runner import FuzzJob, FuzzResult, results_of
from tests.fuzz.targets import TARGETS

# Changed inputs for each target.
CHANGED = 5


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[FuzzResult]]:
    """The results by target."""
    base = tmp_path_factory.mktemp("fuzz") / "base"
    make_base(base)
    inputs = {name: len(target.seeds(base)) + CHANGED for name, target in TARGETS.items()}
    # A process for each target, so that its memory is that of one.
    return {
        name: [*results_of([FuzzJob(0, name, number) for number in range(count)], base)]
        for name, count in inputs.items()
    }


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_input_is_refused_in_order(target: str, results: Mapping[str, list[FuzzResult]]) -> None:
    faults = [
        f"{result.job.number}: {result.fault} {result.detail}" for result in results[target] if result.fault
    ]
    assert not faults, "\n".join(faults)
