"""The commands `puzzlegen memory`: the packed file of every position that was searched."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chess_motif.console import JsonOption, note, print_json
from chess_motif.errors import InputError
from chess_motif.notation import parse_position
from chess_motif.terminal import TerminalProgress
from chess_motif.text import counted
from puzzlegen.cli.options import DatabaseOption, MemoryOption, next_step, open_store

if TYPE_CHECKING:
    from puzzlegen.memory.pack import PackReport

memory_app = typer.Typer(
    help="The positions that were searched, packed as a file that can be shared.", no_args_is_help=True
)

OutArgument = Annotated[Path, typer.Argument(metavar="OUT", help="Packed file to write")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Packed file")]
FenArgument = Annotated[str, typer.Argument(metavar="FEN", help="Position")]

# Captures after which `near` still looks: each multiplies the materials.
MOST_CAPTURES = 4


@memory_app.command("pack")
def pack_command(
    out: OutArgument,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="GAMES|FILE.epd",
            help="Pack the positions of these games or lines. Default: those searched, with their verdicts.",
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Write positions as a packed file: a few bytes each, found by their material."""
    # Imported when needed, here and below: what packs and reads positions is slow to load.
    from puzzlegen.memory.pack import pack_archive, pack_store

    with TerminalProgress() as progress:
        if source is not None:
            report = pack_archive(out, source, progress)
        else:
            with open_store(db) as store:
                report = pack_store(out, store, progress)
    _print_report(report, out, json=json)
    if source is None and report.left_out:
        left_out = counted(report.left_out, "search", "searches")
        note(f"left out {left_out} that an older version stored without the position")
    if report.damage:
        raise InputError(report.damage)


@memory_app.command("merge")
def merge_command(
    out: OutArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="Packed files")],
    json: JsonOption = False,
) -> None:
    """Join packed files, such as those of several computers."""
    from puzzlegen.memory.pack import merge_packed

    with TerminalProgress() as progress:
        report = merge_packed(out, files, progress)
    _print_report(report, out, json=json)


def _print_report(report: PackReport, out: Path, *, json: bool) -> None:
    from puzzlegen.memory.text import pack_text

    if json:
        print_json(report.as_dict())
    else:
        print(f"{pack_text(report)}\n\n{next_step('puzzlegen', 'memory', 'info', str(out), db=None)}")


@memory_app.command("info")
def info_command(file: FileArgument, json: JsonOption = False) -> None:
    """Show what a packed file has, and check that it is whole."""
    from db.packed.file import PackedFile
    from puzzlegen.memory.contents import contents_of
    from puzzlegen.memory.text import contents_text

    with PackedFile(file) as packed:
        contents = contents_of(packed)
    if json:
        print_json(contents.as_dict())
    else:
        print(contents_text(contents))
    if contents.damage:
        raise InputError("; ".join(contents.damage))


@memory_app.command("get")
def get_command(fen: FenArgument, memory: MemoryOption, json: JsonOption = False) -> None:
    """Show a position of a packed file and the verdicts on it."""
    from db.packed.file import PackedFile
    from puzzlegen.memory.text import entry_text

    board = parse_position(fen)
    with PackedFile(memory) as packed:
        entry = packed.get(board)
    if entry is None:
        raise InputError(f"{memory}: this position is not there; near shows those with the same material")
    if json:
        print_json(entry.as_dict())
    else:
        print(entry_text(entry))


@memory_app.command("near")
def near_command(
    fen: FenArgument,
    memory: MemoryOption,
    captures: Annotated[
        int,
        typer.Option(min=0, max=MOST_CAPTURES, metavar="N", help="Also what up to N captures can lead to."),
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N positions.")] = 20,
    json: JsonOption = False,
) -> None:
    """Show the positions of a packed file that have the same material as a position."""
    from db.packed.file import PackedFile
    from puzzlegen.memory.text import entries_text

    board = parse_position(fen)
    with PackedFile(memory) as packed:
        near = packed.near(board, captures)
        entries = list(islice(near, limit))
        total = len(entries) + sum(1 for _ in near)
    if json:
        print_json({"total": total, "positions": [entry.as_dict() for entry in entries]})
    else:
        print(entries_text(entries, total, memory))
