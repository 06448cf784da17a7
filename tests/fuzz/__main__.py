"""Fuzzes everything that reads what others wrote.

    python -m tests.fuzz [--inputs 100000] [--target NAME]... [--seed N] [--workers N] [--out FOLDER]

Prints a table of the targets and the faults found, with one input for each in FOLDER. To keep it, copy it to
the target's folder in `tests/fuzz/corpus`. Exit status: 0 no faults, 1 faults.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Never

from tqdm import tqdm

from chess_motif.tables import table
from tests.fuzz.runner import Job, Result, results_of
from tests.fuzz.targets import TARGETS, make_base

# Inputs for which one process is started.
BATCH = 1000


@dataclass
class Summary:
    """The results of a target: number of inputs, most CPU seconds and MiB, and an example of each fault."""

    inputs: int = 0
    slowest: float = 0.0
    memory: float = 0.0
    faults: dict[str, list[Result]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        self.inputs += 1
        self.slowest = max(self.slowest, result.seconds)
        self.memory = max(self.memory, result.memory)
        if result.fault:
            self.faults.setdefault(result.fault, []).append(result)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="in all (%(default)s)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; can be repeated")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs for another seed")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="default: all cores")
    parser.add_argument("--out", type=Path, default=Path("fuzz-faults"), metavar="FOLDER", help="%(default)s")
    arguments = parser.parse_args()
    jobs = jobs_of(arguments.target or TARGETS, arguments.inputs, arguments.seed)
    batches = [jobs[start : start + BATCH] for start in range(0, len(jobs), BATCH)]
    summaries = {job.target: Summary() for job in jobs}
    with (
        TemporaryDirectory() as folder,
        ThreadPoolExecutor(arguments.workers) as threads,
        tqdm(total=len(jobs), unit=" inputs") as bar,
    ):
        base = Path(folder) / "base"
        make_base(base)
        for results in threads.map(lambda batch: [*_counted(results_of(batch, base), bar)], batches):
            for result in results:
                summaries[result.job.target].add(result)
    print(summary_table(summaries))
    faults = [found for summary in summaries.values() for found in summary.faults.values()]
    for results in faults:
        print(description(results, arguments.out))
    sys.exit(bool(faults))


def _counted(results: Iterable[Result], bar: tqdm[Never]) -> Iterator[Result]:
    for result in results:
        bar.update()
        yield result


def summary_table(summaries: Mapping[str, Summary]) -> str:
    """Return a table of the targets and what their inputs cost."""
    header = ["target", "inputs", "faulty", "faults", "slowest (s)", "memory (MiB)"]
    rows = [
        [name, each.inputs, sum(map(len, each.faults.values())), len(each.faults), each.slowest, each.memory]
        for name, each in summaries.items()
    ]
    shown = [[*counts, f"{seconds:.2f}", f"{memory:.0f}"] for *counts, seconds, memory in rows]
    return table(header, shown, "lrrrrr")


def description(results: Sequence[Result], out: Path) -> str:
    """Return a line about results with the same fault, and save the smallest of their inputs."""
    example = min(results, key=lambda result: sum(map(len, result.files.values())))
    folder = out / f"{example.job.target} {example.job.number}"
    for name, content in example.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return f"{example.job.target}: {len(results)} × {example.fault}: {example.detail}\n    {folder}"


def jobs_of(names: Iterable[str], inputs: int, seed: int) -> list[Job]:
    """Return the jobs for about that many inputs, divided by the weights of the targets."""
    weights = {name: TARGETS[name].weight for name in names}
    total = sum(weights.values())
    return [
        Job(seed, name, number)
        for name, weight in weights.items()
        for number in range(round(inputs * weight / total))
    ]


if __name__ == "__main__":
    main()
