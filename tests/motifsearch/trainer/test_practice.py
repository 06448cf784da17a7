"""Which puzzle comes next."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from sqlalchemy import event

from db.games import game_number
from db.models import Game
from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.practice import Level, Practice, keep_practice, next_puzzle, points_for, practice_of
from motifsearch.trainer.round_state import Result, RoundKind
from motifsearch.trainer.rounds import begin_practice, end, grade, open_round
from motifsearch.trainer.solving import Grade
from tests.helpers.clock import FakeClock
from tests.helpers.rows import puzzle_row


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    """A puzzle for every ten points of rating from 600 to 2590: every tenth is a pin, others are forks."""
    with sqlite_store.session() as session:
        for number in range(200):
            tags = "endgame pin" if number % 10 == 0 else "middlegame fork"
            session.add(puzzle_row(f"p{number:03}", tags=tags, rating=600 + 10 * number, rating_deviation=80))
    return sqlite_store


def chosen(store: Store, practice: Practice, count: int = 60, student: str = "Ann") -> list[int]:
    """Return the ratings of puzzles that are chosen."""
    chance = random.Random(0)
    with store.reading() as session:
        found = [next_puzzle(session, student, practice, chance=chance) for _ in range(count)]
    return [puzzle.rating for puzzle in found if puzzle is not None and puzzle.rating is not None]


@pytest.mark.parametrize(
    ("practice", "low", "high"),
    [
        (Practice(), 1250, 1460),
        (Practice(level=Level.EASIER), 1090, 1300),
        (Practice(level=Level.HARDER), 1400, 1600),
        (Practice(level=Level.RANGE, low=2000, high=2100), 2000, 2100),
        (Practice(on_clock=True), 1010, 1220),
    ],
)
def test_a_puzzle_is_of_the_level_that_is_asked_for(
    puzzles: Store, practice: Practice, low: int, high: int
) -> None:
    ratings = chosen(puzzles, practice)
    assert len(set(ratings)) > 5
    assert low <= min(ratings) <= max(ratings) <= high


def test_the_levels_follow_from_the_expected_success() -> None:
    assert points_for(0.7) == pytest.approx(147, abs=0.5)
    assert points_for(0.5) == 0


def test_a_puzzle_has_the_motif_and_the_phase_that_are_asked_for(puzzles: Store) -> None:
    assert {rating % 100 for rating in chosen(puzzles, Practice(motif="pin"))} == {0}
    assert {rating % 100 for rating in chosen(puzzles, Practice(phase="endgame"))} == {0}
    assert chosen(puzzles, Practice(motif="pin", phase="middlegame")) == []


def test_where_no_level_fits_the_nearest_one_is_taken(puzzles: Store) -> None:
    with puzzles.session() as session:
        session.add(puzzle_row("rare", tags="skewer", rating=2500))
    assert set(chosen(puzzles, Practice(motif="skewer"))) == {2500}


def test_what_was_tried_does_not_come_unless_it_is_wanted(puzzles: Store) -> None:
    span = Practice(level=Level.RANGE, low=1400, high=1419)
    record_attempt(puzzles, "Ann", "p080", Grade.GOOD, seconds=1)
    assert set(chosen(puzzles, span)) == {1410}
    assert set(chosen(puzzles, span.model_copy(update={"unseen": False}))) == {1400, 1410}
    assert set(chosen(puzzles, span, student="Ben")) == {1400, 1410}


def test_mixed_puzzles_more_often_have_a_motif_that_was_missed(puzzles: Store) -> None:
    for name, result in (("p080", Grade.AGAIN), ("p081", Grade.GOOD)):
        record_attempt(puzzles, "Ann", name, result, seconds=1)
    chance = random.Random(0)
    with puzzles.reading() as session:
        found = [next_puzzle(session, "Ann", Practice(), chance=chance) for _ in range(100)]
    motifs = Counter("pin" in puzzle.tags.split() for puzzle in found if puzzle)
    # Without the weights, it would be every tenth.
    assert 30 < motifs[True] < 80


def test_what_is_set_is_kept(puzzles: Store) -> None:
    wanted = Practice(level=Level.HARDER, phase="endgame", length=2, unseen=False)
    with puzzles.session() as session:
        keep_practice(session, "Ann", wanted)
    with puzzles.reading() as session:
        assert practice_of(session, "Ann") == wanted
        assert practice_of(session, "Ben") == Practice()


def solve(store: Store, number: int, *, right: bool = True) -> None:
    opened = open_round(store, number)
    assert opened.solving is not None
    opened.solving.solved = True
    opened.solving.told = not right
    assert grade(store, opened, opened.grade)


def test_a_round_of_practice_has_no_end_until_it_is_ended(puzzles: Store) -> None:
    number = begin_practice(puzzles, "Ann", "Mixed", Practice())
    for _ in range(15):
        solve(puzzles, number)
    opened = open_round(puzzles, number)
    assert len({item.puzzle_id for item in opened.state.items}) == 16
    assert end(puzzles, opened)
    ended = open_round(puzzles, number)
    assert ended.item is None
    assert [item.result for item in ended.state.items] == [Result.RIGHT] * 15


def test_a_round_ends_once_it_has_as_many_as_are_asked_for(puzzles: Store) -> None:
    number = begin_practice(puzzles, "Ann", "Mixed", Practice(), most=3)
    for _ in range(3):
        solve(puzzles, number)
    assert open_round(puzzles, number).item is None


def test_the_first_attempts_find_the_level(puzzles: Store) -> None:
    number = begin_practice(puzzles, "Ann", "Mixed", Practice(), most=10)
    for _ in range(10):
        solve(puzzles, number)
    levels = [item.rating_after or 0 for item in open_round(puzzles, number).state.items]
    assert levels == sorted(levels)
    assert levels[-1] > 1900


def test_three_mistakes_or_the_time_end_a_round_against_the_clock(
    puzzles: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    easy = Practice(on_clock=True)
    number = begin_practice(puzzles, "Ann", "3 minutes", easy, RoundKind.CLOCK, minutes=3)
    for _ in range(3):
        solve(puzzles, number, right=False)
    assert open_round(puzzles, number).item is None
    late = begin_practice(puzzles, "Ann", "3 minutes", easy, RoundKind.CLOCK, minutes=3)
    solve(puzzles, late)
    clock.passes(minutes=4)
    solve(puzzles, late)
    assert open_round(puzzles, late).item is None


def test_a_puzzle_whose_level_is_not_known_comes_last(puzzles: Store) -> None:
    with puzzles.session() as session:
        session.add(puzzle_row("unrated", tags="skewer"))
        session.add(puzzle_row("rated", tags="skewer", rating=2500))
    with puzzles.reading() as session:
        first = next_puzzle(session, "Ann", Practice(motif="skewer"))
        second = next_puzzle(session, "Ann", Practice(motif="skewer"), {"rated"})
    assert [puzzle and puzzle.id for puzzle in (first, second)] == ["rated", "unrated"]


@pytest.fixture
def openings(store: Store) -> Store:
    """Two puzzles of a rare opening, of which one is known by its game, and many others."""
    with store.session() as session:
        game = Game(key="game", opening="Bird Opening: Lasker Gambit")
        rows = [puzzle_row(f"sicilia{n}", rating=1350 + n, opening_tags="Sicilian_Defense") for n in range(9)]
        tags = "Bird_Opening Bird_Opening_Dutch_Variation"
        session.add_all([*rows, puzzle_row("tagged", rating=2400, opening_tags=tags)])
        session.add(puzzle_row("mined", rating=700, game_number=game_number(session, game)))
    return store


def test_of_a_rare_opening_the_puzzle_nearest_in_level_comes(openings: Store) -> None:
    with openings.reading() as session:
        wanted = Practice(opening="Bird_Opening")
        narrow = Practice(opening="Bird_Opening", level=Level.RANGE, low=1000, high=2000)
        found = [
            next_puzzle(session, "Ann", practice, left_out)
            for practice, left_out in ((wanted, ()), (wanted, {"mined"}), (narrow, ()))
        ]
    assert [puzzle and puzzle.id for puzzle in found] == ["mined", "tagged", None]


def test_a_rare_opening_is_not_looked_for_at_each_level(
    openings: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    with openings.reading() as session:
        event.listen(session.connection(), "before_cursor_execute", lambda *each: asked.append(each[2]))
        counts = []
        for few in (2, 1):
            monkeypatch.setattr("db.openings.FEW", few)
            asked.clear()
            assert next_puzzle(session, "Ann", Practice(opening="Bird_Opening", motif="pin")) is None
            counts.append(len(asked))
    assert counts == [4, 13]


def test_a_failed_puzzle_comes_again_after_some_others(puzzles: Store) -> None:
    number = begin_practice(puzzles, "Ann", "Mixed", Practice())
    first = open_round(puzzles, number).state.items[0].puzzle_id
    solve(puzzles, number, right=False)
    ids = [item.puzzle_id for item in open_round(puzzles, number).state.items]
    assert (ids[0], ids.index(first, 1)) == (first, 5)
