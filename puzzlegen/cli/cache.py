"""The commands `puzzlegen cache`: packed files of searched positions, and what is printed about them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from chess_motif.boards import text_board
from chess_motif.console import JsonOption, show
from chess_motif.errors import InputError
from chess_motif.notation import parse_position
from chess_motif.output import note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table
from chess_motif.text import counted
from db.packed.file import PackedFile
from db.packed.verdicts import PackedEntry
from db.store import Store
from engines.engine import Variation
from engines.search_cache import legal_variations
from puzzlegen.cache import Contents, PackReport, contents_of, merge_packed, pack_archives, pack_store
from puzzlegen.cli.options import GAME_FILES, DatabaseOption, next_step

app = typer.Typer(help="Packs searched positions as files that can be shared.", no_args_is_help=True)

OutArgument = Annotated[Path, typer.Argument(metavar="OUT", help="Packed file to write")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Packed file")]

# The most positions that `near` shows.
SHOWN = 20


@app.command("pack")
def pack_command(
    out: OutArgument,
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAMES",
            help=f"Files whose positions to pack, without verdicts: .epd, {GAME_FILES}. Default: all "
            "positions that were searched, with their verdicts",
            show_default=False,
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Write positions to a packed file, in a few bytes each."""
    with TerminalProgress() as progress:
        if games:
            report = pack_archives(out, games, progress)
        else:
            with Store(db, create=False) as store:
                report = pack_store(out, store, progress)
    show(report, lambda: pack_text(report, out), json)
    if not games and report.left_out:
        left_out = counted(report.left_out, "search")
        note(f"left out {left_out} that an older version stored without the position")
    if report.damage:
        raise InputError(report.damage)


@app.command("merge")
def merge_command(
    out: OutArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILES", help="Packed files")],
    json: JsonOption = False,
) -> None:
    """Merge packed files, such as those of several computers."""
    with TerminalProgress() as progress:
        report = merge_packed(out, files, progress)
    show(report, lambda: pack_text(report, out), json)


@app.command("info")
def info_command(file: FileArgument, json: JsonOption = False) -> None:
    """Show what is in a packed file, and check it for damage."""
    with PackedFile(file) as packed:
        contents = contents_of(packed)
    show(contents, lambda: contents_text(contents), json)
    if contents.damage:
        raise InputError("; ".join(contents.damage))


@app.command("near")
def near_command(
    file: FileArgument,
    fen: Annotated[str, typer.Argument(metavar="FEN", help="A position in quotes")],
    json: JsonOption = False,
) -> None:
    """Show a position of a packed file with its verdicts, and some positions with the same material."""
    board = parse_position(fen)
    with PackedFile(file) as packed:
        itself = packed.get(board)
        others = (entry for entry in packed.near(board) if entry != itself)
        near = chain([] if itself is None else [itself], others)
        entries = list(islice(near, SHOWN))
        total = len(entries) + sum(1 for _ in near)

    def text() -> str:
        shown = [] if itself is None else [entry_text(itself)]
        return "\n\n".join([*shown, entries_text(entries, total, file)])

    show({"total": total, "positions": entries}, text, json)


def pack_text(report: PackReport, out: Path) -> str:
    """Return what was packed, how small it is, and the next command."""
    packed = (
        f"Packed {counted(report.positions, 'position')} with {counted(report.verdicts, 'verdict')} "
        f"in {tqdm.format_sizeof(report.bytes, 'B')}: {report.bits:.1f} bits a position"
    )
    return f"{packed}\n\n{next_step('puzzlegen', 'cache', 'info', str(out), db=None)}"


def contents_text(contents: Contents) -> str:
    """Return the parts of a packed file, and its verdicts by engine and budget."""
    parts: list[tuple[str, int, int]] = [
        ("positions", contents.positions, contents.position_bytes),
        ("verdicts", contents.verdicts, contents.verdict_bytes),
        ("blocks (index)", contents.blocks, contents.index_bytes),
    ]
    rows = [
        [name, f"{count:,}", tqdm.format_sizeof(size, "B"), f"{8 * size / max(contents.positions, 1):.1f}"]
        for name, count, size in parts
    ]
    text = table(["", "count", "size", "bits a position"], rows, right="lrrr")
    if contents.searches:
        searches = [
            [each.engine, f"{each.nodes:,}", each.lines, each.depth or "", f"{each.verdicts:,}"]
            for each in contents.searches
        ]
        text += "\n\n" + table(["engine", "nodes", "lines", "depth", "verdicts"], searches, right="lrrrr")
    return text


def entry_text(entry: PackedEntry) -> str:
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
        for verdict in sorted(entry.verdicts, key=attrgetter("nodes"))
        for variation in legal_variations(entry.board, verdict.found)
    ]
    engines = sorted({verdict.settings for verdict in entry.verdicts})
    verdicts = table(["nodes", "depth", "score", "variation"], rows, right="rrrl")
    return "\n".join([*lines, "", verdicts, "", *engines])


def entries_text(entries: Sequence[PackedEntry], total: int, file: Path) -> str:
    """Return positions as a table, each with the best move of its largest search; `total` counts them all."""
    if not total:
        return f"{file}: no position with this material"
    rows = [[entry.board.fen(), *_best(entry)] for entry in entries]
    shown = f"{len(entries):,} of {total:,} positions" if len(entries) < total else counted(total, "position")
    return table(["position", "score", "move", "nodes"], rows, right="lrlr") + f"\n\n{shown}"


def _best(entry: PackedEntry) -> list[str]:
    if not entry.verdicts:
        return ["", "", ""]
    verdict = max(entry.verdicts, key=attrgetter("nodes"))
    best = legal_variations(entry.board, verdict.found)[0]
    return [_score(best), entry.board.san(best.move), f"{verdict.nodes:,}"]


def _score(variation: Variation) -> str:
    """Return the score for the side to move in pawns, or as `#` and the moves to mate."""
    mate = variation.mate_in
    return f"#{mate}" if mate is not None else f"{(variation.score.score() or 0) / 100:+.2f}"
