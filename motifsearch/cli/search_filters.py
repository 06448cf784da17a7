"""The options that say which puzzles `motifsearch similar` may find."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from chess_motif.console import with_options
from db.puzzles import PuzzleFilter
from motifsearch.puzzles.filters import PuzzleFilters
from puzzlegen.cli.filters import puzzle_filter
from puzzlegen.cli.options import bounds


@with_options(puzzles=puzzle_filter)
def search_filters(
    *,
    puzzles: PuzzleFilter,
    pieces: Annotated[
        str | None,
        typer.Option("--men", metavar="MIN-MAX", help="Pieces on the board, such as -12 for endgames."),
    ] = None,
    other_games: Annotated[
        bool, typer.Option("--other-games", help="Leave out puzzles from the query's own game.")
    ] = False,
    new_to: Annotated[
        str | None,
        typer.Option(
            "--new-to", metavar="NAME", help="Leave out puzzles that earlier searches have shown to NAME."
        ),
    ] = None,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Do not leave out nearly identical positions.")
    ] = False,
) -> PuzzleFilters:
    """Return the filters that the options of a command ask for."""
    return PuzzleFilters(replace(puzzles, new_to=new_to), bounds(pieces, "--men"), other_games, duplicates)
