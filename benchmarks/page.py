"""How fast the web page answers when many people use it at once, and whether its memory grows.

    python -m benchmarks.page DATABASE [--users N] [--seconds N] [--mining GAMES]

Serves the puzzles of DATABASE on this computer. First, one user makes all kinds of requests in turn, which
shows the processor time of each kind. Then, for some time, many users at once view pages, search, and solve
puzzles of their own sets; each user waits two to eight seconds after an answer before the next request. With
GAMES, `puzzlegen mine` writes to the same database meanwhile. Use a copy of DATABASE, which is written to.

Prints for each kind of request, and for all requests, their number, the 50th, 95th and 99th percentile of the
time to the whole answer in milliseconds, and the processor time of the server; then the server's memory from
the beginning to the end, and errors. Exit status: 0 if there were no errors, 1 otherwise. Linux only.
"""

from __future__ import annotations

import asyncio
import random
import re
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess
import httpx2

from benchmarks.command import at_least, parser_for, run
from chess_motif.errors import InputError
from chess_motif.tables import table

# The least and the most seconds that a user looks at an answer.
LOOKING = (2.0, 8.0)

# The number of requests of each kind to measure its processor time, and of puzzles in each user's set.
TIMES = 20
PUZZLES = 30

# The number of measurements of the server's memory.
PARTS = 6

# What people search for.
MOTIFS = ("fork", "pin", "skewer", "deflection", "backRankMate", "discoveredAttack", "promotion", "sacrifice")

# The relative frequencies of a user's next action, of wrong moves, and of hints.
DOES = {"solve": 6, "practise": 6, "search": 4, "similar": 3, "puzzle": 2, "today": 1, "set": 1}
WRONG, HINT = 0.1, 0.2

JSON = {"Accept": "application/json"}


@dataclass(frozen=True)
class Server:
    """A running server: its address, and its process."""

    address: str
    pid: int

    @property
    def seconds(self) -> float:
        """The processor time of the server, without its engines."""
        # The clock of another process, as by clock_getcpuclockid(3).
        return time.clock_gettime(~self.pid << 3 | 2)

    @property
    def megabytes(self) -> float:
        """The memory of the server, without its engines."""
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8"))
        return int(found[1]) / 1024 if found else 0.0


