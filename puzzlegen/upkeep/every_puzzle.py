"""Changing stored puzzles: the work in all processes, what comes of it stored a chunk at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from chess_motif.errors import StoreError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter, change_puzzles, count_puzzles, find_puzzles
from db.store import Store

# Puzzles that a worker gets at a time.
CHUNK = 500

# New values of a puzzle by the names of its columns; none if it stays as it is.
Changes = dict[str, Any]


def change_every_puzzle(
    store: Store,
    change: Callable[[Puzzle], Changes],
    filters: PuzzleFilter,
    progress: Progress,
    *,
    label: str,
    damaged: str,
) -> int:
    """Store what `change` returns for each of the puzzles that pass the filters.

    Return how many puzzles have changed. One for which `change` raises `StoreError` stays as it is, and a
    notice says that it is damaged, and what `damaged` says. If it is interrupted, only the first puzzles have
    changed. Raises `StoreError`.
    """
    with store.reading() as session:
        total = count_puzzles(session, filters)
    done = changed = 0
    # What the workers have.
    pending: deque[Puzzle] = deque()

    def puzzles() -> Iterator[Puzzle]:
        with store.reading() as session:
            for puzzle in find_puzzles(session, filters):
                pending.append(puzzle)
                yield puzzle

    with closing(in_processes(partial(_changes, change), chunks_of(puzzles(), CHUNK))) as chunks:
        for chunk in chunks:
            rows = []
            for changes in chunk:
                puzzle = pending.popleft()
                if changes is None:
                    progress.notice(f"the puzzle {puzzle.id} is damaged in the database, and {damaged}")
                elif changes:
                    rows.append({"number": puzzle.number, **changes})
            with store.session() as session:
                change_puzzles(session, rows)
            done += len(chunk)
            changed += len(rows)
            progress.update(label, done, total, "puzzle")
    return changed


def _changes(change: Callable[[Puzzle], Changes], puzzles: list[Puzzle]) -> list[Changes | None]:
    """Return the changes of each puzzle, None if it is damaged."""
    return [_changes_of(change, puzzle) for puzzle in puzzles]


def _changes_of(change: Callable[[Puzzle], Changes], puzzle: Puzzle) -> Changes | None:
    try:
        return change(puzzle)
    except StoreError:
        return None
