"""How many of her opportunities a player finds, compared with her opponents.

Stored opportunities go in. Tables of counts come out, in all and by motif, phase and other groups, and the
motifs that are clearly weaknesses or strengths by these counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from chess_motif.intervals import Interval, share_interval
from db.analyses import Opportunity, OpportunityKind, count_analysed, opportunities_given, opportunities_of
from db.models import Kind, Puzzle
from db.puzzles import get_puzzles
from db.store import Store
from motifsearch.trainer.level import is_hard, level_of
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import NO_MOTIF, main_motif, seen_tags

# The groups of the report by the player's time left: upper bounds in seconds, and names.
CLOCKS = (
    (10.0, "under 10 s"),
    (30.0, "10 to 30 s"),
    (60.0, "30 s to 1 min"),
    (180.0, "1 to 3 min"),
    (600.0, "3 to 10 min"),
    (float("inf"), "over 10 min"),
)

# The tags of the phases of a game.
PHASES = ("opening", "middlegame", "endgame")

# The fewest opportunities of a group that say something about a player.
LEAST_CASES = 5

# A motif is a weakness if the whole 95 % confidence interval of the share found is below SELDOM_MISSED (three
# of five missed, four of eight), and otherwise a strength if the whole interval is above OFTEN_FOUND (five of
# five found, five of six).
SELDOM_MISSED = 0.85
OFTEN_FOUND = 0.4

# The names of the groups of opportunities that belong to no other group.
NEITHER = "neither"
UNKNOWN = "unknown"

# The names of two groupings: by what there was to do, and by the main motif.
TO = "to"
MAIN_MOTIF = "main motif"

# The main motif of all mates: a pattern of mate rarely occurs often enough to say anything about it.
MATE = "mate"


def main_motif_of(opportunity: Opportunity) -> str:
    """Return the one motif that an opportunity is counted under: a tag, or `NO_MOTIF`."""
    motif = main_motif(opportunity.tags.split())
    if motif is None:
        return NO_MOTIF
    return MATE if TAGS[motif].group is TagGroup.MATE_PATTERN else motif


def clock_of(opportunity: Opportunity) -> str:
    """Return the player's time left as one of the names of `CLOCKS`, or `UNKNOWN`."""
    if opportunity.clock is None:
        return UNKNOWN
    return next(name for most, name in CLOCKS if opportunity.clock < most)


def opportunity_tables(store: Store, players: Sequence[str], level: float | None = None) -> OpportunityTables:
    """Return tables of the opportunities of a player, who has the names `players`, in analysed games.

    `level` is her rating (default: her rating in the newest games).
    """
    with store.reading() as session:
        had, given = opportunities_of(session, players), opportunities_given(session, players)
        allowed = opportunities_of(session, players, [OpportunityKind.ALLOWED])
        games = count_analysed(session, players)
        puzzles = get_puzzles(session, [one.puzzle_id for one in (*had, *allowed) if one.puzzle_id])
        level = level_of(session, players) if level is None else level
    return OpportunityTables(
        games,
        had,
        allowed,
        ReportRow.of("all", had, given),
        {name: _rows(groups, had, given) for name, groups in _GROUPINGS.items()},
        level,
        puzzles,
    )


@dataclass(frozen=True)
class OpportunityTally:
    """How many opportunities a side `had` and `found`, and how many points the misses cost (0…1 each)."""

    had: int = 0
    found: int = 0
    lost: float = 0.0

    @classmethod
    def of(cls, opportunities: Sequence[Opportunity]) -> OpportunityTally:
        """Return the tally of some opportunities."""
        return cls(
            len(opportunities),
            sum(one.taken for one in opportunities),
            sum(one.lost for one in opportunities),
        )

    @property
    def missed(self) -> int:
        """The number of opportunities that were not found."""
        return self.had - self.found

    @property
    def share(self) -> Interval | None:
        """The share found (0…1) with its 95 % confidence interval, or None without opportunities."""
        return share_interval(self.found / self.had, self.had) if self.had else None

    def without(self, part: OpportunityTally) -> OpportunityTally:
        """Return the tally without `part`, the tally of some of the opportunities."""
        return OpportunityTally(self.had - part.had, self.found - part.found, self.lost - part.lost)

    def is_worse_than(self, other: OpportunityTally) -> bool:
        """Return whether clearly less was found than in another tally.

        The 95 % confidence interval of the difference must not reach 0 (Newcombe, "Interval estimation for
        the difference between independent proportions", Statistics in Medicine 17, 1998, method 10).
        """
        if self.share is None or other.share is None:
            return False
        margin = hypot(self.share.high - self.share.mean, other.share.mean - other.share.low)
        return other.share.mean - self.share.mean > margin

    def as_dict(self) -> dict[str, Any]:
        """Return the tally as the keys and values of its JSON object."""
        return {
            "had": self.had,
            "found": self.found,
            "missed": self.missed,
            "points_lost": round(self.lost, 2),
            "share_found": None if self.share is None else [round(value, 3) for value in self.share],
        }


