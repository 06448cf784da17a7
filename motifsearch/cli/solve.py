"""The command `motifsearch solve`: asks for the puzzles of a training set, move by move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Annotated

import typer

from chess_motif.errors import EngineError, InputError, PositionError
from chess_motif.output import note
from chess_motif.tables import terminal_width
from chess_motif.text import folded
from db.days import day_of
from db.sets import SetEntry
from db.store import Store
from motifsearch.cli.sets import SetArgument
from motifsearch.show.solving import (
    answer_text,
    board_text,
    last_answer_text,
    question_text,
    reply_text,
    result_text,
    unclear_text,
    wrong_text,
)
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.rating import keep_ratings, rating_of
from motifsearch.trainer.refutation import Refutation, Refuter
from motifsearch.trainer.sets import set_statuses
from motifsearch.trainer.solving import Feedback, Grade, Solving
from puzzlegen.cli.options import DatabaseOption, EngineOption, at_most, cleaned

# The words that may be typed instead of a move.
HINT, SHOW, BACK, HELP, QUIT = "hint", "show", "back", "help", "quit"

INTRODUCTION = f"Type a move, or '{HINT}', '{SHOW}' (the solution), '{BACK}', '{HELP}' or '{QUIT}'."
EXPLANATION = f"""A move: Nf3, nf3 or g1f3; a square alone, if it is clear which piece goes there.
{HINT}: the piece to move (the puzzle comes again sooner); once more: its move (comes again soon).
{SHOW}: the solution; the puzzle then counts as wrong.
{BACK}: the position before the last move, or the puzzle before.
{QUIT}: stop; what was solved is stored. An empty line shows the board."""

# Puzzles that are asked for by default.
DEFAULT_COUNT = 10


def solve_command(
    name: SetArgument,
    student: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="STUDENT", help="Who solves. Default: the student of the set.", callback=cleaned
        ),
    ] = None,
    limit: Annotated[int, at_most("puzzles")] = DEFAULT_COUNT,
    engine: EngineOption = None,
    db: DatabaseOption = None,
) -> None:
    """Solve the puzzles of a training set: first puzzles that are due again, then new puzzles.

    Answer with a move, such as Nf3 or g1f3. The name of a student instead of a
    set stands for all sets of the student.
    """
    with Store(db, create=False) as store:
        keep_ratings(store)
        found = set_statuses(store, name, student)
        again = [entry for status in found for entry in status.due.again]
        new = [entry for status in found for entry in status.due.new]
        asked = list({entry.puzzle.id: entry for entry in [*again, *new]}.values())[:limit]
        if len(students := list(dict.fromkeys(status.student for status in found))) > 1:
            raise InputError(f"the set is for {' and '.join(students)}: --for says who solves it")
        if not any(status.summary.puzzles for status in found):
            raise InputError(f"the set {found[0].summary.name!r} has no puzzles")
        if not asked:
            later = min((status.due.later for status in found if status.due.later), default=None)
            print("Nothing is due." + ("" if later is None else f" Next: {day_of(later)}"))
            return
        with closing(Refuter(engine)) as refuter:
            who = found[0].student
            is_own = who in found[0].summary.whom
            results = Session(store, who, refuter, is_own=is_own).ask(asked)
        with store.reading() as session:
            rating = rating_of(session, who)
    if results:
        print(f"\n{result_text(sum(results), len(results), rating)}")


class Session:
    """Puzzles that a student solves one after the other in a terminal."""

    def __init__(self, store: Store, student: str, refuter: Refuter, *, is_own: bool) -> None:
        """Store results in `store`; `refuter` says why a wrong move fails.

        `is_own` says whether the puzzles are for this student, and may be from the student's games.
        """
        self.store = store
        self.student = student
        self.refuter = refuter
        self.is_own = is_own

    def ask(self, entries: Sequence[SetEntry]) -> list[bool]:
        """Ask for puzzles until the student stops; return for each puzzle whether it was right."""
        results: list[bool] = []
        _say(INTRODUCTION)
        before: SetEntry | None = None
        for number, entry in enumerate(entries, 1):
            solving, begun = Solving(entry.puzzle), time.monotonic()
            _say(f"\n{number} of {len(entries)}\n\n{question_text(solving)}")
            is_finished = self._answered(solving, before)
            if not is_finished and not solving.has_failed:
                break
            seconds = time.monotonic() - begun
            again = record_attempt(self.store, self.student, entry.puzzle.id, solving.grade, seconds=seconds)
            results.append(solving.grade is not Grade.AGAIN)
            if not is_finished:
                _say(f"\nThe puzzle counts as wrong. Again on {day_of(again)}")
                break
            _say(f"\n{answer_text(entry, is_own=self.is_own)}\nAgain on {day_of(again)}")
            before = entry
        return results

    def _answered(self, solving: Solving, before: SetEntry | None) -> bool:
        """Ask for moves until the puzzle is solved or its solution is shown; return False to stop instead."""
        while not solving.solved:
            try:
                text = input("> ").strip()
            except (EOFError, KeyboardInterrupt):
                return False
            match text.lower():
                case "quit" | "exit" | "q!":
                    return False
                case "show":
                    solving.give_up()
                    return True
                case "hint":
                    _say(f"Hint: {solving.hint()}")
                case "help" | "?":
                    _say(EXPLANATION)
                case "":
                    _say(question_text(solving) if solving.is_at_start else board_text(solving))
                case "back":
                    self._go_back(solving, before)
                case _:
                    self._play(solving, text)
        return True

    def _play(self, solving: Solving, text: str) -> None:
        try:
            feedback = solving.play(text)
        except PositionError as error:
            _say(f"{error}; '{HELP}' says what can be typed")
            return
        if feedback is Feedback.UNCLEAR:
            _say(unclear_text(solving))
        elif feedback is Feedback.WRONG:
            _say(wrong_text(self._refuted(solving)))
        elif feedback is Feedback.RIGHT:
            _say(reply_text(solving))
        else:
            how = {Grade.GOOD: "Solved.", Grade.HARD: "Solved, with a hint."}
            _say(how.get(solving.grade, "Solved, but not on the first try."))

    def _refuted(self, solving: Solving) -> Refutation | None:
        """Return why the last move was wrong, or None without an engine."""
        assert solving.wrong is not None
        try:
            return self.refuter.refute(solving.board, solving.wrong)
        except EngineError as error:
            note(f"no explanation: {error}")
            return None

    def _go_back(self, solving: Solving, before: SetEntry | None) -> None:
        if solving.back():
            _say(question_text(solving) if solving.is_at_start else board_text(solving))
        elif before is not None:
            _say(f"{last_answer_text(before.puzzle)}\n\nThis puzzle:\n\n{question_text(solving)}")
        else:
            _say("This is the beginning.")


def _say(text: str) -> None:
    """Print a text, wrapped to the width of the terminal."""
    print(folded(text, terminal_width()))
