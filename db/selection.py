"""Which puzzles to read, and in which order: given ones, a random sample, or sorted ones."""

from __future__ import annotations

import hashlib
import heapq
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import Any

from sqlalchemy import SQLColumnExpression, func, select
from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.errors import UnknownPuzzleError
from chess_motif.parallel import chunks_of
from db.games import BATCH, rows_with
from db.models import Game, Puzzle
from db.puzzles import (
    SOLVER_MOVES,
    PuzzleFilter,
    count_puzzles,
    filtered,
    find_puzzles,
    get_puzzles,
)
from db.store import Store

# The most unknown ids that an error names.
MOST_NAMED = 5


class Sort(StrEnum):
    """What puzzles are sorted by: the lowest, shortest or earliest first."""

    RATING = "rating"
    GAP = "gap"
    LENGTH = "length"
    DATE = "date"
    POPULARITY = "popularity"
    PLAYS = "plays"


_DATE = select(Game.date).where(Game.number == Puzzle.game_number).scalar_subquery()
_KEYS: dict[Sort, SQLColumnExpression[Any]] = {
    Sort.RATING: Puzzle.level,
    Sort.GAP: Puzzle.gap,
    Sort.LENGTH: SOLVER_MOVES,
    Sort.DATE: func.nullif(func.nullif(_DATE, ""), "????.??.??"),
    Sort.POPULARITY: Puzzle.popularity,
    Sort.PLAYS: Puzzle.plays,
}


@dataclass(frozen=True)
class Selection:
    """Puzzles that pass the `filters`, oldest first, and at most `limit` of them.

    With `names` (our ids or those of the source), only these puzzles, in this order. With `sample`, a random
    sample of this size, chosen by `seed`, in random order. With `sort`, the puzzles are sorted, in descending
    order if `reverse` is set; puzzles without a value come last. Raises `InputError` for impossible values.
    """

    filters: PuzzleFilter = field(default_factory=PuzzleFilter)
    names: tuple[str, ...] | None = None
    sample: int | None = None
    seed: int = 0
    sort: Sort | None = None
    reverse: bool = False
    limit: int | None = None

    def __post_init__(self) -> None:
        arguments.not_text(names=self.names)
        arguments.at_least(0, limit=self.limit, sample=self.sample)
        if self.sort is not None:
            object.__setattr__(self, "sort", arguments.one_of(Sort, sort=self.sort))


def select_puzzles(session: Session, selection: Selection) -> Iterator[Puzzle]:
    """Return the puzzles of a selection in order, read in batches.

    Raises `UnknownPuzzleError` at once if a name is not known.
    """
    ids = _ids(session, selection)
    if ids is None:
        return find_puzzles(session, selection.filters, selection.limit)
    return chain.from_iterable(_in_order(session, some) for some in chunks_of(ids, BATCH))


def read_puzzles(store: Store, selection: Selection) -> Iterator[Puzzle]:
    """Return the puzzles of a selection in order, even if the server is restarted meanwhile.

    The puzzles are read in many transactions, so some may be older and others newer than a change. Raises
    `UnknownPuzzleError` at once if a name is not known, and `StoreError`.
    """
    ids = store.transact(partial(_ids, selection=selection), reading=True)
    if ids is None:
        return read_by_number(store, selection.filters, selection.limit)
    return read_named(store, ids)


def read_by_number(
    store: Store, filters: PuzzleFilter | None = None, limit: int | None = None
) -> Iterator[Puzzle]:
    """Yield the puzzles that pass the filter, oldest first, as `read_puzzles` does."""
    last, remaining = 0, sys.maxsize if limit is None else limit

    def following(session: Session) -> list[Puzzle]:
        return list(find_puzzles(session, filters, min(remaining, BATCH), after=last))

    while puzzles := store.transact(following, reading=True):
        yield from puzzles
        last, remaining = puzzles[-1].number, remaining - len(puzzles)


def read_named(store: Store, ids: Sequence[str]) -> Iterator[Puzzle]:
    """Yield the puzzles with these ids as `read_puzzles` does. Ids that are not stored are skipped."""
    for some in chunks_of(ids, BATCH):
        yield from store.transact(partial(_in_order, ids=some), reading=True)


