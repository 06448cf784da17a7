"""What is in a set, what a second analysis leaves of it, and how a set is found."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from threading import Barrier

import pytest
from sqlalchemy import select

from chess_motif.errors import InputError
from db.analyses import (
    Opportunity,
    opportunities_of,
)
from db.attempts import Attempt, Card, Round, attempts_at
from db.models import utc_now
from db.puzzles import add_puzzles, delete_puzzles
from db.sets import (
    UNDO,
    SetPuzzle,
    SetStudent,
    TrainingSet,
    add_student,
    all_sets,
    change_set,
    counts_of_sets,
    create_set,
    delete_set,
    entries_for,
    extend_set,
    find_entry,
    games_of_others,
    get_set,
    homework,
    move_in_set,
    place_set,
    remove_student,
    set_entries,
    sets_for,
    undo_removal,
)
from db.store import Store
from tests.helpers.clock import FakeClock
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game
from tests.helpers.rows import puzzle_row


def test_a_second_analysis_replaces_the_first(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*FORK, ply=30))
    with store.session() as session:
        kept, gone = (opportunity.number for opportunity in opportunities_of(session, ["Ann"]))
        extend_set(session, "set", "Ann", [("one", kept), ("two", gone)])
    store_game(store, opportunity_row(*FORK, ply=20, taken=True), opportunity_row(*FORK, ply=40))
    with store.reading() as session:
        opportunities = {opportunity.ply: opportunity for opportunity in session.scalars(select(Opportunity))}
        assert opportunities.keys() == {20, 40}
        assert (opportunities[20].number, opportunities[20].taken) == (kept, True)
        assert session.scalars(select(SetPuzzle.puzzle_id)).all() == ["one"]


@pytest.fixture
def with_set(store: Store) -> Store:
    """A store with a set of two missed opportunities, the later one first."""
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BACK_RANK, ply=30))
    with store.session() as session:
        for opportunity in reversed(opportunities_of(session, ["Ann"])):
            extend_set(session, "evening", "Ann", [(opportunity.puzzle_id, opportunity.number)])
    return store


def test_a_set_keeps_its_order(with_set: Store) -> None:
    with with_set.reading() as session:
        entries = set_entries(session, "evening")
        assert [entry.opportunity and entry.opportunity.ply for entry in entries] == [30, 20]
        assert all(entry.is_own for entry in entries)


def test_processes_that_extend_a_set_at_once_add_each_puzzle_once(store: Store) -> None:
    together = Barrier(6)

    def extend(number: int) -> None:
        together.wait()
        with store.session() as session:
            extend_set(session, "evening", "Ann", [(f"puzzle{letter}", None) for letter in range(number, 9)])

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(extend, range(6)))
    with store.reading() as session:
        places = session.execute(select(SetPuzzle.puzzle_id, SetPuzzle.place)).all()
        assert len(all_sets(session)) == 1
    assert sorted(puzzle_id for puzzle_id, _ in places) == [f"puzzle{number}" for number in range(9)]
    assert sorted(place for _, place in places) == [*range(1, 10)]


def test_names_are_stored_as_they_are_seen(store: Store) -> None:
    with store.session() as session:
        create_set(session, "eve\u200bning \x1b[1m", "An\u0301n\u202e", title="  title\n")
        found = get_set(session, "evening [1m")
        assert (found.name, found.students, found.title) == ("evening [1m", ("A\u0144n",), "title")
        with pytest.raises(InputError, match="already"):
            create_set(session, "evening\u00a0[1m")
        with pytest.raises(InputError, match="a set needs a name"):
            create_set(session, "\u200b\u2060 ")


def test_a_set_that_is_made_by_filling_it_has_its_name_as_it_is_seen(store: Store) -> None:
    with store.session() as session:
        for name in ("eve\u200bning", "evening"):
            extend_set(session, name, "An\u0301n\u202e", [])
        assert [(each.name, each.students) for each in all_sets(session)] == [("evening", ("A\u0144n",))]


def test_a_set_of_an_earlier_version_is_found_by_what_is_seen(store: Store) -> None:
    with store.session() as session:
        session.add(TrainingSet(name="eve\u200bning", members=[SetStudent(student="Ann")]))
    with store.session() as session:
        assert [each.name for each in sets_for(session, "evening")] == ["eve\u200bning"]
        assert set_entries(session, "evening") == []
        delete_set(session, "evening")
        assert all_sets(session) == []


def test_a_puzzle_that_was_deleted_is_left_out(with_set: Store) -> None:
    with with_set.session() as session:
        first, second = set_entries(session, "evening")
        delete_puzzles(session, [first.puzzle.id])
    with with_set.reading() as session:
        assert [entry.puzzle.id for entry in set_entries(session, "evening")] == [second.puzzle.id]


@pytest.mark.parametrize("name", ["evening", "Ann"])
def test_sets_are_found_by_name_and_by_solver(with_set: Store, name: str) -> None:
    with with_set.reading() as session:
        assert [(each.name, each.puzzles) for each in sets_for(session, name)] == [("evening", 2)]


def test_a_set_that_is_not_there(with_set: Store) -> None:
    with with_set.reading() as session:
        for find in (sets_for, get_set, set_entries, delete_set):
            with pytest.raises(InputError, match=r"no training set 'evenig'.*'evening'"):
                find(session, "evenig")


def test_a_deleted_set_leaves_its_puzzles(with_set: Store) -> None:
    with with_set.session() as session:
        delete_set(session, "evening")
    with with_set.reading() as session:
        assert all_sets(session) == []
        assert len(opportunities_of(session, ["Ann"])) == 2


def test_what_is_tried_of_a_set_is_counted_for_each_of_its_students(store: Store) -> None:
    now = utc_now()
    with store.session() as session:
        add_puzzles(session, [puzzle_row(name) for name in ("one", "two", "three")])
        for name, *students in (("Hers", "Ann"), ("Both", "Ann", "Bob"), ("For all",)):
            create_set(session, name, *students)
            extend_set(session, name, "", [(each, None) for each in ("one", "two", "three")])
        for name, days in (("one", -1), ("two", 1)):
            session.add(Card(solver="Ann", puzzle_id=name, due=now + timedelta(days=days), state={}))
    with store.reading() as session:
        bobs, anns = (counts_of_sets(session, name, now) for name in ("Bob", "Ann"))
    assert bobs == {"Both": (3, 0, 0)}
    assert anns == {"Hers": (3, 2, 1), "Both": (3, 2, 1)}


def test_a_set_for_several_students_is_in_the_sets_of_each(with_set: Store) -> None:
    with with_set.session() as session:
        add_student(session, "evening", "  Bob ")
        assert get_set(session, "evening").students == ("Ann", "Bob")
        for name in ("Ann", "Bob"):
            first, _ = entries_for(session, name)
            assert find_entry(session, name, first.puzzle.id) == first
            assert session.scalars(games_of_others(name)).all() == []
            assert [each.name for each in sets_for(session, name)] == ["evening"]
        remove_student(session, "evening", "Ann")
        assert entries_for(session, "Ann") == []


def test_homework_is_what_is_for_a_student_and_due_first(store: Store) -> None:
    with store.session() as session:
        create_set(session, "Ann")
        create_set(session, "a", "Ann", "Bob")
        create_set(session, "b", "Ann", due_on=date(2026, 12, 4))
        create_set(session, "c", "Bob, Ann")
        assert [each.name for each in homework(session, "Ann")] == ["b", "a"]


def names_in(store: Store) -> list[str]:
    with store.reading() as session:
        return [entry.puzzle.id for entry in set_entries(session, "Lesson")]


@pytest.fixture
def lesson(store: Store) -> Store:
    with store.session() as session:
        add_puzzles(session, [puzzle_row(name) for name in "abcde"])
        extend_set(session, "Lesson", "", [(name, None) for name in "abcde"])
    return store


def test_a_puzzle_is_moved_to_a_place(lesson: Store) -> None:
    for name, place, order in (("d", 1, "dabce"), ("d", 3, "abdce"), ("a", 99, "bdcea")):
        with lesson.session() as session:
            move_in_set(session, "Lesson", name, place)
        assert names_in(lesson) == list(order)


def test_what_was_removed_comes_back_where_it_was_the_last_first(
    lesson: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    for left in ("abde", "d"):
        with lesson.session() as session:
            place_set(session, "Lesson", list(left))
        clock.passes(seconds=9)
    with lesson.reading() as session:
        assert [each.puzzles for each in all_sets(session)] == [1]
    for back, order in (("abe", "abde"), ("c", "abcde")):
        with lesson.session() as session:
            assert undo_removal(session, "Lesson") == list(back)
        assert names_in(lesson) == list(order)


def test_what_was_removed_is_kept_for_ten_minutes(lesson: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(monkeypatch)
    with lesson.session() as session:
        place_set(session, "Lesson", list("abcd"))
    clock.passes(seconds=UNDO.total_seconds() + 1)
    with lesson.session() as session, pytest.raises(InputError, match="in the last 10 minutes"):
        undo_removal(session, "Lesson")
    with lesson.session() as session:
        place_set(session, "Lesson", list("bacd"))
        assert len(session.scalars(select(SetPuzzle)).all()) == 4


def test_what_was_removed_may_be_added_again(lesson: Store) -> None:
    with lesson.session() as session:
        place_set(session, "Lesson", list("bcde"))
        extend_set(session, "Lesson", "", [("a", None)])
    assert names_in(lesson) == list("bcdea")


def test_a_set_that_is_renamed_keeps_its_rounds(lesson: Store) -> None:
    with lesson.session() as session:
        create_set(session, "Other")
        session.add(Round(solver="Ann", title="", set_name="Lesson", state={}))
        with pytest.raises(InputError, match="there is a training set 'Other' already"):
            change_set(session, "Lesson", "Other")
        change_set(session, "Lesson", " Homework", due_on=date(2026, 12, 4))
    with lesson.reading() as session:
        assert session.scalars(select(Round.set_name)).all() == ["Homework"]
        assert [each.due_on for each in all_sets(session)] == [date(2026, 12, 4), None]


def test_results_of_a_set_for_anyone_follow_its_name(store: Store) -> None:
    with store.session() as session:
        create_set(session, "Lesson")
        create_set(session, "Ann")
        for who in ("Lesson", "Ben"):
            session.add(Attempt(solver=who, puzzle_id="a", right=True, seconds=5))
        session.flush()
        change_set(session, "Ann", "Homework")
        change_set(session, "Lesson", "Ann")
    with pytest.raises(InputError, match="somebody called 'Ben'"), store.session() as session:
        change_set(session, "Ann", "Ben")
    with store.reading() as session:
        assert [each.solver for each in attempts_at(session, ["a"])] == ["Ann", "Ben"]


def test_results_of_a_student_stay_when_a_set_of_the_same_name_is_renamed(lesson: Store) -> None:
    with lesson.session() as session:
        create_set(session, "Ann")
        create_set(session, "Other", "Ann")
        session.add(Attempt(solver="Ann", puzzle_id="a", right=True, seconds=5))
        session.flush()
        change_set(session, "Ann", "Homework")
        assert [each.solver for each in attempts_at(session, ["a"])] == ["Ann"]
