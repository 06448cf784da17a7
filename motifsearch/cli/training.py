"""The commands that train a player: `motifsearch train` makes a training set, `solve` asks for its puzzles.

`motifsearch sets` lists, shows, exports and deletes training sets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, show, with_options
from chess_motif.errors import PositionError
from chess_motif.progress import TerminalProgress
from chess_motif.tables import terminal_width
from db.models import Puzzle
from db.store import Store
from db.training import SetEntry, delete_set, get_set, set_entries
from motifsearch.trainer.sets import set_statuses
from motifsearch.trainer.solving import Feedback, Solving, record_attempt
from motifsearch.views.training import (
    added_text,
    analysis_text,
    answer_text,
    board_text,
    question_text,
    report_text,
    result_text,
    set_text,
    sets_text,
)
from puzzlegen.cli.options import (
    GAME_FILES,
    DatabaseOption,
    EngineOption,
    ExportArgument,
    FormatOption,
    IndexOption,
    RestartOption,
    WorkersOption,
    YesOption,
    at_most,
    export_options,
    next_step,
    note_export,
)
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles

# What may be typed instead of a move.
HINT, SHOW, QUIT = "hint", "show", "quit"

# Puzzles that `solve` asks for by default.
DEFAULT_COUNT = 10

app = typer.Typer(help="Lists, shows, exports or deletes training sets.", no_args_is_help=True)

SetArgument = Annotated[str, typer.Argument(metavar="SET", help="Name of a training set")]


def train_command(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAMES",
            help=f"{GAME_FILES}; lichess:USER or chesscom:USER to download them",
        ),
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Words of the player's name, in any order. Repeat the option for other names of the "
            "player. Default: the USER.",
        ),
    ] = None,
    set_name: Annotated[
        str | None,
        typer.Option("--set", metavar="SET", help="Name of the training set. Default: the player's."),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=0, metavar="N", help="Similar puzzles for each missed opportunity.")
    ] = 3,
    limit: Annotated[int | None, at_most("new games of the player")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            metavar="YYYY-MM-DD",
            help="Download games from this day on. Default: the last 90 days.",
        ),
    ] = None,
    restart: RestartOption = False,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find the tactics that a player missed, and make a training set of them and of similar puzzles.

    After an interruption, the same command resumes where it stopped. Later, it analyses only new games.
    """
    # Imported when needed: they load more than the other commands need.
    from motifsearch.trainer.train import players_of, train

    players = [*(player or ()), *players_of(games)]
    if not players:
        raise typer.BadParameter("is needed for files of games", param_hint="--player")
    if not all(name.strip(" ,") for name in players):
        raise typer.BadParameter("has no words", param_hint="--player")
    name = set_name or players[0]
    with Store(db) as store, TerminalProgress() as progress, progress.finishing_on_interrupt():
        training = train(
            games,
            store,
            players,
            name=name,
            k=k,
            engine_path=engine,
            workers=workers or os.cpu_count() or 1,
            limit=limit,
            since=since.date() if since else None,
            restart=restart,
            index=index,
            progress=progress,
        )

    def text() -> str:
        parts = [analysis_text(training.analysis)]
        parts.append(report_text(training.opportunities, players[0], terminal_width()))
        if training.added is not None:
            parts += [added_text(training.added), next_step("motifsearch", "solve", name, db=db)]
        return "\n\n".join(parts)

    show(training, text, json)
    if training.analysis.interrupted:
        raise KeyboardInterrupt
    if training.analysis.damaged:
        raise typer.Exit(FAILED)


def solve_command(
    name: SetArgument,
    limit: Annotated[int, at_most("puzzles")] = DEFAULT_COUNT,
    db: DatabaseOption = None,
) -> None:
    """Solve the puzzles of a training set: first those that are due again, then new ones.

    Answer with a move, such as Nf3 or g1f3.
    """
    with Store(db, create=False) as store:
        (found,) = set_statuses(store, name)[:1]
        asked = [*found.due.again, *found.due.new][:limit]
        if not asked:
            print(
                "Nothing is due." + ("" if found.due.later is None else f" Next: {found.due.later:%Y-%m-%d}")
            )
            return
        results = _solve_all(store, found.summary.solver, asked)
    if results:
        print(f"\n{result_text(sum(results), len(results))}")


@app.command("list")
def list_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the training sets, with the number of puzzles that are due."""
    with Store(db, create=False) as store:
        sets = set_statuses(store)

    def text() -> str:
        if not sets:
            return "No training sets yet: 'motifsearch train GAMES --player NAME' makes one."
        return f"{sets_text(sets)}\n\n{next_step('motifsearch', 'solve', sets[0].summary.name, db=db)}"

    show(sets, text, json)


@app.command("show")
def show_command(name: SetArgument, db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show the puzzles of a training set, and which of them are the player's missed opportunities."""
    with Store(db, create=False) as store, store.reading() as session:
        entries = set_entries(session, name)
    step = next_step("motifsearch", "solve", name, db=db)
    show(lambda: _as_dicts(entries), lambda: f"{set_text(entries, terminal_width())}\n\n{step}", json)


@app.command("export")
@with_options(chosen=export_options)
def export_command(
    name: SetArgument,
    file: ExportArgument,
    file_format: FormatOption = None,
    *,
    chosen: tuple[Format, ExportOptions],
    db: DatabaseOption = None,
) -> None:
    """Write the puzzles of a training set to a file, as `puzzlegen export` does.

    The title is the name of the set, unless --title is given.
    """
    file_format, options = chosen
    if options.title == ExportOptions.title:
        options = replace(options, title=name)
    with Store(db, create=False) as store, store.reading() as session:
        entries = set_entries(session, name)
    note_export(write_puzzles(file, [entry.puzzle for entry in entries], file_format, options))


@app.command("delete")
def delete_command(
    name: SetArgument,
    yes: YesOption = False,
    db: DatabaseOption = None,
) -> None:
    """Delete a training set. Its puzzles, and the results of solving them, are kept."""
    with Store(db, create=False) as store:
        with store.reading() as session:
            get_set(session, name)
        if not yes:
            typer.confirm(f"Delete the training set {name!r}?", abort=True, err=True)
        with store.session() as session:
            delete_set(session, name)
    print(f"Deleted the training set {name!r}")


def _as_dicts(entries: Sequence[SetEntry]) -> list[dict[str, object]]:
    """Return puzzles as JSON objects, each with the id of the missed opportunity that it was picked for."""
    # Imported only here: it loads the readers of puzzles.
    from puzzlegen.formats.jsonl import as_dict

    return [as_dict(entry.puzzle) | {"missed": entry.opportunity.puzzle_id} for entry in entries]


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
        if answer is Feedback.WRONG:
            print("No. Try again.")
        elif answer is Feedback.RIGHT:
            print(f"Yes.\n\n{board_text(solving)}")
        else:
            print("Solved." if solving.right else "Solved, but not at the first try.")
    return True
