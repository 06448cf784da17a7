"""Whether anything is lost, duplicated or left behind when commands run unattended.

    python -m benchmarks.unattended GAMES [--games N] [--seconds N]

The first games of GAMES are divided into four files, of which one is mined. Then two runs repeatedly mine the
other files, while puzzles are audited, tagged again, deleted (`audit --delete`, `delete`) and read (`list`,
`stats`, `export`, `similar`), and a second database follows the changes (`export --since`, `import`). At
random moments a command or one of its processes is killed (SIGKILL), a command is terminated (SIGTERM), the
disk is full (a file system in memory, which needs root), or the database is read-only. In the end, all work
is finished. Prints what happened, and whether

- the second database equals the first,
- the first database has the puzzles (or their deletions) and the counts of an undisturbed run,
- every reported deletion has happened,
- every command that reads worked on the read-only database,
- no command printed a traceback, and no process, temporary file or open run is left.

Exit status: 0 if all of this is true, 1 otherwise. Linux only, with SQLite.
"""

from __future__ import annotations

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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from subprocess import CompletedProcess
from threading import Event, Lock, Thread
from typing import Any

from sqlalchemy import select, update

from benchmarks.command import at_least, parser_for, run
from chess_motif.errors import InputError, StoreError
from chess_motif.output import PART, note
from chess_motif.tables import table
from db.changes import deleted_since, last_change
from db.models import Checkpoint, Puzzle
from db.runs import RunState, state_of, stored_runs
from db.selection import puzzle_ids
from db.store import Store
from puzzlegen.games.archive import games_of

FILES = 4
MINE = ("--pattern", "blunder", "--workers")
AUDIT = ("audit", "--nodes", "20000", "--workers", "1", "--random")
DISK = "64m"
TRACKER = b"multiprocessing.resource_tracker"
CHUNK = 1 << 16

# The environment variable that marks the processes of commands, and the seconds that they may take to end.
MARK = "CHESS_MOTIF_UNATTENDED"
GRACE = 10
LOOK_EVERY = 0.02

# Times and costs, which depend on repeated work, and verdicts, which an undisturbed run does not have.
MOMENTS = {"created", "updated", "nodes"}
COSTS = {"nodes", "positions_searched", "searches_reused"}
VERDICTS = {"audit", "audit_passed"}

# The jobs that run all the time, and the number of times that each event disturbs them in a round.
JOBS = ("mine", "mine", "audit", "prune", "retag", "delete", "read", "follow")
EVENTS = {"kill": 5, "kill_within": 2, "terminate": 3, "fill_disk": 2, "read_only": 1}

