"""A short run: the whole corpus, and a few changed inputs for each target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.page import POSTGRESQL, base_in
from tests.fuzz.runner import FuzzJob, results_of
from tests.fuzz.targets import TARGETS

# Changed inputs for each target, and inputs of a target in all: of more, some that are spread evenly.
CHANGED, MOST = 5, 20


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder with databases and indexes."""
    with base_in(tmp_path_factory.mktemp("fuzz") / "base") as folder:
        yield folder


@pytest.mark.parametrize("target", TARGETS)
def test_hostile_input_is_refused_in_order(target: str, base: Path) -> None:
    if "PostgreSQL" in target and not (base / POSTGRESQL).exists():
        pytest.skip("PostgreSQL's server is not installed")
    count = len(TARGETS[target].seeds(base)) + CHANGED
    jobs = [FuzzJob(0, target, number) for number in range(0, count, -(-count // MOST))]
    results = results_of(jobs, base)
    faults = [f"{result.job.number}: {result.fault} {result.detail}" for result in results if result.fault]
    assert not faults, "\n".join(faults)
