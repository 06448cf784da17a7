"""The options that say which puzzles `motifsearch similar` may find."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from chess_motif.console import with_options
from chess_motif.text import did_you_mean
from db.puzzles import PuzzleFilter
from db.showings import all_shown
from motifsearch.puzzles.filters import PuzzleFilters, Than
from puzzlegen.cli.filters import puzzle_filter
from puzzlegen.cli.options import DatabaseOption, bounds, open_store


@with_options(puzzles=puzzle_filter)
def search_filters(
    *,
    puzzles: PuzzleFilter,
    pieces: Annotated[
        str | None,
        typer.Option(metavar="MIN-MAX", help="Pieces on the board, such as -12 for endgames."),
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
    new: Annotated[
        bool, typer.Option("--new", help="The NAME of --new-to is a new one, not a misspelt one.")
    ] = False,
    easier: Annotated[
        bool, typer.Option("--easier", help="Only puzzles clearly easier than the query.")
    ] = False,
    harder: Annotated[
        bool, typer.Option("--harder", help="Only puzzles clearly harder than the query.")
    ] = False,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Do not leave out nearly identical positions.")
    ] = False,
    db: DatabaseOption = None,
) -> PuzzleFilters:
    """Return the filters that the options of a command ask for.

    Names, tags and sources are looked up in the database `db`.
    """
    if new and new_to is None:
        raise typer.BadParameter("needs --new-to", param_hint="--new")
    if new_to is not None and not new:
        _check_name(new_to, db)
    if easier and harder:
        raise typer.BadParameter("cannot be used with --easier", param_hint="--harder")
    return PuzzleFilters(
        replace(puzzles, new_to=new_to),
        bounds(pieces, "--pieces"),
        other_games,
        duplicates,
        Than.EASIER if easier else Than.HARDER if harder else None,
    )


def _check_name(name: str, db: str | None) -> None:
    with open_store(db) as store, store.reading() as session:
        known = [shown.name for shown in all_shown(session)]
    if name not in known:
        suggestion = did_you_mean(name, known) or "."
        raise typer.BadParameter(
            f"{name!r} was shown no puzzles yet{suggestion} Add --new if the name is new",
            param_hint="--new-to",
        )
