"""The commands `motifsearch sets`: making, listing, showing, changing, exporting and deleting sets."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated

import typer

from chess_motif.console import JsonOption, show, with_options
from chess_motif.errors import InputError
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import terminal_width
from chess_motif.text import counted
from db.attempts import due_dates
from db.puzzles import PuzzleFilter
from db.selection import Selection, resolve_ids
from db.sets import SetEntry, change_set, delete_set, get_set, move_in_set, set_entries, undo_removal
from db.store import Store
from motifsearch.show.sets import (
    added_puzzles_text,
    left_out,
    results_text,
    set_text,
    sets_text,
    student_text,
)
from motifsearch.trainer.level import is_hard
from motifsearch.trainer.sets import set_statuses
from puzzlegen.cli.filters import KindOption, SortOption, in_order, of_any_kind, puzzle_filter
from puzzlegen.cli.options import (
    DatabaseOption,
    ExportArgument,
    FormatOption,
    PerPageOption,
    YesOption,
    at_most,
    cleaned,
    export_options,
    next_step,
    note_export,
)
from puzzlegen.formats.exporting import write_puzzles

app = typer.Typer(
    help="Makes, lists, shows, changes, exports or deletes training sets.", no_args_is_help=True
)

SetArgument = Annotated[str, typer.Argument(metavar="SET", help="Name of a training set", callback=cleaned)]
StudentOption = Annotated[
    str | None, typer.Option("--for", metavar="STUDENT", help="The student, or a group.", callback=cleaned)
]


@app.command("create")
def create_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new set", callback=cleaned)],
    students: Annotated[
        list[str] | None,
        typer.Option(
            "--for", metavar="STUDENT", help="A student or group of the set. Repeat the option for several."
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the set when it is exported. Default: its name."),
    ] = None,
    due: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The date when the set is due."),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Make an empty training set, which `sets add` fills."""
    # Imported when needed, here and below: a list of sets does not need these modules.
    from motifsearch.trainer.coach import make_set

    with Store(db, create=False) as store:
        due_on = due.date() if due else None
        make_set(store, name, *(students or ()), title=title or "", due_on=due_on)
        with store.reading() as session:
            whom = " and ".join(get_set(session, name).students)
    print(f"Made the set {name!r}{f' for {whom}' if whom else ''}")
    example = ("--tag", "fork", "--rating", "1000-1600", "--limit", "12")
    print(f"\n{next_step('motifsearch', 'sets', 'add', name, *example, db=db)}")


@app.command("add")
@with_options(filters=puzzle_filter)
def add_command(
    name: SetArgument,
    puzzle_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID|FILE",
            help="Puzzle ids or addresses, files of puzzles (.csv, .pgn, .epd, .jsonl) or of ids; - for ids "
            "from stdin",
            show_default=False,
        ),
    ] = None,
    *,
    filters: PuzzleFilter,
    kind: KindOption = None,
    limit: Annotated[int | None, at_most("puzzles")] = None,
    of_students: Annotated[
        bool,
        typer.Option(
            "--of-students",
            help="Also add puzzles from the games of other students, which `motifsearch train` has analysed.",
        ),
    ] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Add puzzles to a training set: by id, from files, from a search, or by filters.

    The set is kept easiest first; with --limit, the puzzles are spread over the
    range of levels. By filters, 20 puzzles are added at most unless --limit says
    otherwise, and none that the student has been shown.
    """
    from motifsearch.trainer.coach import add_to_set, ids_of

    if not puzzle_ids and filters == PuzzleFilter():
        raise typer.BadParameter("needs ids, files or filters", param_hint="ID|FILE")
    with Store(db, create=False) as store, TerminalProgress() as progress:
        with store.reading() as session:
            get_set(session, name)
        names = tuple(ids_of(store, puzzle_ids, progress)) if puzzle_ids else None
        if names == ():
            raise InputError(f"no ids were given; nothing was added to the set {name!r}")
        selection = Selection(of_any_kind(filters, kind, names), names, limit=limit)
        report = add_to_set(store, name, selection, of_students=of_students)
        if not report.added:
            why = "; ".join(left_out(report)) or "no puzzle passes the filters"
            raise InputError(f"nothing was added to the set {name!r}: {why}")
        with store.reading() as session:
            entries = set_entries(session, name)

    def text() -> str:
        added = added_puzzles_text(report, entries)
        return f"{added}\n\n{next_step('motifsearch', 'sets', 'show', name, db=db)}"

    show(report, text, json)
    is_short = limit is not None and len(report.added) < limit
    if is_short:
        note(f"only {len(report.added)} of {limit} puzzles: there are no more")
    if (is_short or names is not None) and (reasons := left_out(report)):
        note(f"left out: {'; '.join(reasons)}")


@app.command("remove")
def remove_command(
    name: SetArgument,
    puzzle_ids: Annotated[list[str], typer.Argument(metavar="ID", help="Puzzle ids")],
    db: DatabaseOption = None,
) -> None:
    """Remove puzzles from a training set. They stay in the database; `sets undo` puts them back."""
    from motifsearch.trainer.coach import remove_from_set

    with Store(db, create=False) as store:
        gone = remove_from_set(store, name, puzzle_ids)
    print(f"Removed {counted(len(gone), 'puzzle')} from the set {name!r}: {' '.join(gone)}")


@app.command("undo")
def undo_command(name: SetArgument, db: DatabaseOption = None) -> None:
    """Put back the puzzles that were last removed from a training set, within ten minutes."""
    with Store(db, create=False) as store, store.session() as session:
        back = undo_removal(session, name)
    print(f"Put {counted(len(back), 'puzzle')} back into the set {name!r}: {' '.join(back)}")


@app.command("move")
def move_command(
    name: SetArgument,
    puzzle_id: Annotated[str, typer.Argument(metavar="ID", help="Puzzle id")],
    place: Annotated[int, typer.Argument(metavar="PLACE", min=1, help="Its new place, from 1")],
    db: DatabaseOption = None,
) -> None:
    """Move a puzzle to another place of a training set."""
    with Store(db, create=False) as store, store.session() as session:
        move_in_set(session, name, resolve_ids(session, [puzzle_id])[0], place)
    print(f"Moved the puzzle {puzzle_id} of the set {name!r} to place {place}")


@app.command("rename")
def rename_command(
    name: SetArgument,
    new_name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name", callback=cleaned)],
    db: DatabaseOption = None,
) -> None:
    """Rename a training set."""
    with Store(db, create=False) as store, store.session() as session:
        found = get_set(session, name)
        change_set(session, name, new_name, title=found.title, due_on=found.due_on)
    print(f"The set {name!r} is now {new_name!r}")


@app.command("list")
def list_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the training sets, with the number of puzzles that are due."""
    with Store(db, create=False) as store:
        sets = set_statuses(store)

    def text() -> str:
        if not sets:
            return (
                "No training sets yet: 'motifsearch train GAMES --player NAME' makes one from games, "
                "'motifsearch sets create NAME' an empty one."
            )
        waiting = [each.summary.name for each in sets if each.due.again or each.due.new]
        step = ("solve", waiting[0]) if waiting else ("sets", "show", sets[0].summary.name)
        return f"{sets_text(sets)}\n\n{next_step('motifsearch', *step, db=db)}"

    show(sets, text, json)


