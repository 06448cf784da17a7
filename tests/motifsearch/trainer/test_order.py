"""The order of a set: motifs are mixed, and a missed opportunity does not follow the puzzles like it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from db.models import Puzzle
from motifsearch.trainer.order import MOST_IN_A_ROW, PickedGroup, Placed, mixed
from tests.helpers.rows import puzzle_row

MOTIFS = ("fork", "pin", "skewer", "")


def puzzle(motif: str, level: float = 1500.0) -> Puzzle:
    return puzzle_row("id", tags=f"{motif} middlegame", difficulty=level)


def group(motif: str, like: int = 3, *, hard: bool = False, level: float = 1500.0) -> PickedGroup:
    return PickedGroup(puzzle(motif, level), [puzzle(motif) for _ in range(like)], hard)


groups_of_all_kinds = st.lists(
    st.builds(group, st.sampled_from(MOTIFS), st.integers(0, 4), hard=st.booleans()), max_size=12
)


def motifs(order: list[Placed]) -> list[str | None]:
    return [placed.motif for placed in order]


def longest_row(names: list[str | None]) -> int:
    """Return the most that one motif comes in a row; puzzles without one have nothing in common."""
    longest = row = 0
    last: str | None = None
    for name in names:
        row = row + 1 if name is not None and name == last else int(name is not None)
        longest, last = max(longest, row), name
    return longest


@given(groups_of_all_kinds)
def test_each_puzzle_comes_once_and_after_those_picked_with_it(groups: list[PickedGroup]) -> None:
    order = mixed(groups)
    for one in groups:
        of_group = [placed.puzzle for placed in order if placed.group is one]
        assert of_group == [*one.like, one.own]
    assert len(order) == sum(len(one.like) + 1 for one in groups)


def test_motifs_are_mixed_however_the_chances_came() -> None:
    order = mixed([*(group("fork") for _ in range(4)), *(group("pin") for _ in range(2)), group("skewer")])
    assert longest_row(motifs(order)) <= MOST_IN_A_ROW


@given(st.permutations([*["fork"] * 6, "pin", "skewer", "", ""]), st.integers(0, 3))
def test_no_motif_comes_four_times_in_a_row_if_there_are_others(names: list[str], like: int) -> None:
    assert longest_row(motifs(mixed([group(name, like) for name in names]))) <= MOST_IN_A_ROW


@given(st.lists(st.integers(0, 4), min_size=2, max_size=10))
@example([4, 0])
@example([3, 1])
def test_a_chance_does_not_follow_a_puzzle_like_it(like: list[int]) -> None:
    order = mixed([group("", number) for number in like])
    assert not any(later.is_own and later.group is first.group for first, later in pairwise(order))


def test_a_chance_does_not_follow_a_puzzle_like_it_because_its_motif_is_the_most_frequent() -> None:
    first = group("fork", 1)
    others = [
        PickedGroup(puzzle("fork"), [puzzle(name), *(puzzle("fork") for _ in range(3))])
        for name in ("pin", "skewer")
    ]
    assert [placed.motif for placed in mixed([first, *others])[:2]] == ["fork", "pin"]


def test_a_motif_of_the_set_before_counts() -> None:
    before = [puzzle("fork") for _ in range(MOST_IN_A_ROW)]
    assert motifs(mixed([group("fork", 0), group("pin", 0)], before)) == ["pin", "fork"]


def test_what_is_hard_comes_last_by_level() -> None:
    order = mixed(
        [group("fork", hard=True, level=2600), group("pin", hard=True, level=2300), group("skewer")]
    )
    assert [placed.puzzle.level for placed in order[-2:]] == [2300, 2600]
    assert Counter(placed.is_own for placed in order[:-2]) == {False: 9, True: 1}


def test_one_chance_alone_ends_its_set() -> None:
    assert [placed.is_own for placed in mixed([group("fork", 2)])] == [False, False, True]
