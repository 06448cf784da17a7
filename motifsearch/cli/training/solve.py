"""The commands `motifsearch solve` and `due`: solving a training set in the terminal."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json
from chess_motif.errors import PositionError
from db.models import Puzzle
from db.store import Store
from motifsearch.cli.training.sets import SetArgument
from motifsearch.trainer.schedule import record_attempt
from motifsearch.trainer.sets import set_statuses
from motifsearch.trainer.solving import Answer, Solving
from motifsearch.views.training.puzzle_text import answer_text, board_text, question_text, result_text
from motifsearch.views.training.set_text import sets_text
from puzzlegen.cli.options import DatabaseOption, next_step, open_store

# What may be typed instead of a move.
HINT, SHOW, QUIT = "hint", "show", "quit"

# Puzzles that `solve` asks for by default.
DEFAULT_COUNT = 10


def due_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A training set, or whom it is for")],
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Say how many puzzles of a training set are due today."""
    with open_store(db) as store:
        sets = set_statuses(store, name)
    if json:
        print_json([each.as_dict() for each in sets])
    else:
        print(f"{sets_text(sets)}\n\n{next_step('motifsearch', 'solve', sets[0].summary.name, db=db)}")


def solve_command(
    name: SetArgument,
    count: Annotated[int, typer.Option("-n", min=1, metavar="N", help="Number of puzzles.")] = DEFAULT_COUNT,
    db: DatabaseOption = None,
) -> None:
    """Solve the puzzles of a training set: first those that are due again, then new ones.

    Answer with a move, such as Nf3 or g1f3.
    """
    with open_store(db) as store:
        (found,) = set_statuses(store, name)[:1]
        asked = [*found.due.again, *found.due.new][:count]
        if not asked:
            print(
                "Nothing is due." + ("" if found.due.later is None else f" Next: {found.due.later:%Y-%m-%d}")
            )
            return
        results = _solve_all(store, found.summary.solver, asked)
    if results:
        print(f"\n{result_text(sum(results), len(results))}")


def _solve_all(store: Store, solver: str, puzzles: list[Puzzle]) -> list[bool]:
    """Ask for the puzzles until the user has enough; return which were right."""
    results: list[bool] = []
    print(f"Type a move, or '{HINT}', '{SHOW}' (the solution) or '{QUIT}'.")
    for number, puzzle in enumerate(puzzles, 1):
        solving, begun = Solving(puzzle), time.monotonic()
        print(f"\n{number} of {len(puzzles)}\n\n{question_text(solving)}")
        if not _answered(solving):
            break
        again = record_attempt(
            store,
            solver,
            puzzle.id,
            right=solving.right,
            seconds=time.monotonic() - begun,
            hinted=solving.hints > 0,
        )
        print(f"\n{answer_text(puzzle)}\nAgain on {again:%Y-%m-%d}")
        results.append(solving.right)
    return results


def _answered(solving: Solving) -> bool:
    """Ask for moves until the puzzle is solved or its solution is shown; return False to stop instead."""
    while not solving.solved:
        try:
            text = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return False
        if text == QUIT:
            return False
        if text == SHOW:
            return True
        if text == HINT:
            print(f"Hint: {solving.hint()}")
            continue
        try:
            answer = solving.play(text)
        except PositionError as error:
            print(error)
            continue
        if answer is Answer.WRONG:
            print("No. Try again.")
        elif answer is Answer.RIGHT:
            print(f"Yes.\n\n{board_text(solving)}")
        else:
            print("Solved." if solving.right else "Solved, but not at once.")
    return True
