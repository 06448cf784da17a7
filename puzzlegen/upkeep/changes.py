"""Changing stored puzzles: new tags after an upgrade, estimates of their difficulty, deletion.

The work is done by several processes, and the changes are stored a chunk at a time. Search indexes notice
changed and deleted puzzles by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from chess_motif.errors import StoreError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.models import Kind, Puzzle
from db.puzzles import PuzzleFilter, change_puzzles, count_puzzles, delete_puzzles
from db.selection import read_by_number, resolve_ids
from db.store import Store
from engines.human.model import model_file
from puzzlegen.difficulty.rating import Estimate
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.solutions import rating_model, set_difficulties
from puzzlegen.verify.ending import Ending

# Puzzles that a worker gets at a time.
CHUNK = 500

# New values of a puzzle by the names of the columns; empty if nothing changes.
Changes = dict[str, Any]


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and unknown outcomes; return how many puzzles have changed.

    Puzzles that an earlier version has imported get the outcome that their moves show. After an interruption,
    only the first puzzles have new tags. Raises `StoreError`.
    """
    return _change(
        store, _new_tags, PuzzleFilter(kind=None), progress, label="retagging", damaged="keeps its tags"
    )


def _new_tags(puzzle: Puzzle) -> Changes:
    tactics = Tactics.of(puzzle)
    is_forced = puzzle.kind == Kind.PUZZLE or puzzle.outcome == Ending.MATE
    holds = puzzle.outcome == Ending.HELD
    tags = tactics.tags(is_forced=is_forced, holds=holds)
    outcome = puzzle.outcome or tactics.ending() or ""
    changes = {"tags": " ".join(tags), "outcome": outcome}
    return changes if changes != {"tags": puzzle.tags, "outcome": puzzle.outcome} else {}


def rate(store: Store, filters: PuzzleFilter | None = None, progress: Progress | None = None) -> int:
    """Estimate the difficulty of the puzzles that pass the filters; return how many puzzles were estimated.

    After an interruption, only the first puzzles have estimates. Raises `HumanModelError`, `StoreError`.
    """
    # An unusable model should raise here, not in a worker.
    rating_model(model_file())
    return _change(store, _estimate, filters or PuzzleFilter(), progress, label="rating", damaged="not rated")


def rate_unrated(store: Store, puzzles: Sequence[Puzzle]) -> None:
    """Estimate the difficulty of the puzzles without an estimate, in these objects and in the database.

    Raises `HumanModelError`, `StoreError`.
    """
    unrated = [puzzle for puzzle in puzzles if puzzle.difficulty is None]
    if unrated:
        set_difficulties(unrated)
        rows = [{"number": puzzle.number, **_difficulty(puzzle)} for puzzle in unrated]
        store.transact(partial(change_puzzles, rows=rows))


def _estimate(puzzle: Puzzle) -> Changes:
    set_difficulties([puzzle])
    return _difficulty(puzzle)


def _difficulty(puzzle: Puzzle) -> Changes:
    return {name: getattr(puzzle, name) for name in Estimate._fields}


def delete(store: Store, names: Sequence[str]) -> list[str]:
    """Delete the puzzles with these ids, ours or those of the source; return our ids.

    Raises `StoreError`, and `UnknownPuzzleError` if an id is unknown; nothing is deleted then.
    """

    def gone(session: Session) -> list[str]:
        ids = resolve_ids(session, names)
        delete_puzzles(session, ids)
        return ids

    return store.transact(gone)


def _change(
    store: Store,
    change: Callable[[Puzzle], Changes],
    filters: PuzzleFilter,
    progress: Progress | None,
    *,
    label: str,
    damaged: str,
) -> int:
    """Store what `change` returns for each puzzle that passes the filters; return how many have changed.

    A puzzle for which `change` raises `StoreError` is not changed, and reported as damaged, with the words of
    `damaged`. After an interruption, only the first puzzles have changed. Raises `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        total = count_puzzles(session, filters)
    done = changed = 0

    puzzles = chunks_of(read_by_number(store, filters), CHUNK)
    with closing(in_processes(partial(_changed, change), puzzles)) as chunks:
        for count, rows, unreadable in chunks:
            for name in unreadable:
                progress.notice(f"the puzzle {name} is damaged in the database, and {damaged}")
            changed += store.transact(partial(change_puzzles, rows=rows))
            done += count
            progress.update(label, done, total, "puzzle")
    return changed


def _changed(
    change: Callable[[Puzzle], Changes], puzzles: Sequence[Puzzle]
) -> tuple[int, list[Changes], list[str]]:
    """Return how many puzzles there are, the rows to store, and the ids of the damaged puzzles."""
    rows, damaged = [], []
    for puzzle in puzzles:
        try:
            changes = change(puzzle)
        except StoreError:
            damaged.append(puzzle.id)
        else:
            if changes:
                rows.append({"number": puzzle.number, **changes})
    return len(puzzles), rows, damaged
