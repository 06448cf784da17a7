"""The options that say which puzzles a command works on."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from chess_motif.console import note
from db.puzzles import PuzzleFilter, count_unjudged
from db.store import Store
from puzzlegen.cli.options import bounds


class Side(StrEnum):
    """Who solves a puzzle."""

    WHITE = "white"
    BLACK = "black"


def puzzle_filter(
    rating: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Rating, such as 1200-1600, 1800- or -1400.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Has this tag or theme; given several times, all of them."),
    ] = None,
    any_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Has at least one of the tags given in this way.")
    ] = None,
    no_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Has none of the tags given in this way.")
    ] = None,
    ends: Annotated[str | None, typer.Option(metavar="mate|material", help="How it wins.")] = None,
    gap: Annotated[
        float | None,
        typer.Option(min=0.0, max=2.0, help="Least win-chance gap of each move (0.7: strict puzzles)."),
    ] = None,
    side: Annotated[Side | None, typer.Option(help="Who solves.")] = None,
    length: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Solver's moves, such as 2 or 2-4.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its source: mined, lichess, pgn, epd.")
    ] = None,
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Part of a player's name.")] = None,
    sound: Annotated[
        bool,
        typer.Option("--sound", help="Leave out puzzles in which an audit found a fault (audit --mark)."),
    ] = False,
) -> PuzzleFilter:
    """Return the filter that the options of a command ask for."""
    return PuzzleFilter(
        rating=bounds(rating, "--rating"),
        gap=gap,
        tags=tuple(tag or ()),
        outcome=ends,
        source=source,
        player=player,
        sound=sound,
        any_tags=tuple(any_tag or ()),
        no_tags=tuple(no_tag or ()),
        white=None if side is None else side is Side.WHITE,
        moves=bounds(length, "--length"),
    )


def note_unjudged(store: Store, filters: PuzzleFilter) -> None:
    """Say how many puzzles a filter leaves out because what it asks for is not known of them."""
    with store.reading() as session:
        unjudged = count_unjudged(session, filters)
    if unjudged:
        needed = filters.judges()
        known = f"{' or '.join(needed)} {'are' if needed[-1] == 'players' else 'is'} not known"
        puzzles = "1 puzzle was" if unjudged == 1 else f"{unjudged:,} puzzles were"
        note(f"{puzzles} left out because the {known}")
