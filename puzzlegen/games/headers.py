"""The PGN headers of a stored game."""

from __future__ import annotations

from db.models import Game
from puzzlegen.games.pgn import header_text

# Results of games that have ended. Anything else becomes `*`: a result is also written after the moves, where
# PGN allows nothing else.
_RESULTS = {"1-0", "0-1", "1/2-1/2"}


def pgn_headers(game: Game | None) -> dict[str, str]:
    """Return the Seven Tag Roster, with `?` for what is not known, and the other tags that are known.

    Values are escaped for the quotes of a header.
    """
    game = game or Game(key="")
    roster = {
        "Event": game.event or "?",
        "Site": game.site or game.url or "?",
        "Date": game.date or "????.??.??",
        "Round": game.round or "?",
        "White": game.white or "?",
        "Black": game.black or "?",
        "Result": game.result if game.result in _RESULTS else "*",
    }
    others = {
        "WhiteElo": str(game.white_elo or ""),
        "BlackElo": str(game.black_elo or ""),
        "ECO": game.eco,
        "Opening": game.opening,
        "TimeControl": game.time_control,
        "Link": game.url if game.url != roster["Site"] else "",
    }
    known = roster | {name: value for name, value in others.items() if value}
    return {name: header_text(value) for name, value in known.items()}
