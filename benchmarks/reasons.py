"""For how many puzzles there is a reason why the solution works.

    python -m benchmarks.reasons PUZZLES [--puzzles N] [--sample N]

PUZZLES is a Lichess puzzle file, or the URL of a database (`sqlite:///puzzles.db`). Prints the shares of
puzzles, exercises and mates in one that have a reason. Before that, it prints the board, the solution and the
reasons of a random `--sample`, so that a person can judge whether the reasons are true and explain the
solution.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from benchmarks.command import at_least, parser_for, run
from benchmarks.puzzles import read_puzzles, sample
from chess_motif.boards import mates, solution_san, text_board
from chess_motif.tables import table
from db.models import Kind, Puzzle
from puzzlegen.reasons.explained import reasons_of


def shown(puzzle: Puzzle, sentences: Sequence[str]) -> str:
    """Return the board and the solution of a puzzle, with the sentences of its reasons."""
    position = puzzle.position()
    lines = [
        f"{puzzle.id}  {puzzle.puzzle_fen}",
        text_board(position),
        solution_san(position, puzzle.moves()),
        *(sentences or ["(no reason)"]),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("puzzles")
    parser.add_argument("--puzzles", dest="count", type=at_least(1), default=5000)
    parser.add_argument("--sample", type=at_least(0), default=0)
    arguments = parser.parse_args()

    said: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    candidates: list[tuple[Puzzle, list[str]]] = []
    for puzzle in sample(read_puzzles(arguments.puzzles), arguments.count):
        moves = puzzle.moves()
        kind = Kind(puzzle.kind).value
        if len(moves) == 1 and mates(puzzle.position(), moves[0]):
            kind = "mate in one"
        sentences = reasons_of(puzzle)
        counted.update((kind, "all"))
        said.update((kind, "all") if sentences else ())
        candidates.append((puzzle, sentences))
    rows = [[kind, str(n), f"{said[kind] / n:.3f}"] for kind, n in sorted(counted.items())]
    judged = random.Random(0).sample(candidates, min(arguments.sample, len(candidates)))
    text = "\n\n".join(
        [*(shown(*one) for one in judged), table(["puzzles", "number", "with a reason"], rows, right="lrr")]
    )
    print(text)


if __name__ == "__main__":
    run(main)
