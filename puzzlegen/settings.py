"""What the results of mining an archive depend on, apart from its games."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from puzzlegen.rules import MiningRules


@dataclass(frozen=True)
class Settings:
    """The engine's name, the rules, and which games to mine.

    With `player`, those of that player (a part of the name); with `evaluated_only`, those with an
    `[%eval]` comment.
    """

    engine: str
    rules: MiningRules
    player: str | None = None
    evaluated_only: bool = False

    def fingerprint(self) -> str:
        """Return a digest that changes when a setting does."""
        settings = (self.engine, self.rules.as_dict(), self.player, self.evaluated_only)
        return hashlib.sha256(repr(settings).encode()).hexdigest()
