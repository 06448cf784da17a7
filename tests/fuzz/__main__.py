"""Fuzzes everything that reads what others wrote.

    python -m tests.fuzz [--inputs 100000] [--target NAME]... [--seed N] [--workers N] [--out FOLDER]

Prints a table of the targets and the faults found, and saves an input for each fault in FOLDER. Exit
status: 0 no faults, 1 faults.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tqdm import tqdm

from chess_motif.tables import table
from tests.fuzz.page import base_in
from tests.fuzz.runner import FuzzJob, FuzzResult, results_of
from tests.fuzz.targets import TARGETS

# Most inputs for which one process is started: what earlier ones leave in its memory counts for the next.
BATCH = 100


@dataclass
class FoundFault:
    """A fault with the smallest of its inputs so far, and how many had it."""

    example: FuzzResult
    inputs: int = 0

    def add(self, result: FuzzResult) -> None:
        self.inputs += 1
        self.example = min(self.example, result, key=lambda found: sum(map(len, found.files.values())))

    def save(self, out: Path) -> Path:
        """Write the input to a folder of its own in `out`, and return that."""
        folder = out / f"{self.example.job.target} {self.example.job.number}"
        for name, content in self.example.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return folder


@dataclass
class FuzzSummary:
    """The results of a target; `slowest` in CPU seconds, `memory` in MiB, faults by what went wrong."""

    inputs: int = 0
    slowest: float = 0.0
    memory: float = 0.0
    faults: dict[str, FoundFault] = field(default_factory=dict)

    def add(self, result: FuzzResult) -> None:
        self.inputs += 1
        self.slowest = max(self.slowest, result.seconds)
        self.memory = max(self.memory, result.memory)
        if result.fault:
            self.faults.setdefault(result.fault, FoundFault(result)).add(result)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="in all (%(default)s)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; can be repeated")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs for another seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="default: all cores")
    parser.add_argument("--out", type=Path, default=Path("fuzz-faults"), metavar="FOLDER", help="%(default)s")
    options = parser.parse_args()
    batches = batches_of(options.target or TARGETS, options.inputs, options.seed)
    summaries = {batch[0].target: FuzzSummary() for batch in batches}
    for result in _results(batches, options.workers):
        summaries[result.job.target].add(result)
    print(summary_table(summaries))
    for name, summary in summaries.items():
        for what, fault in summary.faults.items():
            print(f"\n{name}: {what} ({fault.inputs} inputs)", fault.example.detail, sep="\n  ")
            print(f"  {fault.save(options.out)}")
    sys.exit(any(summary.faults for summary in summaries.values()))


def batches_of(targets: Iterable[str], inputs: int, seed: int) -> list[list[FuzzJob]]:
    """Return about that many jobs by the weights of the targets, in batches of one target each."""
    weights = {name: TARGETS[name].weight for name in targets}
    batches = []
    for name, weight in weights.items():
        count = round(inputs * weight / sum(weights.values()))
        jobs = [FuzzJob(seed, name, number) for number in range(count)]
        batches += [jobs[start : start + BATCH] for start in range(0, len(jobs), BATCH)]
    return batches


def _results(batches: list[list[FuzzJob]], workers: int) -> Iterator[FuzzResult]:
    """Yield the results of all jobs, and show the progress on stderr."""
    with (
        TemporaryDirectory() as folder,
        base_in(Path(folder) / "base") as base,
        ThreadPoolExecutor(workers) as threads,
        tqdm(total=sum(map(len, batches)), unit=" inputs") as bar,
    ):

        def results(batch: list[FuzzJob]) -> list[FuzzResult]:
            found = []
            for result in results_of(batch, base):
                found.append(result)
                bar.update()
            return found

        for batch in threads.map(results, batches):
            yield from batch


def summary_table(summaries: Mapping[str, FuzzSummary]) -> str:
    """Return a table of the targets and what their inputs cost."""
    header = ["target", "inputs", "faulty", "faults", "slowest (s)", "memory (MiB)"]
    rows = []
    for name, summary in summaries.items():
        faulty = sum(fault.inputs for fault in summary.faults.values())
        cost = f"{summary.slowest:.2f}", f"{summary.memory:.0f}"
        rows.append([name, summary.inputs, faulty, len(summary.faults), *cost])
    return table(header, rows, "lrrrrr")


if __name__ == "__main__":
    main()
