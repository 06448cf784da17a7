"""Games in which a position was found, as PGN with a comment at that position."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import chess.pgn

from chess_motif.output import output
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.position_json import sum_of_parts
from puzzlegen.games.headers import pgn_headers


def write_games(path: str, found: Sequence[PositionHit]) -> None:
    """Write the games to `path` (`-`: standard output), best first. Raises `InputError`."""
    with output(path) as out:
        for one in found:
            pgn_game(one).accept(chess.pgn.FileExporter(out))


def pgn_game(found: PositionHit) -> chess.pgn.Game:
    """Return the game with its headers, and a comment at the position found."""
    game = chess.pgn.Game()
    game.setup(chess.Board(found.game.start or chess.STARTING_FEN))
    game.headers.update(pgn_headers(found.game.game))
    node: chess.pgn.GameNode = game
    nodes = [node]
    for word in found.game.moves.split():
        node = node.add_main_variation(chess.Move.from_uci(word))
        nodes.append(node)
    nodes[found.ply].comment = f"Similar position {found.rank}: {sum_of_parts(found)}"
    return game
