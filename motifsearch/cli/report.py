"""The command `motifsearch report pairs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json
from chess_motif.output import note
from motifsearch.cli.options import HtmlOption
from puzzlegen.cli.options import next_step

app = typer.Typer(help="Measures how well searches work.", no_args_is_help=True)


@app.command("pairs")
def pairs_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Pairs of positions, .csv or .pgn")],
    html: HtmlOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often a search for a position finds its simplified partner."""
    # Imported only here: a search does not need it.
    from chess_motif.pages import write_page
    from motifsearch.puzzles.pairs import measure_pairs, read_pairs
    from motifsearch.views.pairs import pairs_page, pairs_text

    pairs = read_pairs(file)
    for skipped in pairs.skipped:
        note(f"{file}: {skipped}")
    measured = measure_pairs(pairs)
    if html is not None:
        write_page(html, pairs_page(measured))
    if json:
        print_json(measured.as_dict())
        return
    print(pairs_text(measured))
    if html is not None:
        print(f"Written to {html}")
    else:
        print(next_step("motifsearch", "report", "pairs", str(file), "--html", "pairs.html", db=None))
