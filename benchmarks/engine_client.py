"""What talking to the engine costs: our own client (`engines.engine`) against python-chess'.

    python -m benchmarks.engine_client samples/games.pgn.zst [--positions N]

Every client searches the same positions in turn, each with an engine of its own: one thread, an empty hash
table before each search, the same nodes. They must find the same moves and scores, except where
`chess.engine` gives a bound: our client then gives the last exact score. `chess.engine` is asked for scores
and variations only; in the row `last lines only` it is spared the lines that later ones replace, which is
most of the difference. CPU is that of our process with all its threads, and that of the engine, in
milliseconds per search. Prints a table. Linux only.
"""

from __future__ import annotations

import io
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import chess
import chess.pgn
from chess.engine import INFO_PV, INFO_SCORE, Limit, Score, SimpleEngine, UciProtocol

from benchmarks.command import parser_for, run, show
from benchmarks.processes import children
from chess_motif.tables import table
from engines.engine import HASH, LEAST_NODES_PER_SECOND, LEAST_SECONDS, Engine, find_engine
from training.parts import games_of

BUDGETS = (5_000, 25_000, 100_000)
LINES = (1, 2)
EVERY_PLY = 7

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")

# None: not to be compared.
Answer = list[tuple[chess.Move, Score]] | None
Search = Callable[[chess.Board, int, int], Answer]


@dataclass
class Client:
    """A way to ask an engine for the best variations; `pid` is the engine's process."""

    name: str
    pid: int
    search: Search


@dataclass
class Costs:
    """Seconds that all searches of a client took so far: our CPU, the engine's CPU, the clock."""

    ours: float = 0.0
    engine: float = 0.0
    wall: float = 0.0


class LastLines(UciProtocol):
    """Parses of what the engine says on a variation only the last line, when the search is over."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, str] = {}

    def _line_received(self, line: str) -> None:
        if line.startswith("info "):
            if " pv " in line:
                self._last[line.partition(" multipv ")[2].partition(" ")[0]] = line
            return
        if line.startswith("bestmove"):
            for info in self._last.values():
                super()._line_received(info)
            self._last.clear()
        super()._line_received(line)


def our_client(engine: Engine) -> Search:
    def search(board: chess.Board, nodes: int, lines: int) -> Answer:
        return [(found.move, found.score) for found in engine.search(board, nodes, lines)]

    return search


def their_client(engine: SimpleEngine) -> Search:
    engine.configure({"Threads": 1, "Hash": HASH})

    def search(board: chess.Board, nodes: int, lines: int) -> Answer:
        limit = Limit(nodes=nodes, time=LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND)
        # Another game each time, so that the hash table is emptied.
        infos = engine.analyse(board, limit, multipv=lines, game=object(), info=INFO_SCORE | INFO_PV)
        if any("lowerbound" in info or "upperbound" in info for info in infos):
            return None
        return [(info["pv"][0], info["score"].relative) for info in infos]

    return search


def started_clients(stack: ExitStack, command: str) -> Iterator[Client]:
    known: set[int] = set()

    def client(name: str, search: Search) -> Client:
        (pid,) = {*children(os.getpid())} - known
        known.add(pid)
        return Client(name, pid, search)

    yield client("ours", our_client(stack.enter_context(Engine(command))))
    for name, protocol in (("chess.engine", UciProtocol), ("chess.engine, last lines only", LastLines)):
        engine = SimpleEngine.popen(protocol, command, setpgrp=True, stderr=subprocess.DEVNULL)
        yield client(name, their_client(stack.enter_context(engine)))


def positions_of(archive_name: str) -> Iterator[chess.Board]:
    for raw in games_of([archive_name]):
        game = chess.pgn.read_game(io.StringIO(raw.text.decode()))
        for node in game.mainline() if game else ():
            if node.ply() % EVERY_PLY == 0 and not node.board().is_game_over():
                # Without the moves before, which `chess.engine` would send.
                yield chess.Board(node.board().fen())


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used, to a hundredth of a second."""
    facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, facts[11:13])) / TICKS_PER_SECOND


def compare(clients: list[Client], boards: list[chess.Board], nodes: int, lines: int) -> list[Costs]:
    spent = [Costs(engine=-cpu_seconds(client.pid)) for client in clients]
    for number, board in enumerate(boards):
        answers = []
        # Each is as often the first as the others.
        for turn in range(len(clients)):
            index = (number + turn) % len(clients)
            wall, ours = time.perf_counter(), time.process_time()
            answers.append(clients[index].search(board, nodes, lines))
            spent[index].ours += time.process_time() - ours
            spent[index].wall += time.perf_counter() - wall
        compared = [answer for answer in answers if answer is not None]
        assert all(answer == compared[0] for answer in compared), f"different answers at {board.fen()}"
    for client, total in zip(clients, spent, strict=True):
        total.engine += cpu_seconds(client.pid)
    return spent


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("--positions", dest="count", type=int, default=300)
    arguments = parser.parse_args()

    boards = list(islice(positions_of(arguments.games), arguments.count))
    rows: list[dict[str, object]] = []
    with ExitStack() as stack:
        clients = list(started_clients(stack, find_engine()))
        for nodes in BUDGETS:
            for lines in LINES:
                for client, spent in zip(clients, compare(clients, boards, nodes, lines), strict=True):
                    rows.append(
                        {
                            "nodes": nodes,
                            "MultiPV": lines,
                            "client": client.name,
                            "our CPU ms": round(1000 * spent.ours / len(boards), 2),
                            "engine CPU ms": round(1000 * spent.engine / len(boards), 1),
                            "wall ms": round(1000 * spent.wall / len(boards), 1),
                            "our share": f"{spent.ours / (spent.ours + spent.engine):.1%}",
                        }
                    )
    text = table(list(rows[0]), [list(row.values()) for row in rows], right="rrlrrrr")
    show(text, {"positions": len(boards), "searches": rows}, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
