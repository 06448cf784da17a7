"""The settings that the results of mining an archive depend on."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlegen.games.archive import fingerprint
from puzzlegen.rules import MiningRules


@dataclass(frozen=True)
class Settings:
    """The engine's name, the rules, and which games to mine.

    With `player` (words of a name, any case), only games of that player are mined; with `evaluated_only`,
    only games with `[%eval]` comments.
    """

    engine: str
    rules: MiningRules
    player: str | None = None
    evaluated_only: bool = False

    def fingerprint(self) -> str:
        """Return a digest that changes when a setting does."""
        settings = (self.engine, self.rules.as_dict(), self.player, self.evaluated_only)
        return fingerprint(repr(settings).encode())
