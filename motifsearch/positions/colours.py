"""Whether a position is also searched for with its colours reversed."""

from __future__ import annotations

from enum import StrEnum

from db.games import GameFilter


class Colours(StrEnum):
    """The colours with which a position is searched for: its own only, or reversed as well."""

    SAME = "same"
    EITHER = "either"


def default_colours(games: GameFilter) -> Colours:
    """Return `EITHER`, unless the filter on games says what White or Black did.

    Players with a colour, the side that won and openings do: in a Sicilian it is Black who plays c5. A drawn
    game, a player of either colour, ratings and dates do not.
    """
    decided = games.result in ("1-0", "0-1")
    return Colours.SAME if games.white or games.black or games.eco or decided else Colours.EITHER