@contextmanager
def serving(database: str) -> Iterator[Server]:
    """Serve a database in the block."""
    words = ["serve", "--port", "0", "--db", database]
    with subprocess.Popen(
        [sys.executable, "-m", "motifsearch", *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        address = re.search(r"http://\S+(?=/)", said)
        if address is None:
            raise InputError(said.strip())
        try:
            yield Server(address[0], process.pid)
        finally:
            process.terminate()


@dataclass
class Measured:
    """The measurements of each kind of request, and errors.

    `times` are the milliseconds until the answer was complete, and `costs` those of the processor, which are
    meaningful only for requests that were made one after the other. `memory` is in megabytes.
    """

    server: Server
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    costs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    async def watch(self, seconds: float) -> None:
        """Measure the server's memory every `seconds` seconds, until cancelled."""
        while True:
            self.memory.append(self.server.megabytes)
            await asyncio.sleep(seconds)


class User:
    """A user with a set of puzzles, who looks at each answer for some seconds."""

    def __init__(
        self, name: str, measured: Measured, seed: int, looking: tuple[float, float] = LOOKING
    ) -> None:
        self.name, self.measured, self.random, self.looking = name, measured, random.Random(seed), looking
        address = measured.server.address
        self.client = httpx2.AsyncClient(base_url=address, cookies={"student": name}, timeout=60)
        # The position, and the right move as UCI, by the pieces on the board.
        self.moves: dict[str, tuple[chess.Board, str]] = {}
        self.ids: list[str] = []

    async def prepare(self) -> None:
        """Make the set. The requests are not counted."""
        motif, low = self.random.choice(MOTIFS), self.random.randrange(800, 1800, 20)
        found = await self.client.get(f"/search?motif={motif}&low={low}&count={PUZZLES}", headers=JSON)
        for each in found.json()["results"]:
            self.ids.append(each["id"])
            board = chess.Board(each["puzzle_fen"])
            for place, move in enumerate(each["solution"]):
                if place % 2 == 0:
                    self.moves[board.board_fen()] = board.copy(stack=False), move
                board.push_uci(move)
        await self.client.post("/sets", data={"id": self.ids, "name": self.name, "student": self.name})

    async def use(self, until: float) -> None:
        """Use the page until a moment of `time.monotonic`."""
        # Users do not all begin at once.
        await asyncio.sleep(self.random.uniform(0, LOOKING[1]))
        while time.monotonic() < until:
            (what,) = self.random.choices([*DOES], [*DOES.values()])
            try:
                await getattr(self, what)()
            except httpx2.TransportError as error:
                self.measured.errors.append(f"{what}: {error!r}")
            await self.look()
        await self.client.aclose()

    async def look(self) -> None:
        await asyncio.sleep(self.random.uniform(*self.looking))

    async def today(self) -> None:
        await self.ask("today", "/")

    async def set(self) -> None:
        await self.ask("set", f"/sets?name={self.name}")

    async def search(self) -> None:
        motif, low = self.random.choice(MOTIFS), self.random.randrange(600, 2000, 10)
        await self.ask("search by filters", f"/search?motif={motif}&low={low}&high={low + 300}")

    async def similar(self) -> None:
        await self.ask("search by likeness", f"/search?q={self.random.choice(self.ids)}")

    async def puzzle(self) -> None:
        await self.ask("puzzle", f"/puzzles/{self.random.choice(self.ids)}")

    async def solve(self) -> None:
        """Solve a puzzle of the set, and grade it."""
        begun = await self.ask("begin a round", "/rounds", data={"set": self.name})
        where = begun.headers["location"]
        shown = await self.ask("to solve", where)
        if self.random.random() < HINT:
            await self.look()
            shown = await self.send(where, shown, "hint")
        while f'{where}/grade"' not in shown.text:
            await self.look()
            board, move = self.moves.get(_value("data-fen", shown.text), (None, ""))
            if board is None:
                shown = await self.send(where, shown, "show")
            elif self.random.random() < WRONG:
                move = self.random.choice([each.uci() for each in board.legal_moves])
                shown = await self.send(where, shown, "move", kind="a move at random", move=move)
            else:
                shown = await self.send(where, shown, "move", move=move)
        await self.look()
        await self.send(where, shown, "grade", grade="good")

    async def practise(self) -> None:
        """See the solution of a puzzle that is chosen for the user, and go on to the next one."""
        begun = await self.ask("begin to practise", "/practice", data={"motif": self.random.choice(MOTIFS)})
        where = begun.headers["location"]
        shown = await self.ask("to solve", where)
        await self.look()
        shown = await self.send(where, shown, "show")
        await self.look()
        await self.send(where, shown, "grade", kind="next puzzle", grade="good")

    async def send(
        self, where: str, shown: httpx2.Response, action: str, *, kind: str = "", **values: str
    ) -> httpx2.Response:
        """Send a form of a round, and request the page of the round."""
        version = _value('name="version" value', shown.text)
        await self.ask(kind or action, f"{where}/{action}", data={"version": version} | values)
        return await self.ask("solved" if action == "show" else "to solve", where)

    async def ask(self, kind: str, path: str, **sent: Any) -> httpx2.Response:
        """Make a request, with a form if one is given, and measure the time."""
        measured, before, began = self.measured, self.measured.server.seconds, time.perf_counter()
        answer = await self.client.request("POST" if "data" in sent else "GET", path, **sent)
        measured.times[kind].append(1000 * (time.perf_counter() - began))
        measured.costs[kind].append(1000 * (measured.server.seconds - before))
        if answer.status_code >= 400:
            self.measured.errors.append(f"{kind}: {answer.status_code} {path}")
        return answer


def _value(name: str, page: str) -> str:
    found = re.search(f'{name}="([^"]*)"', page)
    return found[1] if found else ""


async def alone(server: Server) -> Measured:
    """Let one user make all kinds of requests in turn."""
    measured = Measured(server)
    user = User("one", measured, 0, looking=(0, 0))
    await user.prepare()
    for what in [*DOES] * TIMES:
        await getattr(user, what)()
    await user.client.aclose()
    return measured


async def together(server: Server, users: int, seconds: int) -> Measured:
    """Let many users use the page at once."""
    measured = Measured(server)
    crowd = [User(f"user{number}", measured, number) for number in range(users)]
    for user in crowd:
        await user.prepare()
    until = time.monotonic() + seconds
    watching = asyncio.create_task(measured.watch(seconds / PARTS))
    await asyncio.gather(*(user.use(until) for user in crowd))
    watching.cancel()
    return measured


@contextmanager
def mining(games: str | None, database: str) -> Iterator[None]:
    """Mine games, if any, into the database during the block."""
    if games is None:
        yield
        return
    words = ["mine", games, "--pattern", "blunder", "--workers", "1", "--db", database]
    with subprocess.Popen(
        [sys.executable, "-m", "puzzlegen", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield
            if process.poll() is not None:
                raise InputError(f"mining ended too early, with status {process.returncode}")
        finally:
            process.terminate()


def main() -> int:
    parser = parser_for(__doc__)
    parser.add_argument("database", help="URL of a database with puzzles, which is written to")
    parser.add_argument("--users", type=at_least(1), default=50, help="users at once (default: 50)")
    parser.add_argument("--seconds", type=at_least(1), default=120, help="how long (default: 120)")
    parser.add_argument("--mining", metavar="GAMES", help="an archive of games, mined meanwhile")
    options = parser.parse_args()
    with serving(options.database) as server:
        cost = asyncio.run(alone(server))
        cpu = server.seconds
        with mining(options.mining, options.database):
            crowd = asyncio.run(together(server, options.users, options.seconds))
        cpu = server.seconds - cpu
    kinds = sorted(crowd.times, key=lambda kind: -len(crowd.times[kind]))
    errors = [*cost.errors, *crowd.errors]
    rows = [_row(kind, crowd.times[kind], cost.costs[kind]) for kind in kinds]
    rows.append(_row("all", [each for times in crowd.times.values() for each in times], []))
    requests = sum(map(len, crowd.times.values()))
    text = "\n\n".join(
        [
            table(["request", "number", "50 %", "95 %", "99 %", "processor"], rows, "lrrrrr"),
            f"{requests} requests, {cpu:.0f} s of the processor; memory from the beginning to the end: "
            f"{', '.join(str(round(each)) for each in crowd.memory)} MB",
            "\n".join(["no errors"] if not errors else [f"{len(errors)} errors", *errors[:10]]),
        ]
    )
    print(text)
    return bool(errors)


def _row(kind: str, times: list[float], costs: list[float]) -> list[object]:
    cuts = statistics.quantiles([*times, times[-1]], n=100, method="inclusive")
    cost = statistics.median(costs) if costs else None
    return [kind, len(times), *(round(cuts[place]) for place in (49, 94, 98)), cost and round(cost, 1)]


if __name__ == "__main__":
    run(main)
