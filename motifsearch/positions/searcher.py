"""Finding the archived positions that are most like a given position: the best position of each game.

The index finds the positions, and the database has their games, which the filters are applied to.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import chess

from chess_motif import arguments
from chess_motif.cluster import Cluster
from chess_motif.errors import InputError
from chess_motif.notation import parse_placement, reversed_move
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from db.games import GameFilter, get_archived, last_archived
from db.models import ArchivedGame, Puzzle
from db.store import Store
from motifsearch.index.bm25 import Match, overfetch
from motifsearch.index.directory import Index
from motifsearch.index.shards import Shards
from motifsearch.index.sync import OpenIndex
from motifsearch.positions.index import opening_moves, shard_count, sync_positions
from motifsearch.positions.ranking import (
    Candidate,
    Colours,
    Explanation,
    Place,
    Variant,
    best_of_games,
    candidates,
    explanations,
    likely_candidates,
    stages_are_faster,
    variants,
)
from motifsearch.positions.terms import FeatureSet, Pieces
from motifsearch.search import game_in, is_fen, puzzle_named

DEFAULT_COUNT = 10

# Positions retrieved at first; the best position of each game is kept (Ganguly et al., section 6).
CANDIDATES = 1000

# A search without filters for up to this many results has two stages. With more, it would miss too many.
MOST_LIKELY = 20

# Games read from the database at a time. A few, since the first games usually pass the filters.
GAMES_AT_ONCE = 50


@dataclass(frozen=True)
class PositionQuery:
    """A position, and the stored puzzle that it comes from, if any.

    `move` is the number of the next move, if it is known.
    """

    board: chess.Board
    puzzle: Puzzle | None = None
    move: int | None = None

    @property
    def own_game(self) -> int | None:
        """The number of the puzzle's game, if it is known."""
        return self.puzzle.game_number if self.puzzle else None


def resolve_position(store: Store, text: str) -> PositionQuery:
    """Return the query that `text` stands for.

    Text with a slash is a FEN, of which only the pieces matter. A game, as PGN or by its address on Lichess,
    stands for one of its positions (see `puzzlegen.games.pasted`), any other text for a stored puzzle: its
    id, ours or its source's, or its address. Raises `PositionError`, `UnknownPuzzleError`, `StoreError`, and
    as `motifsearch.search.game_in` does.
    """
    if is_fen(text):
        return PositionQuery(parse_placement(text), move=_move_number(text))
    if game := game_in(store, text):
        return PositionQuery(game.board, move=_move_number(game.board.fen()))
    with store.reading() as session:
        puzzle = puzzle_named(session, text)
    return PositionQuery(puzzle.position(), puzzle, _move_number(puzzle.puzzle_fen))


def _move_number(fen: str) -> int | None:
    """Return the move number of a FEN, or None if it is missing or 1, as in positions that people set up."""
    counter = fen.split()[5:6]
    # Longer numbers are not move numbers, and Python reads only 4,300 digits.
    number = int(counter[0]) if counter and len(counter[0]) <= 4 and counter[0].isdecimal() else 1
    return number if number > 1 else None


@dataclass(frozen=True)
class PositionFilters:
    """Which positions a search may return: of which games, with which material, such as `KRPP-KRP`.

    Where the colours are reversed, so is the material.
    """

    games: GameFilter = field(default_factory=GameFilter)
    material: str | None = None


@dataclass(frozen=True)
class PositionHit:
    """A position that was found, `ply` plies into its game.

    A `reversed` position is like the query with White and Black exchanged. `score` is the BM25 score, above 0
    and comparable within one search only. `parts` is what each family of terms adds to the score, and
    `matched` what each term adds (empty without `why`); both add up to the score except for rounding.
    """

    rank: int
    score: float
    game: ArchivedGame
    ply: int
    parts: Mapping[str, float]
    matched: tuple[Match, ...] = ()
    reversed: bool = False

    def board(self) -> chess.Board:
        """Return the position."""
        return self.played()[0]

    def played(self) -> tuple[chess.Board, list[chess.Move]]:
        """Return the position, and the moves from there to the end of the game."""
        board, moves = self._played
        return board.copy(), list(moves)

    @cached_property
    def _played(self) -> tuple[chess.Board, list[chess.Move]]:
        # Cached, since every view needs it, and replaying a game takes longer than drawing a board.
        return self.game.played(self.ply)

    def as_query(self) -> tuple[chess.Board, list[chess.Move]]:
        """Return the position and the moves in the colours of the query."""
        board, moves = self.played()
        return (board.mirror(), [reversed_move(move) for move in moves]) if self.reversed else (board, moves)


