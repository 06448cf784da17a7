"""Fuzzes everything that reads what others wrote.

    python -m tests.fuzz [--inputs 100000] [--target NAME]... [--seed N]

Prints a table of the targets and the faults found, and saves the smallest input for each fault in the folder
`fuzz-faults`. Exit status: 0 no faults, 1 faults.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tqdm import tqdm

from chess_motif.tables import table
from tests.fuzz.page import base_in
from tests.fuzz.runner import FuzzJob, FuzzResult, results_of
from tests.fuzz.targets import TARGETS

# Most inputs for which one process is started: what earlier ones leave in its memory counts for the next.
BATCH = 100

# Where the inputs at fault are saved.
OUT = Path("fuzz-faults")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="in all (%(default)s)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; can be repeated")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs for another seed")
    options = parser.parse_args()
    costs: dict[str, list[FuzzResult]] = {}
    faults: dict[tuple[str, str], list[FuzzResult]] = {}
    for result in _results(batches_of(options.target or TARGETS, options.inputs, options.seed)):
        target = result.job.target
        costs.setdefault(target, []).append(result)
        if result.fault:
            faults.setdefault((target, result.fault), []).append(result)
    faulty = Counter(target for target, _ in faults)
    rows = [
        [
            name,
            len(results),
            faulty[name],
            f"{max(result.seconds for result in results):.2f}",
            f"{max(result.memory for result in results):.0f}",
        ]
        for name, results in costs.items()
    ]
    print(table(["target", "inputs", "faults", "slowest (s)", "memory (MiB)"], rows, "lrrrr"))
    for (target, fault), results in faults.items():
        smallest = min(results, key=lambda result: sum(map(len, result.files.values())))
        print(f"\n{target}: {fault} ({len(results)} inputs)", smallest.detail, _saved(smallest), sep="\n  ")
    sys.exit(bool(faults))


def batches_of(targets: Iterable[str], inputs: int, seed: int) -> list[list[FuzzJob]]:
    """Return about that many jobs by the weights of the targets, in batches of one target each."""
    weights = {name: TARGETS[name].weight for name in targets}
    batches = []
    for name, weight in weights.items():
        count = round(inputs * weight / sum(weights.values()))
        jobs = [FuzzJob(seed, name, number) for number in range(count)]
        batches += [jobs[start : start + BATCH] for start in range(0, len(jobs), BATCH)]
    return batches


def _results(batches: list[list[FuzzJob]]) -> Iterator[FuzzResult]:
    """Yield the results of all jobs, and show the progress on stderr."""
    with (
        TemporaryDirectory() as folder,
        base_in(Path(folder) / "base") as base,
        ThreadPoolExecutor(os.cpu_count()) as threads,
        tqdm(total=sum(map(len, batches)), unit=" inputs") as bar,
    ):
        for results in threads.map(lambda batch: [*results_of(batch, base)], batches):
            bar.update(len(results))
            yield from results


def _saved(result: FuzzResult) -> Path:
    """Write an input to a folder of its own, and return that."""
    folder = OUT / f"{result.job.target} {result.job.number}"
    for name, content in result.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


if __name__ == "__main__":
    main()