@dataclass(frozen=True)
class ReportRow:
    """A group of opportunities, such as those of one motif: the tallies of the player and her opponents."""

    name: str
    player: OpportunityTally
    opponents: OpportunityTally

    @classmethod
    def of(cls, name: str, had: Sequence[Opportunity], given: Sequence[Opportunity]) -> ReportRow:
        """Return the row of the opportunities that the player had, and those given to her opponents."""
        return cls(name, OpportunityTally.of(had), OpportunityTally.of(given))

    @property
    def is_weakness(self) -> bool:
        """Whether the player misses such opportunities too often, see `SELDOM_MISSED`."""
        share = self.player.share
        return share is not None and self.player.had >= LEAST_CASES and share.high < SELDOM_MISSED

    @property
    def is_strength(self) -> bool:
        """Whether the player finds most of such opportunities, see `OFTEN_FOUND`."""
        share = self.player.share
        is_often_found = share is not None and share.low > OFTEN_FOUND
        return is_often_found and self.player.had >= LEAST_CASES and not self.is_weakness

    def as_dict(self) -> dict[str, Any]:
        """Return the row as the keys and values of its JSON object."""
        return {"name": self.name, **self.player.as_dict(), "opponents": self.opponents.as_dict()}


@dataclass(frozen=True)
class OpportunityTables:
    """The opportunities that a player `had` in `games` analysed games, counted in all and by group.

    `by` has the rows of each grouping: by what there was to do (win or save), what the opportunity became
    (puzzle, exercise or neither), main motif (each opportunity has one), motif, phase, opening, colour, or
    time left. `allowed` are the tactics that the player's moves allowed her opponents. `level` is her rating,
    if it is known, and `puzzles` has the puzzles and exercises made from her opportunities, by id.
    """

    games: int
    had: Sequence[Opportunity]
    allowed: Sequence[Opportunity]
    all: ReportRow
    by: dict[str, list[ReportRow]]
    level: float | None
    puzzles: Mapping[str, Puzzle]

    @property
    def weaknesses(self) -> list[ReportRow]:
        """The motifs that the player misses too often, the costliest first."""
        return [row for row in self._motifs if row.is_weakness]

    @property
    def strengths(self) -> list[ReportRow]:
        """The motifs that the player mostly finds, the most frequent first."""
        return sorted((row for row in self._motifs if row.is_strength), key=lambda row: -row.player.had)

    @property
    def undecided(self) -> list[ReportRow]:
        """The motifs that the player has missed, but that occurred too rarely to be judged."""
        return [row for row in self._motifs if row.player.missed and row.player.had < LEAST_CASES]

    @property
    def _motifs(self) -> list[ReportRow]:
        return [row for row in self.by[MAIN_MOTIF] if row.name != NO_MOTIF]

    @property
    def middling(self) -> list[ReportRow]:
        """The motifs that occurred often enough, and are neither clear weaknesses nor strengths."""
        often = [row for row in self._motifs if row.player.had >= LEAST_CASES]
        return [row for row in often if not row.is_weakness and not row.is_strength]

    @property
    def unnamed(self) -> OpportunityTally:
        """The player's opportunities without a motif."""
        none = (row.player for row in self.by[MAIN_MOTIF] if row.name == NO_MOTIF)
        return next(none, OpportunityTally())

    @property
    def worse_when(self) -> list[tuple[ReportRow, OpportunityTally]]:
        """The phases, colours and times left in which the player finds clearly less than otherwise."""
        rows = [row for name in _WHEN for row in self.by[name] if row.player.had >= LEAST_CASES]
        compared = [(row, self.all.player.without(row.player)) for row in rows]
        return [(row, rest) for row, rest in compared if row.player.is_worse_than(rest)]

    def to(self, kind: OpportunityKind) -> OpportunityTally:
        """Return the player's opportunities to win, or to save a lost game."""
        return OpportunityTally.of([one for one in self.had if one.opportunity_kind == kind])

    def allowed_by_motif(self) -> list[tuple[str, int]]:
        """Return how many tactics of each main motif the player allowed, the most frequent first."""
        return Counter(map(main_motif_of, self.allowed)).most_common()

    @property
    def missed(self) -> list[Opportunity]:
        """The missed opportunities, the most expensive first."""
        return sorted((one for one in self.had if not one.taken), key=lambda one: -one.lost)

    @property
    def hard(self) -> list[Opportunity]:
        """The missed opportunities that are far above the player's level."""
        return [one for one in self.missed if self.is_hard(one)]

    def is_hard(self, opportunity: Opportunity) -> bool:
        """Return whether an opportunity is far above the player's level."""
        puzzle = self.puzzles.get(opportunity.puzzle_id)
        return puzzle is not None and is_hard(puzzle, self.level)

    @property
    def example(self) -> Opportunity | None:
        """The missed opportunity that best shows what to work on, or None.

        Misses of the first weakness come first, then those that are not hard, can be solved, and cost much.
        """
        first = next((row.name for row in self.weaknesses), None)

        def worth(one: Opportunity) -> tuple[bool, bool, bool, float]:
            can_be_solved = one.puzzle_id in self.puzzles
            return main_motif_of(one) == first, not self.is_hard(one), can_be_solved, one.lost

        return max(self.missed, key=worth, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return the tables as the keys and values of their JSON object."""
        return {
            "games": self.games,
            "level": self.level,
            "all": self.all,
            "weaknesses": [row.name for row in self.weaknesses],
            "strengths": [row.name for row in self.strengths],
            "by": self.by,
            "had": [self._as_dict(opportunity) for opportunity in self.had],
            "allowed": [self._as_dict(opportunity) for opportunity in self.allowed],
        }

    def _as_dict(self, opportunity: Opportunity) -> dict[str, Any]:
        game, puzzle = opportunity.game, self.puzzles.get(opportunity.puzzle_id)
        return {
            "fen": opportunity.position().fen(),
            "solution": opportunity.solution.split(),
            "allowed": opportunity.allowed_line.split(),
            "played": opportunity.played,
            "taken": opportunity.taken,
            "to": opportunity.opportunity_kind,
            "result": opportunity.result,
            "points_lost": round(opportunity.lost, 2),
            "kind": opportunity.kind or None,
            "puzzle_id": opportunity.puzzle_id or None,
            "reason": opportunity.reason or None,
            "main_motif": main_motif_of(opportunity),
            "tags": opportunity.tags.split(),
            "level": None if puzzle is None else puzzle.level,
            "hard": self.is_hard(opportunity),
            "ply": opportunity.ply,
            "clock": opportunity.clock,
            **{name: getattr(game, name) for name in ("white", "black", "date", "eco", "opening", "url")},
        }


def _rows(
    groups: Callable[[Opportunity], list[str]], had: Sequence[Opportunity], given: Sequence[Opportunity]
) -> list[ReportRow]:
    of_player, of_opponents = _grouped(groups, had), _grouped(groups, given)
    rows = [
        ReportRow.of(name, of_player.get(name, ()), of_opponents.get(name, ()))
        for name in of_player | of_opponents
    ]

    def order(row: ReportRow) -> tuple[int, float, int, str]:
        place = _ORDER.index(row.name) if row.name in _ORDER else -1
        return place, -row.player.lost, -row.player.had - row.opponents.had, row.name

    return sorted(rows, key=order)


def _grouped(
    groups: Callable[[Opportunity], list[str]], opportunities: Sequence[Opportunity]
) -> dict[str, list[Opportunity]]:
    grouped: dict[str, list[Opportunity]] = {}
    for opportunity in opportunities:
        for name in groups(opportunity):
            grouped.setdefault(name, []).append(opportunity)
    return grouped


def _opening(opportunity: Opportunity) -> list[str]:
    name = opportunity.game.opening.partition(":")[0] or opportunity.game.eco
    return [name or UNKNOWN]


_GROUPINGS: dict[str, Callable[[Opportunity], list[str]]] = {
    TO: lambda one: [f"{TO} {one.opportunity_kind}"],
    "kind": lambda one: [one.kind or NEITHER],
    MAIN_MOTIF: lambda one: [main_motif_of(one)],
    "motif": lambda one: seen_tags(one.tags.split()) or [NO_MOTIF],
    "phase": lambda one: [name for name in PHASES if name in one.tags.split()],
    "opening": _opening,
    "colour": lambda one: ["White" if one.white else "Black"],
    "time left": lambda one: [clock_of(one)],
}

# The groupings that say when an opportunity occurred.
_WHEN = ("phase", "colour", "time left")

# Groups with a fixed order; other groups are sorted by cost.
_ORDER = [
    *Kind,
    NEITHER,
    *PHASES,
    "White",
    "Black",
    *(name for _, name in CLOCKS),
    UNKNOWN,
]
