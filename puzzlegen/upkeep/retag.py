"""Replacing the tags of stored puzzles, after an upgrade to a version that recognises more motifs.

Puzzles that an earlier version has imported also get the outcome that their moves show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from chess_motif.errors import PositionError
from chess_motif.material import capture_by
from chess_motif.notation import parse_move, parse_moves, parse_position
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.puzzles import count_puzzles, find_puzzles, set_tags
from db.store import Store
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import ending_shown

# Puzzles that a worker tags at a time, and whose tags are stored in one transaction.
CHUNK = 500

# The tags of a puzzle, separated by spaces, and its outcome.
_Facts = tuple[str, str]


class _Puzzle(NamedTuple):
    """What tags are made from: some columns of a stored puzzle."""

    fen: str
    blunder: str
    puzzle_fen: str
    solution: str
    outcome: str


def retag(store: Store, progress: Progress | None = None) -> int:
    """Recompute the tags of all puzzles, and outcomes not known; return how many puzzles have changed.

    If it is interrupted, only the first puzzles have new tags. Raises `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        total = count_puzzles(session)
    done = changed = 0
    # Numbers, ids, old tags and outcomes of the puzzles that the workers have.
    pending: deque[tuple[int, str, _Facts]] = deque()

    def puzzles() -> Iterator[_Puzzle]:
        with store.reading() as session:
            for puzzle in find_puzzles(session):
                pending.append((puzzle.number, puzzle.id, (puzzle.tags, puzzle.outcome)))
                yield _Puzzle(puzzle.fen, puzzle.blunder, puzzle.puzzle_fen, puzzle.solution, puzzle.outcome)

    with closing(in_processes(_facts_of, chunks_of(puzzles(), CHUNK))) as chunks:
        for facts in chunks:
            changes = {}
            for new in facts:
                number, name, old = pending.popleft()
                if new is None:
                    progress.notice(f"the puzzle {name} is damaged in the database, and keeps its tags")
                elif new != old:
                    changes[number] = new
            with store.session() as session:
                set_tags(session, changes)
            done, changed = done + len(facts), changed + len(changes)
            progress.update("retagging", done, total, "puzzle")
    return changed


def _facts_of(puzzles: list[_Puzzle]) -> list[_Facts | None]:
    """Return the facts of each puzzle, None if it cannot be read."""
    return [_facts(puzzle) for puzzle in puzzles]


def _facts(puzzle: _Puzzle) -> _Facts | None:
    try:
        board, capture = parse_position(puzzle.puzzle_fen), None
        moves = parse_moves(board, puzzle.solution)
        if puzzle.blunder:
            before = parse_position(puzzle.fen)
            capture = capture_by(before, parse_move(before, puzzle.blunder))
    except PositionError:
        return None
    tags = " ".join(solution_tags(board, moves, capture))
    return tags, puzzle.outcome or ending_shown(board, moves) or ""
