"""The options that say which puzzles a command works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from chess_motif.console import note, with_options
from chess_motif.text import did_you_mean
from db.models import Kind
from db.puzzles import PuzzleFilter, all_sources, all_tags, count_unjudged, has_tag
from db.selection import resolve_ids
from db.store import Store
from puzzlegen.cli.options import DatabaseOption, bounds, open_store


class Side(StrEnum):
    """Who solves a puzzle."""

    WHITE = "white"
    BLACK = "black"


class Ending(StrEnum):
    """How the solution of a puzzle wins."""

    MATE = "mate"
    MATERIAL = "material"


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


class Answer(StrEnum):
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
        Answer | None,
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
        found=None if found is None else found is Answer.YES,
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
