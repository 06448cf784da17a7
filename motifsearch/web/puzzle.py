"""A puzzle's own page, `/puzzles/<id>`: its line, its reasons, how it was verified, and others like it.

Who has not tried the puzzle gets its board to solve it on, and nothing that tells the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from chess_motif.boards import solution_san
from chess_motif.pages.boards import Size, board_svg
from db.attempts import has_tried
from db.models import Puzzle
from db.puzzles import get_puzzle
from db.sets import set_names
from motifsearch.search import PuzzleQuery
from motifsearch.show.card import PuzzleCard, Step, Written, steps, written
from motifsearch.web.site import Site, page, site_of
from puzzlegen.formats.answers import question, unseen
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import tag_words

router = APIRouter()

# Similar puzzles that are shown.
ALIKE = 4


@router.get("/puzzles/{name}")
def show_puzzle(
    request: Request,
    name: Annotated[str, Path(description="The id of a puzzle.")],
    ply: Annotated[
        int | None, Query(ge=0, description="The half-moves of the line that have been played.")
    ] = None,
    solution: Annotated[bool, Query(description="Whether to show the solution before it is found.")] = False,
) -> Response:
    """Show a puzzle: to solve it, or, once it was tried, its line, through which `ply` steps."""
    site, student = site_of(request), site_of(request).student(request)
    with site.store.reading() as session:
        puzzle = get_puzzle(session, name)
        sets = set_names(session)
        is_told = solution or ply is not None or has_tried(session, student, puzzle.id)
    if not is_told:
        return page(
            request, "to_solve.html", title="A puzzle", view=_ToSolve(puzzle), data=lambda: as_dict(puzzle)
        )
    view = _PuzzlePage(site, puzzle, ply or 0, sets, student)
    return page(request, "puzzle.html", title=view.motif, view=view, data=lambda: as_dict(puzzle))


class _ToSolve:
    """A puzzle that nobody has told the solution of, as the template shows it."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle, self.card = puzzle, PuzzleCard.to_solve(puzzle)
        self.question, self.rights = question(puzzle), unseen(puzzle)
        self.board = board_svg(*self.card.after(0, Size.MEDIUM, self.card.board.turn))


class _PuzzlePage:
    """A puzzle as the template shows it."""

    def __init__(self, site: Site, puzzle: Puzzle, ply: int, sets: Sequence[str], student: str) -> None:
        self.sets, self.student = sets, student
        self.puzzle, self.start = puzzle, puzzle.position()
        # One query, for its reasons are compared with those of the puzzles like it.
        self._query = PuzzleQuery.of(puzzle)
        self.card = PuzzleCard.of_query(self._query, explained=True)
        self.ply = min(ply, len(self.card.moves))
        self._site = site

    @property
    def motif(self) -> str:
        return self.card.motif or "A puzzle"

    @property
    def question(self) -> str:
        return ". ".join(filter(None, [question(self.puzzle), unseen(self.puzzle)]))

    @property
    def board(self) -> Markup:
        return board_svg(*self.card.after(self.ply, Size.MEDIUM, self.start.turn))

    @property
    def steps(self) -> list[Step]:
        return steps(self.ply, len(self.card.moves))

    @property
    def before(self) -> str:
        opponents = self.puzzle.opponents_move()
        return "" if opponents is None else solution_san(opponents[0], [opponents[1]])

    @property
    def plies(self) -> list[Written]:
        return written(self.start, self.card.moves)

    @property
    def found(self) -> str:
        """Whether the solver found it in the game."""
        if self.puzzle.solver_found is None:
            return ""
        side = "White" if self.start.turn else "Black"
        return f"{side} {'found' if self.puzzle.solver_found else 'missed'} it."

    @property
    def tags(self) -> list[tuple[str, str]]:
        # How long the line is, everybody sees.
        told = [
            tag for tag in self.puzzle.all_tags() if tag in TAGS and TAGS[tag].group is not TagGroup.LENGTH
        ]
        return [(tag, tag_words(tag)) for tag in told]

    @property
    def evidence(self) -> list[tuple[str, str]]:
        """How the puzzle was verified, in rows of a name and a sentence."""
        puzzle, rows = self.puzzle, list[tuple[str, str]]()
        if puzzle.gap is not None:
            ahead = f"the best move is ahead of the next by {puzzle.gap:.2f} (gap, 0 to 2)"
            rows.append(("Only move", ahead))
        if puzzle.evaluations:
            known = puzzle.evaluations
            named = {"before": f"before {self.before}", "after": "after it", "end": "at the end"}
            said = [f"{known[key]:.2f} {words}" for key, words in named.items() if key in known]
            rows.append(("Win chance", f"{', '.join(said)} (-1 to 1)"))
        if puzzle.engine:
            nodes = [f"{number:,}" for number in (puzzle.nodes or {}).values() if isinstance(number, int)]
            budget = f", up to {' and '.join(nodes)} nodes" if nodes else ""
            rows.append(("Search", f"{puzzle.engine}{budget}"))
        else:
            rows.append(("Source", " ".join(filter(None, [puzzle.source, puzzle.source_id]))))
        if puzzle.verdict is not None:
            verdict = f"{'✓' if puzzle.audit_passed else '✕'} {puzzle.verdict}"
            searched = (puzzle.audit or {}).get("nodes")
            rows.append(("Audit", f"{verdict}{f', {searched:,} nodes a move' if searched else ''}"))
        return rows

    @cached_property
    def alike(self) -> tuple[list[PuzzleCard], str]:
        """Puzzles like it, to solve, or why they cannot be searched now."""
        hits, unavailable = self._site.alike(self._query, ALIKE, self.student)
        return [PuzzleCard.to_solve(hit.puzzle, hit=hit) for hit in hits], unavailable
