"""Archived games as PGN, with a comment at the position that was found."""

from __future__ import annotations

from collections.abc import Sequence

import chess.pgn

from chess_motif.output import output
from db.models import ArchivedGame
from motifsearch.positions.searcher import PositionHit
from motifsearch.show.positions import sum_of_parts
from puzzlegen.formats.pgn import pgn_headers


def write_games(path: str, hits: Sequence[PositionHit]) -> None:
    """Write the games to `path` (`-`: standard output), best first. Raises `InputError`."""
    with output(path) as out:
        for hit in hits:
            pgn_game(hit).accept(chess.pgn.FileExporter(out))


def pgn_game(hit: PositionHit) -> chess.pgn.Game:
    """Return the game as it was played, with its headers, and a comment at the position found."""
    colours = ", colours reversed" if hit.reversed else ""
    return commented_game(hit.game, hit.ply, f"Similar position {hit.rank}{colours}: {sum_of_parts(hit)}")


def commented_game(archived: ArchivedGame, ply: int, comment: str) -> chess.pgn.Game:
    """Return a game as it was played, with its headers, and a comment after `ply` plies."""
    game = chess.pgn.Game()
    start, moves = archived.played(0)
    game.setup(start)
    game.headers.update(pgn_headers(archived.game))
    game.add_line(moves)
    [game, *game.mainline()][ply].comment = comment
    return game
