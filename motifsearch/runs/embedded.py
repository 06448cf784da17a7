"""Finding similar positions by their vectors.

Of a vector, only the part counts that says how the network sees the position (`Embedding.seen`). The other
part, the moves that people would play, is nearly the same in all positions in which a piece must be retaken.

The vectors of the memory are seen from the side to move. For people it does not matter who is to move: the
position searched for is embedded with either side to move, and each archived position compared with the one
that it resembles. It is not compared with the other, from which its vector is far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt

from db.games import archived_numbers, archived_set_up, count_archived
from db.store import Store
from motifsearch.index.widening import widening
from motifsearch.positions.colours import Colours
from motifsearch.positions.opening import first_ply, opening_moves
from motifsearch.positions.ranking import Candidate, Place, best_of_games
from motifsearch.positions.searcher import CANDIDATES, PositionFilters
from motifsearch.retrieval.memory.embedding import Array
from motifsearch.retrieval.memory.memory import Memory

Rows = npt.NDArray[np.bool_]

# The score of a position that looks the same.
SAME = 100.0


@dataclass(frozen=True)
class View:
    """How the network sees the query with `turn` to move."""

    turn: chess.Color
    seen: Array


@dataclass(frozen=True)
class Material:
    """Positions with the material that was asked for: with the query's colours, and with reversed ones."""

    own: Sequence[Place]
    reversed: Sequence[Place]


def nearness(squared_distance: float) -> float:
    """Return the score for a distance: 100 for none, 50 for a squared distance of 1, and never 0."""
    return SAME / (1 + max(0.0, squared_distance))


def _score(view: View, seen: Array) -> float:
    return nearness(float(np.square(seen - view.seen).sum()))


class EmbeddedSearcher:
    """Finds positions after the opening in the memory of a store.

    Raises `IndexUnavailableError` if there is no memory, `HumanModelError`, `StoreError`, and
    `LibraryMissingError` without faiss.
    """

    def __init__(self, store: Store, path: Path | None = None) -> None:
        """Open the memory in the folder `path` (default: beside the database)."""
        self.store = store
        self.memory = Memory(store, path)
        opening = opening_moves(store)
        with store.reading() as session:
            set_up = archived_set_up(session)
            self.missing = count_archived(session, self.memory.facts.last)
        rows = self.memory.occurrences
        self._games, self._plies, self._white = rows["game"].copy(), rows["ply"].copy(), rows["white"].copy()
        # A game with a set-up position has no opening.
        self._searched: Rows = (self._plies >= first_ply("", opening)) | np.isin(self._games, set_up)

    def best_of_games(
        self,
        board: chess.Board,
        colours: Colours,
        k: int,
        filters: PositionFilters,
        material: Material | None = None,
    ) -> list[Candidate]:
        """Return the best position of each of the best `k` games, best first, see `ranking.best_of_games`.

        If `filters` asks for a material, `material` has the positions with it.
        """
        views = self.views(board)
        own, reversed_ones = self._allowed(filters, material)

        def best(limit: int) -> list[Candidate]:
            return self.candidates(views, colours, limit, own, reversed_ones)

        found: list[Candidate] = []
        for candidates in widening(best, max(CANDIDATES, k)):
            found = best_of_games(candidates)
            if len(found) >= k:
                break
        return found[:k]

    def views(self, board: chess.Board) -> list[View]:
        """Return the position with each side to move, unless the other king would then be in check."""
        boards = [board.copy(stack=False) for _ in chess.COLORS]
        for one, turn in zip(boards, chess.COLORS, strict=True):
            if one.turn != turn:
                one.turn, one.ep_square = turn, None
        legal = [one for one in boards if not one.was_into_check()] or boards
        return [View(board.turn, seen) for board, seen in zip(legal, self.seen(legal), strict=True)]

    def seen(self, boards: Sequence[chess.Board]) -> Array:
        """Return the part of the vectors of positions that counts."""
        vectors = self.memory.embedding(boards)
        return vectors[:, self.memory.embedding.seen]

    def candidates(
        self,
        views: Sequence[View],
        colours: Colours,
        limit: int,
        own: Rows | None = None,
        reversed_ones: Rows | None = None,
    ) -> list[Candidate]:
        """Return the best `limit` positions, best first, scores unrounded.

        Of the occurrences in the memory, `own` are those that may be found with the query's colours, and
        `reversed_ones` those that may be found with reversed ones (default: all after the opening).
        """
        own = self._searched if own is None else own
        reversed_ones = self._searched if reversed_ones is None else reversed_ones
        found: list[Candidate] = []
        for view in views:
            # With the same side to move, a position has the colours of the query.
            same_side = self._white == view.turn
            allowed = own & same_side
            if colours is Colours.EITHER:
                allowed |= reversed_ones & ~same_side
            found += self._nearest(view, limit, allowed)
        return sorted(found, key=lambda candidate: -candidate.score)[:limit]

    def compare(self, view: View, place: Place, turn: chess.Color, seen: Array) -> Candidate:
        """Return a position with `turn` to move as a candidate, given how the network sees it."""
        return Candidate(_score(view, seen), place, turn != view.turn)

    def scores(self, views: Sequence[View], found: Sequence[tuple[chess.Board, bool]]) -> list[float]:
        """Return the score of each position, given whether its colours are reversed."""
        by_turn = {view.turn: view for view in views}
        seen = self.seen([board for board, _ in found])
        scores = []
        for (board, is_reversed), vector in zip(found, seen, strict=True):
            # None if the query cannot have this side to move.
            view = by_turn.get(board.turn != is_reversed)
            scores.append(0.0 if view is None else _score(view, vector))
        return scores

    def _nearest(self, view: View, limit: int, allowed: Rows) -> Iterator[Candidate]:
        rows, distances = self.memory.alike(view.seen, limit, allowed)
        places = zip(self._games[rows].tolist(), self._plies[rows].tolist(), strict=True)
        turns = self._white[rows].tolist()
        for place, turn, distance in zip(places, turns, distances.tolist(), strict=True):
            yield Candidate(nearness(distance), Place(*place), turn != view.turn)

    def _allowed(self, filters: PositionFilters, material: Material | None) -> tuple[Rows, Rows]:
        """Return which occurrences may be found with the query's colours, and which with reversed ones."""
        allowed = self._searched
        if filters.games.conditions():
            with self.store.reading() as session:
                allowed = allowed & np.isin(self._games, archived_numbers(session, filters.games))
        if material is None:
            return allowed, allowed
        return allowed & self._at(material.own), allowed & self._at(material.reversed)

    def _at(self, places: Sequence[Place]) -> Rows:
        """Return which occurrences are at these places."""
        numbers = np.array(places, np.int64).reshape(-1, 2)
        codes = self._games.astype(np.int64) << 16 | self._plies
        return np.isin(codes, numbers[:, 0] << 16 | numbers[:, 1])
