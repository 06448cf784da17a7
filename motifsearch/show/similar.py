"""Similar puzzles as plain values for JSON, as text for a terminal, and as an HTML page.

A search with its results goes in. This module does not search, and reads no database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from chess_motif.boards import solution_san, to_move
from chess_motif.pages import render
from chess_motif.tables import table
from motifsearch.puzzles.index import IndexReport
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.search import By, PuzzleQuery
from motifsearch.show.card import PuzzleCard
from motifsearch.show.grid import Cell, grid
from motifsearch.terms.weights import STATIC_FIELDS, Encoding
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import ExplainedReason

if TYPE_CHECKING:
    from puzzlegen.verify.idea import WinningMove


# Terms of each kind that are shown with their scores.
HEAVIEST = 5


@dataclass(frozen=True)
class PuzzleSearch:
    """A search to be shown: the query and its options, the results, and whether they are explained."""

    query: PuzzleQuery
    by: By
    encoding: Encoding
    hits: Sequence[PuzzleHit]
    why: bool = False

    @property
    def reasons(self) -> tuple[ExplainedReason, ...]:
        """Why the query's solution works; empty without `why`, since finding reasons takes a while."""
        return self.query.reasons if self.why and self.query.shows_solution else ()

    def notes(self) -> list[str]:
        """Return the query's motif, and what else the engine found in its position."""
        idea, board = self.query.idea, self.query.board
        if idea is None:
            return [f"Motif: {seen_words(self.query.tags)}"]
        # Imported only here: if there is an idea, the module is loaded already.
        from puzzlegen.verify.idea import NoTactic

        first = _scored(board, idea.first)
        if isinstance(idea, NoTactic):
            if idea.wins:
                return [f"No tactic: {first} wins, but neither mates nor wins material soon."]
            return [f"No tactic: no move wins. The best one is {first}."]
        notes = [f"Motif: {seen_words(self.query.tags)}"]
        if idea.instead:
            label = "Best defence" if idea.is_taken else "If the offer is taken"
            notes.append(f"{label}: {solution_san(board, idea.instead)}")
        if idea.also:
            also = ", ".join(_scored(board, move) for move in idea.also)
            notes.append(f"Also wins: {also}; the line begins with {first}.")
        return notes

    def cards(self) -> list[PuzzleCard]:
        """Return the cards of the results."""
        return [PuzzleCard.of_hit(hit, explained=self.why) for hit in self.hits]

    def likeness(self, hit: PuzzleHit) -> str:
        """Return how much a result is like the query, such as `72 % alike` or `20 %, not close`."""
        # The levels are only known for comparisons of solutions.
        words = "alike" if self.by is By.STATIC else self.encoding.in_words(hit.likeness)
        return f"{_percent(hit.likeness)}{',' if words.startswith('not') else ''} {words}"

    def notices(self) -> Iterator[str]:
        """Yield notices to the reader: that there are no results or no close results, and why."""
        if self.by is By.STATIC and not self.query.shows_solution:
            yield "The results are like the position only."
        if self.by is not By.STATIC and not self.query.shows_tactic:
            yield (
                "This line shows no known tactic: it does not mate, wins nothing and has no motif. "
                "The results are like this line only in part."
            )
        if not self.hits:
            yield "No puzzle that passes the filters shares a term with the query."
        elif not self._is_close(self.hits[0]):
            best, level = _percent(self.hits[0].likeness), _percent(self.encoding.close)
            yield f"No close results: the best is {best} alike, less than {level}."

    def _is_close(self, hit: PuzzleHit) -> bool:
        return self.by is By.STATIC or hit.likeness >= self.encoding.close


def _scored(board: chess.Board, winning: WinningMove) -> str:
    """Return a move with the solver's score, such as `Qd5 (+3.4)` or `Qd5 (mate in 4)`."""
    mate, pawns = winning.score.mate(), winning.score.score(mate_score=0) / 100
    return f"{board.san(winning.move)} ({f'{pawns:+.1f}' if mate is None else f'mate in {mate}'})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def similar_document(search: PuzzleSearch) -> dict[str, Any]:
    """Return the query and the results of a search.

    With `why`, query and results have `reasons`, and results have `words` and `matched`. The query's `id` is
    None for a position that is not a stored puzzle.
    """
    query = search.query
    asked = PuzzleCard(query.board, query.moves, query.puzzle, search.reasons if search.why else None).json()
    asked |= {
        "tags": query.tags,
        "tactic": query.shows_tactic,
        "notes": search.notes(),
        "by": str(search.by),
        "mode": search.encoding.name,
    }
    return {"query": asked, "results": [card.json() for card in search.cards()]}


def similar_text(search: PuzzleSearch, width: int) -> str:
    """Return the query and the results for a terminal of `width` columns, as boards with figurines."""
    query = search.query
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    solution = [solution_san(query.board, query.moves)] if query.shows_solution else []
    reasons = [reason.sentence for reason in search.reasons]
    query_cell = Cell(query.board, [f"{title}, {to_move(query.board)}", *solution, *search.notes(), *reasons])
    boards = grid(query_cell, [_cell(card, search) for card in search.cards()], width)
    notices = "\n".join(search.notices())
    return f"{boards}\n\n{notices}".rstrip()


def _cell(card: PuzzleCard, search: PuzzleSearch) -> Cell:
    hit = card.hit
    assert hit is not None
    lines = [
        f"{hit.rank}. {card.id}",
        search.likeness(hit),
        f"static {hit.static:.1f}, dynamic {hit.dynamic:.1f}, all {hit.score:.1f}",
        ", ".join(filter(None, [to_move(card.board), card.level])),
        card.line,
        hit.puzzle.origin().removeprefix("https://"),
    ]
    if hit.words:
        lines.append(f"Both: {hit.words}")
    if search.why:
        lines += [_heaviest("Static", hit, is_static=True), _heaviest("Dynamic", hit, is_static=False)]
    return Cell(card.board, lines + [reason.sentence for reason in hit.reasons])


def _heaviest(kind: str, hit: PuzzleHit, *, is_static: bool) -> str:
    """Return the terms of a kind that add most to the score of a result, each with its score."""
    shared = [each for each in hit.matched if (each.field in STATIC_FIELDS) is is_static]
    return f"{kind}: " + (", ".join(f"{each.term} {each.score:.1f}" for each in shared[:HEAVIEST]) or "none")


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


def similar_page(search: PuzzleSearch) -> str:
    """Return the page of a search: the query, with its reasons if `why`, then the puzzles found."""
    query = search.query
    return render(
        "motifsearch/show/templates/similar.html",
        search=search,
        query=PuzzleCard.of_query(query, explained=search.why),
        cards=search.cards(),
        matched=lambda hit: [
            ("static" if match.field in STATIC_FIELDS else "dynamic", match) for match in hit.matched
        ],
    )
