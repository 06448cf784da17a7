"""The commands that work on stored puzzles: `puzzlegen audit`, `simplify` and `retag`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from chess_motif.console import JsonOption, note, print_json, with_options
from chess_motif.terminal import TerminalProgress
from db.puzzles import PuzzleFilter, get_puzzle
from puzzlegen.cli.filters import note_unjudged, puzzle_filter
from puzzlegen.cli.options import DatabaseOption, EngineOption, PuzzleArgument, WorkersOption, open_store
from puzzlegen.cli.text import audit_text, simplified_text
from puzzlegen.upkeep.audit import NODES, Action, audit
from puzzlegen.upkeep.placement import UNMOVED
from puzzlegen.upkeep.retag import retag
from puzzlegen.upkeep.simplify import simplify


@with_options(filters=puzzle_filter)
def audit_command(
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Engine nodes a search.")] = NODES,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only a random sample of N puzzles.")
    ] = None,
    mark: Annotated[bool, typer.Option("--mark", help="Store the verdicts, for --sound and show.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the puzzles that do not hold.")] = False,
    *,
    filters: PuzzleFilter,
    engine: EngineOption = None,
    workers: WorkersOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Search stored puzzles again with more nodes, and report those that do not hold."""
    if mark and delete:
        raise typer.BadParameter("cannot be used with --mark", param_hint="--delete")
    action = Action.MARK if mark else Action.DELETE if delete else Action.REPORT
    with open_store(db) as store, TerminalProgress() as progress:
        note_unjudged(store, filters)
        report = audit(
            store,
            engine,
            filters=filters,
            sample=sample,
            nodes=nodes,
            action=action,
            workers=workers or os.cpu_count() or 1,
            progress=progress,
        )
    if json:
        print_json(report.as_dict())
    else:
        print(audit_text(report, action))


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
    if (mirror or shift) and simplified.placement == UNMOVED:
        note(f"puzzle {puzzle.id} holds nowhere else on the board, and stays where it is")
    print(simplified_text(puzzle, simplified))


def retag_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Update the tags of all stored puzzles, after an upgrade that recognises more motifs."""
    with open_store(db) as store, TerminalProgress() as progress:
        changed = retag(store, progress)
    if json:
        print_json({"changed": changed})
        return
    print(f"Changed the tags of {changed:,} puzzles\n\nNext: puzzlegen list --tag fork")
