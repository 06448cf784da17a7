"""How often the human-move model guesses the move that was played, and what a prediction costs.

    python -m benchmarks.human_model GAMES.pgn.zst [--model maia-1100.pb.gz --model …] [--games 500]

Without `--model`, measures the network in the package. A guess is the most likely move. Games with less than
180 seconds for each player are left out (`--seconds`). A network with an input for ratings gets that of the
player to move.

Prints two tables. The first has the share of moves guessed, by the rating of the player, and the
mean logarithm of the probability of the move played. The second has the size of the file and milliseconds per
position on one thread, the median of several runs: for the planes, with all moves of the game before and with
one; for the network, with one position at a time and with 128; and for a prediction as a whole, with 128.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean, median

import chess
import numpy as np

from benchmarks.command import parser_for, run, show
from chess_motif.tables import table
from engines.human.model import BATCH, SHIPPED_MODEL, TYPICAL_RATING, HumanModel, load_human_model
from engines.human.planes import encode
from puzzlegen.games.pgn import PlayedGame
from training.parts import usable_games_of

# The lowest ratings of the bands.
BANDS = (0, 1000, 1200, 1400, 1600, 1800, 2000, 2200)

# What is timed: the planes, with all moves of the game before and with one; the network; everything.
COSTS = ("planes", "planes, 1 ply", "network, 1", "network, 128", "all, 128")

# Runs of which the median counts, and positions in each that are predicted one by one.
RUNS, SINGLES = 9, 50


@dataclass(frozen=True)
class PlayedMove:
    """A position, the move that was played, and the rating of the player, if it is known."""

    board: chess.Board
    move: chess.Move
    rating: int | None

    @property
    def band(self) -> str:
        if self.rating is None:
            return "unknown"
        lowest = max(band for band in BANDS if band <= self.rating)
        highest = next((band - 1 for band in BANDS if band > lowest), None)
        return f"{lowest}–{highest}" if highest else f"{lowest} and more"


def read_games(files: list[str], seconds: int) -> Iterator[PlayedGame]:
    """Yield the games with at least `seconds` for each player, and those that do not say."""
    for game in usable_games_of(files):
        limit = game.header("TimeControl").partition("+")[0]
        if not limit.isdigit() or int(limit) >= seconds:
            yield game


def decisions(game: PlayedGame) -> Iterator[PlayedMove]:
    row = game.row()
    ratings = {chess.WHITE: row.white_elo, chess.BLACK: row.black_elo}
    board = game.start.copy()
    for move in game.moves:
        yield PlayedMove(board.copy(), move, ratings[board.turn])
        board.push(move)


def guess(model: HumanModel, cases: list[PlayedMove]) -> tuple[Counter[str], float]:
    """Return the number of guesses that were right in each band, and the mean log probability."""
    ratings = [TYPICAL_RATING if case.rating is None else case.rating for case in cases]
    predictions = model.predict([case.board for case in cases], ratings)
    pairs = list(zip(cases, predictions, strict=True))
    right = Counter(case.band for case, prediction in pairs if next(iter(prediction.moves)) == case.move)
    return right, fmean(math.log(prediction.moves[case.move]) for case, prediction in pairs)


def milliseconds(work: Callable[[], object], positions: int) -> float:
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1000 * median(times) / positions


def costs(model: HumanModel, cases: list[PlayedMove]) -> list[float]:
    """Return the milliseconds per position of each of `COSTS`."""
    step = max(1, len(cases) // BATCH)
    boards = [case.board for case in cases[::step][:BATCH]]
    recent = [board.copy(stack=1) for board in boards]
    planes, ratings = encode(boards), np.full(len(boards), TYPICAL_RATING, np.float32)
    singles = [(planes[i : i + 1], ratings[i : i + 1]) for i in range(min(SINGLES, len(boards)))]
    run = model.network.run
    return [
        milliseconds(lambda: encode(boards), len(boards)),
        milliseconds(lambda: encode(recent), len(boards)),
        milliseconds(lambda: [run(*single) for single in singles], len(singles)),
        milliseconds(lambda: run(planes, ratings), len(boards)),
        milliseconds(lambda: model.predict(boards), len(boards)),
    ]


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("archives", nargs="+", metavar="GAMES")
    parser.add_argument("--model", dest="models", action="append", type=Path)
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--games", type=int, help="use the first games only")
    arguments = parser.parse_args()

    games = islice(read_games(arguments.archives, arguments.seconds), arguments.games)
    cases = [case for game in games for case in decisions(game)]
    totals = Counter(case.band for case in cases)
    bands = sorted(totals, key=lambda band: (not band[0].isdigit(), len(band.partition("–")[0]), band))
    models = {path: load_human_model(path) for path in arguments.models or [SHIPPED_MODEL]}

    results = {path: guess(model, cases) for path, model in models.items()}
    rows = [
        [band, str(totals[band]), *(f"{right[band] / totals[band]:.3f}" for right, _ in results.values())]
        for band in bands
    ]
    rows.append(
        ["all", str(len(cases)), *(f"{right.total() / len(cases):.3f}" for right, _ in results.values())]
    )
    rows.append(["mean log probability", "", *(f"{mean:.3f}" for _, mean in results.values())])
    guessed = table(["player's rating", "moves", *(path.name for path in models)], rows, right="lrrrrrr")
    times = {path.name: costs(model, cases) for path, model in models.items()}
    header = ["network", "KB", *COSTS]
    rows = [
        [path.name, str(path.stat().st_size // 1000), *(f"{time:.3f}" for time in times[path.name])]
        for path in models
    ]
    document = {
        "moves": dict(totals),
        "guessed": {path.name: dict(right) for path, (right, _) in results.items()},
        "mean_log_probability": {path.name: mean for path, (_, mean) in results.items()},
        "milliseconds": {name: dict(zip(COSTS, own, strict=True)) for name, own in times.items()},
    }
    show(f"{guessed}\n\n{table(header, rows, right='lrrrrrr')}", document, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
