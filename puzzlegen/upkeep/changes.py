"""Changing stored puzzles: the work in all processes, what comes of it stored a chunk at a time.

Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.

Estimating how hard stored puzzles are.

Deleting puzzles. Search indexes notice by themselves that they are gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

from chess_motif.errors import StoreError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.models import Kind, Puzzle
from db.puzzles import PuzzleFilter, change_puzzles, count_puzzles, delete_puzzles, find_puzzles
from db.selection import resolve_ids
from db.store import Store
from engines.human.model import load_human_model, model_file
from puzzlegen.difficulty.rating import Problem, RatingModel, load_rating_model
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import Ending, ending_shown

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


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    return change_every_puzzle(
        store, _tag_changes, PuzzleFilter(kind=None), progress, label="retagging", damaged="keeps its tags"
    )


def _tag_changes(puzzle: Puzzle) -> Changes:
    position, moves = puzzle.position(), puzzle.moves()
    is_forced = puzzle.kind == Kind.PUZZLE or puzzle.outcome == Ending.MATE
    tags = " ".join(solution_tags(position, moves, puzzle.capture_before(), is_forced=is_forced))
    outcome = puzzle.outcome or ending_shown(position, moves) or ""
    return {"tags": tags, "outcome": outcome} if (tags, outcome) != (puzzle.tags, puzzle.outcome) else {}


def rate(store: Store, filters: PuzzleFilter | None = None, progress: Progress | None = None) -> int:
    """Estimate the difficulty of the puzzles that pass the filters; return how many puzzles were estimated.

    If it is interrupted, only the first puzzles have estimates. Raises `HumanModelError`, `StoreError`.
    """
    human_model = model_file()
    # A model that cannot be used is an error here, not in a worker.
    _model(human_model)
    return change_every_puzzle(
        store,
        partial(_estimate, human_model),
        filters or PuzzleFilter(),
        progress or Progress(),
        label="rating",
        damaged="not rated",
    )


@cache
def _model(human_model: Path) -> RatingModel:
    """Return the model of this process."""
    return load_rating_model(load_human_model(human_model))


def _estimate(human_model: Path, puzzle: Puzzle) -> Changes:
    (estimate,) = _model(human_model).estimate([Problem.of(puzzle)])
    return estimate._asdict()


def delete(store: Store, names: Sequence[str]) -> list[str]:
    """Delete the puzzles with these ids, ours or their source's; return our ids.

    Raises `StoreError`, and `UnknownPuzzleError`, without deleting anything, if one is not known.
    """
    with store.session() as session:
        ids = resolve_ids(session, names)
        delete_puzzles(session, ids)
    return ids
