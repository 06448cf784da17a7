"""The report of a run over archives: its counts, and the damaged archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from chess_motif.errors import ArchiveError
from chess_motif.progress import Progress
from puzzlegen.rules import MiningRules

if TYPE_CHECKING:
    from puzzlegen.candidates import SkippedSpan
    from puzzlegen.mining.game import GameResult


@dataclass
class MiningSummary:
    """Counts of a run: games, candidates for puzzles, and puzzles.

    `positions_searched` and `nodes` are totals over all budgets and attempts. `searches_reused` counts
    searches whose result was already stored, `known` counts puzzles that were already stored. `rejected` and
    `skipped` count by reason; `examples` has the first place for each reason.
    """

    games: int = 0
    positions_searched: int = 0
    searches_reused: int = 0
    nodes: int = 0
    candidates: int = 0
    puzzles: int = 0
    known: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add_game(self, result: GameResult, stored: int, archive: str) -> None:
        """Count a game of `archive` with `stored` new puzzles."""
        self.games += 1
        self.positions_searched += result.searches
        self.searches_reused += result.reused
        self.nodes += result.nodes
        self.candidates += result.candidates
        self.puzzles += stored
        self.known += len(result.puzzles) - stored
        for reason, plies in result.rejected.items():
            self.rejected[reason] += len(plies)
            self.examples.setdefault(reason, f"{archive}: game {result.number}, ply {plies[0]}")
        if result.skipped is not None:
            self.skipped[result.skipped.value] += 1
            self.examples.setdefault(result.skipped.value, f"{archive}: game {result.number}")

    def add_span(self, span: SkippedSpan) -> None:
        """Count the games of a skipped span."""
        self.games += span.games
        self.skipped.update({skip.value: count for skip, count in span.skipped.items() if count})

    def add(self, other: MiningSummary) -> None:
        """Add another summary."""
        for name, value in vars(other).items():
            if name != "examples":
                setattr(self, name, getattr(self, name) + value)
        self.examples = other.examples | self.examples

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as keys and values of the JSON object."""
        reasons = {"rejected": self.rejected, "skipped": self.skipped}
        return vars(self) | {name: dict(counts.most_common()) for name, counts in reasons.items()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Return the summary from a dictionary made by `as_dict`. Missing counts are 0."""
        known = {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
        summary = cls(**known)
        summary.rejected, summary.skipped = Counter(summary.rejected), Counter(summary.skipped)
        return summary


@dataclass
class Report:
    """The result of a run by an engine: the `summary` of all archives, and what was `damaged` in them.

    `interrupted` says that the run stopped early; `seconds` is its duration.
    """

    engine: str
    summary: MiningSummary = field(default_factory=MiningSummary)
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return self.summary.as_dict() | {
            "damaged": self.damaged,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "engine": self.engine,
        }

    @contextmanager
    def keeping_damage(self, progress: Progress) -> Iterator[None]:
        """Report an `ArchiveError` that is raised in the block, instead of raising it further."""
        try:
            yield
        except ArchiveError as error:
            self.damaged.append(str(error))
            progress.notice(str(error))


@dataclass
class MiningReport(Report):
    """The result of mining by these `rules` and an engine.

    `summary` has the counts of all archives, `damaged` a message for each unreadable archive. `interrupted`
    says that the run stopped early; `seconds` is its duration.
    """

    rules: MiningRules = MiningRules()  # noqa: RUF009 - it is frozen

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return super().as_dict() | {"rules": asdict(self.rules)}
