"""Working through stored puzzles, in all processes, a chunk at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TypeVar

from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles
from db.store import Store

# Puzzles that a worker gets at a time.
CHUNK = 500

T = TypeVar("T")


def every_puzzle(
    store: Store,
    work: Callable[[list[Puzzle]], list[T]],
    filters: PuzzleFilter,
    progress: Progress,
    label: str,
) -> Generator[list[tuple[Puzzle, T]]]:
    """Yield the puzzles that pass the filters, in chunks, each with what `work` returns for it in a worker.

    `progress` shows the chunks that the caller is done with.
    """
    with store.reading() as session:
        total = count_puzzles(session, filters)
    done = 0
    # What the workers have.
    pending: deque[Puzzle] = deque()

    def puzzles() -> Iterator[Puzzle]:
        with store.reading() as session:
            for puzzle in find_puzzles(session, filters):
                pending.append(puzzle)
                yield puzzle

    with closing(in_processes(work, chunks_of(puzzles(), CHUNK))) as chunks:
        for results in chunks:
            yield [(pending.popleft(), result) for result in results]
            done += len(results)
            progress.update(label, done, total, "puzzle")
