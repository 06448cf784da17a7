"""The order of a training set: motifs are mixed, so that only the position shows what to look for.

Groups go in, each a missed opportunity and the puzzles picked for it; the puzzles of all groups come out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

from db.models import Puzzle
from puzzlegen.motifs.tags import main_motif

# The most puzzles of one motif in a row.
MOST_IN_A_ROW = 3

# The number of groups that take turns. With more groups, an opportunity would come so long after the puzzles
# like it that these puzzles would not help.
TAKING_TURNS = 4


class PickedGroup(NamedTuple):
    """A missed opportunity, `own`, and the puzzles `like` it, which come before it, easier puzzles first.

    A `hard` opportunity comes after the puzzles of all groups.
    """

    own: Puzzle
    like: Sequence[Puzzle]
    hard: bool = False


class Placed(NamedTuple):
    """A puzzle in the order of solving, the group that it belongs to, and its main motif."""

    puzzle: Puzzle
    group: PickedGroup
    motif: str | None

    @classmethod
    def of(cls, puzzle: Puzzle, group: PickedGroup) -> Placed:
        """Return a puzzle of a group."""
        return cls(puzzle, group, main_motif(puzzle.all_tags()))

    @property
    def is_own(self) -> bool:
        """Whether the puzzle is the missed opportunity itself."""
        return self.puzzle is self.group.own


def mixed(groups: Sequence[PickedGroup], before: Sequence[Puzzle] = ()) -> list[Placed]:
    """Return the puzzles of all groups in the order of solving; the puzzles of a group keep their order.

    If there are enough other puzzles to put in between, at most `MOST_IN_A_ROW` puzzles of one main motif are
    in a row, and an opportunity never directly follows a puzzle that was picked for it. Hard opportunities
    come last, by rising level. `before` are the puzzles that the set has already.
    """
    turns = _Turns([_lane(group) for group in groups if group.like or not group.hard], before)
    while turns.lanes:
        turns.take()
    hard = sorted((group for group in groups if group.hard), key=lambda group: group.own.level or 0)
    return [*turns.order, *(Placed.of(group.own, group) for group in hard)]


def _lane(group: PickedGroup) -> deque[Placed]:
    own = () if group.hard else (group.own,)
    return deque(Placed.of(puzzle, group) for puzzle in (*group.like, *own))


class _Turns:
    """The rest of the groups, the group whose turn is next first, and the `order` so far."""

    def __init__(self, lanes: list[deque[Placed]], before: Sequence[Puzzle]) -> None:
        self.lanes = lanes
        self.order: list[Placed] = []
        self._motifs = [main_motif(puzzle.all_tags()) for puzzle in before[-MOST_IN_A_ROW:]]
        self._left = Counter(placed.motif for lane in lanes for placed in lane)

    def take(self) -> None:
        """Take the next puzzle, from the first of the groups with the weakest objections."""
        urgent = self._urgent()
        place = min(range(len(self.lanes)), key=lambda place: self._against(self.lanes[place], urgent))
        lane = self.lanes.pop(place)
        placed = lane.popleft()
        if lane:
            self.lanes.insert(TAKING_TURNS - 1, lane)
        self.order.append(placed)
        self._motifs.append(placed.motif)
        self._left[placed.motif] -= 1

    def _against(self, lane: deque[Placed], urgent: str | None) -> tuple[bool, bool, bool, bool]:
        """Return the objections to taking the next puzzle of a group now, the strongest first."""
        placed = lane[0]
        last = self._motifs[-MOST_IN_A_ROW:]
        is_one_too_many = placed.motif is not None and last == [placed.motif] * MOST_IN_A_ROW
        follows_its_like = placed.is_own and bool(self.order) and self.order[-1].group is placed.group
        longest = max(self.lanes, key=len)
        others = sum(map(len, self.lanes)) - len(longest)
        is_needed_later = lane is not longest and others == 1 < len(longest)
        return is_one_too_many, follows_its_like, is_needed_later, urgent not in (None, placed.motif)

    def _urgent(self) -> str | None:
        """Return the motif that must be taken now, since too few others are left to separate it later."""
        total = self._left.total()
        return next(
            (name for name, left in self._left.items() if name and left > MOST_IN_A_ROW * (total - left)),
            None,
        )
