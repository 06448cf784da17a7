"""A short run: the whole corpus, and a few changed inputs for each target."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fuzz.case import MEMORY, FuzzCase, make_base
from tests.fuzz.memories import FACTS, memory_files, play_from_changed_files
from tests.fuzz.runner import FuzzJob, FuzzResult, results_of
from tests.fuzz.targets import TARGETS

# Changed inputs for each target.
CHANGED = 5


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with databases and indexes."""
    folder = tmp_path_factory.mktemp("fuzz") / "base"
    make_base(folder)
    return folder


@pytest.fixture(scope="module")
def results(base: Path) -> Mapping[str, list[FuzzResult]]:
    """The results by target."""
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


def test_a_memory_that_names_no_server_is_repaired(base: Path, tmp_path: Path) -> None:
    (files,) = memory_files(MEMORY, base)
    facts = json.loads(files[FACTS]) | {"qdrant": "http://["}
    case = FuzzCase(tmp_path / "case", base, files | {FACTS: json.dumps(facts).encode()})
    case.write()
    play_from_changed_files(MEMORY, case)
