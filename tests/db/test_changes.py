"""The sequence of changes: whoever continues by the last number misses nothing, whoever else writes."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import select

from db.changes import deleted_since, last_change
from db.models import Puzzle, in_utc, utc_now
from db.puzzles import (
    PuzzleFilter,
    add_puzzles,
    change_puzzles,
    delete_puzzles,
    find_puzzles,
    get_puzzle,
    mark_audited,
)
from db.store import Store
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

NAMES = list(PUZZLES)


def seen(store: Store, since: int) -> tuple[set[str], int]:
    """Return the ids of what has changed after `since`, and the number to continue with."""
    with store.reading() as session:
        last = last_change(session)
        puzzles = find_puzzles(session, PuzzleFilter(since=since))
        return {puzzle.id for puzzle in puzzles}, last


@pytest.fixture
def filled(store: Store) -> tuple[Store, int]:
    """A store with two puzzles, and the number of its last change."""
    put(store, row(*PUZZLES["fork"]), row(*PUZZLES["smothered"]))
    return store, seen(store, 0)[1]


def test_nothing_comes_twice(filled: tuple[Store, int]) -> None:
    store, last = filled
    assert seen(store, 0)[0] == {id_of("fork"), id_of("smothered")}
    # A puzzle that is known is no change.
    put(store, row(*PUZZLES["fork"]))
    assert seen(store, last) == (set(), last)


def test_a_verdict_is_a_change(filled: tuple[Store, int]) -> None:
    store, last = filled
    with store.session() as session:
        mark_audited(session, id_of("fork"), passed=True, facts={})
    assert seen(store, last)[0] == {id_of("fork")}


def number_of(store: Store, name: str) -> int:
    with store.reading() as session:
        return get_puzzle(session, id_of(name)).number


def test_new_tags_are_a_change_with_its_time(filled: tuple[Store, int]) -> None:
    store, last = filled
    number = number_of(store, "fork")
    with store.session() as session:
        change_puzzles(session, [{"number": number, "tags": "fork"}])
    assert seen(store, last)[0] == {id_of("fork")}
    with store.reading() as session:
        (puzzle,) = find_puzzles(session, PuzzleFilter(since=last))
        assert puzzle.as_of > in_utc(puzzle.created)


def test_a_deleted_puzzle_is_named_until_it_is_back(filled: tuple[Store, int]) -> None:
    store, last = filled

    def deleted() -> list[str]:
        with store.reading() as session:
            return [gone.id for gone in deleted_since(session, last)]

    with store.session() as session:
        delete_puzzles(session, [id_of("fork"), "unknown1"])
    assert deleted() == [id_of("fork")]
    put(store, row(*PUZZLES["fork"]))
    assert (deleted(), seen(store, last)[0]) == ([], {id_of("fork")})


def test_new_tags_for_a_puzzle_that_is_gone(filled: tuple[Store, int]) -> None:
    store, last = filled
    rows = [{"number": number_of(store, name), "tags": "short"} for name in ("smothered", "fork")]
    with store.session() as session:
        delete_puzzles(session, [id_of("fork")])
    with store.session() as session:
        assert change_puzzles(session, rows) == 1
    assert seen(store, last)[0] == {id_of("smothered")}


def test_the_last_change_has_the_latest_time(filled: tuple[Store, int]) -> None:
    """A change that waits for another one, which locks the puzzle, is later than that."""
    store, last = filled
    rows = [{"number": number_of(store, "fork"), "tags": "short"}]
    began = threading.Event()

    def change() -> None:
        with Store(store.address) as own, own.session() as session:
            began.set()
            change_puzzles(session, rows)

    thread = threading.Thread(target=change)
    with store.session() as session:
        session.scalar(select(Puzzle.number).where(Puzzle.id == id_of("fork")).with_for_update())
        thread.start()
        # SQLite lets the other one begin only after this one.
        began.wait(0.5)
        time.sleep(0.5)
        mark_audited(session, id_of("fork"), passed=True, facts={})
        (marked,) = session.scalars(select(Puzzle.updated).where(Puzzle.id == id_of("fork")))
        assert marked is not None
    thread.join()
    with store.reading() as session:
        (puzzle,) = find_puzzles(session, PuzzleFilter(since=last))
    assert puzzle.tags == "short"
    assert puzzle.as_of > in_utc(marked)


def test_a_clock_that_was_set_back_does_not_hide_a_change(filled: tuple[Store, int]) -> None:
    store, _ = filled
    ahead = utc_now() + timedelta(hours=1)
    row = {"number": number_of(store, "fork")}
    with store.session() as session:
        change_puzzles(session, [row | {"tags": "short", "updated": ahead}])
    with store.session() as session:
        change_puzzles(session, [row | {"tags": "fork"}])
    with store.reading() as session:
        puzzle = get_puzzle(session, id_of("fork"))
    assert (puzzle.tags, puzzle.as_of > ahead) == ("fork", True)


def test_what_is_rolled_back_takes_no_number(filled: tuple[Store, int]) -> None:
    store, last = filled
    with suppress(ZeroDivisionError), store.session() as session:
        add_puzzles(session, [row(*PUZZLES["promotion"])])
        raise ZeroDivisionError
    assert seen(store, last) == (set(), last)


def test_a_reader_beside_writers_misses_nothing(store: Store) -> None:
    """Half of the puzzles are stored by a writer that commits late, so that its numbers would be too low."""
    late, others = NAMES[:4], NAMES[4:]
    begun, over = threading.Event(), threading.Event()

    def write_late() -> None:
        with Store(store.address) as own:
            for name in late:
                with own.session() as session:
                    add_puzzles(session, [row(*PUZZLES[name])])
                    begun.set()
                    # SQLite lets nobody else write meanwhile.
                    over.wait(0.2)

    thread = threading.Thread(target=write_late)
    thread.start()
    begun.wait()
    found, last = set(), 0
    for name in others:
        put(store, row(*PUZZLES[name]))
        new, last = seen(store, last)
        found |= new
    over.set()
    thread.join()
    new, last = seen(store, last)
    assert found | new == {id_of(name) for name in NAMES}
