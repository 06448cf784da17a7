"""The command `puzzlegen`: arguments in, text or JSON out."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from chess_motif import console
from chess_motif.console import JsonOption, VersionOption, note, print_json
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.terminal import TerminalProgress
from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles, get_puzzle
from engines.locate import find_engine
from puzzlegen.cli.options import (
    DatabaseOption,
    EndsOption,
    GapOption,
    PlayerOption,
    RatingOption,
    SoundOption,
    SourceOption,
    TagOption,
    bounds,
    open_store,
)
from puzzlegen.cli.text import (
    audit_text,
    import_text,
    list_text,
    mining_text,
    puzzle_text,
    simplified_text,
    stats_text,
)
from puzzlegen.formats.exporting import Format, export_puzzles, format_of
from puzzlegen.formats.importing import import_puzzles
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.mining.run import mine
from puzzlegen.rules import MiningRules, Pattern
from puzzlegen.upkeep.audit import NODES, Action, audit
from puzzlegen.upkeep.placement import UNMOVED
from puzzlegen.upkeep.retag import retag
from puzzlegen.upkeep.simplify import simplify
from puzzlegen.upkeep.stats import count_store

app = typer.Typer(
    help="Turns chess games into verified tactical puzzles.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

# Puzzles that `list` shows when it is not told how many.
LISTED = 20

PuzzleArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of a puzzle, ours or its source's")]
EngineOption = Annotated[
    str | None,
    typer.Option("--engine", metavar="PATH", help="UCI engine. Default: Stockfish, wherever it is."),
]
WorkersOption = typer.Option(
    min=1, help="Games searched at a time, each by an engine of its own.", show_default="one a core"
)


@app.callback()
def common(version: VersionOption = False) -> None:
    """Turns chess games into verified tactical puzzles."""


@app.command("mine")
def mine_command(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAMES", help=".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, or - for stdin"),
    ],
    engine: EngineOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Games searched at a time, each by an engine of its own.", show_default="one a core"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask scheduler, such as tcp://host:8786, do the work. "
            "The engine's PATH is then one on the workers.",
        ),
    ] = None,
    pattern: Annotated[Pattern, typer.Option(help="What makes a candidate.")] = Pattern.BLUNDER_BLUNDER,
    player: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only what this player (part of a name) could have played."),
    ] = None,
    evaluated_only: Annotated[
        bool,
        typer.Option(
            "--evaluated-only",
            help="Only games with [%eval] comments; the others need some seventy searches each.",
        ),
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N games.")] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Mine again what was mined before.")] = False,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find blunders in games, verify what punishes them, and store the puzzles.

    Stopped at any moment, the same command goes on where it was.
    """
    if cluster is not None and workers is not None:
        raise typer.BadParameter("a cluster has workers of its own", param_hint="--workers")
    with open_store(db) as store, TerminalProgress() as progress, progress.finishing_on_interrupt():
        report = mine(
            games,
            store,
            engine,
            rules=MiningRules(pattern=pattern),
            workers=workers or os.cpu_count() or 1,
            cluster=cluster,
            player=player,
            evaluated_only=evaluated_only,
            limit=limit,
            restart=restart,
            progress=progress,
        )
        progress.close()
        if json:
            print_json(report.as_dict())
        else:
            print(mining_text(report))
    if report.interrupted:
        raise KeyboardInterrupt
    if report.damaged:
        raise typer.Exit(console.FAILED)


@app.command("import")
def import_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Lichess puzzle CSV, EPD, or PGN with set-up positions; may be compressed"
        ),
    ],
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Store the puzzles of a file."""
    with open_store(db) as store, TerminalProgress() as progress:
        report = import_puzzles(file, store, progress)
    if json:
        print_json(vars(report))
    else:
        print(import_text(report))
    if report.damage:
        raise InputError(report.damage)


@app.command("export")
def export_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")],
    kind: Annotated[Format | None, typer.Option("--format", help="Default: as the file's name ends.")] = None,
    rating: RatingOption = None,
    tag: TagOption = None,
    gap: GapOption = None,
    ends: EndsOption = None,
    source: SourceOption = None,
    player: PlayerOption = None,
    sound: SoundOption = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most N puzzles.")] = None,
    db: DatabaseOption = None,
) -> None:
    """Write puzzles to a file: Lichess CSV, PGN, EPD or JSON lines."""
    wanted = _filter(rating, tag, gap, ends, source, player, sound)
    kind = kind or format_of(file)
    with open_store(db) as store:
        report = export_puzzles(file, kind, store, wanted, limit)
    note(f"{report.written} puzzles written" + ("" if file == STANDARD_OUTPUT else f" to {file}"))
    if report.left_out:
        note(f"{report.left_out} left out: they have no move before them, which this format begins with")


@app.command("list")
def list_command(
    rating: RatingOption = None,
    tag: TagOption = None,
    gap: GapOption = None,
    ends: EndsOption = None,
    source: SourceOption = None,
    player: PlayerOption = None,
    sound: SoundOption = False,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help=f"At most N puzzles ({LISTED} as text).")
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show the puzzles in the database, a line each."""
    wanted = _filter(rating, tag, gap, ends, source, player, sound)
    with open_store(db) as store, store.reading() as session:
        if json:
            print_json([as_dict(puzzle) for puzzle in find_puzzles(session, wanted, limit)])
            return
        puzzles = list(find_puzzles(session, wanted, limit or LISTED))
        total = count_puzzles(session, wanted)
    if not puzzles:
        print(
            "No puzzles" + (" that fit." if wanted != PuzzleFilter() else " yet. Next: puzzlegen mine GAMES")
        )
        return
    print(list_text(puzzles, total))


