"""Games in which a position was found, as PGN with a comment at that position."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import chess.pgn

from chess_motif.output import output
from db.models import Game
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.position_json import sum_of_parts
from puzzlegen.games.pgn import header_text

# The result also ends the moves, where PGN allows nothing else.
_RESULTS = {"1-0", "0-1", "1/2-1/2"}


def write_games(path: str, found: Sequence[PositionHit]) -> None:
    """Write the games to `path` (`-`: standard output), best first. Raises `InputError`."""
    with output(path) as out:
        for one in found:
            pgn_game(one).accept(chess.pgn.FileExporter(out))


def pgn_game(found: PositionHit) -> chess.pgn.Game:
    """Return the game with its headers, and a comment at the position found."""
    game = chess.pgn.Game()
    game.setup(chess.Board(found.game.start or chess.STARTING_FEN))
    game.headers.update(_headers(found.game.game))
    node: chess.pgn.GameNode = game
    nodes = [node]
    for word in found.game.moves.split():
        node = node.add_main_variation(chess.Move.from_uci(word))
        nodes.append(node)
    nodes[found.ply].comment = f"Similar position {found.rank}: {sum_of_parts(found)}"
    return game


def _headers(game: Game) -> dict[str, str]:
    """Return the seven tags that PGN requires, and those of the others that are known."""
    required = {
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
        "Link": game.url if game.url != required["Site"] else "",
    }
    known = required | {name: value for name, value in others.items() if value}
    return {name: header_text(value) for name, value in known.items()}
