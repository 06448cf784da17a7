"""What the fuzzer takes for a fault, and how it makes inputs."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.fuzz.case import CORPUS, Files, FuzzCase, Target, UnacceptableError
from tests.fuzz.mutations import LONGEST_PART, mutated
from tests.fuzz.runner import FuzzJob, Limits, results_of

# Long enough for an input that does nothing, and enough for a process with everything loaded.
LIMITS = Limits(seconds=2.0, memory=400)


def one_seed(base: Path) -> list[Files]:
    return [{"input": b"the whole input, of which one X is enough"}]


def do_nothing(case: FuzzCase) -> None:
    pass


def fail_at_x(case: FuzzCase) -> None:
    if b"X" in case.file.read_bytes():
        raise KeyError("X")


def object_to_it(case: FuzzCase) -> None:
    raise UnacceptableError("believed")


def never_end(case: FuzzCase) -> None:
    while True:
        pass


def take_memory(case: FuzzCase) -> None:
    bytearray(b"x") * (400 << 20)


_kept: list[bytearray] = []


def keep_memory(case: FuzzCase) -> None:
    _kept.append(bytearray(b"x") * (100 << 20))


def end_process(case: FuzzCase) -> None:
    os.write(2, b"last words\n")
    os.abort()


# Those that end their process come last: it takes a second to start another.
TARGETS = {
    run.__name__: Target(one_seed, run, 1)
    for run in (do_nothing, fail_at_x, object_to_it, never_end, take_memory, end_process)
}


def test_each_kind_of_fault_is_found(tmp_path: Path) -> None:
    jobs = [FuzzJob(0, name, 0) for name in TARGETS]
    found = {result.job.target: result for result in results_of(jobs, tmp_path, TARGETS, LIMITS)}
    assert {name: result.fault.split(" at ")[0] for name, result in found.items()} == {
        "do_nothing": "",
        "fail_at_x": "KeyError",
        "object_to_it": "believed",
        "never_end": "TooSlow",
        "take_memory": "takes too much memory",
        "end_process": "ends its process (-6)",
    }
    assert found["fail_at_x"].files == one_seed(tmp_path)[0]
    assert found["end_process"].detail == "last words"


def test_memory_that_only_adds_up_is_no_fault(tmp_path: Path) -> None:
    targets = {"keep_memory": Target(one_seed, keep_memory, 1)}
    jobs = [FuzzJob(0, "keep_memory", number) for number in range(4)]
    results = list(results_of(jobs, tmp_path, targets, LIMITS))
    assert [(result.job, result.fault) for result in results] == [(job, "") for job in jobs]


def test_changes_depend_on_the_random_generator_alone() -> None:
    first, again, other = (mutated(Random(seed), b"a text to change", b"another") for seed in (1, 1, 2))
    assert first == again != other


def test_no_packed_file_is_repeated_as_a_whole() -> None:
    packed = [file for kind in ("zst", "gz", "bz2") for file in CORPUS.rglob(f"*.{kind}")]
    assert min(file.stat().st_size for file in packed) > LONGEST_PART
