"""The commands `puzzlegen memory`: the packed file of every position that was searched.

The text that `puzzlegen memory` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import humanize
import typer

from chess_motif.boards import text_board
from chess_motif.console import JsonOption, print_json
from chess_motif.errors import InputError
from chess_motif.notation import parse_position
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from chess_motif.text import counted
from db.packed.verdicts import Entry, Verdict
from engines.engine import Variation
from engines.search_cache import legal_variations
from puzzlegen.cache import Contents, PackReport
from puzzlegen.cli.options import DatabaseOption, MemoryOption, next_step, open_store


def pack_text(report: PackReport) -> str:
    """Return what was packed, and how small it is."""
    return (
        f"Packed {counted(report.positions, 'position')} with {counted(report.verdicts, 'verdict')} "
        f"in {humanize.naturalsize(report.bytes)}: {report.bits:.1f} bits a position"
    )


def contents_text(contents: Contents) -> str:
    """Return the parts of a packed file, and its verdicts by engine and budget."""
    parts: list[tuple[str, int, int]] = [
        ("positions", contents.positions, contents.position_bytes),
        ("verdicts", contents.verdicts, contents.verdict_bytes),
        ("blocks (index)", contents.blocks, contents.index_bytes),
    ]
    rows = [
        [name, f"{count:,}", humanize.naturalsize(size), f"{8 * size / max(contents.positions, 1):.1f}"]
        for name, count, size in parts
    ]
    text = table(["", "count", "size", "bits a position"], rows, right="lrrr")
    if contents.searches:
        searches = [
            [budget.engine, f"{budget.nodes:,}", budget.lines, budget.depth or "", f"{count:,}"]
            for budget, count in contents.searches.items()
        ]
        text += "\n\n" + table(["engine", "nodes", "lines", "depth", "verdicts"], searches, right="lrrrr")
    return text


def entry_text(entry: Entry) -> str:
    """Return a position as a board, with its verdicts."""
    side = "White" if entry.board.turn else "Black"
    lines = [text_board(entry.board), f"{side} to move: {entry.board.fen()}"]
    if not entry.verdicts:
        return "\n".join([*lines, "no verdict"])
    rows = [
        [
            f"{verdict.nodes:,}",
            verdict.depth or "",
            _score(variation),
            entry.board.variation_san(variation.moves),
        ]
        for verdict in sorted(entry.verdicts, key=_nodes)
        for variation in legal_variations(entry.board, verdict.found)
    ]
    engines = sorted({verdict.settings for verdict in entry.verdicts})
    verdicts = table(["nodes", "depth", "score", "variation"], rows, right="rrrl")
    return "\n".join([*lines, "", verdicts, "", *engines])


def entries_text(entries: Sequence[Entry], total: int, memory: Path) -> str:
    """Return positions as a table, each with the best move of its largest search; `total` counts them all."""
    if not total:
        return f"{memory}: no position with this material"
    rows = [[entry.board.fen(), *_best(entry)] for entry in entries]
    shown = f"{len(entries):,} of {total:,} positions" if len(entries) < total else counted(total, "position")
    return table(["position", "score", "move", "nodes"], rows, right="lrlr") + f"\n\n{shown}"


def _best(entry: Entry) -> list[str]:
    if not entry.verdicts:
        return ["", "", ""]
    verdict = max(entry.verdicts, key=_nodes)
    best = legal_variations(entry.board, verdict.found)[0]
    return [_score(best), entry.board.san(best.move), f"{verdict.nodes:,}"]


def _nodes(verdict: Verdict) -> int:
    return verdict.nodes


def _score(variation: Variation) -> str:
    """Return the score for the side to move in pawns, or as `#` and the moves to mate."""
    mate = variation.mate_in
    return f"#{mate}" if mate is not None else f"{(variation.score.score() or 0) / 100:+.2f}"


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
    from puzzlegen.cache import pack_archive, pack_store

    with TerminalProgress() as progress:
        if source is not None:
            report = pack_archive(out, source, progress)
        else:
            with open_store(db) as store:
                report = pack_store(out, store, progress)
    _print_report(report, out, json=json)
    if source is None and report.left_out:
        left_out = counted(report.left_out, "search")
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
    from puzzlegen.cache import merge_packed

    with TerminalProgress() as progress:
        report = merge_packed(out, files, progress)
    _print_report(report, out, json=json)


def _print_report(report: PackReport, out: Path, *, json: bool) -> None:

    if json:
        print_json(report.as_dict())
    else:
        print(f"{pack_text(report)}\n\n{next_step('puzzlegen', 'memory', 'info', str(out), db=None)}")


@memory_app.command("info")
def info_command(file: FileArgument, json: JsonOption = False) -> None:
    """Show what a packed file has, and check that it is whole."""
    from db.packed.file import PackedFile
    from puzzlegen.cache import contents_of

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

    board = parse_position(fen)
    with PackedFile(memory) as packed:
        near = packed.near(board, captures)
        entries = list(islice(near, limit))
        total = len(entries) + sum(1 for _ in near)
    if json:
        print_json({"total": total, "positions": [entry.as_dict() for entry in entries]})
    else:
        print(entries_text(entries, total, memory))
