"""The commands that check or change stored puzzles: `audit`, `simplify`, `retag`, `rate` and `delete`."""

from __future__ import annotations

from typing import Annotated

import typer

from chess_motif.console import JsonOption, show, with_options
from chess_motif.notation import uci_line
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table, terminal_width
from chess_motif.text import counted
from db.puzzles import PuzzleFilter
from db.selection import Selection, select_puzzles
from db.store import Store
from engines.options import STOCKFISH, EngineSetup
from puzzlegen.cli.filters import given_ids, note_unjudged, puzzle_filter
from puzzlegen.cli.options import (
    DatabaseOption,
    EngineOption,
    RandomOption,
    SeedOption,
    WorkersOption,
    YesOption,
    chosen_engine,
    format_named,
    next_step,
    note_export,
    sample_seed,
    worker_count,
)
from puzzlegen.cli.text import puzzle_table, simplified_text
from puzzlegen.formats.exporting import Format, write_puzzles
from puzzlegen.games.archive import STANDARD_INPUT
from puzzlegen.upkeep.audit import NODES, AuditReport, audit, verdict_of
from puzzlegen.upkeep.changes import delete, rate, retag
from puzzlegen.upkeep.simplify import parent_of, simplify, stored_version


@with_options(filters=puzzle_filter, engine=chosen_engine)
def audit_command(
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Engine nodes of each search.")] = NODES,
    random: RandomOption = None,
    seed: SeedOption = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the puzzles that --sound would leave out.")
    ] = False,
    *,
    filters: PuzzleFilter,
    engine: EngineSetup = STOCKFISH,
    workers: WorkersOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Search stored puzzles or exercises again with more nodes, and report those that have a fault.

    A puzzle may be ambiguous (another move is right, too), wrong (only another
    move is right), not winning, or end early, before it is clear what it wins.
    The verdicts are stored: `show` prints them, and the option --sound of other
    commands leaves out all such puzzles except those that end early. Puzzles
    with the verdict of an audit with more nodes are not searched again.
    """
    chosen = sample_seed(seed, random)
    with Store(db, create=False) as store, TerminalProgress() as progress:
        note_unjudged(store, filters)
        report = audit(
            store,
            engine,
            filters=filters,
            sample=random,
            seed=chosen,
            nodes=nodes,
            delete=delete,
            workers=worker_count(workers),
            progress=progress,
        )

    def text() -> str:
        if not report.audited:
            return "No puzzles to audit."
        if delete:
            return f"{audit_text(report)}\n{len(report.unsound)} deleted"
        unsound = f"deletes the {counted(len(report.unsound), 'puzzle')} that --sound would leave out"
        advice = f"\n\n--delete {unsound}; no search is repeated." if report.unsound else ""
        return f"{audit_text(report)}{advice}\n\n{next_step('puzzlegen', 'list', '--sound', db=db)}"

    show(report, text, json)


def simplify_command(
    puzzle: Annotated[str, typer.Argument(metavar="ID|FEN", help="A stored puzzle, or a position in quotes")],
    moves: Annotated[
        str | None,
        typer.Option(
            metavar='"MOVES"',
            help="Solution of the position in SAN or UCI, solver first. Default: the only line that wins, "
            "found by the engine.",
        ),
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Also a version with left and right swapped.")
    ] = False,
    shift: Annotated[
        bool,
        typer.Option("--shift", help="Also a version elsewhere on the board, if the solution holds there."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Also write the puzzle and its versions: .pgn, .epd, .jsonl, .apkg (Anki), .pdf or .html.",
        ),
    ] = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Remove the pieces that a puzzle's solution does not need.

    An engine makes sure that the solution stays the only one, in each version.
    """
    if out is not None and format_named(out, "--out") is Format.CSV:
        raise typer.BadParameter(
            "Lichess CSV needs the opponent's move before the puzzle", param_hint="--out"
        )
    with Store(db, create="/" in puzzle) as store:
        parent = parent_of(puzzle, moves, store, engine)
        versions = simplify(parent.position(), parent.moves(), engine, mirror=mirror, shift=shift)
        found = [stored_version(version, parent) for version in versions]
        if out is not None:
            note_export(write_puzzles(out, [parent, *found]))
    names = {version.name for version in versions}
    for name in [name for name, asked in {"mirrored": mirror, "shifted": shift}.items() if asked]:
        if name not in names:
            note(f"not {name}: the solution does not hold there")

    def text() -> str:
        simple = versions[0]
        solution = uci_line(simple.moves)
        step = next_step("motifsearch", "similar", simple.board.fen(), "--moves", solution, db=db)
        return f"{simplified_text(parent, versions, terminal_width())}\n\n{step}"

    document = {
        "id": parent.id,
        **versions[0].as_dict(),
        "versions": [
            {"id": stored.id, "name": version.name, **version.as_dict()}
            for stored, version in zip(found, versions, strict=True)
        ],
    }
    show(document, text, json)


