"""Counts of the puzzles, exercises and tags in the store."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import QueryableAttribute, Session

from db.changes import last_change
from db.models import Game, Kind, Puzzle
from db.puzzles import SOLVER_MOVES
from db.store import Store
from puzzlegen.motifs.table import TAGS, Tag, TagGroup
from puzzlegen.rules import MiningRules

# Exercises are counted separately.
_IS_PUZZLE = Puzzle.kind == Kind.PUZZLE.value


@dataclass(frozen=True)
class Stats:
    """Counts of puzzles, of their games, and of exercises.

    `ends` has counts by outcome, `verdicts` by verdict of an audit, `solver_moves` by the number of solver
    moves; `ratings` are the lowest and the highest rating (None: no puzzle is rated). `strict` counts puzzles
    whose gap is at least `MiningRules.strict_gap`, `found_in_game` puzzles whose first move was played in the
    game. `last_change` is the number of the last change of puzzles (see `db.changes`).
    """

    puzzles: int
    exercises: int
    games: int
    sources: dict[str, int]
    ends: dict[str, int]
    verdicts: dict[str, int]
    solver_moves: dict[str, int]
    strict: int
    found_in_game: int
    ratings: list[int] | None
    last_change: int


def stats(store: Store) -> Stats:
    """Return the counts of what is in the store."""
    with store.reading() as session:
        moves = SOLVER_MOVES.label("moves")
        lengths = select(moves, func.count()).where(_IS_PUZZLE).group_by("moves").order_by("moves")
        lowest, highest = session.execute(select(func.min(Puzzle.rating), func.max(Puzzle.rating))).one()
        return Stats(
            puzzles=_count(session, _IS_PUZZLE),
            exercises=_count(session, ~_IS_PUZZLE),
            games=session.scalar(select(func.count(Game.number))) or 0,
            sources=_by(session, Puzzle.source),
            ends=_by(session, Puzzle.outcome),
            verdicts=_by(session, Puzzle.verdict, Puzzle.verdict.is_not(None)),
            solver_moves={str(length): count for length, count in session.execute(lengths)},
            strict=_count(session, _IS_PUZZLE & (Puzzle.gap >= MiningRules.strict_gap)),
            found_in_game=_count(session, _IS_PUZZLE & Puzzle.solver_found.is_(true())),
            ratings=None if lowest is None or highest is None else [lowest, highest],
            last_change=last_change(session),
        )


@dataclass(frozen=True)
class TagCount:
    """A tag, and how many puzzles have it as our tag or as a theme of the source."""

    tag: str
    group: TagGroup
    definition: str
    puzzles: int


def count_tags(store: Store) -> list[TagCount]:
    """Return all tags, group by group, then other themes of stored puzzles, the most frequent first."""
    counts: Counter[str] = Counter()
    with store.reading() as session:
        columns = (Puzzle.tags, Puzzle.themes)
        for tags, themes, count in session.execute(select(*columns, func.count()).group_by(*columns)):
            counts.update(dict.fromkeys({*tags.split(), *themes.split()}, count))
    others = [Tag(name, TagGroup.SOURCE, None, "A theme of the source.") for name, _ in counts.most_common()]
    return [
        TagCount(tag.name, tag.group, tag.definition, counts[tag.name])
        for tag in (*TAGS.values(), *(other for other in others if other.name not in TAGS))
    ]


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count(Puzzle.number)).where(condition)) or 0


def _by(session: Session, value: QueryableAttribute[Any], *conditions: ColumnElement[bool]) -> dict[str, int]:
    """Return the number of puzzles for each value, the most frequent first."""
    counts = select(value.label("value"), func.count()).where(_IS_PUZZLE, *conditions)
    rows = session.execute(counts.group_by("value")).all()
    return {name or "unknown": count for name, count in sorted(rows, key=lambda row: -row[1])}
