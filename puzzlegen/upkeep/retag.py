"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.
"""

from __future__ import annotations

from chess_motif.progress import Progress
from db.models import Kind, Puzzle
from db.puzzles import PuzzleFilter
from db.store import Store
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.upkeep.every_puzzle import Changes, change_every_puzzle
from puzzlegen.verify.ending import Ending, ending_shown


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    return change_every_puzzle(
        store, _changes, PuzzleFilter(kind=None), progress, label="retagging", damaged="keeps its tags"
    )


def _changes(puzzle: Puzzle) -> Changes:
    position, moves = puzzle.position(), puzzle.moves()
    is_forced = puzzle.kind == Kind.PUZZLE or puzzle.outcome == Ending.MATE
    tags = " ".join(solution_tags(position, moves, puzzle.capture_before(), is_forced=is_forced))
    outcome = puzzle.outcome or ending_shown(position, moves) or ""
    return {"tags": tags, "outcome": outcome} if (tags, outcome) != (puzzle.tags, puzzle.outcome) else {}
