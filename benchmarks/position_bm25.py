"""BM25 over a sample of an archive's positions, family by family, for any k1, b and weights.

For `benchmarks.position_weights` and `benchmarks.position_k1_b`; needs scipy. The arithmetic is that of
`motifsearch.index.bm25` and `motifsearch.positions.ranking`. As in `benchmarks.transformations`, positions of
other games and positions with pieces moved are the documents, and the positions before those moves the
queries. Games that are left out there are left out here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.perturbed import PerturbedQuery, Ranks, sample_queries
from chess_motif.parallel import chunks_of, in_processes
from db.games import BATCH, archived_keys, get_archived
from db.store import Store
from motifsearch.index.bm25 import DIGITS
from motifsearch.positions.index import first_ply, opening_moves
from motifsearch.positions.terms import Family, GameTerms, query_families
from motifsearch.terms.static import reach_variants
from training.parts import sample_plies

# Those of Tantivy.
K1, B = 1.2, 0.75

# Scores that differ by less are equal but for rounding.
SAME_SCORE = 10.0**-DIGITS


class Sampled(NamedTuple):
    """A position of the sample: the key of its game, and a text of terms for each family."""

    key: str
    families: list[str]


def sample(store: Store, positions: int, belongs: Callable[[str], bool]) -> list[Sampled]:
    """Return `positions` positions of the games whose keys `belongs` is true of, as many of each game."""
    opening = opening_moves(store)
    with store.reading() as session:
        numbers = [number for number, key in archived_keys(session) if belongs(key)]
        each = max(1, round(positions / len(numbers)))

        def games() -> Iterator[tuple[str, str, str]]:
            for batch in chunks_of(numbers, BATCH):
                for game in get_archived(session, batch).values():
                    yield game.game.key, game.start, game.moves
                session.expunge_all()

        encode = partial(_encoded, opening=opening, each=each)
        chunks = in_processes(encode, chunks_of(games(), 200))
        return list(islice((position for chunk in chunks for position in chunk), positions))


def _encoded(games: list[tuple[str, str, str]], opening: int, each: int) -> list[Sampled]:
    found = []
    for key, start, moves in games:
        words = moves.split()
        plies = range(first_ply(start, opening), len(words) + 1)
        chosen = sample_plies(key, plies, each)
        board, followed = chess.Board(start or chess.STARTING_FEN), GameTerms()
        for ply in range(max(chosen, default=-1) + 1):
            if ply:
                board.push(chess.Move.from_uci(words[ply - 1]))
            if ply in chosen:
                found.append(Sampled(key, followed.families(board)))
    return found


@dataclass(frozen=True)
class _TermCounts:
    """How often which term is in which document, by family; the lengths of documents; who has a term."""

    counts: sparse.csr_matrix
    places: Mapping[str, int]
    lengths: NDArray[np.float32]
    frequency: NDArray[np.int64]


class PlantedSample:
    """Queries, and documents among which the perturbed positions of the queries are planted."""

    def __init__(self, documents: Sequence[Sampled], queries: Sequence[PerturbedQuery]) -> None:
        self.queries = queries
        planted = [GameTerms().families(board) for query in queries for board in query.perturbed]
        _, self._games = np.unique([document.key for document in documents], return_inverse=True)
        texts = [*(document.families for document in documents), *planted]
        self._counts = {
            family: _counts([families[place] for families in texts]) for place, family in enumerate(Family)
        }
        self._left_out = _left_out(documents, queries)

    def parts(
        self, k1: float = K1, b: float = B, *, families: Iterable[Family] = Family, reach: bool = True
    ) -> dict[Family, NDArray[np.float32]]:
        """Return what each family adds to the score of each document (columns) for each query (rows).

        Placements have the rarity of all their forms if `reach` is asked for, too.
        """
        asked = [query_families(query.board) for query in self.queries]
        rows = {family: _Rows(len(self._counts[family].places)) for family in Family}
        for row, terms in enumerate(asked):
            for family, words in terms.items():
                for word, repeated in Counter(words).items():
                    forms = {(family, word): 1.0}
                    if family is Family.PLACED and reach:
                        forms |= {(Family.REACH, form): w for form, w in reach_variants(word).items()}
                    rarity = self._rarity(forms)
                    for (form_family, form), weight in forms.items():
                        place = self._counts[form_family].places.get(form)
                        if place is not None:
                            rows[form_family].add(row, place, repeated * weight * rarity)
        return {
            family: (rows[family].matrix(len(asked)) @ _damped(self._counts[family], k1, b).T).toarray()
            for family in families
        }

    def ranks(self, scores: NDArray[np.float32]) -> list[Ranks]:
        """Return the ranks of each query's planted positions among games; equal scores come first."""
        found: list[Ranks] = []
        first = len(self._games)
        for row, query, left_out in zip(scores, self.queries, self._left_out, strict=True):
            end = first + len(query.perturbed)
            others = row[: len(self._games)]
            others[left_out] = -1
            found.append([len(set(self._games[others >= own - SAME_SCORE])) + 1 for own in row[first:end]])
            first = end
        return found

    def _rarity(self, forms: Mapping[tuple[Family, str], float]) -> float:
        total = sum(
            int(self._counts[family].frequency[place])
            for family, form in forms
            if (place := self._counts[family].places.get(form)) is not None
        )
        count = len(self._counts[Family.PLACED].lengths)
        total = min(total, count)
        return float(np.log(1 + (count - total + 0.5) / (total + 0.5)))


