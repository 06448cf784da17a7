"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.
"""

from __future__ import annotations

from contextlib import closing

from chess_motif.errors import StoreError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter, set_tags
from db.store import Store
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.upkeep.every_puzzle import every_puzzle
from puzzlegen.verify.ending import ending_shown

# The tags of a puzzle, separated by spaces, and its outcome.
_Facts = tuple[str, str]


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    changed = 0
    with closing(every_puzzle(store, _facts_of, PuzzleFilter(), progress, "retagging")) as chunks:
        for chunk in chunks:
            changes = {}
            for puzzle, facts in chunk:
                if facts is None:
                    progress.notice(f"the puzzle {puzzle.id} is damaged in the database, and keeps its tags")
                elif facts != (puzzle.tags, puzzle.outcome):
                    changes[puzzle.number] = facts
            with store.session() as session:
                set_tags(session, changes)
            changed += len(changes)
    return changed


def _facts_of(puzzles: list[Puzzle]) -> list[_Facts | None]:
    """Return the facts of each puzzle, None if it cannot be read."""
    return [_facts(puzzle) for puzzle in puzzles]


def _facts(puzzle: Puzzle) -> _Facts | None:
    try:
        position, moves = puzzle.position(), puzzle.moves()
        tags = " ".join(solution_tags(position, moves, puzzle.capture_before()))
    except StoreError:
        return None
    return tags, puzzle.outcome or ending_shown(position, moves) or ""
