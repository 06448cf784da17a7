"""Whether anything is lost, doubled or left behind where runs are left alone.

    python -m benchmarks.unattended GAMES [--postgresql] [--games N] [--seconds N] [--seed N]

The first games of GAMES are divided into four files. For some time two runs mine them at once, and are killed
(SIGKILL) or terminated at random moments and started again, while puzzles are audited and tagged again, and
a second database follows by the changes (`puzzlegen export --since`, `import`). Now and then the disk is full
(SQLite, on a file system in memory, which takes root), or the server is restarted (PostgreSQL). Then the runs
are finished. Prints what happened, and whether the second database equals the first, and the first one that
was mined undisturbed. Exit status: 0 if they do, 1 otherwise. Linux only.
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.command import at_least, parser_for, run, show
from chess_motif.errors import InputError
from chess_motif.tables import table
from db.store import Store
from puzzlegen.games.archive import open_archive
from puzzlegen.games.split import split_games
from tests.helpers.postgresql_server import PostgreSQLServer, program, running

FILES = 4
MINE = ("--pattern", "blunder", "--workers")
DISK = "24m"
CHUNK = 1 << 16

# Moments and costs, which depend on what was done twice; and verdicts, which an undisturbed run has none of.
MOMENTS = {"created", "updated", "nodes"}
VERDICTS = {"audit", "audit_passed"}

EVENTS = ("kill", "terminate", "audit", "retag", "follow", "follow", "disaster")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "puzzlegen", *words]


def finished(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, check=False)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Yield a folder on a file system of its own, which is soon full."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Site:
    """A database that runs write to, and a second one that follows it."""

    def __init__(self, first: str, folder: Path, files: list[str], seed: int) -> None:
        self.first, self.second = first, f"sqlite:///{folder}/second.db"
        self.folder, self.files, self.random = folder, files, random.Random(seed)
        self.counts = Counter[str]()
        self.server: PostgreSQLServer | None = None
        self.disk: Path | None = None
        self._change = 0
        self._miners: list[subprocess.Popen[bytes]] = []
        for address in (self.first, self.second):
            Store(address).close()

    def disturb(self, seconds: int) -> None:
        """Let runs go on for so many seconds, and let something happen to them again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._keep_mining()
            time.sleep(self.random.uniform(2, 7))
            getattr(self, self.random.choice(EVENTS))()
        for miner in self._miners:
            miner.terminate()
            miner.wait()

    def kill(self) -> None:
        self.random.choice(self._miners).kill()
        self.counts["kill"] += 1

    def terminate(self) -> None:
        self.random.choice(self._miners).terminate()
        self.counts["SIGTERM"] += 1

    def audit(self) -> None:
        options = ["--nodes", "20000", "--random", "3", "--workers", "1"]
        done = finished("audit", *options, "--db", self.first)
        self.counts["audit" if done.returncode == 0 else "audit that failed"] += 1

    def retag(self) -> None:
        done = finished("retag", "--db", self.first)
        self.counts["retag" if done.returncode == 0 else "retag that failed"] += 1

    def follow(self) -> None:
        """Bring the second database up to date; a failure is made up for the next time."""
        feed = str(self.folder / "feed.jsonl")
        exported = finished("export", feed, "--since", str(self._change), "--db", self.first, "--json")
        if exported.returncode == 0 and finished("import", feed, "--db", self.second).returncode == 0:
            self._change = json.loads(exported.stdout)["last_change"]
            self.counts["feed"] += 1
        else:
            self.counts["feed that failed"] += 1

    def disaster(self) -> None:
        if self.server is not None:
            self.server.restart(self.random.uniform(0.5, 4)).join()
            self.counts["server restarted"] += 1
        elif self.disk is not None:
            junk = self.disk / "junk"
            with suppress(OSError), junk.open("wb", buffering=0) as file:
                for _ in itertools.count():
                    file.write(bytes(CHUNK))
            time.sleep(3)
            junk.unlink()
            self.counts["disk full"] += 1

    def finish(self) -> None:
        """Mine what is left, and let the second database follow."""
        mine(self.files, self.first)
        finished("retag", "--db", self.first)
        self.follow()

    def _keep_mining(self) -> None:
        self._miners = [miner for miner in self._miners if miner.poll() is None]
        while len(self._miners) < 2:
            files = self.random.sample(self.files, FILES)
            words = command("mine", *files, *MINE, "1", "--db", self.first)
            with (self.folder / "log").open("ab") as log:
                self._miners.append(subprocess.Popen(words, stdout=log, stderr=log))
            self.counts["run begun"] += 1


def mine(files: list[str], database: str) -> None:
    done = finished("mine", *files, *MINE, "2", "--db", database)
    if done.returncode:
        raise InputError(f"the last run failed: {done.stderr.strip()}")


def contents(database: str, file: Path, *, without: set[str] = MOMENTS) -> dict[str, dict[str, Any]]:
    """Return the puzzles of a database by id."""
    done = finished("export", str(file), "--db", database)
    if done.returncode:
        raise InputError(done.stderr.strip())
    puzzles = map(json.loads, file.read_text().splitlines())
    return {
        puzzle["id"]: {key: value for key, value in puzzle.items() if key not in without}
        for puzzle in puzzles
    }


def divided(games: Path, most: int, folder: Path) -> list[str]:
    """Return the names of files with the first games of an archive."""
    with open_archive(str(games)) as archive:
        texts = [raw.text for raw in itertools.islice(split_games(archive.chunks()), most)]
    files = [folder / f"games{number}.pgn" for number in range(FILES)]
    for number, file in enumerate(files):
        file.write_bytes(b"\n\n".join(texts[number::FILES]))
    return [str(file) for file in files]


def main() -> int:
    parser = parser_for(__doc__)
    parser.add_argument("archive", type=Path, metavar="GAMES")
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--games", type=at_least(FILES), default=120)
    parser.add_argument("--seconds", type=at_least(1), default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="unattended-")))
        files = divided(options.archive, options.games, folder)
        if options.postgresql:
            initdb, control = program("initdb"), program("pg_ctl")
            if initdb is None or control is None:
                raise InputError("PostgreSQL's server is not installed")
            server = stack.enter_context(running(initdb, control))
            site = Site(stack.enter_context(server.database()), folder, files, options.seed)
            site.server = server
        else:
            disk = stack.enter_context(small_disk(folder / "disk"))
            site = Site(f"sqlite:///{disk}/first.db", folder, files, options.seed)
            site.disk = disk
        site.disturb(options.seconds)
        site.finish()
        first, second = (contents(one, folder / "out.jsonl") for one in (site.first, site.second))
        calm = f"sqlite:///{folder}/calm.db"
        mine(files, calm)
        mined, undisturbed = (
            contents(one, folder / "out.jsonl", without=MOMENTS | VERDICTS) for one in (site.first, calm)
        )
    equal = {"second": first == second, "undisturbed": mined == undisturbed}
    document = {"events": site.counts, "puzzles": len(first), "equal": equal}
    rows = [[name, number] for name, number in site.counts.most_common()]
    said = [f"{len(first)} puzzles"]
    said += [f"{'equal' if same else 'NOT EQUAL'} to the {name} database" for name, same in equal.items()]
    show("\n".join([table(["", "count"], rows, right="lr"), "", *said]), document, as_json=options.json)
    return 0 if all(equal.values()) else 1


if __name__ == "__main__":
    run(main)
