"""Similar puzzles as an HTML page.

What is said about a search and its results, on pages and in the terminal alike.

Similar puzzles as plain values for JSON.

Similar puzzles for a terminal, as boards of figurines; and what an update of the index did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import chess
from markupsafe import Markup

from chess_motif.boards import Line, solution_san, svg_board, to_move
from chess_motif.pages import link, render
from chess_motif.tables import table
from db.models import Puzzle
from motifsearch.puzzles.index import IndexReport
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import CLOSE, By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import STATIC_FIELDS, Mode
from motifsearch.views.board_grid import Cell, grid
from puzzlegen.reasons.explained import ExplainedReason, Role


def closeness_text(hit: PuzzleHit, by: By, mode: Mode) -> str:
    """Return how close a result is, such as `72 % alike`."""
    return f"{_percent(hit.closeness)} alike{'' if _is_close(hit, by, mode) else ', not close'}"


def notices_of(query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode) -> Iterator[str]:
    """Yield what a reader of the results should know: that there are none, or none that is close, and why."""
    if not query.shows_tactic and by is not By.STATIC:
        yield (
            "This line shows no tactic that we know: it does not mate, wins nothing and has no motif. "
            "What is found is like it only in part."
        )
    if not hits:
        yield "No puzzle that passes the filters shares a term with the query."
    elif not _is_close(hits[0], by, mode):
        best = _percent(hits[0].closeness)
        yield f"Nothing close: the best result is {best} alike, less than {_percent(CLOSE)}."


def _is_close(hit: PuzzleHit, by: By, mode: Mode) -> bool:
    # The level is known only where solutions are compared by our own terms.
    return hit.closeness >= CLOSE or by is By.STATIC or mode is Mode.PAPER


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def similar_document(
    query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode, why: bool
) -> dict[str, Any]:
    """Return the query and the results of a search.

    Only with `why`, all have `reasons`, and results `words` and `matched`.
    """
    document = {**query_document(query), "by": str(by), "mode": str(mode)}
    if why:
        document["reasons"] = [reason.sentence for reason in query.reasons]
    return {"query": document, "results": [_hit_document(hit, why) for hit in hits]}


def query_document(query: PuzzleQuery) -> dict[str, Any]:
    """Return the query; its `id` is None for a position that is not a stored puzzle."""
    return {
        "id": query.puzzle.id if query.puzzle else None,
        "puzzle_fen": query.board.fen(),
        "solution": [move.uci() for move in query.moves],
        "san": solution_san(query.board, query.moves),
        "source": source_of(query.puzzle) if query.puzzle else None,
    }


def source_of(puzzle: Puzzle) -> str:
    """Return the address of a puzzle's game or, without one, its players or its source."""
    return puzzle.game_url or puzzle.origin()


def _hit_document(hit: PuzzleHit, why: bool) -> dict[str, Any]:
    puzzle = hit.puzzle
    document: dict[str, Any] = {
        "rank": hit.rank,
        "id": puzzle.id,
        "closeness": round(hit.closeness, 4),
        "score": hit.score,
        "static": hit.static,
        "dynamic": hit.dynamic,
        "puzzle_fen": puzzle.puzzle_fen,
        "solution": puzzle.solution.split(),
        "san": solution_san(puzzle.position(), puzzle.moves()),
        "source": source_of(puzzle),
        "source_id": puzzle.source_id or None,
        "game_url": puzzle.game_url or None,
        "rating": puzzle.rating,
        "difficulty": puzzle.difficulty,
        "tags": puzzle.tags.split(),
        "themes": puzzle.themes.split(),
    }
    if why:
        document["words"] = hit.words
        document["reasons"] = [reason.sentence for reason in hit.reasons]
        document["matched"] = [
            {"term": match.term, "field": match.field, "score": match.score} for match in hit.matched
        ]
    return document


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


def similar_text(
    query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode, width: int, why: bool = False
) -> str:
    """Return the query and the results for a terminal of `width` columns; with `why`, the query's reasons."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    query_cell = Cell(
        query.board,
        [
            f"{title}, {to_move(query.board)}",
            solution_san(query.board, query.moves),
            *(reason.sentence for reason in query.reasons if why),
        ],
    )
    notices = "\n".join(notices_of(query, hits, by, mode))
    return f"{grid(query_cell, [_cell(hit, by, mode) for hit in hits], width)}\n\n{notices}".rstrip()


def _cell(hit: PuzzleHit, by: By, mode: Mode) -> Cell:
    board = hit.puzzle.position()
    lines = [
        f"{hit.rank}. {hit.puzzle.id}",
        closeness_text(hit, by, mode),
        ", ".join(filter(None, [to_move(board), hit.puzzle.level_text()])),
        solution_san(board, hit.puzzle.moves()),
        hit.puzzle.origin().removeprefix("https://"),
    ]
    if hit.words:
        lines.append(f"Both: {hit.words}")
    return Cell(board, lines + [reason.sentence for reason in hit.reasons])


def index_text(report: IndexReport) -> str:
    """Return what an update of the index did."""
    rows: list[list[object]] = [
        ["puzzles in the index", f"{report.puzzles:,}"],
        ["added", f"{report.added:,}"],
    ]
    rows += [["removed", f"{report.removed:,}"]] if report.removed else []
    rows += [["unreadable", f"{report.unreadable:,}"]] if report.unreadable else []
    rows += [["seconds", f"{report.seconds:.1f}"], ["puzzles/s", f"{report.rate:,.0f}"]]
    return f"{report.path}\n\n{table(['', 'count'], rows, right='lr')}"
