"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing

from chess_motif.errors import StoreError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import count_puzzles, find_puzzles, set_tags
from db.store import Store
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import ending_shown

# Puzzles that a worker tags at a time, and whose tags are stored in one transaction.
CHUNK = 500

# The tags of a puzzle, separated by spaces, and its outcome.
_Facts = tuple[str, str]


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        total = count_puzzles(session)
    done = changed = 0
    # What the workers have.
    pending: deque[Puzzle] = deque()

    def puzzles() -> Iterator[Puzzle]:
        with store.reading() as session:
            for puzzle in find_puzzles(session):
                pending.append(puzzle)
                yield puzzle

    with closing(in_processes(_facts_of, chunks_of(puzzles(), CHUNK))) as chunks:
        for facts in chunks:
            changes = {}
            for new in facts:
                puzzle = pending.popleft()
                if new is None:
                    progress.notice(f"the puzzle {puzzle.id} is damaged in the database, and keeps its tags")
                elif new != (puzzle.tags, puzzle.outcome):
                    changes[puzzle.number] = new
            with store.session() as session:
                set_tags(session, changes)
            done, changed = done + len(facts), changed + len(changes)
            progress.update("retagging", done, total, "puzzle")
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