@app.command("show")
def show_command(
    puzzle_id: PuzzleArgument,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show one puzzle with its board and solution."""
    with open_store(db) as store, store.reading() as session:
        puzzle = get_puzzle(session, puzzle_id)
    if json:
        print_json(as_dict(puzzle))
        return
    print(puzzle_text(puzzle))


@app.command("simplify")
def simplify_command(
    puzzle_id: PuzzleArgument,
    mirror: Annotated[bool, typer.Option("--mirror", help="Swap left and right, too.")] = False,
    shift: Annotated[
        bool, typer.Option("--shift", help="Put it elsewhere on the board, too, where it holds.")
    ] = False,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Take off the pieces that a puzzle's solution does not need: its teaching version.

    Nothing is stored. An engine makes sure that the solution stays the only one.
    """
    with open_store(db) as store, store.reading() as session:
        puzzle = get_puzzle(session, puzzle_id)
    found = simplify(puzzle.position(), puzzle.moves(), engine, mirror=mirror, shift=shift)
    if json:
        print_json({"id": puzzle.id, **found.as_dict()})
        return
    if (mirror or shift) and found.placement == UNMOVED:
        note(f"puzzle {puzzle.id} holds nowhere else on the board, and stays where it is")
    print(simplified_text(puzzle, found))


@app.command("audit")
def audit_command(
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Engine nodes a search.")] = NODES,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only N puzzles, drawn by lot.")
    ] = None,
    mark: Annotated[bool, typer.Option("--mark", help="Keep what was found, for --sound and show.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the puzzles that do not hold.")] = False,
    rating: RatingOption = None,
    tag: TagOption = None,
    gap: GapOption = None,
    ends: EndsOption = None,
    source: SourceOption = None,
    player: PlayerOption = None,
    engine: EngineOption = None,
    workers: Annotated[int, WorkersOption] = os.cpu_count() or 1,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Search stored puzzles again with more nodes, and say what no longer holds."""
    if mark and delete:
        raise typer.BadParameter("what is deleted cannot be marked", param_hint="--delete")
    action = Action.MARK if mark else Action.DELETE if delete else Action.REPORT
    wanted = _filter(rating, tag, gap, ends, source, player)
    command = find_engine(engine)
    with open_store(db) as store, TerminalProgress() as progress:
        report = audit(
            store,
            command,
            where=wanted,
            sample=sample,
            nodes=nodes,
            action=action,
            workers=workers,
            progress=progress,
        )
    if json:
        print_json(report.as_dict())
    else:
        print(audit_text(report, action))


@app.command("retag")
def retag_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Tag all stored puzzles anew, after a version that knows more motifs."""
    with open_store(db) as store, TerminalProgress() as progress:
        changed = retag(store, progress)
    if json:
        print_json({"changed": changed})
        return
    print(f"{changed:,} puzzles have other tags now\n\nNext: puzzlegen list --tag fork")


@app.command("stats")
def stats_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Count what is in the database."""
    with open_store(db) as store:
        stats = count_store(store)
        shown = store.shown
    if json:
        print_json(stats.as_dict())
        return
    print(stats_text(stats, shown))


def _filter(
    rating: str | None,
    tag: list[str] | None,
    gap: float | None,
    ends: str | None,
    source: str | None,
    player: str | None,
    sound: bool = False,
) -> PuzzleFilter:
    return PuzzleFilter(bounds(rating, "--rating"), gap, tuple(tag or ()), ends, source, player, sound)


def main() -> None:
    """Run the command `puzzlegen`."""
    console.run(app, "puzzlegen")
