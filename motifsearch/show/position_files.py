"""Similar positions in files: an HTML page, and the games as PGN with a comment at each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
import chess.pgn

from chess_motif.boards import same_pieces, to_move
from chess_motif.output import output
from chess_motif.pages import link, render
from chess_motif.pages.boards import Arrow, Look, Size, board_svg
from db.models import ArchivedGame
from motifsearch.positions.searcher import PositionHit
from motifsearch.positions.terms import Pieces
from motifsearch.show.positions import (
    MOVE_COLUMNS,
    NOTHING_FOUND,
    PositionSearch,
    caption_of,
    meanings,
    move_rows,
    results_line,
    sum_of_parts,
    summary_notes,
)
from puzzlegen.formats.pgn import pgn_headers


def positions_page(search: PositionSearch) -> str:
    """Return the page of a search: the query, a summary, and the positions found.

    All are seen from the same side, and with the colours of the query.
    """
    query, summary = search.query, search.summary
    return render(
        "motifsearch/show/templates/positions.html",
        query={
            "svg": board_svg(query.board, Look(query.board.turn, to_move(query.board), Size.MEDIUM)),
            "id": query.puzzle.id if query.puzzle else None,
            "turn": to_move(query.board),
            "fen": query.board.fen(),
        },
        warnings=search.warnings,
        results=results_line(summary),
        columns=MOVE_COLUMNS,
        next_moves=move_rows(summary),
        notes=summary_notes(search),
        nothing_found=NOTHING_FOUND,
        cards=[_card(hit, search) for hit in search.hits],
        ranked_by="pawns alone" if search.pieces is Pieces.PAWNS else search.feature_set,
        meanings=meanings(search),
    )


def _card(hit: PositionHit, search: PositionSearch) -> dict[str, Any]:
    board, moves = hit.as_query()
    same = same_pieces(board, search.compared)
    caption = caption_of(hit, search)
    drawn = tuple(Arrow(move.from_square, move.to_square) for move in moves[:1])
    seen_by = search.query.board.turn
    label = f"{caption.title}, {caption.same_pieces}"
    look = Look(seen_by, label, Size.MEDIUM, marked=frozenset(same), arrows=drawn)
    return {
        "svg": board_svg(board, look),
        "matched": [(match.field, match) for match in hit.matched],
        "caption": caption,
        "link": link(hit.game.game.url),
        "hit": hit,
        "fen": hit.board().fen(),
    }


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
