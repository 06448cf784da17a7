"""Similar puzzles as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
from markupsafe import Markup

from chess_motif.boards import Line, solution_san, svg_board
from chess_motif.pages.html import link, render
from db.models import Puzzle
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import STATIC_FIELDS, Mode
from motifsearch.views.puzzles.words import closeness_text, notices_of
from puzzlegen.reasons.drawing import Role
from puzzlegen.reasons.explained import ExplainedReason

# The colours of what is drawn for reasons. The colour-blind can tell them from each other and from the green
# arrow of the first move; in grey, only the last two colours are alike.
COLOURS = {Role.DEFENDER: "#1d2433", Role.LURED: "#1253c4", Role.ATTACK: "#e0218a"}

# How much of the board is seen through arrows and marked squares, as the end of a colour.
_ARROW, _TINT = "c0", "70"

_MEANINGS = {
    Role.DEFENDER: "a defender, and what it stops guarding",
    Role.LURED: "a piece that is lured or driven, and where it goes",
    Role.ATTACK: "a line that is opened, a pin, or pieces attacked at once",
}


def similar_page(query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode, why: bool = False) -> str:
    """Return the page of a search: the query, with its reasons if `why`, then the puzzles found."""
    return render(
        "motifsearch/views/templates/similar.html",
        query=puzzle_card(query.board, query.moves, query.puzzle, query.reasons if why else ()),
        hits=[
            (hit, puzzle_card(hit.puzzle.position(), hit.puzzle.moves(), hit.puzzle, hit.reasons))
            for hit in hits
        ],
        colours=COLOURS,
        meanings=_MEANINGS if why else {},
        by=by,
        mode=mode,
        static_fields=STATIC_FIELDS,
        closeness=closeness_text,
        notices=list(notices_of(query, hits, by, mode)),
    )


def puzzle_card(
    board: chess.Board,
    moves: Sequence[chess.Move],
    puzzle: Puzzle | None = None,
    reasons: Sequence[ExplainedReason] = (),
) -> dict[str, Any]:
    """Return what a page shows of a position, its solution, the stored puzzle, if it is one, and reasons."""
    drawings = [reason.drawing for reason in reasons if reason.drawing]
    lines = [Line(*arrow, COLOURS[drawing.role] + _ARROW) for drawing in drawings for arrow in drawing.arrows]
    tints = {square: COLOURS[drawing.role] + _TINT for drawing in drawings for square in drawing.squares}
    opponents = puzzle.opponents_move() if puzzle else None
    return {
        "svg": Markup(svg_board(board, moves[:1], opponents and opponents[1], lines=lines, tints=tints)),
        "turn": "White" if board.turn else "Black",
        "fen": board.fen(),
        "san": solution_san(board, moves),
        "id": puzzle.id if puzzle else None,
        "level": puzzle.level_text() if puzzle else "",
        "origin": puzzle.origin() if puzzle else "",
        "link": link(puzzle.game_url) if puzzle else None,
        "tags": puzzle.all_tags() if puzzle else [],
        "reasons": reasons,
    }
