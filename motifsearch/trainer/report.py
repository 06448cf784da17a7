"""What a player makes of the chances in her games, beside what her opponents make of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chess_motif.intervals import Interval, share_interval
from db.models import Kind
from db.store import Store
from db.training import Chance, chances_given, chances_of, count_analysed
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

# Motifs that are named as the most expensive.
MOST_NAMED = 3

# What a report calls chances that have no motif with a name, or nothing else that it groups by.
NO_MOTIF = "no named motif"
NEITHER = "neither"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class ChanceTally:
    """How many chances somebody `had` and `found`, and the points (0…1 each) lost by missing the others."""

    had: int = 0
    found: int = 0
    lost: float = 0.0

    @classmethod
    def of(cls, chances: Iterable[Chance]) -> ChanceTally:
        """Return the tally of some chances."""
        chances = list(chances)
        return cls(
            len(chances), sum(chance.taken for chance in chances), sum(chance.lost for chance in chances)
        )

    @property
    def missed(self) -> int:
        """How many chances were not taken."""
        return self.had - self.found

    @property
    def share(self) -> Interval | None:
        """The share found (0…1) with its 95 % confidence interval, None if there were no chances."""
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
    """One group of chances: its name, what the player made of hers, and the opponents of theirs."""

    name: str
    player: ChanceTally
    opponents: ChanceTally


@dataclass(frozen=True)
class ChanceTables:
    """The chances that a player `had` in `games` analysed games, counted in all and by group.

    `by` has the rows by what they are grouped by: what came of the chance (puzzle, exercise or neither),
    motif, phase, opening, colour, or time left.
    """

    games: int
    had: Sequence[Chance]
    all: ReportRow
    by: dict[str, list[ReportRow]] = field(default_factory=dict)

    @property
    def most_expensive(self) -> list[ReportRow]:
        """The motifs whose missed chances cost the player most, the most expensive first."""
        rows = [row for row in self.by["motif"] if row.player.lost and row.name != NO_MOTIF]
        return sorted(rows, key=lambda row: -row.player.lost)[:MOST_NAMED]

    @property
    def missed(self) -> list[Chance]:
        """The missed chances, the most expensive first."""
        return sorted((chance for chance in self.had if not chance.taken), key=lambda one: -one.lost)

    def as_dict(self) -> dict[str, Any]:
        """Return the tables as the keys and values of their JSON object."""
        return {
            "games": self.games,
            "had": [_chance_as_dict(chance) for chance in self.had],
            "all": _as_dict(self.all),
            "by": {name: [_as_dict(row) for row in rows] for name, rows in self.by.items()},
        }


def chance_tables(store: Store, players: Sequence[str]) -> ChanceTables:
    """Return what a player, who goes by any of the names `players`, made of the chances in analysed games."""
    with store.reading() as session:
        had, given = chances_of(session, players), chances_given(session, players)
        games = count_analysed(session, players)
    return ChanceTables(
        games,
        had,
        ReportRow("all", ChanceTally.of(had), ChanceTally.of(given)),
        {name: _rows(groups, had, given) for name, groups in _GROUPINGS.items()},
    )


def _motif(chance: Chance) -> list[str]:
    return seen_tags(chance.tags.split()) or [NO_MOTIF]


def _phase(chance: Chance) -> list[str]:
    return [name for name in ("opening", "middlegame", "endgame") if name in chance.tags.split()]


def _kind(chance: Chance) -> list[str]:
    return [chance.kind or NEITHER]


def _opening(chance: Chance) -> list[str]:
    name = chance.game.opening.partition(":")[0] or chance.game.eco
    return [name or UNKNOWN]


def _colour(chance: Chance) -> list[str]:
    return ["White" if chance.white else "Black"]


def _clock(chance: Chance) -> list[str]:
    if chance.clock is None:
        return [UNKNOWN]
    return [next(name for most, name in CLOCKS if chance.clock < most)]


_GROUPINGS: dict[str, Callable[[Chance], list[str]]] = {
    "kind": _kind,
    "motif": _motif,
    "phase": _phase,
    "opening": _opening,
    "colour": _colour,
    "time left": _clock,
}

# Groups with an order of their own; others begin with what costs most.
_ORDER = [
    *Kind,
    NEITHER,
    "opening",
    "middlegame",
    "endgame",
    "White",
    "Black",
    *(name for _, name in CLOCKS),
    UNKNOWN,
]


def _rows(
    groups: Callable[[Chance], list[str]], had: Sequence[Chance], given: Sequence[Chance]
) -> list[ReportRow]:
    of_player, of_opponents = _grouped(groups, had), _grouped(groups, given)
    rows = [
        ReportRow(name, ChanceTally.of(of_player.get(name, ())), ChanceTally.of(of_opponents.get(name, ())))
        for name in of_player | of_opponents
    ]

    def order(row: ReportRow) -> tuple[int, float, int, str]:
        place = _ORDER.index(row.name) if row.name in _ORDER else -1
        return place, -row.player.lost, -row.player.had - row.opponents.had, row.name

    return sorted(rows, key=order)


def _grouped(groups: Callable[[Chance], list[str]], chances: Sequence[Chance]) -> dict[str, list[Chance]]:
    grouped: dict[str, list[Chance]] = {}
    for chance in chances:
        for name in groups(chance):
            grouped.setdefault(name, []).append(chance)
    return grouped


def _chance_as_dict(chance: Chance) -> dict[str, Any]:
    game = chance.game
    return {
        "fen": chance.position().fen(),
        "solution": chance.solution.split(),
        "played": chance.played,
        "taken": chance.taken,
        "points_lost": round(chance.lost, 2),
        "kind": chance.kind or None,
        "puzzle_id": chance.puzzle_id or None,
        "reason": chance.reason or None,
        "tags": chance.tags.split(),
        "ply": chance.ply,
        "clock": chance.clock,
        **{name: getattr(game, name) for name in ("white", "black", "date", "eco", "opening", "url")},
    }


def _as_dict(row: ReportRow) -> dict[str, Any]:
    return {"name": row.name, **row.player.as_dict(), "opponents": row.opponents.as_dict()}