def count_selected(session: Session, selection: Selection) -> int:
    """Return how many puzzles a selection would have without its `sample` and `limit`.

    Raises `UnknownPuzzleError` if a name is not known.
    """
    if selection.names is None:
        return count_puzzles(session, selection.filters)
    return len(_passing(session, resolve_ids(session, selection.names), selection.filters))


def puzzle_ids(session: Session, filters: PuzzleFilter | None = None, limit: int | None = None) -> list[str]:
    """Return the sorted ids of the puzzles that pass the filter, or the first `limit` of them.

    Ids are hashes, so their order says nothing about the puzzles, and is the same on every computer.
    """
    arguments.at_least(0, limit=limit)
    query = filtered(session, select(Puzzle.id), filters).order_by(Puzzle.id)
    return list(session.scalars(query.limit(limit)))


def sample_ids(session: Session, filters: PuzzleFilter | None, size: int, seed: int) -> list[str]:
    """Return the ids of a random sample of `size` of the puzzles that pass the filter, in random order.

    The same puzzles and the same seed give the same sample.
    """
    ids = filtered(session, select(Puzzle.id), filters).execution_options(yield_per=BATCH)
    return _sample(session.scalars(ids), size, seed)


def resolve_ids(session: Session, names: Sequence[str]) -> list[str]:
    """Return the ids of the puzzles that `names` mean, in the same order, each once.

    A name is our id of a puzzle or else the id at its source. Raises `UnknownPuzzleError`.
    """
    known: dict[str, str] = {}
    for column in (Puzzle.id, Puzzle.source_id):
        unresolved = [name for name in names if name and name not in known]
        # As in `get_puzzle`, the first of several puzzles with the same id at their sources counts. Only
        # known ids are in the index: without the condition, SQLite reads all puzzles.
        matching = select(column, Puzzle.id).where(column != "").order_by(Puzzle.number)
        for name, puzzle_id in rows_with(session, matching, column, unresolved):
            known.setdefault(name, puzzle_id)
    unknown = [repr(name) for name in names if name not in known]
    if unknown:
        more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
        raise UnknownPuzzleError(
            f"no puzzle {', '.join(unknown[:MOST_NAMED])}{more} in the database; 'puzzlegen list' shows them"
        )
    return list(dict.fromkeys(known[name] for name in names))


def _ids(session: Session, selection: Selection) -> list[str] | None:
    """Return the ids of the puzzles of a selection in order, None for all puzzles in the order of numbers."""
    chosen = _chosen(session, selection)
    if selection.sort is not None:
        chosen = _sorted_ids(session, selection, selection.sort, chosen)
    return None if chosen is None else chosen[: selection.limit]


def _chosen(session: Session, selection: Selection) -> list[str] | None:
    """Return the ids of the named or sampled puzzles, None if any puzzle may be selected."""
    if selection.names is None:
        if selection.sample is None:
            return None
        return sample_ids(session, selection.filters, selection.sample, selection.seed)
    named = _passing(session, resolve_ids(session, selection.names), selection.filters)
    return named if selection.sample is None else _sample(named, selection.sample, selection.seed)


def _passing(session: Session, ids: Sequence[str], filters: PuzzleFilter) -> list[str]:
    query = filtered(session, select(Puzzle.id), filters)
    passing = {puzzle_id for (puzzle_id,) in rows_with(session, query, Puzzle.id, ids)}
    return [puzzle_id for puzzle_id in ids if puzzle_id in passing]


def _sample(ids: Iterable[str], size: int, seed: int) -> list[str]:
    """Return the `size` ids whose hashes with the seed come first.

    Unlike shuffling, this needs no more memory than the sample, and a new puzzle in the database changes at
    most one puzzle of the sample.
    """
    return heapq.nsmallest(size, ids, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())


def _sorted_ids(session: Session, selection: Selection, sort: Sort, chosen: list[str] | None) -> list[str]:
    key = _KEYS[sort]
    order = (key.desc() if selection.reverse else key.asc()).nulls_last()
    query = filtered(session, select(Puzzle.id), selection.filters).order_by(order, Puzzle.number)
    ids = session.scalars(query.limit(selection.limit if chosen is None else None))
    among = None if chosen is None else set(chosen)
    return [puzzle_id for puzzle_id in ids if among is None or puzzle_id in among]


def _in_order(session: Session, ids: Sequence[str]) -> list[Puzzle]:
    puzzles = get_puzzles(session, ids)
    return [puzzles[puzzle_id] for puzzle_id in ids if puzzle_id in puzzles]
