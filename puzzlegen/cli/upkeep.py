"""The commands that change or check stored puzzles: `audit`, `simplify`, `retag`, `rate`, `delete`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import terminal_width
from chess_motif.text import counted
from db.puzzles import PuzzleFilter, get_puzzle
from db.selection import Selection, select_puzzles
from db.store import Store
from puzzlegen.cli.filters import IdsArgument, IdsOption, filter_of_kind, given_ids, note_unjudged
from puzzlegen.cli.options import (
    DatabaseOption,
    EngineOption,
    PuzzleArgument,
    SeedOption,
    WorkersOption,
    chosen_seed,
    next_step,
    open_store,
)
from puzzlegen.cli.text import audit_text, deleted_text, puzzle_table, simplified_text
from puzzlegen.games.archive import STANDARD_INPUT
from puzzlegen.upkeep.audit import NODES, Action, audit
from puzzlegen.upkeep.changes import delete, retag
from puzzlegen.upkeep.simplify import UNMOVED, simplify


@with_options(filters=filter_of_kind)
def audit_command(
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Engine nodes a search.")] = NODES,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only a random sample of N puzzles.")
    ] = None,
    seed: SeedOption = None,
    mark: Annotated[bool, typer.Option("--mark", help="Store the verdicts, for --sound and show.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the puzzles that do not hold.")] = False,
    *,
    filters: PuzzleFilter,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Search stored puzzles or exercises again with more nodes, and report those that do not hold."""
    if mark and delete:
        raise typer.BadParameter("cannot be used with --mark", param_hint="--delete")
    if seed is not None and sample is None:
        raise typer.BadParameter("needs --sample", param_hint="--seed")
    action = Action.MARK if mark else Action.DELETE if delete else Action.REPORT
    with open_store(db) as store, TerminalProgress() as progress:
        note_unjudged(store, filters)
        report = audit(
            store,
            engine,
            filters=filters,
            sample=sample,
            seed=0 if sample is None else chosen_seed(seed),
            nodes=nodes,
            action=action,
            workers=workers or os.cpu_count() or 1,
            progress=progress,
        )
    if json:
        print_json(report.as_dict())
    else:
        print(audit_text(report, action))
        if action is Action.MARK:
            print(f"\n{next_step('puzzlegen', 'list', '--sound', db=db)}")


def simplify_command(
    puzzle_id: PuzzleArgument,
    mirror: Annotated[bool, typer.Option("--mirror", help="Also swap left and right.")] = False,
    shift: Annotated[
        bool, typer.Option("--shift", help="Also move the puzzle elsewhere on the board, if it holds there.")
    ] = False,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Remove the pieces that a puzzle's solution does not need.

    Nothing is stored. An engine makes sure that the solution stays the only one.
    """
    with open_store(db) as store, store.reading() as session:
        puzzle = get_puzzle(session, puzzle_id)
    simplified = simplify(puzzle.position(), puzzle.moves(), engine, mirror=mirror, shift=shift)
    if json:
        print_json({"id": puzzle.id, **simplified.as_dict()})
        return
    if (mirror or shift) and simplified.shift == UNMOVED:
        note(f"puzzle {puzzle.id} holds nowhere else on the board, and stays where it is")
    solution = " ".join(move.uci() for move in simplified.moves)
    print(simplified_text(puzzle, simplified))
    print(next_step("motifsearch", "similar", simplified.board.fen(), "--moves", solution, db=db))


def retag_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Update the tags of all stored puzzles, after an upgrade that recognises more motifs."""
    with open_store(db) as store, TerminalProgress() as progress:
        changed = retag(store, progress)
    if json:
        print_json({"changed": changed})
        return
    print(f"Changed the tags of {counted(changed, 'puzzle')}\n\n{next_step('puzzlegen', 'tags', db=db)}")


@with_options(filters=filter_of_kind)
def rate_command(
    every: Annotated[
        bool, typer.Option("--all", help="Also estimate puzzles again that have an estimate.")
    ] = False,
    *,
    filters: PuzzleFilter,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Estimate how hard puzzles are for people: the rating that each would get on Lichess."""
    # Imported only here: its libraries are slow to load.
    from puzzlegen.upkeep.changes import rate

    with open_store(db) as store, TerminalProgress() as progress:
        note_unjudged(store, filters)
        estimated = rate(store, replace(filters, unestimated=not every), progress)
    if json:
        print_json({"estimated": estimated})
        return
    if not estimated:
        print("No puzzle passes the filters." if every else "No puzzle to rate; --all rates all again.")
        return
    print(f"Estimated the difficulty of {counted(estimated, 'puzzle')}\n")
    print(next_step("puzzlegen", "list", "--sort", "difficulty", db=db))


def delete_command(
    puzzle_ids: IdsArgument = None,
    ids: IdsOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Delete puzzles from the database; the search indexes follow by themselves.

    Shows the puzzles and asks first.
    """
    if ids == STANDARD_INPUT and not yes:
        raise typer.BadParameter("needs --yes, because standard input cannot also answer", param_hint="--ids")
    names = given_ids(puzzle_ids, ids)
    if names is None:
        raise typer.BadParameter("needs the ids of puzzles, or --ids", param_hint="ID")
    with open_store(db) as store:
        if not yes:
            _confirm_deletion(store, names)
        deleted = delete(store, names)
    if json:
        print_json({"deleted": deleted})
        return
    print(deleted_text(deleted))


def _confirm_deletion(store: Store, names: tuple[str, ...]) -> None:
    with store.reading() as session:
        named = Selection(PuzzleFilter(kind=None), names=names)
        puzzles = list(select_puzzles(session, named))
    if puzzles:
        text, _ = puzzle_table(puzzles, terminal_width())
        note(f"{text}\n")
        typer.confirm(f"Delete {counted(len(puzzles), 'puzzle')}?", abort=True, err=True)
