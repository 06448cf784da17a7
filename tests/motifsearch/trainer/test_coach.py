"""What goes into a set that a coach makes, in which order, and what students made of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import ArchiveError, InputError, UnknownPuzzleError
from db.analyses import opportunities_of
from db.puzzles import PuzzleFilter, mark_shown, shown_counts
from db.selection import Selection
from db.sets import set_entries
from db.store import Store
from motifsearch import search
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.coach import (
    add_to_set,
    ids_of,
    make_set,
    missed_motifs,
    remove_from_set,
    set_results,
    spread,
)
from motifsearch.trainer.sets import extend_training_set
from motifsearch.trainer.solving import Grade
from puzzlegen.formats.exporting import write_puzzles
from tests.helpers.missed_opportunities import FORK, opportunity_row, store_game
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

# The level of each puzzle.
LEVELS = {name: 800 + 100 * place for place, name in enumerate(PUZZLES)}


@pytest.fixture
def lesson(sqlite_store: Store) -> Store:
    return with_a_set(sqlite_store)


@pytest.fixture
def lesson_everywhere(store: Store) -> Store:
    return with_a_set(store)


def with_a_set(store: Store) -> Store:
    """Fill a database with puzzles and an empty set `lesson` for Bob."""
    put(store, *(row(*puzzle, rating=LEVELS[name], tags="mate") for name, puzzle in PUZZLES.items()))
    make_set(store, "lesson", "Bob")
    return store


def named(*names: str) -> Selection:
    return Selection(PuzzleFilter(kind=None), names=tuple(map(id_of, names)))


def levels(store: Store, name: str = "lesson") -> list[float]:
    """Return the levels of the puzzles of a set in their order, 0 where one is not known."""
    with store.reading() as session:
        return [entry.puzzle.level or 0 for entry in set_entries(session, name)]


def test_a_set_stays_easiest_first(lesson_everywhere: Store) -> None:
    add_to_set(lesson_everywhere, "lesson", named("promotion", "back rank"))
    add_to_set(lesson_everywhere, "lesson", named("fork", "smothered"))
    shown = levels(lesson_everywhere)
    assert len(shown) == 4
    assert shown == sorted(shown)


def test_what_is_in_the_set_is_not_added_again(lesson: Store) -> None:
    add_to_set(lesson, "lesson", named("fork"))
    report = add_to_set(lesson, "lesson", named("fork", "smothered"))
    assert (report.added, report.known) == ((id_of("smothered"),), 1)


def test_a_limit_spreads_over_the_levels(lesson: Store) -> None:
    add_to_set(lesson, "lesson", Selection(PuzzleFilter(rating=(800, 1400)), limit=3))
    assert levels(lesson) == [800, 1100, 1400]


def test_a_limit_spreads_given_puzzles_too(lesson: Store) -> None:
    selection = Selection(PuzzleFilter(kind=None), names=tuple(map(id_of, PUZZLES)), limit=2)
    add_to_set(lesson, "lesson", selection)
    assert levels(lesson) == [min(LEVELS.values()), max(LEVELS.values())]


def test_what_the_student_has_been_shown_is_not_found_by_filters(lesson_everywhere: Store) -> None:
    with lesson_everywhere.session() as session:
        mark_shown(session, "Bob", [id_of("fork")])
        mark_shown(session, "Ann", [id_of("smothered")])
    report = add_to_set(lesson_everywhere, "lesson", Selection(PuzzleFilter(tags=("mate",))))
    assert report.shown == 1
    assert set(report.added) == {id_of(name) for name in PUZZLES} - {id_of("fork")}
    with lesson_everywhere.reading() as session:
        assert shown_counts(session) == {"Ann": 1, "Bob": len(PUZZLES)}


def test_a_puzzle_without_a_level_gets_one(lesson: Store) -> None:
    unrated = row("6k1/5ppp/8/8/8/7P/5PP1/R5K1 w - - 0 1", "a1a8")
    put(lesson, unrated)
    add_to_set(lesson, "lesson", Selection(names=(unrated.id, id_of("fork"))))
    assert 0 not in levels(lesson)


@pytest.mark.parametrize(
    ("student", "is_added"), [("Carl", False), ("", False), ("Ann", True), ("bob", True), ("Ann B", False)]
)
@pytest.mark.parametrize("is_named", [True, False])
def test_puzzles_from_a_game_are_for_its_players_only(
    sqlite_store: Store, student: str, is_added: bool, is_named: bool
) -> None:
    store_game(sqlite_store, opportunity_row(*FORK))
    own = opportunity_row(*FORK).puzzle_id
    make_set(sqlite_store, "set", student)
    selection = Selection(PuzzleFilter(kind=None), names=(own,) if is_named else None)
    report = add_to_set(sqlite_store, "set", selection)
    assert (report.added == (own,), report.of_students) == (is_added, not is_added)
    if not is_added:
        assert add_to_set(sqlite_store, "set", selection, of_students=True).added == (own,)


def test_puzzles_are_for_whom_a_set_of_the_game_is_for(store: Store) -> None:
    store_game(store, opportunity_row(*FORK))
    extend_training_set(store, "evening", ["Ann"], solver="little Ann", k=0)
    make_set(store, "other", "little Ann")
    assert add_to_set(store, "other", Selection(PuzzleFilter(kind=None))).shown == 1
    selection = Selection(PuzzleFilter(kind=None), names=(opportunity_row(*FORK).puzzle_id,))
    assert len(add_to_set(store, "other", selection).added) == 1


def test_missed_opportunities_keep_their_places(lesson_everywhere: Store) -> None:
    store_game(lesson_everywhere, opportunity_row(*FORK))
    extend_training_set(lesson_everywhere, "evening", ["ann"], k=0)
    add_to_set(lesson_everywhere, "evening", named("back rank"))
    with lesson_everywhere.reading() as session:
        (missed,) = opportunities_of(session, ["ann"])
        entries = set_entries(session, "evening")
    assert [entry.opportunity and entry.opportunity.number for entry in entries] == [missed.number, None]


def test_puzzles_are_removed(lesson: Store) -> None:
    add_to_set(lesson, "lesson", named("fork", "smothered", "promotion"))
    assert remove_from_set(lesson, "lesson", [id_of("fork")]) == [id_of("fork")]
    assert levels(lesson) == [LEVELS["smothered"], LEVELS["promotion"]]
    with pytest.raises(InputError, match="not in the set 'lesson'"):
        remove_from_set(lesson, "lesson", [id_of("fork"), id_of("smothered")])
    assert len(levels(lesson)) == 2


@pytest.mark.parametrize("name", ["lesson", " "])
def test_a_name_that_a_set_cannot_have(lesson: Store, name: str) -> None:
    with pytest.raises(InputError):
        make_set(lesson, name)


def test_puzzles_are_named_in_many_ways(lesson: Store, tmp_path: Path) -> None:
    ids, page = tmp_path / "ids.txt", tmp_path / "lesson.epd"
    ids.write_text(f'["{id_of("fork")}", "{id_of("smothered")}"]')
    write_puzzles(str(page), [row("4k3/8/4K3/8/8/8/8/7R w - - 0 1", "h1h8", rating=500)])
    words = [id_of("promotion"), str(ids), str(page), id_of("fork")]
    *known, new = ids_of(lesson, words)
    assert known == [id_of("promotion"), id_of("fork"), id_of("smothered")]
    assert add_to_set(lesson, "lesson", Selection(PuzzleFilter(kind=None), names=(new,))).added == (new,)
    with pytest.raises(UnknownPuzzleError):
        ids_of(lesson, ["nonsense"])
    with pytest.raises(ArchiveError, match="no such file"):
        ids_of(lesson, ["no.pgn"])


@given(st.dictionaries(st.text(min_size=1), st.floats(400, 3000), min_size=1), st.integers(1, 30))
def test_a_spread_goes_up_and_has_as_many_as_there_are(given_levels: dict[str, float], count: int) -> None:
    taken = spread(given_levels, count)
    assert len(set(taken)) == len(taken) == min(count, len(given_levels))
    assert [given_levels[one] for one in taken] == sorted(given_levels[one] for one in taken)


def test_a_spread_goes_up_in_even_steps() -> None:
    # Nine of ten are hard.
    many = {f"easy {level}": float(level) for level in range(1000, 1400)}
    many |= {f"hard {level} {copy}": float(level) for level in range(1400, 1500) for copy in range(36)}
    taken = [many[name] for name in spread(many, 5)]
    steps = [after - before for before, after in pairwise(taken)]
    assert max(steps) - min(steps) <= 2


def test_of_positions_that_are_nearly_the_same_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "NEARLY_SAME", 4)
    fens = {"a": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "b": "6k1/5ppp/8/8/8/7P/5PP1/R5K1 w - - 0 1"}
    assert len(spread({"a": 900.0, "b": 1000.0}, 2, fens)) == 1


def test_results_count_the_first_attempt(lesson_everywhere: Store) -> None:
    add_to_set(lesson_everywhere, "lesson", named("fork", "smothered", "promotion", "back rank"))
    for name, grades in {
        "fork": [Grade.AGAIN, Grade.GOOD],
        "smothered": [Grade.GOOD, Grade.AGAIN],
        "promotion": [Grade.HARD],
    }.items():
        for grade in grades:
            record_attempt(lesson_everywhere, "Bob", id_of(name), grade, seconds=10)
    record_attempt(lesson_everywhere, "Ann", id_of("greek gift"), Grade.GOOD, seconds=1)
    (bob,) = set_results(lesson_everywhere, "lesson")
    assert (bob.student, bob.puzzles, len(bob.results)) == ("Bob", 4, 3)
    assert (bob.right, bob.hinted, bob.wrong, bob.learned, bob.seconds) == (1, 1, 1, 1, 10)
    with pytest.raises(InputError, match="'Ann' has tried no puzzle"):
        set_results(lesson_everywhere, "lesson", "Ann")


def test_missed_motifs_are_those_of_wrong_puzzles(lesson: Store) -> None:
    mates = ("4k3/8/4K3/8/8/8/8/7R w - - 0 1", "h1h8"), ("4k3/8/4K3/8/8/8/8/6R1 w - - 0 1", "g1g8")
    put(lesson, *(row(*mate, rating=900, tags="fork endgame") for mate in mates))
    ids = [row(*mate).id for mate in mates]
    add_to_set(lesson, "lesson", Selection(names=tuple(ids)))
    for one, grade in zip(ids, (Grade.AGAIN, Grade.GOOD), strict=True):
        record_attempt(lesson, "Bob", one, grade, seconds=1)
    (bob,) = set_results(lesson, "lesson")
    assert missed_motifs(bob) == [("fork", 1, 2)]
