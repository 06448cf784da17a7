"""Whether killing any part of a mining run, again and again, changes what is mined.

    python benchmarks/kills.py GAMES [--games N] [--kills N] [--pattern blunder] [--seed N]

Mines the first games of an archive undisturbed, and then again, while the process of the run, a worker and
an engine are killed (SIGKILL) in turn at random moments; a killed run is resumed by the same command. Then
everything stored is compared, but for what depends on time: numbers of runs and the cost of searches.
Prints a table and JSON. Exit status: 0 equal, 1 not equal or fewer kills than asked for. Linux only.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from processes import KINDS, RUN, processes_of
from sqlalchemy import inspect, select

from chess_motif.tables import table
from db.models import Base, Checkpoint, Game, Puzzle
from db.store import Store
from puzzlegen.rules import Pattern

# Numbers that the store gives, and moments.
NOT_COMPARED = {"number", "game_number", "run_number", "created", "updated"}

# What a killed engine or worker had searched is searched again.
COSTS = {"nodes", "positions_searched", "searches_reused"}

# Pauses take this share of the undisturbed time, so that the last kill comes before the end.
SHARE = 0.8

LOOK_EVERY = 0.02


@dataclass
class Run:
    """A mining run by the real command, started again when it was killed."""

    arguments: list[str]
    database: str
    starts: int = 0
    kills: Counter[str] = field(default_factory=Counter)

    def start(self) -> None:
        self.starts += 1
        command = [sys.executable, "-m", "puzzlegen", "mine", *self.arguments, "--db", self.database]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def runs_for(self, seconds: float) -> bool:
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def kill(self, kind: str) -> bool:
        """Kill one of the run's processes; False when the run ended before there was one."""
        while self.runs_for(LOOK_EVERY):
            if found := processes_of(self.process.pid, kind):
                try:
                    os.kill(random.choice(found), signal.SIGKILL)
                except ProcessLookupError:
                    continue
                self.kills[kind] += 1
                if kind == RUN:
                    self.process.wait()
                    self.start()
                return True
        return False

    def finish(self) -> None:
        if self.process.wait():
            sys.exit(f"the run ended with status {self.process.returncode}")

    def stored(self) -> dict[str, dict[str, Any]]:
        """Return all that is stored, by table and a key that is the same in every database."""
        with Store(self.database) as store, store.reading() as session:
            return {
                "puzzles": {
                    row.id: columns(row) | {"game": row.game and row.game.key}
                    for row in session.scalars(select(Puzzle))
                },
                "games": {row.key: columns(row) for row in session.scalars(select(Game))},
                "checkpoints": {row.archive: columns(row) for row in session.scalars(select(Checkpoint))},
            }


def columns(row: Base) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in inspect(type(row)).columns.keys()}  # noqa: SIM118
    if isinstance(row, Checkpoint):
        found["summary"] = {name: count for name, count in row.summary.items() if name not in COSTS}
    return {name: value for name, value in found.items() if name not in NOT_COMPARED}


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("archive", metavar="GAMES")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pattern", type=Pattern, default=Pattern.BLUNDER)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    command = [arguments.archive, "--pattern", arguments.pattern.value, "--limit", str(arguments.games)]

    with tempfile.TemporaryDirectory() as folder:
        undisturbed, killed = (Run(command, str(Path(folder) / name)) for name in ("a.db", "b.db"))
        started = time.monotonic()
        undisturbed.start()
        undisturbed.finish()
        seconds = time.monotonic() - started

        killed.start()
        pause = SHARE * seconds / arguments.kills
        for kind in itertools.islice(itertools.cycle(KINDS), arguments.kills):
            if not killed.runs_for(pause * random.uniform(0.5, 1.5)) or not killed.kill(kind):
                break
        killed.finish()
        before, after = undisturbed.stored(), killed.stored()

    found = {name: differences(before[name], after[name]) for name in before}
    for name, keys in found.items():
        for key in keys:
            print(f"{name} {key}:\n  {before[name].get(key)}\n  {after[name].get(key)}")
    figures = {
        "games_mined": arguments.games,
        "seconds_undisturbed": round(seconds),
        "kills": dict(killed.kills),
        "restarts": killed.starts - 1,
        **{name: [len(before[name]), len(after[name])] for name in before},
        "differences": {name: len(keys) for name, keys in found.items()},
        "equal": not any(found.values()),
    }
    rows: list[list[object]] = [[f"kills: {kind}", "", killed.kills[kind]] for kind in KINDS]
    rows.append(["restarts", "", killed.starts - 1])
    rows += [[name, len(before[name]), len(after[name])] for name in before]
    rows += [[f"differences: {name}", "", len(keys)] for name, keys in found.items()]
    print(table(["", "undisturbed", "killed"], rows, right="lrr"))
    print("\nequal" if figures["equal"] else "\nnot equal")
    print(json.dumps(figures))
    if killed.kills.total() < arguments.kills:
        sys.exit(f"the run ended after {killed.kills.total()} of {arguments.kills} kills: take more games")
    sys.exit(0 if figures["equal"] else 1)


if __name__ == "__main__":
    main()
