"""What is said about a search and its results, on pages and in the terminal alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from motifsearch.puzzles.closeness import CLOSE
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import Mode


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