class PositionSearcher(OpenIndex[Shards]):
    """Finds the positions of archived games that are most like a given position.

    Use it in a `with` statement, or call `close`. Opening it brings the index up to date, unless another
    process is doing so, and reports to `progress`:

        with PositionSearcher(store) as searcher:
            for hit in searcher.similar("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", k=5):
                print(hit.game.game.white, hit.ply, hit.score)

    A searcher may stay open for months and be used by several threads. Games that any process archives later
    are found after some seconds (see `refresh`). `directory` holds the indexes (default: beside the
    database). Raises `InputError` for a store without archived games, `IndexUnavailableError`, `StoreError`.

    With `cluster`, the address of a Dask scheduler, workers search the shards whose folders they have; the
    workers must reach the database. For every answer that lacks a shard there is a notice to `progress`, or
    else a Python warning (see `missing`). Raises `ClusterError` if nothing can be searched.
    """

    def __init__(
        self,
        store: Store,
        directory: Path | None = None,
        progress: Progress | None = None,
        *,
        cluster: str | None = None,
    ) -> None:
        self.store = store
        self._warn: Callable[[str], object] = warnings.warn if progress is None else progress.notice
        shown = progress or Progress()
        opened = ExitStack()
        connected = None if cluster is None else opened.enter_context(Cluster(cluster, shown))

        def synced(allow_stale: bool) -> Shards:
            with store.reading() as session:
                if not last_archived(session):
                    raise InputError("no games are archived yet; 'motifsearch positions add GAMES' does that")
            if connected is None:
                return sync_positions(store, directory, allow_stale=allow_stale, progress=progress)[0]
            # Imported when needed: Dask is large and optional.
            from motifsearch.positions.dask import ClusterShards

            return ClusterShards(connected, store, directory, shown, allow_stale=allow_stale)

        def state() -> tuple[int, int, int]:
            with store.reading() as session:
                return last_archived(session), opening_moves(store), shard_count(store)

        def is_current(index: Shards) -> bool:
            with store.reading() as session:
                last = last_archived(session)
            # Only `refresh` looks for a missing shard again.
            return bool(index.missing) or any(index.each(Index.contains, [last]))

        with opened:
            super().__init__(synced, state, is_current)
            self._connection = opened.pop_all()

    def close(self) -> None:
        """Close the index, and disconnect from the cluster. Closing it twice has no effect."""
        super().close()
        self._connection.close()

    @property
    def missing(self) -> Sequence[str]:
        """Why a shard cannot be searched, a line for each such shard: results lack its games.

        Only shards on a cluster can be missing. `refresh` looks for them again.
        """
        return () if self._index is None else self._index.missing

    def similar(
        self,
        board: chess.Board | str,
        *,
        feature_set: FeatureSet | str = FeatureSet.DEFAULT,
        pieces: Pieces | str = Pieces.ALL,
        colours: Colours | str = Colours.EITHER,
        k: int = DEFAULT_COUNT,
        why: bool = False,
        filters: PositionFilters | None = None,
    ) -> list[PositionHit]:
        """Return the positions most like `board`, best first: the best position of each of `k` games.

        The board may be given as a FEN. The side to move and castling rights do not count. With `pieces`
        "pawns", only pawns are compared, whatever the feature set, and the same structure comes first. With
        `colours` "either", the position is also searched for with its colours reversed, and the results are
        ranked together. Ties are broken by colours (the query's own first), then by game number and ply.
        With `why`, results have the terms that matched, in the colours of the query. Raises `InputError` for
        k < 1 and for a position without pawns to compare, `PositionError`, `StoreError`.
        """
        if k < 1:
            raise InputError(f"the number of results must be at least 1, not {k}")
        position = parse_placement(board) if isinstance(board, str) else board
        feature_set = arguments.one_of(FeatureSet, feature_set=feature_set)
        pieces, filters = arguments.one_of(Pieces, pieces=pieces), filters or PositionFilters()
        if pieces is Pieces.PAWNS and not position.pawns:
            raise InputError("the position has no pawn to compare")
        colours = arguments.one_of(Colours, colours=colours)

        def search(index: Shards) -> list[PositionHit]:
            query = variants(index, position, feature_set, colours, filters.material, pieces)
            staged = (
                k <= MOST_LIKELY
                and pieces is Pieces.ALL
                and filters == PositionFilters(GameFilter(other_than=filters.games.other_than))
                and stages_are_faster(query)
            )
            ranked = self._best_of_games(index, query, k, filters.games, staged)
            hits = _hits(index, query, ranked, why)
            for line in index.missing:
                self._warn(line)
            return hits

        return self.answer(search)

    def _best_of_games(
        self, index: Shards, query: Sequence[Variant], k: int, filters: GameFilter, staged: bool
    ) -> list[tuple[Candidate, ArchivedGame]]:
        """Return the best candidate of each of the best `k` games that pass the filters, with its game.

        A `staged` search may miss games. If it finds too few, an exhaustive search follows.
        """
        ranked: list[tuple[Candidate, ArchivedGame]] = []
        likely = (likely_candidates(index, query, CANDIDATES) for _ in range(staged))
        for found in chain(likely, overfetch(partial(candidates, index, query), CANDIDATES)):
            ranked = []
            with self.store.reading() as session:
                for part in chunks_of(best_of_games(found), GAMES_AT_ONCE):
                    games = get_archived(session, [one.place.number for one in part], filters)
                    ranked += [(one, games[one.place.number]) for one in part if one.place.number in games]
                    if len(ranked) >= k:
                        return ranked[:k]
        return ranked


def _hits(
    index: Shards, query: Sequence[Variant], ranked: Sequence[tuple[Candidate, ArchivedGame]], why: bool
) -> list[PositionHit]:
    """Return the results, each with what its score is made of."""
    explained: dict[Place, Explanation] = {}
    for variant in query:
        places = {found.place for found, _ in ranked if found.reversed == variant.reversed}
        explained |= explanations(index, variant, places, why)
    return [
        PositionHit(
            rank,
            found.score,
            game,
            found.place.ply,
            explained[found.place].parts,
            explained[found.place].matched,
            found.reversed,
        )
        for rank, (found, game) in enumerate(ranked, start=1)
    ]
