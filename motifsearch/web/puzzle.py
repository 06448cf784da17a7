"""A puzzle's own page, `/puzzles/<id>`: its line, its reasons, how it was verified, and others like it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from chess_motif.boards import board_after, solution_san
from chess_motif.pages import link
from chess_motif.pages.boards import Look, Size, board_svg, label_of
from db.models import Puzzle
from db.puzzles import get_puzzle
from db.sets import all_sets
from motifsearch.puzzles.searcher import explained
from motifsearch.search import PuzzleQuery
from motifsearch.views.reasons import Sentence, arrows, sentences
from motifsearch.web.parts import (
    Diagram,
    Level,
    Ply,
    Step,
    diagram,
    level_of,
    origin_of,
    plies,
    steps,
)
from motifsearch.web.site import Site, page, site_of
from puzzlegen.formats.answers import question, unseen
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.motifs.table import TAGS, Group
from puzzlegen.motifs.tags import NO_MOTIF, main_words, tag_words

router = APIRouter()

# Similar puzzles that are shown.
ALIKE = 4


@router.get("/puzzles/{name}")
def show_puzzle(
    request: Request,
    name: Annotated[str, Path(description="The id of a puzzle.")],
    ply: Annotated[int, Query(ge=0, description="The half-moves of the line that have been played.")] = 0,
) -> Response:
    """Show a puzzle; `ply` steps through its line."""
    site = site_of(request)
    with site.store.reading() as session:
        puzzle = get_puzzle(session, name)
        sets = [each.name for each in all_sets(session)]
    view = _PuzzlePage(site, puzzle, ply, sets, site.student(request))
    return page(request, "puzzle.html", title=view.motif, view=view, data=lambda: as_dict(puzzle))


class _PuzzlePage:
    """A puzzle as the template shows it."""

    def __init__(self, site: Site, puzzle: Puzzle, ply: int, sets: Sequence[str], student: str) -> None:
        self.sets, self.student = sets, student
        self.puzzle, self.start = puzzle, puzzle.position()
        self._line = puzzle.moves()
        self.ply = min(ply, len(self._line))
        # One query, for its reasons are compared with those of the puzzles like it.
        self._query = PuzzleQuery.of(puzzle)
        self._reasons = self._query.reasons
        self._site = site

    @property
    def motif(self) -> str:
        words = main_words(self.puzzle.all_tags())
        return "A puzzle" if words == NO_MOTIF else words[:1].upper() + words[1:]

    @property
    def question(self) -> str:
        return ". ".join(filter(None, [question(self.puzzle), unseen(self.puzzle)]))

    @property
    def board(self) -> Markup:
        board = board_after(self.start, self._line[: self.ply])
        if self.ply:
            before = board_after(self.start, self._line[: self.ply - 1])
            last = self._line[self.ply - 1]
            label = f"After {solution_san(before, [last])}"
            return board_svg(board, Look(self.start.turn, label, Size.MEDIUM, last, coordinates=True))
        opponents = self.puzzle.opponents_move()
        drawn = arrows(self._line[0], self._reasons)
        label = f"The solution as arrows: {label_of(drawn, board)}"
        blunder = opponents[1] if opponents else None
        look = Look(self.start.turn, label, Size.MEDIUM, blunder, arrows=drawn, coordinates=True)
        return board_svg(board, look)

    @property
    def steps(self) -> list[Step]:
        return steps(self.ply, len(self._line))

    @property
    def before(self) -> str:
        opponents = self.puzzle.opponents_move()
        return "" if opponents is None else solution_san(opponents[0], [opponents[1]])

    @property
    def plies(self) -> list[Ply]:
        return plies(self.puzzle)

    @property
    def sentences(self) -> list[Sentence]:
        return sentences(self._reasons)

    @property
    def level(self) -> Level | None:
        return level_of(self.puzzle)

    @property
    def game(self) -> str:
        return origin_of(self.puzzle)

    @property
    def game_link(self) -> str | None:
        return link(self.puzzle.game_url)

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
        told = [tag for tag in self.puzzle.all_tags() if tag in TAGS and TAGS[tag].group is not Group.LENGTH]
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
    def alike(self) -> tuple[list[Diagram], str]:
        """Puzzles like it, or why they cannot be searched now."""
        hits, unavailable = self._site.alike(self._query, ALIKE, self.student)
        return [diagram(hit) for hit in explained(self._query, hits)], unavailable