# Seconds between events, between two commands of a job, and for which a disk is full or read-only.
BETWEEN_EVENTS = (2, 8)
BETWEEN_COMMANDS = (1, 6)
TROUBLE = (3, 8)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Yield a folder on a separate small file system, which is soon full."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Site:
    """A database on a separate disk that commands write to, and a second database that follows it.

    `faults` has a line for each fault.
    """

    def __init__(self, folder: Path, disk: Path, files: list[str]) -> None:
        self.first, self.second = f"sqlite:///{disk}/first.db", f"sqlite:///{folder}/second.db"
        self.folder, self.disk, self.files = folder, disk, files
        self._index = ("--index", str(disk / "index"), "--db", self.first)
        self.random = random.Random(0)
        self.counts = Counter[str]()
        self.faults: list[str] = []
        self.deleted: set[str] = set()
        self._change = 0
        self._running: set[subprocess.Popen[str]] = set()
        self._starting, self._over = Lock(), Event()
        for address in (self.first, self.second):
            Store(address).close()

    def disturb(self, seconds: int) -> None:
        """Run the jobs for `seconds` seconds, disturbed by events."""
        # First, so that there are puzzles to delete, to audit and to find.
        self._run("puzzlegen", "mine", self.files[0], *MINE, "2", "--db", self.first)
        self._run("motifsearch", "index", *self._index)
        mined = self._games()
        end = time.monotonic() + seconds
        jobs = [Thread(target=self._repeat, args=[getattr(self, name)]) for name in JOBS]
        for job in jobs:
            job.start()
        try:
            for event in self._events():
                time.sleep(self.random.uniform(*BETWEEN_EVENTS))
                if time.monotonic() > end:
                    break
                getattr(self, event)()
        finally:
            self._over.set()
            for process in list(self._running):
                process.terminate()
            for job in jobs:
                job.join()
            self.counts["games mined meanwhile"] = self._games() - mined

    def _events(self) -> Iterator[str]:
        """Yield names of events, in another order in each round."""
        events = [name for name, number in EVENTS.items() for _ in range(number)]
        while True:
            yield from self.random.sample(events, len(events))

    def finish(self) -> None:
        """Mine and tag the rest, and let the second database follow."""
        for words in (["mine", *self.files, *MINE, "2"], ["retag"]):
            if self._run("puzzlegen", *words, "--db", self.first).returncode:
                self.faults.append(f"{words[0]} failed at the end")
        self.follow()

    def mine(self) -> None:
        self._do("mining", "mine", *self.random.sample(self.files, FILES), *MINE, "1")

    def audit(self) -> None:
        self._do("audit", *AUDIT, "3", "--seed", str(self.random.randrange(1000)))

    def prune(self) -> None:
        self._do("audit --delete", *AUDIT, "1", "--delete", "--seed", str(self.random.randrange(1000)))

    def retag(self) -> None:
        """Clear the tags of some puzzles, as if an earlier version had not set them, and tag all again."""
        some = update(Puzzle).where(Puzzle.number % 10 == self.random.randrange(10)).values(tags="")
        with suppress(StoreError), self._starting, Store(self.first) as store, store.session() as session:
            session.execute(some)
        self._do("retag", "retag")

    def delete(self) -> None:
        for name in self._puzzle():
            if self._do("delete", "delete", name, "--yes").returncode == 0:
                self.deleted.add(name)

    def read(self) -> None:
        for name, done in self._read():
            self._count(name, done)

    def _read(self) -> Iterator[tuple[str, CompletedProcess[str]]]:
        """Yield the names of commands that read, with the finished command."""
        for words in (["list"], ["stats"], ["export", str(self.folder / "read.csv")]):
            yield words[0], self._run("puzzlegen", *words, "--db", self.first)
        for name in self._puzzle():
            yield "similar", self._run("motifsearch", "similar", name, *self._index)

    def _puzzle(self) -> list[str]:
        """Return the id of a stored puzzle, if one can be read."""
        ids: list[str] = []
        with suppress(StoreError), self._starting, Store(self.first) as store, store.reading() as session:
            ids = puzzle_ids(session)
        return self.random.sample(ids, min(1, len(ids)))

    def follow(self) -> None:
        """Bring the second database up to date; after a failure, the next call catches up."""
        feed = str(self.random.choice([self.folder, self.disk]) / "feed.jsonl")
        since = ("--since", str(self._change), "--db", self.first, "--json")
        exported = done = self._run("puzzlegen", "export", feed, *since)
        if exported.returncode == 0:
            done = self._run("puzzlegen", "import", feed, "--db", self.second)
        if done.returncode == 0:
            self._change = json.loads(exported.stdout)["last_change"]
        self._count("feed", done)

    def kill(self) -> None:
        for process in self._victim():
            process.kill()
            self.counts["SIGKILL of a command"] += 1

    def kill_within(self) -> None:
        """Kill a worker or an engine."""
        commands = {process.pid for process in list(self._running)}
        # Not Python's resource tracker: killing it makes Python print a traceback.
        inner = [
            pid
            for pid in marked(self.folder)
            if pid not in commands and TRACKER not in contents_of(Path(f"/proc/{pid}/cmdline"))
        ]
        if inner:
            with suppress(ProcessLookupError):
                os.kill(self.random.choice(inner), signal.SIGKILL)
                self.counts["SIGKILL of a worker or an engine"] += 1

    def terminate(self) -> None:
        for process in self._victim():
            process.terminate()
            self.counts["SIGTERM"] += 1

    def fill_disk(self) -> None:
        junk = self.disk / "junk"
        with suppress(OSError), junk.open("wb", buffering=0) as file:
            for _ in itertools.count():
                file.write(bytes(CHUNK))
        time.sleep(self.random.uniform(*TROUBLE))
        junk.unlink()
        self.counts["disk full"] += 1

    def read_only(self) -> None:
        """Read from a read-only disk while the other commands go on."""
        # Linux cannot make a disk read-only while files are open for writing.
        with self._starting:
            for process in list(self._running):
                self.random.choice([process.kill, process.terminate])()
                process.wait()
            self._look_for_processes()
            self._remount("ro")
        for name, done in self._read():
            self._count(f"{name}, read-only", done)
            if done.returncode:
                self.faults.append(f"{name}, read-only: {done.stderr}")
        self._remount("rw")
        self.counts["read-only phase"] += 1

    def _look_for_processes(self) -> None:
        if left := left_over(self.folder):
            self.faults.append(f"{left} processes are left")

    def _remount(self, mode: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.disk)], check=True)

    def _repeat(self, job: Callable[[], None]) -> None:
        while not self._over.wait(self.random.uniform(*BETWEEN_COMMANDS)):
            job()

    def _victim(self) -> list[subprocess.Popen[str]]:
        return self.random.sample(processes, 1) if (processes := list(self._running)) else []

    def _run(self, *words: str) -> CompletedProcess[str]:
        """Run a command to its end."""
        with self._starting:
            process = start(*words, mark=self.folder)
            self._running.add(process)
        printed, errors = process.communicate()
        self._running.discard(process)
        if "Traceback" in errors:
            self.faults.append(f"{' '.join(words)}: {errors}")
        return CompletedProcess(words, process.returncode, printed, errors)

    def _do(self, name: str, *words: str) -> CompletedProcess[str]:
        """Run a command on the first database, and count it."""
        done = self._run("puzzlegen", *words, "--db", self.first)
        self._count(name, done)
        return done

    def _count(self, name: str, done: CompletedProcess[str]) -> None:
        self.counts[f"{name}, not finished" if done.returncode else name] += 1

    def _games(self) -> int:
        """Return the number of games that have been mined."""
        with Store(self.first) as store, store.reading() as session:
            return sum(session.scalars(select(Checkpoint.games)))

    def look_round(self) -> None:
        """Add files and processes left behind, and deletions that have not happened, to the faults."""
        self._look_for_processes()
        # Partial files of killed commands are removed by the first export a day later.
        for folder in (self.folder, self.disk):
            for part in folder.glob(f".*{PART}"):
                os.utime(part, (0, 0))
                self.counts["parts of files, left and removed"] += 1
            self._run("puzzlegen", "export", str(folder / "feed.jsonl"), "--db", self.first)
        databases = {"first.db", "first.db-wal", "first.db-shm", "second.db"}
        expected = {*databases, "feed.jsonl", "read.csv", *self.files}
        for file in (*self.folder.glob("*"), *self.disk.glob("*")):
            if file.is_file() and not {file.name, str(file)} & expected:
                self.faults.append(f"{file.name} is left")
        with Store(self.first) as store, store.reading() as session:
            states = Counter(state_of(store, each) for each in stored_runs(session))
            gone = {each.id for each in deleted_since(session, 0)}
            self.counts["changes"] = last_change(session)
        self.counts["puzzles deleted"] = len(gone)
        self.counts |= Counter({f"runs {state}": number for state, number in states.items()})
        if states[RunState.RUNNING]:
            self.faults.append("a run is open")
        if lost := self.deleted - gone:
            self.faults.append(f"not deleted: {lost}")


