"""Whether killing any part of a command, again and again, changes what it leaves behind.

    python -m benchmarks.kills GAMES PUZZLES [--games N] [--audited N] [--kills N] [--only JOB] [--seed N]

GAMES is an archive of games, PUZZLES a puzzle file in the Lichess schema. Each job (import, mine, index,
positions add, audit and retag) is run undisturbed, and then again while the process of the command, a worker
or an engine is killed (SIGKILL) at random moments; a killed command is started again. After a few kills it
may finish; then everything stored, and what some searches find, is compared, but for what depends on time:
numbers of runs and the cost of searches. This is repeated until each job has had its share of the kills.
Prints a table. Exit status: 0 if everything is equal and no process is left, 1 otherwise.
Linux only, with SQLite.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess
from sqlalchemy import inspect, select, update

from benchmarks.command import parser_for, run, show
from benchmarks.processes import ENGINE, RUN, WORKER, children, processes_of, with_variable
from chess_motif.output import note
from chess_motif.tables import table
from db.models import ArchivedGame, Base, Checkpoint, Evaluation, Game, Puzzle
from db.store import Store
from motifsearch import PositionSearcher, PuzzleSearcher

# Numbers that the store gives, and moments.
NOT_COMPARED = {"number", "game_number", "run_number", "created", "updated", "change"}

# What a killed engine or worker had searched is searched again.
COSTS = {"nodes", "positions_searched", "searches_reused"}

# Kills before a command may finish, so that it finishes at all.
KILLS_A_ROUND = 5

# Searches for stored puzzles, and for their positions, of which the results are compared.
QUERIES = 10

# Every process of a command inherits this variable, by which those that are left are found.
MARK = "KILLS_BENCHMARK"

# Seconds in which the processes of a killed command must have ended.
GRACE = 10

LOOK_EVERY = 0.02


@dataclass(frozen=True)
class Job:
    """A command, the processes of it that are killed in turn, and the jobs whose database it starts from."""

    command: list[str]
    kinds: Sequence[str]
    after: Sequence[str] = ()


@dataclass
class Tally:
    """What happened in all rounds of a job."""

    seconds: float
    rounds: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    left: int = 0


def start(command: list[str], database: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", *command, "--db", str(database)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {MARK: str(database)},
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    if process.wait():
        sys.exit(f"{process.args!r} ended with status {process.returncode}")


def runs_for(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def kill(process: subprocess.Popen[bytes], kind: str) -> bool:
    """Kill one process of a command; False when the command ended before there was one."""
    while runs_for(process, LOOK_EVERY):
        found = processes_of(process.pid, kind)
        if kind == ENGINE and not found:
            # An audit has its engines in its own process.
            found = [pid for pid in children(process.pid) if not processes_of(pid, WORKER)]
        if found:
            try:
                os.kill(random.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            return True
    return False


def run_killed(job: Job, database: Path, tally: Tally, kinds: itertools.cycle[str], most: int) -> None:
    process = start(job.command, database)
    for _ in range(min(KILLS_A_ROUND, most)):
        kind = next(kinds)
        if not runs_for(process, random.uniform(0, tally.seconds)) or not kill(process, kind):
            break
        tally.kills[kind] += 1
        if kind == RUN:
            process.wait()
            tally.left += left_over(database)
            process = start(job.command, database)
    finish(process)
    tally.left += left_over(database)


def left_over(database: Path) -> int:
    """Wait for the processes of a command to end; return how many did not."""
    deadline = time.monotonic() + GRACE
    while (left := with_variable(MARK, str(database))) and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def contents(database: Path) -> dict[str, dict[str, Any]]:
    """Return what is stored, by table and a key that every database has, and what searches find."""
    with Store(str(database)) as store:
        with store.reading() as session:
            puzzles = {row.id: row for row in session.scalars(select(Puzzle).order_by(Puzzle.id))}
            games = session.scalars(select(Game))
            archived = session.scalars(select(ArchivedGame))
            stored: dict[str, dict[str, Any]] = {
                "puzzles": {
                    name: columns(row) | {"game": row.game and row.game.key} for name, row in puzzles.items()
                },
                "games": {row.key: columns(row) for row in games},
                "archived games": {row.game.key: columns(row) for row in archived},
                "evaluations": {row.key.hex(): row.found for row in session.scalars(select(Evaluation))},
                "checkpoints": {row.archive: columns(row) for row in session.scalars(select(Checkpoint))},
            }
        return stored | {
            "similar puzzles": similar_puzzles(store, list(puzzles)),
            "similar positions": similar_positions(store) if stored["archived games"] else {},
        }


def columns(row: Base) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in inspect(type(row)).columns.keys()}  # noqa: SIM118
    if isinstance(row, Checkpoint):
        found["summary"] = {name: count for name, count in row.summary.items() if name not in COSTS}
    return {name: value for name, value in found.items() if name not in NOT_COMPARED}


def similar_puzzles(store: Store, names: list[str]) -> dict[str, Any]:
    if not names:
        return {}
    with PuzzleSearcher(store) as searcher:
        return {
            name: [(hit.puzzle.id, hit.score) for hit in searcher.similar(searcher.query(name))]
            for name in names[:: max(1, len(names) // QUERIES)]
        }


def similar_positions(store: Store) -> dict[str, Any]:
    with store.reading() as session:
        games = session.scalars(select(ArchivedGame))
        boards = sorted((game.played(sys.maxsize)[0] for game in games), key=chess.Board.fen)
    with PositionSearcher(store) as searcher:
        return {
            board.fen(): [(hit.game.game.key, hit.ply, hit.score) for hit in searcher.similar(board)]
            for board in boards[:: max(1, len(boards) // QUERIES)]
        }


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [
        f"{name} {key}: {one[name].get(key)} / {other[name].get(key)}"
        for name in one
        for key in sorted(one[name].keys() | other[name].keys())
        if one[name].get(key) != other[name].get(key)
    ]


def copy(source: Path, target: Path) -> None:
    """Copy a database and the indexes beside it."""
    target.parent.mkdir()
    for entry in source.parent.iterdir():
        (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, target.parent / entry.name)


def main() -> int:
    parser = parser_for(__doc__)
    parser.add_argument("archive", metavar="GAMES")
    parser.add_argument("puzzles", metavar="PUZZLES")
    parser.add_argument("--games", type=int, default=60, help="games to mine")
    parser.add_argument("--audited", type=int, default=150, help="puzzles to audit")
    parser.add_argument("--kills", type=int, default=200, help="kills in all")
    parser.add_argument("--only", metavar="JOB", action="append", help="only this job; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    mine = ["puzzlegen", "mine", arguments.archive, "--pattern", "blunder", "--limit", str(arguments.games)]
    audit = ["puzzlegen", "audit", "--nodes", "20000", "--random", str(arguments.audited)]
    audit += ["--seed", "1"]
    jobs = {
        "import": Job(["puzzlegen", "import", arguments.puzzles], [RUN]),
        "mine": Job(mine, [RUN, WORKER, ENGINE]),
        "index": Job(["motifsearch", "index"], [RUN], ["import"]),
        "positions": Job(["motifsearch", "positions", "add", arguments.archive], [RUN]),
        "audit": Job(audit, [RUN, ENGINE], ["import"]),
        "retag": Job(["puzzlegen", "retag"], [RUN], ["import"]),
    }
    chosen = arguments.only or list(jobs)
    with tempfile.TemporaryDirectory() as folder:
        tallies = {
            name: tally_of(name, jobs, Path(folder), arguments.kills // len(chosen)) for name in chosen
        }
    rows = [
        [
            name,
            f"{tally.seconds:.0f}",
            tally.rounds,
            *(tally.kills[kind] or "–" for kind in (RUN, WORKER, ENGINE)),
            len(tally.differences),
            tally.left,
        ]
        for name, tally in tallies.items()
    ]
    for name, tally in tallies.items():
        for line in tally.differences[:5]:
            note(f"{name}: {line[:1000]}")
    header = ["job", "seconds undisturbed", "rounds", "kills: run", "worker", "engine", "differences", "left"]
    document = {name: vars(tally) for name, tally in tallies.items()}
    show(table(header, rows, right="lrrrrrrr"), document, as_json=arguments.json)
    return int(any(tally.differences or tally.left for tally in tallies.values()))


def tally_of(name: str, jobs: dict[str, Job], folder: Path, kills: int) -> Tally:
    """Run a job undisturbed, and then killed again and again; return what happened."""
    job = jobs[name]
    before, expected = (folder / name / state / "puzzles.db" for state in ("before", "expected"))
    before.parent.mkdir(parents=True)
    for needed in job.after:
        finish(start(jobs[needed].command, before))
    with Store(str(before)) as store, store.session() as session:
        if name == "retag":
            session.execute(update(Puzzle).values(tags=""))
    copy(before, expected)
    started = time.monotonic()
    finish(start(job.command, expected))
    tally = Tally(round(time.monotonic() - started, 1))
    undisturbed = contents(expected)
    kinds = itertools.cycle(job.kinds)
    while tally.kills.total() < kills:
        database = folder / name / str(tally.rounds) / "puzzles.db"
        copy(before, database)
        run_killed(job, database, tally, kinds, kills - tally.kills.total())
        tally.differences += differences(undisturbed, contents(database))
        tally.rounds += 1
        shutil.rmtree(database.parent)
        note(f"{name}: {tally.kills.total()} of {kills} kills")
    return tally


if __name__ == "__main__":
    run(main)
