"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing

import chess

from chess_motif.material import Capture
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.puzzles import count_puzzles, find_puzzles, set_tags
from db.store import Store
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import ending_shown

# Puzzles that a worker tags at a time, and whose tags are stored in one transaction.
CHUNK = 500

# The position of a puzzle (FEN), its solution, the capture by the move before it, if any, and its outcome, if
# known.
_Puzzle = tuple[str, str, Capture | None, str]


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        total = count_puzzles(session)
    done = changed = 0
    # Numbers, old tags and outcomes of the puzzles that the workers have.
    pending: deque[tuple[int, tuple[str, str]]] = deque()

    def puzzles() -> Iterator[_Puzzle]:
        with store.reading() as session:
            for puzzle in find_puzzles(session):
                pending.append((puzzle.number, (puzzle.tags, puzzle.outcome)))
                yield puzzle.puzzle_fen, puzzle.solution, puzzle.capture_before(), puzzle.outcome

    with closing(in_processes(_tags_of, chunks_of(puzzles(), CHUNK))) as chunks:
        for tags in chunks:
            before = [pending.popleft() for _ in tags]
            changes = {number: new for (number, old), new in zip(before, tags, strict=True) if new != old}
            with store.session() as session:
                set_tags(session, changes)
            done, changed = done + len(tags), changed + len(changes)
            progress.update("retag", done, total, "puzzle")
    return changed


def _tags_of(puzzles: list[_Puzzle]) -> list[tuple[str, str]]:
    """Return the tags of each puzzle, separated by spaces, and its outcome."""
    changes = []
    for fen, solution, capture, outcome in puzzles:
        board, moves = chess.Board(fen), [chess.Move.from_uci(move) for move in solution.split()]
        tags = " ".join(solution_tags(board, moves, capture))
        changes.append((tags, outcome or ending_shown(board, moves) or ""))
    return changes