def marked(mark: Path) -> list[int]:
    """Return the ids of the processes that were started with this mark."""
    variable = f"{MARK}={mark}".encode()
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and variable in contents_of(entry / "environ").split(b"\0")
    ]


def contents_of(path: Path) -> bytes:
    # Processes may end meanwhile.
    try:
        return path.read_bytes()
    except OSError:
        return b""


def left_over(mark: Path) -> int:
    """Wait for the processes of commands to end; return how many are left."""
    deadline = time.monotonic() + GRACE
    while (left := marked(mark)) and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def start(*words: str, mark: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {MARK: str(mark)},
    )


def contents(database: str) -> dict[str, dict[str, Any]]:
    """Return the puzzles of a database by id."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "out.jsonl"
        process = start("puzzlegen", "export", str(file), "--db", database, mark=file)
        _, errors = process.communicate()
        if process.returncode:
            raise InputError(errors.strip())
        puzzles = map(json.loads, file.read_text().splitlines())
        return {puzzle["id"]: without(puzzle, MOMENTS) for puzzle in puzzles}


def without(keys: dict[str, Any], left_out: set[str]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if key not in left_out}


def counted(database: str) -> dict[str, Any]:
    """Return the counts of the runs for each archive."""
    with Store(database) as store, store.reading() as session:
        checkpoints = session.scalars(select(Checkpoint))
        return {each.archive: without(each.summary, COSTS) for each in checkpoints}


def divided(games: str, most: int, folder: Path) -> list[str]:
    """Divide the first games of an archive among files, and return their names."""
    texts = [raw.text for raw in itertools.islice(games_of([games]), most)]
    files = [folder / f"games{number}.pgn" for number in range(FILES)]
    for number, file in enumerate(files):
        file.write_bytes(b"\n\n".join(texts[number::FILES]))
    return [str(file) for file in files]


def compared(site: Site) -> tuple[int, dict[str, bool]]:
    """Return the number of puzzles, and for each comparison whether it holds."""
    first, second = contents(site.first), contents(site.second)
    with Store(site.first) as store, store.reading() as session:
        gone = {each.id for each in deleted_since(session, 0)}
    calm = f"sqlite:///{site.folder}/calm.db"
    process = start("puzzlegen", "mine", *site.files, *MINE, "2", "--db", calm, mark=site.folder)
    process.communicate()
    undisturbed = contents(calm)
    mined = {name: without(keys, VERDICTS) for name, keys in first.items()}
    expected = {name: without(keys, VERDICTS) for name, keys in undisturbed.items() if name not in gone}
    return len(first), {
        "the second database equals the first": first == second,
        "it has, or has deleted, what an undisturbed run finds": mined == expected,
        "every deletion is of a puzzle that such a run finds": gone <= undisturbed.keys(),
        "both count the same": counted(site.first) == counted(calm),
    }


def main() -> int:
    parser = parser_for(__doc__)
    parser.add_argument("archive", metavar="GAMES")
    parser.add_argument("--games", type=at_least(FILES), default=120)
    parser.add_argument("--seconds", type=at_least(1), default=600)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="unattended-")))
        disk = stack.enter_context(small_disk(folder / "disk"))
        files = divided(options.archive, options.games, folder)
        site = Site(folder, disk, files)
        site.disturb(options.seconds)
        site.finish()
        site.look_round()
        puzzles, equal = compared(site)
    for fault in site.faults:
        note(fault)
    rows = [[name, number] for name, number in sorted(site.counts.items())]
    said = [f"{puzzles} puzzles, {len(site.faults)} faults"]
    said += [f"{'yes' if same else 'NO'}: {what}" for what, same in equal.items()]
    print("\n".join([table(["", "count"], rows, right="lr"), "", *said]))
    return 0 if all(equal.values()) and not site.faults else 1


if __name__ == "__main__":
    run(main)
