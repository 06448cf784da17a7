"""Puzzles to train on: those with the idea of a missed opportunity that are worth solving.

An open searcher and the puzzle or exercise of the opportunity go in, search results come out. This module
knows nothing of training sets.

A search compares what happens on the board. Two lines may have the same captures but different points, such
as a recapture that is not possible. As the facts about a solution tell such points apart
(`puzzlegen.reasons`), both the search and the facts count.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import chess

from db.models import Puzzle
from db.puzzles import PuzzleFilter
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.search import PuzzleQuery, SearchRequest, is_obvious
from motifsearch.trainer.level import is_hard
from puzzlegen.motifs.tags import telling_motifs
from puzzlegen.reasons.explained import SolutionReasons, facts_of
from puzzlegen.reasons.fact import FactKind
from puzzlegen.reasons.table import ROWS
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.verify.ending import Ending

# Search results for each puzzle to pick: some results are too hard, obvious or picked already.
LOOKED_AT = 10

# The least likeness (0…1) to the query, which is lower by up to `SAME_FACTS` in proportion to the facts that
# both solutions share. Chosen on 301 graded picks; later terms have the value that as many results reach.
ALIKE = 0.61
SAME_FACTS = 0.2

# From this many moves of the solver on, facts do not count: a long line has several ideas, and none of 24
# picks for such lines had all of them.
LONG = 4

# The rating differences by which a puzzle at the student's level may be harder or easier.
HARDER = 200
EASIER = 300

# A puzzle that is this much easier is never picked: a student 800 points stronger solves 99 of 100.
TOO_EASY = 800

# The theme of puzzles that only save a lost position.
SAVES = "equality"


def pick(
    searcher: PuzzleSearcher,
    query: PuzzleQuery,
    k: int,
    solver: str,
    taken: Collection[str] = (),
    level: float | None = None,
) -> list[PuzzleHit]:
    """Return up to `k` puzzles with the query's idea at the student's level, easier puzzles first.

    The student is `solver`, and the default `level` is that of the query. Puzzles are left out if a search
    with `to_solve` leaves them out (see `SearchRequest`), if they were shown to the student or their ids are
    among `taken`, if they are hard or much too easy at this level, if they only save a lost position but the
    query wins, or if they are not `ALIKE`. So there may be no puzzle for a query with a rare idea. Puzzles
    above or below the level are picked only if there are no others. Missing estimates of difficulty are made
    and stored. Raises `StoreError`, `HumanModelError`.
    """
    # Imported only here: listing and solving sets need no estimates, and the libraries are large.
    from puzzlegen.upkeep.changes import rate_unrated

    assert query.puzzle is not None
    level = query.level if level is None else level
    no_tags = () if query.puzzle.outcome == Ending.HELD else (SAVES,)
    unseen = PuzzleFilter(new_to=solver, no_tags=no_tags)
    request = SearchRequest(query, unseen, k=LOOKED_AT * k, student=solver, to_solve=True, left_out=taken)
    alike = _alike(query.puzzle, searcher.similar(request))
    rate_unrated(searcher.store, [hit.puzzle for hit in alike])
    fitting = [hit for hit in alike if _is_worth_solving(hit.puzzle, level)]
    # Sorting is stable: puzzles at the level keep their order.
    chosen = sorted(fitting, key=lambda hit: _points_off(hit.puzzle, level))[:k]
    return sorted(chosen, key=lambda hit: _level(hit.puzzle))


def _alike(query: Puzzle, hits: list[PuzzleHit]) -> list[PuzzleHit]:
    """Return the results that are like a puzzle, best first."""
    wanted, alike = _Idea(query), list[tuple[float, PuzzleHit]]()
    for hit in hits:
        # Only puzzles that can be alike are replayed: finding facts takes longer than the search.
        if hit.likeness >= ALIKE - SAME_FACTS and wanted.is_like(found := _Idea(hit.puzzle)):
            likeness = hit.likeness + SAME_FACTS * wanted.shared_facts(found)
            if likeness >= ALIKE:
                alike.append((likeness, hit))
    return [hit for _, hit in sorted(alike, key=lambda each: -each[0])]


class _Idea:
    """The idea of a solution: motifs, mates by length and mating piece, and the reasons why it wins.

    Motifs that many different tactics share are left out.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._tactics = Tactics.of(puzzle)
        tags, last = puzzle.all_tags(), chess.piece_name(self._tactics.replay.plies[-1].kind)
        mates = {f"{name} {last}" for name in tags if name.startswith("mateIn")}
        self._motifs = telling_motifs(tags) | mates

    @cached_property
    def _reasons(self) -> SolutionReasons:
        return SolutionReasons(self._tactics)

    @cached_property
    def _facts(self) -> set[FactKind]:
        if len(self._tactics.replay.solver_plies) >= LONG:
            return set()
        compared = {row.kind for row in ROWS if row.compared}
        return {fact.kind for fact in facts_of(self._tactics, compared)}

    def is_like(self, other: _Idea) -> bool:
        """Return whether both ideas have a motif or a reason why they win in common."""
        return not self._motifs.isdisjoint(other._motifs) or self._reasons.shares_win(other._reasons)

    def shared_facts(self, other: _Idea) -> float:
        """Return the share (0…1) of the kinds of facts about either solution that both have.

        Without any facts, the share is unknown, and taken to be a half.
        """
        either = self._facts | other._facts
        return len(self._facts & other._facts) / len(either) if either else 0.5


def _is_worth_solving(puzzle: Puzzle, level: float) -> bool:
    is_too_easy = _level(puzzle) <= level - TOO_EASY
    return not (is_obvious(puzzle) or is_too_easy or is_hard(puzzle, level))


def _points_off(puzzle: Puzzle, level: float) -> float:
    """Return how much too hard or too easy a puzzle is (0 at the student's level)."""
    return max(0.0, _level(puzzle) - level - HARDER, level - EASIER - _level(puzzle))


def _level(puzzle: Puzzle) -> float:
    assert puzzle.level is not None
    return puzzle.level
