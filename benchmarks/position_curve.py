"""How search times, and the size of the index, grow with the number of positions.

    python -m benchmarks.position_curve QUERIES.fen DATABASE [--rounds N...] [--shards N] [--plot OUT.svg]

DATABASE has archived games. Each round adds a variation of every game: after the opening, each side plays a
random legal move, followed by the moves of the game if they are legal, or else by random moves. After each
given number of `--rounds`, the index is brought up to date and measured. The number of `--shards` is the same
in all rounds, so that the index is not rebuilt. Run the command again with more rounds to continue. Prints a
table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import perf_counter, process_time

import chess

from benchmarks.command import at_least, parser_for, run
from benchmarks.feature_sets import read_queries
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress, TerminalProgress
from chess_motif.tables import table
from db.games import archive_games, archived_after
from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.index.directory import open_index
from motifsearch.index.shards import OpenShards
from motifsearch.positions.index import indexed_positions, set_shards, sync_positions
from motifsearch.positions.ranking import (
    Candidate,
    best_of_games,
    candidates,
    likely_candidates,
    variants,
)
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.positions.terms import FeatureSet

MEASURED = (FeatureSet.COMB_ALL, FeatureSet.DEFAULT)

# The number of times that each search in two stages is timed.
TIMES = 3

# Two numbers of games that both kinds of search should find, and of positions that surely include them.
FEW, MANY, EXHAUSTIVE = 10, 100, 8000

# The number of games whose variations are made at a time.
CHUNK = 100

# The number of plies before a variation leaves its game.
VARIED_FROM = 24

# The least number of moves of a variation.
LEAST_MOVES = 8


def variation(game: tuple[int, str, str], round: int) -> ArchivedGame | None:
    """Return a variation of an archived game (its number, start and moves), which depends on the round.

    The result is None if the game is too short, or ends with the random moves.
    """
    number, start, moves = game
    words = moves.split()
    if start or len(words) < VARIED_FROM + LEAST_MOVES:
        return None
    random = Random(f"{number} {round}")
    board = chess.Board()
    for word in words[:VARIED_FROM]:
        board.push_uci(word)
    for _ in chess.COLORS:
        legal = list(board.legal_moves)
        if not legal:
            return None
        board.push(random.choice(legal))
    varied, played = board.fen(), []
    for word in words[VARIED_FROM:]:
        move = chess.Move.from_uci(word)
        if not board.is_legal(move):
            legal = list(board.legal_moves)
            if not legal:
                break
            move = random.choice(legal)
        board.push(move)
        played.append(move.uci())
    row = Game(key=f"{number:x}-{round:x}", event="variation")
    return ArchivedGame(start=varied, moves=" ".join(played), game=row)


def variations(games: Sequence[tuple[int, str, str]], round: int) -> list[ArchivedGame]:
    return [varied for game in games if (varied := variation(game, round)) is not None]


def add_round(store: Store, games: list[tuple[int, str, str]], round: int, progress: Progress) -> None:
    """Archive a variation of each game, unless it is already archived."""
    chunks = chunks_of(games, CHUNK)
    with closing(in_processes(partial(variations, round=round), chunks)) as made:
        for done, rows in enumerate(made, start=1):
            store.transact(partial(archive_games, games=rows))
            progress.update(f"round {round}", min(CHUNK * done, len(games)), len(games), "game")


@dataclass(frozen=True)
class FeatureSetFigures:
    """Median figures of the queries for finding candidates by a feature set.

    For a search in two stages, `ms` is the fastest of several times, since other processes can only slow it
    down, and `cpu_ms` is the CPU time; `exhaustive_cpu_ms` is the CPU time of an exhaustive search. `few` and
    `many` are the shares of the exhaustive search's best games that the two stages find.
    """

    ms: float
    cpu_ms: float
    exhaustive_cpu_ms: float
    few: float
    many: float


@dataclass(frozen=True)
class SizeFigures:
    """The number of positions in an index, its size, and the memory of the process that searches it.

    `private_mb` does not include files cached by the operating system. `rate` is the speed of the last update
    in positions per second, or 0 if nothing was added.
    """

    positions: int
    shards: int
    rate: float
    bytes: int
    private_mb: float
    searches: dict[FeatureSet, FeatureSetFigures]


def figures_of(folders: list[Path], boards: list[chess.Board], rate: float) -> SizeFigures:
    """Return the figures of an index whose shards are in these folders, with the `rate` of its update."""
    # In a new process, to measure its memory.
    with get_context("spawn").Pool(1) as pool:
        positions, private, searches = pool.apply(measured, [folders, boards])
    return SizeFigures(positions, len(folders), rate, size(folders), private, searches)


def size(folders: list[Path]) -> int:
    return sum(file.stat().st_size for folder in folders for file in folder.iterdir())


def measured(
    folders: list[Path], boards: list[chess.Board]
) -> tuple[int, float, dict[FeatureSet, FeatureSetFigures]]:
    """Return the number of positions, the memory of this process (MB), and the figures of searches."""
    shards = OpenShards([open_index(folder) for folder in folders])
    searches = {one: searched(shards, boards, one) for one in MEASURED}
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    private = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024
    return indexed_positions(shards), private, searches


def searched(shards: OpenShards, boards: list[chess.Board], feature_set: FeatureSet) -> FeatureSetFigures:
    ms, cpu_ms, exhaustive, few, many = [], [], [], [], []
    for board in boards:
        query = variants(shards, board, feature_set)
        times = [timed(partial(likely_candidates, shards, query, CANDIDATES)) for _ in range(TIMES)]
        ms.append(min(wall for wall, _ in times))
        cpu_ms.append(min(cpu for _, cpu in times))
        exhaustive.append(timed(partial(candidates, shards, query, CANDIDATES))[1])
        everything, likely = (find(shards, query, EXHAUSTIVE) for find in (candidates, likely_candidates))
        few.append(overlap(everything, likely, FEW))
        many.append(overlap(everything, likely, MANY))
    return FeatureSetFigures(median(ms), median(cpu_ms), median(exhaustive), fmean(few), fmean(many))


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall time and the CPU time of the work, in milliseconds."""
    begun = perf_counter(), process_time()
    work()
    return 1000 * (perf_counter() - begun[0]), 1000 * (process_time() - begun[1])


