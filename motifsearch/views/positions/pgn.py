"""The games of similar positions as PGN, with a comment at each position."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import chess.pgn

from chess_motif.output import output
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.positions.words import sum_of_parts
from puzzlegen.games.headers import pgn_headers


def write_games(path: str, hits: Sequence[PositionHit]) -> None:
    """Write the games to `path` (`-`: standard output), best first. Raises `InputError`."""
    with output(path) as out:
        for hit in hits:
            pgn_game(hit).accept(chess.pgn.FileExporter(out))


def pgn_game(hit: PositionHit) -> chess.pgn.Game:
    """Return the game as it was played, with its headers, and a comment at the position found."""
    game = chess.pgn.Game()
    start, moves = hit.game.played(0)
    game.setup(start)
    game.headers.update(pgn_headers(hit.game.game))
    node: chess.pgn.GameNode = game
    nodes = [node]
    for move in moves:
        node = node.add_main_variation(move)
        nodes.append(node)
    colours = ", colours reversed" if hit.reversed else ""
    nodes[hit.ply].comment = f"Similar position {hit.rank}{colours}: {sum_of_parts(hit)}"
    return game