class _Rows:
    """A sparse matrix that is written row by row."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._cells: list[tuple[int, int, float]] = []

    def add(self, row: int, column: int, value: float) -> None:
        self._cells.append((row, column, value))

    def matrix(self, rows: int) -> sparse.csr_matrix:
        at, columns, values = zip(*self._cells, strict=True) if self._cells else ((), (), ())
        shape = (rows, self._columns)
        return sparse.csr_matrix((np.array(values, np.float32), (at, columns)), shape=shape)


def _counts(texts: Sequence[str]) -> _TermCounts:
    places: dict[str, int] = {}
    columns, ends = [], [0]
    for text in texts:
        columns.append(np.fromiter((places.setdefault(word, len(places)) for word in text.split()), np.int32))
        ends.append(ends[-1] + len(columns[-1]))
    flat = np.concatenate(columns)
    shape = (len(texts), max(1, len(places)))
    counts = sparse.csr_matrix((np.ones(len(flat), np.float32), flat, np.array(ends)), shape=shape)
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=shape[1])
    return _TermCounts(counts, places, np.diff(ends).astype(np.float32), frequency)


def _damped(terms: _TermCounts, k1: float, b: float) -> sparse.csr_matrix:
    """Return the matrix of BM25 without the rarity of terms."""
    counts = terms.counts
    normal = k1 * (1 - b + b * terms.lengths / max(1e-9, float(terms.lengths.mean())))
    values = counts.data * (k1 + 1) / (counts.data + np.repeat(normal, np.diff(counts.indptr)))
    return sparse.csr_matrix((values.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


def _left_out(documents: Sequence[Sampled], queries: Sequence[PerturbedQuery]) -> list[list[int]]:
    """Return for each query the documents of the games in which it occurs, as far as the sample tells."""
    by_game: dict[str, list[int]] = {}
    games_with: dict[frozenset[str], set[str]] = {}
    for place, document in enumerate(documents):
        by_game.setdefault(document.key, []).append(place)
        games_with.setdefault(frozenset(document.families[0].split()), set()).add(document.key)
    found = []
    for query in queries:
        pieces = frozenset(query_families(query.board)[Family.PLACED])
        games = games_with.get(pieces, set()) | {query.key}
        found.append([place for game in games for place in by_game.get(game, [])])
    return found


def queries_of(
    store: Store, count: int, belongs: Callable[[str], bool], seed: int = 0
) -> list[PerturbedQuery]:
    """Return a random sample of `count` positions, each with its perturbed ones, of games as above."""
    with store.reading() as session:
        queries = sample_queries(session, opening_moves(store), seed)
        return list(islice((query for query in queries if belongs(query.key)), count))