def retag_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Update the tags of all stored puzzles, after an upgrade that recognises more motifs."""
    with Store(db, create=False) as store, TerminalProgress() as progress:
        changed = retag(store, progress)
    said = f"Changed the tags of {counted(changed, 'puzzle')}"
    show({"changed": changed}, lambda: f"{said}\n\n{next_step('puzzlegen', 'tags', db=db)}", json)


def rate_command(
    every: Annotated[
        bool, typer.Option("--all", help="Also estimate puzzles that already have an estimate.")
    ] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Estimate how difficult puzzles are: the rating that each would get on Lichess."""
    with Store(db, create=False) as store, TerminalProgress() as progress:
        estimated = rate(store, PuzzleFilter(kind=None, unestimated=not every), progress)

    def text() -> str:
        if not estimated:
            return "No puzzles." if every else "Every puzzle has an estimate; --all estimates them again."
        step = next_step("puzzlegen", "list", "--sort", "rating", db=db)
        return f"Estimated the difficulty of {counted(estimated, 'puzzle')}\n\n{step}"

    show({"estimated": estimated}, text, json)


def delete_command(
    puzzle_ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID", help="Puzzle ids: ours, or those of Lichess or another source; - for ids from stdin"
        ),
    ],
    yes: YesOption = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Delete puzzles from the database.

    Shows the puzzles and asks for confirmation. Searches no longer find deleted puzzles.
    """
    if STANDARD_INPUT in puzzle_ids and not yes:
        raise typer.BadParameter("needs --yes, because standard input cannot also answer", param_hint="ID")
    names = given_ids(puzzle_ids) or ()
    with Store(db, create=False) as store:
        if not yes:
            _confirm_deletion(store, names)
        deleted = delete(store, names)
    show(
        {"deleted": deleted}, lambda: f"Deleted {counted(len(deleted), 'puzzle')}: {' '.join(deleted)}", json
    )


def audit_text(report: AuditReport) -> str:
    """Return the faults that an audit found, and how many puzzles hold."""
    rows = [
        [name, finding.move or "at the end", verdict_of(findings), f"{finding.fault}: {finding.seen}"]
        for name, findings in report.findings.items()
        for finding in findings
    ]
    lines = [table(["id", "move", "verdict", "why"], rows), ""] if rows else []
    lines += [
        f"{report.held} of {report.audited} puzzles hold ({report.share:.1%}), "
        f"{report.nodes_a_search:,} nodes a search",
        *([", ".join(f"{count} {verdict}" for verdict, count in report.verdicts.items())] if rows else []),
        f"{report.searches:,} searches, {report.nodes:,} nodes; {report.reused:,} were known",
    ]
    if report.standing:
        lines.append(f"{counted(report.standing, 'verdict')} of earlier audits with more nodes stand")
    return "\n".join(lines)


def _confirm_deletion(store: Store, names: tuple[str, ...]) -> None:
    with store.reading() as session:
        named = Selection(PuzzleFilter(kind=None), names=names)
        puzzles = list(select_puzzles(session, named))
    if puzzles:
        text, _ = puzzle_table(puzzles, terminal_width())
        note(f"{text}\n")
        typer.confirm(f"Delete {counted(len(puzzles), 'puzzle')}?", abort=True, err=True)
