"""Which puzzles are read, and in which order."""

from __future__ import annotations

import pytest

import db.puzzles
import db.selection
from chess_motif.errors import UnknownPuzzleError
from db.games import game_number
from db.models import Game
from db.puzzles import PuzzleFilter, add_puzzles
from db.selection import (
    Selection,
    Sort,
    count_selected,
    puzzle_ids,
    read_puzzles,
    select_puzzles,
)
from db.store import Store
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.rows import puzzle_row

MANY = [f"{number:08}" for number in range(100)]


def chosen(store: Store, selection: Selection) -> list[str]:
    with store.reading() as session:
        return [puzzle.id for puzzle in select_puzzles(session, selection)]


@pytest.fixture
def few(store: Store) -> Store:
    with store.session() as session:
        early = game_number(session, Game(key="early", date="1999.12.31"))
        late = game_number(session, Game(key="late", date="2000.??.??"))
        undated = game_number(session, Game(key="undated", date="????.??.??"))
        rows = [
            puzzle_row("c", rating=2000, gap=0.6, game_number=undated, solution="e2e4 e7e5 g1f3"),
            puzzle_row("b", source_id="L1", game_number=late),
            puzzle_row("a", rating=1000, gap=0.9, game_number=early, solution="e2e4 e7e5 g1f3 b8c6 f1b5"),
        ]
        add_puzzles(session, rows)
    return store


@pytest.fixture
def many(sqlite_store: Store) -> Store:
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row(name) for name in MANY])
    return sqlite_store


@pytest.mark.parametrize("selection", [Selection(), Selection(sort=Sort.RATING), Selection(limit=70)])
def test_a_server_that_is_restarted_while_puzzles_are_read(
    postgresql_store: Store,
    postgresql_server: PostgreSQLServer,
    monkeypatch: pytest.MonkeyPatch,
    selection: Selection,
) -> None:
    for module in (db.puzzles, db.selection):
        monkeypatch.setattr(module, "BATCH", 30)
    with postgresql_store.session() as session:
        add_puzzles(session, [puzzle_row(name) for name in MANY])
    puzzles = read_puzzles(postgresql_store, selection)
    names = [next(puzzles).id]
    starting = postgresql_server.restart(seconds=0.5)
    names += [puzzle.id for puzzle in puzzles]
    starting.join()
    assert names == MANY[: selection.limit]


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), "cba"),
        # Unknown values come last in both directions.
        (Selection(sort=Sort.RATING), "acb"),
        (Selection(sort=Sort.RATING, reverse=True), "cab"),
        (Selection(sort=Sort.GAP), "cab"),
        (Selection(sort=Sort.LENGTH), "bca"),
        (Selection(sort=Sort.LENGTH, reverse=True), "acb"),
        (Selection(sort=Sort.DATE), "abc"),
        (Selection(sort=Sort.DATE, reverse=True), "bac"),
        (Selection(sort=Sort.PLAYS), "cba"),
        # The limit is that of the sorted puzzles.
        (Selection(sort=Sort.RATING, limit=1), "a"),
        # Given puzzles keep their order, come once, must pass the filter, and can be sorted.
        (Selection(names=("a", "L1", "c", "b")), "abc"),
        (Selection(names=()), ""),
        (Selection(PuzzleFilter(gap=0.1), names=("a", "b", "c")), "ac"),
        (Selection(names=("b", "c", "a"), sort=Sort.RATING, limit=2), "ac"),
        (Selection(names=("b", "c", "a"), sample=3, sort=Sort.RATING), "acb"),
        (Selection(PuzzleFilter(rating=(2000, None)), sample=1, seed=1), "c"),
    ],
)
def test_which_puzzles_come_in_which_order(few: Store, selection: Selection, names: str) -> None:
    assert chosen(few, selection) == list(names)


def test_a_limit_does_not_count(few: Store) -> None:
    selection = Selection(PuzzleFilter(gap=0.1), names=("a", "b", "c"), limit=1)
    with few.reading() as session:
        assert count_selected(session, selection) == 2


def test_unknown_names_are_reported_before_anything_is_read(few: Store) -> None:
    with few.reading() as session, pytest.raises(UnknownPuzzleError, match="'x', '' in"):
        select_puzzles(session, Selection(names=("a", "x", "")))


def test_more_puzzles_than_one_batch(many: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.games.BATCH", 7)
    monkeypatch.setattr("db.selection.BATCH", 7)
    assert chosen(many, Selection(names=tuple(reversed(MANY)))) == MANY[::-1]


def sample(store: Store, size: int, seed: int) -> list[str]:
    return chosen(store, Selection(sample=size, seed=seed))


def test_a_seed_always_gives_the_same_sample(many: Store) -> None:
    assert sample(many, 10, 1) == sample(many, 10, 1)


def test_seeds_give_different_samples(many: Store) -> None:
    samples = [sample(many, 10, seed) for seed in range(50)]
    assert len(set(map(tuple, samples))) == 50
    # Every puzzle has the same chance: 500 draws of 100 puzzles miss one with a probability of 0.5 %.
    assert len({name for names in samples for name in names}) > 95


def test_a_sample_is_not_larger_than_what_there_is(many: Store) -> None:
    assert sorted(sample(many, 1000, 1)) == MANY


def test_another_puzzle_replaces_at_most_one_of_a_sample(many: Store) -> None:
    before = set(sample(many, 10, 1))
    with many.session() as session:
        add_puzzles(session, [puzzle_row("another")])
    assert len(before - set(sample(many, 10, 1))) <= 1


def test_ids_are_in_alphabetical_order(few: Store) -> None:
    with few.reading() as session:
        assert puzzle_ids(session, limit=2) == ["a", "b"]
