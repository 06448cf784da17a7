"""The options that say which puzzles a command works on.

The options that say which puzzles a command shows or writes, and in which order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from chess_motif.console import with_options
from chess_motif.errors import InputError, reason_of
from chess_motif.output import note
from chess_motif.text import did_you_mean
from db.models import Kind
from db.puzzles import PuzzleFilter, all_sources, all_tags, count_unjudged, has_tag
from db.selection import Selection, Sort, resolve_ids
from db.store import Store
from puzzlegen.cli.options import DatabaseOption, SeedOption, bounds, chosen_seed, open_store
from puzzlegen.games.archive import STANDARD_INPUT
from puzzlegen.verify.ending import Ending


class Side(StrEnum):
    """Who solves a puzzle."""

    WHITE = "white"
    BLACK = "black"


class KindWanted(StrEnum):
    """Which kind of thing to solve."""

    PUZZLE = Kind.PUZZLE.value
    EXERCISE = Kind.EXERCISE.value
    ANY = "any"

    @property
    def kind(self) -> Kind | None:
        """The kind for a filter."""
        return None if self is KindWanted.ANY else Kind(self.value)


KindOption = Annotated[
    KindWanted | None,
    typer.Option(
        help="Puzzles, in which each move is the only one that wins, or exercises from one's own games. "
        "Default: puzzles, or any that are named."
    ),
]


class YesNo(StrEnum):
    """The answer to a question about a puzzle."""

    YES = "yes"
    NO = "no"


# Where puzzles may come from; sources that are only in the database are known, too.
_SOURCES = frozenset({"mined", "lichess", "pgn", "epd", "jsonl"})


def puzzle_filter(
    rating: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Rating, such as 1200-1600, 1800- or -1400.")
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option(
            metavar="MIN-MAX", help="Rating, or difficulty as estimated by `puzzlegen rate` if it has none."
        ),
    ] = None,
    not_obvious: Annotated[
        bool,
        typer.Option("--not-obvious", help="Leave out puzzles whose first move nearly everyone would play."),
    ] = False,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG",
            help="Has this tag or theme (see `puzzlegen tags`); given several times, all of them.",
        ),
    ] = None,
    any_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Has at least one of the tags given in this way.")
    ] = None,
    no_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Has none of the tags given in this way.")
    ] = None,
    ends: Annotated[Ending | None, typer.Option(help="How it wins.")] = None,
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
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="Words of a player's name, in any order.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Part of the name of the opponent, whose blunder it punishes."),
    ] = None,
    found: Annotated[
        YesNo | None,
        typer.Option(
            help="Whether the solver (with --player: this player) found the first move in the game."
        ),
    ] = None,
    sound: Annotated[
        bool,
        typer.Option("--sound", help="Leave out puzzles in which an audit found a fault (audit --mark)."),
    ] = False,
    db: DatabaseOption = None,
) -> PuzzleFilter:
    """Return the filter that the options of a command ask for.

    Tags and sources are looked up in the database `db`.
    """
    if tag or any_tag or no_tag or source is not None:
        with open_store(db) as store, store.reading() as session:
            for option, tags in (("--tag", tag), ("--any-tag", any_tag), ("--no-tag", no_tag)):
                _check_tags(session, tags or (), option)
            _check_source(session, source)
    return PuzzleFilter(
        rating=bounds(rating, "--rating"),
        difficulty=bounds(difficulty, "--difficulty"),
        not_obvious=not_obvious,
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
        found=None if found is None else found is YesNo.YES,
        against=against,
    )


@with_options(filters=puzzle_filter)
def filter_of_kind(*, filters: PuzzleFilter, kind: KindOption = None) -> PuzzleFilter:
    """Return the filter that the options of a command ask for, for puzzles unless they ask for exercises."""
    return replace(filters, kind=(kind or KindWanted.PUZZLE).kind)


def note_unjudged(store: Store, filters: PuzzleFilter, names: Sequence[str] | None = None) -> None:
    """Say how many puzzles a filter leaves out because what it asks for is not known of them.

    With `names` (ids, ours or their source's), only those puzzles count.
    """
    with store.reading() as session:
        ids = None if names is None else resolve_ids(session, names)
        unjudged = count_unjudged(session, filters, ids)
    if unjudged:
        needed = filters.judges()
        known = f"{' or '.join(needed)} {'are' if needed[-1] == 'players' else 'is'} not known"
        puzzles = "1 puzzle was" if unjudged == 1 else f"{unjudged:,} puzzles were"
        advice = "; `puzzlegen rate` estimates it" if "difficulty" in needed else ""
        note(f"{puzzles} left out because the {known}{advice}")


def _check_tags(session: Session, tags: Iterable[str], option: str) -> None:
    # Imported only here: most commands are given no tags.
    from puzzlegen.motifs.tags import TAGS

    for tag in tags:
        if tag not in TAGS and not has_tag(session, tag):
            known = TAGS.keys() | all_tags(session)
            raise typer.BadParameter(
                f"no puzzle has the tag {tag!r}{did_you_mean(tag, known)}", param_hint=option
            )


def _check_source(session: Session, source: str | None) -> None:
    if source is None or source in _SOURCES:
        return
    known = _SOURCES | all_sources(session)
    if source not in known:
        raise typer.BadParameter(
            f"no puzzle has the source {source!r}{did_you_mean(source, known)}", param_hint="--source"
        )


IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of puzzles, ours or their source's", show_default=False),
]
IdsOption = Annotated[
    str | None,
    typer.Option(
        "--ids",
        metavar="FILE",
        help="A file of ids (-: standard input), separated by spaces or lines; JSON strings will do.",
    ),
]

# An id in a list of ids, which may be JSON.
_ID = re.compile(r'[^\s",\[\]]+')


@with_options(filters=puzzle_filter)
def puzzle_selection(
    puzzle_ids: IdsArgument = None,
    ids: IdsOption = None,
    *,
    filters: PuzzleFilter,
    kind: KindOption = None,
    sort: Annotated[
        Sort | None,
        typer.Option(help="Lowest, shortest or earliest first; what has no such value comes last."),
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="Highest, longest or latest first.")] = False,
    random: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only a random sample of N puzzles.")
    ] = None,
    seed: SeedOption = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most N puzzles.")] = None,
) -> Selection:
    """Return the selection that the options of a command ask for."""
    if reverse and sort is None:
        raise typer.BadParameter("needs --sort", param_hint="--reverse")
    if seed is not None and random is None:
        raise typer.BadParameter("needs --random", param_hint="--seed")
    names = given_ids(puzzle_ids, ids)
    kind = kind or (KindWanted.PUZZLE if names is None else KindWanted.ANY)
    return Selection(
        replace(filters, kind=kind.kind),
        names=names,
        sample=random,
        seed=0 if random is None else chosen_seed(seed),
        sort=sort,
        reverse=reverse,
        limit=limit,
    )


def given_ids(arguments: list[str] | None, file: str | None) -> tuple[str, ...] | None:
    """Return the ids given as arguments and in a file (`-`: standard input), None if there are neither.

    Raises `InputError` if the file cannot be read.
    """
    if not arguments and file is None:
        return None
    listed = [] if file is None else _ID.findall(_text_of(file))
    return (*(arguments or ()), *listed)


def _text_of(file: str) -> str:
    try:
        if file == STANDARD_INPUT:
            return sys.stdin.buffer.read().decode("utf-8", errors="replace")
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error
