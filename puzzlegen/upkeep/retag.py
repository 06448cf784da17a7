"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing

import chess

from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.puzzles import count_puzzles, find_puzzles, set_tags
from db.store import Store
from puzzlegen.motifs.tags import solution_tags

# Puzzles that a worker tags at a time, and that are stored in one transaction.
CHUNK = 500

# The position of a puzzle, its solution, and the square on which the move before it captured, if it did.
Line = tuple[str, str, chess.Square | None]


def retag(store: Store, progress: Progress | None = None) -> int:
    """Give all puzzles the tags that they would get if they were new; return how many have changed.

    If it is stopped, the first puzzles have their new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        total = count_puzzles(session)
    done = changed = 0
    # The present tags of the puzzles that the workers have.
    before: deque[tuple[int, str]] = deque()

    def lines() -> Iterator[Line]:
        with store.reading() as session:
            for puzzle in find_puzzles(session):
                before.append((puzzle.number, puzzle.tags))
                yield puzzle.puzzle_fen, puzzle.solution, puzzle.capture_before()

    with closing(in_processes(tags_of_lines, chunks_of(lines(), CHUNK))) as found:
        for tags in found:
            old = [before.popleft() for _ in tags]
            new = {number: now for (number, then), now in zip(old, tags, strict=True) if now != then}
            with store.session() as session:
                set_tags(session, new)
            done, changed = done + len(tags), changed + len(new)
            progress.update("retag", done, total, "puzzle")
    return changed


def tags_of_lines(lines: list[Line]) -> list[str]:
    """Return the tags of each line, separated by spaces."""
    return [
        " ".join(
            solution_tags(chess.Board(fen), [chess.Move.from_uci(move) for move in solution.split()], taken)
        )
        for fen, solution, taken in lines
    ]
