"""The counts of a mining run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

from puzzlegen.candidates import SkippedSpan
from puzzlegen.mining.game import GameResult


@dataclass
class MiningSummary:
    """Counts of a run. `searches` and `nodes` are totals over all budgets and attempts.

    `reused` counts searches whose result was already stored, `known` puzzles that were. `examples` has, for
    each reason, the first place where a candidate was rejected or a game was skipped.
    """

    games: int = 0
    searches: int = 0
    reused: int = 0
    nodes: int = 0
    candidates: int = 0
    puzzles: int = 0
    known: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add_game(self, result: GameResult, stored: int, archive: str) -> None:
        """Count a game of `archive` of which `stored` puzzles were new."""
        self.games += 1
        self.searches += result.searches
        self.reused += result.reused
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
        for name in ("games", "searches", "reused", "nodes", "candidates", "puzzles", "known"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.rejected += other.rejected
        self.skipped += other.skipped
        self.examples = other.examples | self.examples

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as keys and values of the JSON object."""
        return {
            "games": self.games,
            "positions_searched": self.searches,
            "searches_reused": self.reused,
            "nodes": self.nodes,
            "candidates": self.candidates,
            "puzzles": self.puzzles,
            "known": self.known,
            "rejected": dict(self.rejected.most_common()),
            "skipped": dict(self.skipped.most_common()),
            "examples": self.examples,
        }

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Return the summary for a dictionary from `as_dict`. Missing counts are 0."""
        return cls(
            games=stored.get("games", 0),
            searches=stored.get("positions_searched", 0),
            reused=stored.get("searches_reused", 0),
            nodes=stored.get("nodes", 0),
            candidates=stored.get("candidates", 0),
            puzzles=stored.get("puzzles", 0),
            known=stored.get("known", 0),
            rejected=Counter(stored.get("rejected", {})),
            skipped=Counter(stored.get("skipped", {})),
            examples=dict(stored.get("examples", {})),
        )