def overlap(everything: Sequence[Candidate], likely: Sequence[Candidate], count: int) -> float:
    """Return the share of the `count` best games by `everything` that are also among the best by `likely`."""
    best, found = ({one.place for one in best_of_games(some)[:count]} for some in (everything, likely))
    return len(best & found) / len(best)


def grown(
    store: Store, boards: list[chess.Board], rounds: list[int], progress: Progress
) -> list[SizeFigures]:
    """Return the figures after each number of rounds."""
    found, done = [], 0
    games = [game for game in archived_after(store, 0) if not game[1]]
    for number in sorted(rounds):
        while done < number:
            done += 1
            add_round(store, games, done, progress)
        _, report = sync_positions(store, progress=progress)
        found.append(figures_of(report.folders, boards, report.rate))
        progress.notice(str(found[-1]))
    return found


def text_of(figures: Sequence[SizeFigures]) -> str:
    header = ["", *(f"{one.positions / 1e6:.1f} million" for one in figures)]
    rows = [
        ["shards", *(str(one.shards) for one in figures)],
        ["positions added a second", *(f"{one.rate:,.0f}" if one.rate else "" for one in figures)],
        ["index, bytes a position", *(f"{one.bytes / one.positions:.0f}" for one in figures)],
        ["memory of the process, MB", *(f"{one.private_mb:.0f}" for one in figures)],
    ]
    for one in MEASURED:
        searches = [size.searches[one] for size in figures]
        rows += [
            [f"{one}: two stages, ms", *(f"{search.ms:.0f}" for search in searches)],
            ["CPU time, ms", *(f"{search.cpu_ms:.0f}" for search in searches)],
            ["exhaustive, CPU time, ms", *(f"{search.exhaustive_cpu_ms:.0f}" for search in searches)],
            [f"of the best {FEW}", *(f"{search.few:.3f}" for search in searches)],
            [f"of the best {MANY}", *(f"{search.many:.3f}" for search in searches)],
        ]
    return table(header, rows, right="l" + "r" * len(figures))


def plot(figures: Sequence[SizeFigures], file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(MEASURED), figsize=(9, 3.5), layout="constrained", sharey=True)
    millions = [one.positions / 1e6 for one in figures]
    for axis, feature_set in zip(axes, MEASURED, strict=True):
        searches = [one.searches[feature_set] for one in figures]
        axis.plot(millions, [one.exhaustive_cpu_ms for one in searches], marker="o", label="exhaustive")
        axis.plot(millions, [one.cpu_ms for one in searches], marker="o", label="two stages")
        axis.set(title=feature_set, xlabel="million positions", ylabel="ms of CPU time", ylim=0)
    axes[0].legend()
    figure.savefig(file)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("database")
    parser.add_argument("--rounds", type=at_least(0), nargs="+", default=[0])
    parser.add_argument("--shards", type=at_least(1), default=2)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    boards = [*read_queries(options.queries).values()]
    with Store(options.database, create=False) as store, TerminalProgress() as progress:
        set_shards(store, options.shards)
        figures = grown(store, boards, options.rounds, progress)
    print(text_of(figures))
    if options.plot is not None:
        plot(figures, options.plot)


if __name__ == "__main__":
    run(main)
