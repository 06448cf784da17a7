"""How much of the CPU time of mining is ours, and how much the engine's.

    python -m benchmarks.overhead GAMES [--games N] [--pattern blunder]

Mines the first games of an archive in one process with one engine. Prints a table.
"""

from __future__ import annotations

import resource
import time
from contextlib import closing
from itertools import islice

from benchmarks.command import parser_for, run, show
from chess_motif.tables import table
from puzzlegen.mining.game import PuzzleJob
from puzzlegen.mining.workers import GameWorker, WorkerConfig
from puzzlegen.rules import MiningRules, Pattern
from training.parts import games_of


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("--games", dest="count", type=int, default=30)
    parser.add_argument("--pattern", type=Pattern, default=Pattern.BLUNDER)
    arguments = parser.parse_args()

    games = list(islice(games_of([arguments.games]), arguments.count))
    started = time.process_time()
    job = PuzzleJob(MiningRules(pattern=arguments.pattern))
    with closing(GameWorker(WorkerConfig(None, job))) as worker:
        results = [worker.mine(game) for game in games]
    ours = time.process_time() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    engine = used.ru_utime + used.ru_stime
    figures = {
        "games": len(games),
        "searches": sum(result.searches for result in results),
        "million nodes": round(sum(result.nodes for result in results) / 1e6, 1),
        "our CPU s": round(ours, 2),
        "engine CPU s": round(engine, 2),
        "our share": f"{ours / (ours + engine):.1%}",
    }
    text = table(list(figures), [list(figures.values())], right="r" * len(figures))
    show(text, figures, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
