"""The options that select puzzles, and the order in which a command shows or writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from typing import Annotated, Any

import typer

from chess_motif.console import with_options
from chess_motif.errors import InputError
from chess_motif.output import note
from db.models import Kind, Puzzle
from db.puzzles import PuzzleFilter, check_source, check_tags, count_unjudged
from db.selection import Selection, Sort, resolve_ids, select_puzzles
from db.store import Store
from puzzlegen.cli.options import (
    DatabaseOption,
    PlayerOption,
    RandomOption,
    SeedOption,
    Side,
    at_most,
    bounds,
    sample_seed,
)
from puzzlegen.formats.ids import read_ids
from puzzlegen.games.archive import STANDARD_INPUT


class KindWanted(StrEnum):
    """Puzzles, exercises, or both."""

    PUZZLE = Kind.PUZZLE.value
    EXERCISE = Kind.EXERCISE.value
    ANY = "any"


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID",
        help="Puzzle ids: ours, or those of Lichess or another source; - for ids from stdin",
        show_default=False,
    ),
]
SortOption = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="KEY",
        help=f"Sort by {', '.join(Sort)}, in ascending order; with a minus sign, as in -rating, in "
        "descending order. Puzzles without a value come last.",
    ),
]
KindOption = Annotated[
    KindWanted | None,
    typer.Option(
        help="In a puzzle only one move wins; in an exercise, from a player's own games, several moves may "
        "be right. Default: puzzle, or any if ids are given."
    ),
]


def common_filter(
    tag: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG,...",
            help="Only puzzles with this tag or theme (see `puzzlegen tags`), or with one of several "
            "separated by commas. Repeat the option to require several.",
        ),
    ] = None,
    no_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG,...", help="Only puzzles without these tags or themes.")
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=2.0,
            help="Least difference in win chance between each of the solver's moves and the next best one "
            "(0 to 2; 0.7 counts as strict).",
        ),
    ] = None,
    side: Annotated[Side | None, typer.Option(help="The side that solves the puzzle.")] = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Source of the puzzle: mined, lichess, pgn, epd, jsonl."),
    ] = None,
    player: PlayerOption = None,
    opening: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Opening of the game: words of its name (najdorf), or an ECO code or its beginning (B90, "
            "B9). The Lichess database has names only; a code finds puzzles whose game says it.",
        ),
    ] = None,
    sound: Annotated[
        bool, typer.Option("--sound", help="Leave out what an audit found ambiguous, wrong or not winning.")
    ] = False,
    db: DatabaseOption = None,
) -> PuzzleFilter:
    """Return the filter for the options of a command, without the rating.

    Tags and sources are looked up in the database `db`.
    """
    if tag or no_tag or source is not None:
        with Store(db, create=False) as store, store.reading() as session:
            with _naming("--tag"):
                check_tags(session, tag or ())
            with _naming("--no-tag"):
                check_tags(session, no_tag or ())
            with _naming("--source"):
                check_source(session, source)
    return PuzzleFilter(
        tags=tuple(tag or ()),
        no_tags=tuple(no_tag or ()),
        gap=gap,
        white=None if side is None else side is Side.WHITE,
        source=source,
        player=player,
        opening=opening,
        sound=sound,
    )


@with_options(filters=common_filter)
def puzzle_filter(
    rating: Annotated[
        str | None,
        typer.Option(
            metavar="MIN-MAX",
            help="Rating, such as 1200-1600, 1800- or -1400. For unrated puzzles, the estimate of `puzzlegen "
            "rate` counts.",
        ),
    ] = None,
    *,
    filters: PuzzleFilter,
    kind: KindOption = None,
) -> PuzzleFilter:
    """Return the filter for the options of a command: puzzles, unless the options ask for exercises."""
    wanted = None if kind is KindWanted.ANY else Kind(kind or Kind.PUZZLE)
    return replace(filters, rating=bounds(rating, "--rating"), kind=wanted)


@with_options(filters=puzzle_filter)
def puzzle_selection(
    puzzle_ids: IdsArgument = None,
    *,
    filters: PuzzleFilter,
    kind: KindOption = None,
    sort: SortOption = None,
    random: RandomOption = None,
    seed: SeedOption = None,
    limit: Annotated[int | None, at_most("puzzles")] = None,
) -> Selection:
    """Return the selection for the options of a command."""
    return Selection(
        of_any_kind(filters, kind, puzzle_ids),
        names=given_ids(puzzle_ids),
        sample=random,
        seed=sample_seed(seed, random),
        **sort_order(sort),
        limit=limit,
    )


def of_any_kind(filters: PuzzleFilter, kind: KindWanted | None, ids: Sequence[str] | None) -> PuzzleFilter:
    """Return the filter for both kinds if ids but no kind are given."""
    return replace(filters, kind=None) if ids and kind is None else filters


def given_ids(words: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the ids in the arguments (`-`: on standard input), None if there are no arguments."""
    if not words:
        return None
    return tuple(chain.from_iterable(read_ids(word) if word == STANDARD_INPUT else [word] for word in words))


def note_unjudged(store: Store, filters: PuzzleFilter, names: Sequence[str] | None = None) -> None:
    """Say how many puzzles a filter leaves out because a value is not known.

    With `names` (our ids or those of the source), only these puzzles count.
    """
    with store.reading() as session:
        ids = None if names is None else resolve_ids(session, names)
        unjudged = count_unjudged(session, filters, ids)
    if unjudged:
        needed = filters.judges()
        known = f"{' or '.join(needed)} {'are' if needed[-1] == 'players' else 'is'} not known"
        puzzles = "1 puzzle was" if unjudged == 1 else f"{unjudged:,} puzzles were"
        advice = "; `puzzlegen rate` estimates it" if "rating" in needed else ""
        note(f"{puzzles} left out because the {known}{advice}")


@contextmanager
def _naming(option: str) -> Iterator[None]:
    """Name an option whose value cannot be used."""
    try:
        yield
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def sort_order(text: str | None) -> dict[str, Any]:
    """Return the fields of a `Selection` for the option `--sort`."""
    if text is None:
        return {}
    name = text.removeprefix("-")
    try:
        return {"sort": Sort(name), "reverse": name != text}
    except ValueError as error:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(Sort)}", param_hint="--sort") from error


def in_order(puzzles: Sequence[Puzzle], store: Store, sort: str | None) -> list[Puzzle]:
    """Return stored puzzles sorted by the option `--sort`, if given."""
    order = sort_order(sort)
    if not order or not puzzles:
        return list(puzzles)
    names = tuple(puzzle.id for puzzle in puzzles)
    with store.reading() as session:
        return list(select_puzzles(session, Selection(PuzzleFilter(kind=None), names, **order)))
