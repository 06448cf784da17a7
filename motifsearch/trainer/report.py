"""What a player makes of the opportunities in her games, beside what her opponents make of theirs.

Stored opportunities go in, tables of counts come out: in all, and by motif, phase and other groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chess_motif.intervals import Interval, share_interval
from db.models import Kind
from db.store import Store
from db.training import Opportunity, count_analysed, opportunities_given, opportunities_of
from puzzlegen.motifs.tags import seen_tags

# Seconds that the player had left: the upper bounds of the groups in the report, and their names.
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

# Motifs that are named as the most expensive.
MOST_NAMED = 3

# What a report calls opportunities that have no motif with a name, or nothing else that it groups by.
NO_MOTIF = "no named motif"
NEITHER = "neither"
UNKNOWN = "unknown"


def opportunity_tables(store: Store, players: Sequence[str]) -> OpportunityTables:
    """Return what a player, who goes by any of the names `players`, had in analysed games and made of it."""
    with store.reading() as session:
        had, given = opportunities_of(session, players), opportunities_given(session, players)
        games = count_analysed(session, players)
    return OpportunityTables(
        games,
        had,
        ReportRow.of("all", had, given),
        {name: _rows(groups, had, given) for name, groups in _GROUPINGS.items()},
    )


@dataclass(frozen=True)
class OpportunityTally:
    """How many opportunities somebody `had` and `found`, and the points (0…1 each) the others cost."""

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
        """How many opportunities were not taken."""
        return self.had - self.found

    @property
    def share(self) -> Interval | None:
        """The share found (0…1) with its 95 % confidence interval, None if there were no opportunities."""
        return share_interval(self.found / self.had, self.had) if self.had else None

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
    """A group of opportunities, such as those of one motif: how the player fared in it, and her opponents."""

    name: str
    player: OpportunityTally
    opponents: OpportunityTally

    @classmethod
    def of(cls, name: str, had: Sequence[Opportunity], given: Sequence[Opportunity]) -> ReportRow:
        """Return the row of what the player had, and gave to her opponents."""
        return cls(name, OpportunityTally.of(had), OpportunityTally.of(given))

    def as_dict(self) -> dict[str, Any]:
        """Return the row as the keys and values of its JSON object."""
        return {"name": self.name, **self.player.as_dict(), "opponents": self.opponents.as_dict()}


@dataclass(frozen=True)
class OpportunityTables:
    """The opportunities that a player `had` in `games` analysed games, counted in all and by group.

    `by` has the rows by what they are grouped by: what came of the opportunity (puzzle, exercise or neither),
    motif, phase, opening, colour, or time left.
    """

    games: int
    had: Sequence[Opportunity]
    all: ReportRow
    by: dict[str, list[ReportRow]]

    @property
    def most_expensive(self) -> list[ReportRow]:
        """The motifs whose missed opportunities cost the player most, the most expensive first."""
        rows = [row for row in self.by["motif"] if row.player.lost and row.name != NO_MOTIF]
        return sorted(rows, key=lambda row: -row.player.lost)[:MOST_NAMED]

    @property
    def missed(self) -> list[Opportunity]:
        """The missed opportunities, the most expensive first."""
        return sorted((one for one in self.had if not one.taken), key=lambda one: -one.lost)

    def as_dict(self) -> dict[str, Any]:
        """Return the tables as the keys and values of their JSON object."""
        return vars(self) | {"had": [_as_dict(opportunity) for opportunity in self.had]}


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


def _clock(opportunity: Opportunity) -> list[str]:
    if opportunity.clock is None:
        return [UNKNOWN]
    return [next(name for most, name in CLOCKS if opportunity.clock < most)]


_GROUPINGS: dict[str, Callable[[Opportunity], list[str]]] = {
    "kind": lambda one: [one.kind or NEITHER],
    "motif": lambda one: seen_tags(one.tags.split()) or [NO_MOTIF],
    "phase": lambda one: [name for name in PHASES if name in one.tags.split()],
    "opening": _opening,
    "colour": lambda one: ["White" if one.white else "Black"],
    "time left": _clock,
}

# Groups with an order of their own; others begin with what costs most.
_ORDER = [
    *Kind,
    NEITHER,
    *PHASES,
    "White",
    "Black",
    *(name for _, name in CLOCKS),
    UNKNOWN,
]


def _as_dict(opportunity: Opportunity) -> dict[str, Any]:
    game = opportunity.game
    return {
        "fen": opportunity.position().fen(),
        "solution": opportunity.solution.split(),
        "played": opportunity.played,
        "taken": opportunity.taken,
        "points_lost": round(opportunity.lost, 2),
        "kind": opportunity.kind or None,
        "puzzle_id": opportunity.puzzle_id or None,
        "reason": opportunity.reason or None,
        "tags": opportunity.tags.split(),
        "ply": opportunity.ply,
        "clock": opportunity.clock,
        **{name: getattr(game, name) for name in ("white", "black", "date", "eco", "opening", "url")},
    }
