"""How well a search finds perturbed positions: a measure that needs no grades.

Positions are sampled from the archived games and perturbed: one to four pieces are moved at random
(`perturbations`). The perturbed positions are planted in a copy of the index, each as the only position of
another game. Each feature set then searches for the sampled position, and the ranks of its planted positions
among the games count. All other planted positions are left out, and so are the games in which the sampled
position itself occurred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import chess
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from db.games import BATCH, archived_keys, get_archived
from db.store import Store
from motifsearch.evaluation.intervals import Interval, share_interval
from motifsearch.evaluation.perturbation import perturbations
from motifsearch.evaluation.planted import Planted, Ranks
from motifsearch.index.snapshot import temporary_copy
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import sync_positions
from motifsearch.positions.opening import first_ply, opening_moves
from motifsearch.positions.searcher import CANDIDATES

# The largest number of pieces moved.
MAX_MOVED = 4


@dataclass(frozen=True)
class PerturbedQuery:
    """A position of an archived game, and the same position with one piece moved, with two, and so on.

    `key` identifies the game, and `ply` is the number of plies before the position.
    """

    key: str
    ply: int
    board: chess.Board
    perturbed: Sequence[chess.Board]


@dataclass(frozen=True)
class Figures:
    """How well `planted` positions were found: in first place, in the top 10, and mean reciprocal rank."""

    planted: int
    top1: Interval
    top10: Interval
    mrr: Interval

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for a JSON document."""
        shares = {"top1": self.top1, "top10": self.top10, "mrr": self.mrr}
        return {"hidden": self.planted} | {name: share._asdict() for name, share in shares.items()}


@dataclass(frozen=True)
class PerturbationReport:
    """The ranks of the planted positions by feature set, in the order of `sampled`.

    `games` and `positions` are the numbers of those searched, without the planted ones.
    """

    sampled: Sequence[PerturbedQuery]
    games: int
    positions: int
    seed: int
    colours: Colours
    ranks: Mapping[FeatureSet, Sequence[Ranks]]

    def figures(self, feature_set: FeatureSet, moved: int | None = None) -> Figures | None:
        """Return the figures of a feature set, for all planted positions or those with `moved` pieces moved.

        None if there are no such positions.
        """
        chosen = [ranks if moved is None else ranks[moved - 1 : moved] for ranks in self.ranks[feature_set]]
        return figures([ranks for ranks in chosen if ranks])

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "queries": len(self.sampled),
            "games": self.games,
            "positions": self.positions,
            "positions_looked_at": CANDIDATES,
            "seed": self.seed,
            "colours": self.colours,
            "figures": {
                feature_set: {
                    str(moved or "all"): summary.as_dict()
                    for moved in (*range(1, MAX_MOVED + 1), None)
                    if (summary := self.figures(feature_set, moved))
                }
                for feature_set in self.ranks
            },
            "ranks": [
                {
                    "game": query.key,
                    "ply": query.ply,
                    "fen": query.board.fen(),
                    "hidden": [board.fen() for board in query.perturbed],
                    "ranks": {feature_set: list(ranks[place]) for feature_set, ranks in self.ranks.items()},
                }
                for place, query in enumerate(self.sampled)
            ],
        }


def figures(ranks: Sequence[Ranks]) -> Figures | None:
    """Return the figures of some queries, given the ranks of the positions planted for each (at least one).

    All queries have the same weight. Positions planted for the same query are not independent, so that the
    confidence intervals (Wilson's) count each query as one trial: they are rather too wide than too narrow.
    None if there are no queries.
    """
    if not ranks:
        return None

    def share(worth: Callable[[int], float]) -> Interval:
        total = sum(sum(worth(rank) for rank in planted if rank) / len(planted) for planted in ranks)
        return share_interval(total / len(ranks), len(ranks))

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
    colours: Colours = Colours.SAME,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> PerturbationReport:
    """Return how well each feature set finds perturbed positions, for a position each of `queries` games.

    The same games and seed give the same positions. Perturbed positions keep their colours; with either
    `colours`, those like the sampled one with its colours reversed compete with them. The index (in
    `directory`, by default beside the database) is brought up to date; nothing else is changed. Raises
    `InputError` if no archived position can be perturbed, `IndexUnavailableError`, `StoreError`.
    """
    progress = progress or Progress()
    _, synced = sync_positions(store, directory, progress=progress)
    with store.reading() as session:
        games = len(archived_keys(session))
        sampled = list(islice(sample_queries(session, opening_moves(store), seed), queries))
    if not sampled:
        raise InputError("no archived game has a position after its opening in which a piece can be moved")
    ranks: dict[FeatureSet, list[Ranks]] = {feature_set: [] for feature_set in FeatureSet}
    with temporary_copy(synced.path) as copy:
        planted = Planted(copy, [query.perturbed for query in sampled])
        for place, query in enumerate(sampled):
            for feature_set, planted_ranks in planted.ranks(place, query.board, colours).items():
                ranks[feature_set].append(planted_ranks)
            progress.update("searching", place + 1, len(sampled), "query")
    return PerturbationReport(sampled, games, synced.indexed, seed, colours, ranks)


def sample_queries(session: Session, opening: int, seed: int) -> Iterator[PerturbedQuery]:
    """Yield a random position of each archived game; the games are in the order of a hash of seed and game.

    The position is after the first `opening` moves. Games are skipped if they have none, or if no piece can
    be moved in it.
    """
    hashes = {number: _hash(seed, key) for number, key in archived_keys(session)}
    for batch in chunks_of(sorted(hashes, key=hashes.__getitem__), BATCH):
        games = get_archived(session, batch)
        for number in batch:
            game = games[number]
            moves = game.moves.split()
            plies = range(first_ply(game.start, opening), len(moves) + 1)
            if not plies:
                continue
            random = Random(hashes[number])
            ply = random.choice(plies)
            board, _ = game.played(ply)
            if perturbed := list(islice(perturbations(board, random), MAX_MOVED)):
                yield PerturbedQuery(game.game.key, ply, board, perturbed)


def _hash(seed: int, key: str) -> bytes:
    return sha256(f"{seed} {key}".encode()).digest()
