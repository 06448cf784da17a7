"""How often a position finds what it becomes when a few of its men are moved: a measure without a judge.

Ganguly, Leveling & Jones (SIGIR 2014, Figure 3) call a position similar when men stand a move away. Here
positions are drawn from an archive, one to four of their men moved by lot (`transform`), and the results
hidden in a copy of the index as the only positions of further games. Each run then searches for the
position itself, and it counts at which place among the games it finds what was hidden. Left out are the
games that have the very position, its own first of all, and whatever else was hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import chess
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from db.games import BATCH, archived_keys, get_archived
from db.store import Store
from motifsearch.evaluation.perturbation import perturbations
from motifsearch.evaluation.planted import Planted, Ranks
from motifsearch.index.snapshot import temporary_copy
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import sync_positions
from motifsearch.positions.opening import first_ply, opening_moves
from motifsearch.positions.searcher import CANDIDATES

# Men that are moved at most.
MOST_MOVED = 4

# Standard errors on either side of a mean that hold it in 95 of 100 cases.
_CONFIDENCE = 1.96


@dataclass(frozen=True)
class PerturbedQuery:
    """A position of an archived game, and what it becomes with one man moved, with two, and so on."""

    key: str
    ply: int
    board: chess.Board
    transformed: Sequence[chess.Board]


class Share(NamedTuple):
    """A mean of values from 0 to 1, and the interval that holds the true one in 95 of 100 cases."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Figures:
    """How well `hidden` positions were found: in the first place, among ten, and the mean reciprocal rank."""

    hidden: int
    top1: Share
    top10: Share
    mrr: Share

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for a JSON document."""
        shares = {"top1": self.top1, "top10": self.top10, "mrr": self.mrr}
        return {"hidden": self.hidden} | {name: share._asdict() for name, share in shares.items()}


@dataclass(frozen=True)
class PerturbationReport:
    """The ranks of what was hidden, by run and in the order of `drawn`, among so many games and positions."""

    drawn: Sequence[PerturbedQuery]
    games: int
    positions: int
    seed: int
    ranks: Mapping[FeatureSet, Sequence[Ranks]]

    def figures(self, run: FeatureSet, moved: int | None = None) -> Figures | None:
        """Sum up a run, for positions with so many men moved or for all; None where there are none."""
        chosen = [ranks if moved is None else ranks[moved - 1 : moved] for ranks in self.ranks[run]]
        return figures([ranks for ranks in chosen if ranks])

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "queries": len(self.drawn),
            "games": self.games,
            "positions": self.positions,
            "positions_looked_at": CANDIDATES,
            "seed": self.seed,
            "figures": {
                run: {
                    str(moved or "all"): found.as_dict()
                    for moved in (*range(1, MOST_MOVED + 1), None)
                    if (found := self.figures(run, moved))
                }
                for run in self.ranks
            },
            "ranks": [
                {
                    "game": drawn.key,
                    "ply": drawn.ply,
                    "fen": drawn.board.fen(),
                    "hidden": [board.fen() for board in drawn.transformed],
                    "ranks": {run: list(self.ranks[run][place]) for run in self.ranks},
                }
                for place, drawn in enumerate(self.drawn)
            ],
        }


def figures(ranks: Sequence[Ranks]) -> Figures | None:
    """Return the figures of queries, each with the ranks of what was hidden for it (one or more).

    Each query counts the same. What is hidden for one is not independent, so the intervals (Wilson's) are
    those of as many trials as there are queries; they are rather too wide than too narrow.
    """
    if not ranks:
        return None

    def share(worth: Callable[[int], float]) -> Share:
        total = sum(sum(worth(rank) for rank in own if rank) / len(own) for own in ranks)
        return _interval(total / len(ranks), len(ranks))

    return Figures(
        sum(map(len, ranks)),
        share(lambda rank: rank == 1),
        share(lambda rank: rank <= 10),
        share(lambda rank: 1 / rank),
    )


def measure(
    store: Store,
    queries: int,
    *,
    seed: int = 0,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> PerturbationReport:
    """Return how well every run finds what was hidden for so many positions, each of another game.

    The same archive and seed draw the same positions. Nothing in the store or its index (in `directory`,
    by default beside the database) changes, but that the index is brought up to date. Raises `InputError`
    where the archive has no position to draw,
    `IndexUnavailableError`, `StoreError`.
    """
    progress = progress or Progress()
    index, made = sync_positions(store, directory, progress=progress)
    with store.reading() as session:
        games = len(archived_keys(session))
        drawn = list(islice(draw(session, opening_moves(store), seed), queries))
    if not drawn:
        raise InputError("no archived game has a position after its opening in which a man can be moved")
    ranks: dict[FeatureSet, list[Ranks]] = {run: [] for run in FeatureSet}
    with temporary_copy(made.path) as copy:
        hidden = Planted(copy, [query.transformed for query in drawn])
        for place, query in enumerate(drawn):
            for run, found in hidden.ranks(place, query.board).items():
                ranks[run].append(found)
            progress.update("searches", place + 1, len(drawn), "query")
    return PerturbationReport(drawn, games, index.count, seed, ranks)


def draw(session: Session, opening: int, seed: int) -> Iterator[PerturbedQuery]:
    """Yield a position of one archived game after another, as a hash of the seed and the game tells.

    Games without a position after their opening, or none in which a man can be moved, are passed over.
    """
    numbers = {number: _lot(seed, key) for number, key in archived_keys(session)}
    for batch in chunks_of(sorted(numbers, key=numbers.__getitem__), BATCH):
        games = get_archived(session, batch)
        for number in batch:
            game = games[number]
            moves = game.moves.split()
            plies = range(first_ply(game.start, opening), len(moves) + 1)
            if not plies:
                continue
            lot = Random(numbers[number])
            ply = lot.choice(plies)
            board = chess.Board(game.start or chess.STARTING_FEN)
            for word in moves[:ply]:
                board.push_uci(word)
            if transformed := list(islice(perturbations(board, lot), MOST_MOVED)):
                yield PerturbedQuery(game.game.key, ply, board.copy(stack=False), transformed)


def _interval(mean: float, trials: int) -> Share:
    """Return Wilson's score interval, whose width no mean of values from 0 to 1 exceeds for long."""
    square = _CONFIDENCE**2
    middle = (mean + square / (2 * trials)) / (1 + square / trials)
    spread = (mean * (1 - mean) / trials + square / (4 * trials**2)) ** 0.5
    margin = _CONFIDENCE * spread / (1 + square / trials)
    return Share(mean, max(0.0, middle - margin), min(1.0, middle + margin))


def _lot(seed: int, key: str) -> bytes:
    return sha256(f"{seed} {key}".encode()).digest()
