"""Tagging stored puzzles anew, after a newer version has learned more motifs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

import chess

from db.models import Puzzle
from db.puzzles import count_puzzles, find_puzzles, set_tags
from db.store import Store
from puzzlegen.motifs.played import capture_square
from puzzlegen.tags import solution_tags

# Puzzles between two commits; each worker takes a part of them.
BATCH = 4000
CHUNK = 250

# A puzzle's FEN, the blunder in it (or nothing), the position after it, the solution.
Line = tuple[str, str, str, str]


def retag(store: Store, progressed: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Tag all puzzles as they would be tagged if they were new; return how many have other tags now.

    `progressed` gets the number of puzzles done, and of all. Raises `StoreError`. Stopped, it has done the
    first ones.
    """
    with store.reading() as session:
        total = count_puzzles(session)
    done = changed = 0
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for puzzles in _batches(store):
            found = pool.map(tags_of_line, [_line(puzzle) for puzzle in puzzles], chunksize=CHUNK)
            new = {
                puzzle.number: tags
                for puzzle, tags in zip(puzzles, found, strict=True)
                if tags != puzzle.tags
            }
            with store.session() as session:
                set_tags(session, new)
            done, changed = done + len(puzzles), changed + len(new)
            progressed(done, total)
    return changed


def tags_of_line(line: Line) -> str:
    """Return the tags of a stored puzzle, separated by blanks."""
    fen, blunder, puzzle_fen, solution = line
    taken = capture_square(chess.Board(fen), chess.Move.from_uci(blunder)) if blunder else None
    moves = [chess.Move.from_uci(move) for move in solution.split()]
    return " ".join(solution_tags(chess.Board(puzzle_fen), moves, taken))


def _line(puzzle: Puzzle) -> Line:
    return puzzle.fen, puzzle.blunder, puzzle.puzzle_fen, puzzle.solution


def _batches(store: Store) -> Iterator[list[Puzzle]]:
    with store.reading() as session:
        puzzles = find_puzzles(session)
        while batch := list(islice(puzzles, BATCH)):
            yield batch