@app.command("show")
def show_command(
    name: SetArgument,
    motifs: Annotated[
        bool, typer.Option("--motifs", help="Also show the motifs of puzzles that have not been tried.")
    ] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show the puzzles of a training set, and which of them are the player's missed opportunities.

    The motif of a puzzle is shown once its students have tried it.
    """
    with Store(db, create=False) as store, store.reading() as session:
        entries = set_entries(session, name)
        found = get_set(session, name)
        tried = set.intersection(*(set(due_dates(session, each)) for each in found.whom))
        level = found.level
    hidden = [] if motifs else [entry.puzzle.id for entry in entries if entry.puzzle.id not in tried]
    step = next_step("motifsearch", "solve", name, db=db)
    show(
        lambda: _as_dicts(entries, level),
        lambda: f"{set_text(entries, terminal_width(), hidden, level)}\n\n{step}",
        json,
    )


@app.command("export")
def export_command(
    name: SetArgument,
    file: ExportArgument,
    file_format: FormatOption = None,
    sort: SortOption = None,
    per_page: PerPageOption = None,
    db: DatabaseOption = None,
) -> None:
    """Write the puzzles of a training set to a file, as `puzzlegen export` does.

    The title is the set's title or name, and the solver is the set's student if it has only one.
    """
    file_format, options = export_options(file, file_format, per_page=per_page)
    with Store(db, create=False) as store:
        with store.reading() as session:
            found, entries = get_set(session, name), set_entries(session, name)
        if not entries:
            raise InputError(f"the set {name!r} has no puzzles")
        (student,) = found.students if len(found.students) == 1 else ("",)
        options = replace(options, title=found.title or name, solver=student)
        puzzles = in_order([entry.puzzle for entry in entries], store, sort)
    note_export(write_puzzles(file, puzzles, file_format, options))


@app.command("results")
def results_command(
    name: SetArgument,
    student: StudentOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show the results of each student in a training set, or the results of one student puzzle by puzzle.

    The first attempt at a puzzle counts.
    """
    from motifsearch.trainer.coach import set_results

    with Store(db, create=False) as store:
        results = set_results(store, name, student)

    def text() -> str:
        if not results:
            step = f"motifsearch solve {shlex.quote(name)} --for STUDENT"
            return f"Nobody has tried a puzzle of this set yet: solve them with '{step}'."
        if student is not None:
            return student_text(results[0], terminal_width())
        who = results[0].student
        step = next_step("motifsearch", "sets", "results", name, "--for", who, db=db)
        return f"{results_text(results)}\n\n{step}"

    show(results, text, json)


@app.command("delete")
def delete_command(
    name: SetArgument,
    yes: YesOption = False,
    db: DatabaseOption = None,
) -> None:
    """Delete a training set. The puzzles and the results of solving them are kept."""
    with Store(db, create=False) as store:
        with store.reading() as session:
            get_set(session, name)
        if not yes:
            typer.confirm(f"Delete the training set {name!r}?", abort=True, err=True)
        with store.session() as session:
            delete_set(session, name)
    print(f"Deleted the training set {name!r}")


def _as_dicts(entries: Sequence[SetEntry], level: float | None) -> list[dict[str, object]]:
    """Return puzzles as JSON objects, each with the id of the missed opportunity that it was picked for.

    An object also says whether the puzzle is hard for a student of this level.
    """
    # Imported only here: the module loads the readers of puzzles.
    from puzzlegen.formats.jsonl import as_dict

    return [
        as_dict(puzzle)
        | {"missed": opportunity.puzzle_id if opportunity else None, "hard": is_hard(puzzle, level)}
        for puzzle, opportunity in entries
    ]
