"""Storing and finding puzzles, and recording to whom they were shown."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import chess
from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    delete,
    func,
    literal,
    or_,
    select,
    type_coerce,
    update,
)
from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.errors import InputError, UnknownPuzzleError
from chess_motif.parallel import chunks_of
from chess_motif.text import clean, did_you_mean
from db.changes import number_changes
from db.games import BATCH, is_named, rows_with, within
from db.models import UNSOUND, DeletedPuzzle, Game, Kind, Puzzle, Showing, in_utc, utc_now
from db.openings import in_opening
from db.store import insert_new
from db.tags import SOURCE_NAMES, TAG_NAMES

# The least time between two changes of a puzzle.
TICK = timedelta(microseconds=1)

ID_LENGTH = 8
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# The source of puzzles that `puzzlegen mine` has found.
MINED = "mined"

# The greatest difference between two win chances.
LARGEST_GAP = 2.0

_WHITE_SOLVES = Puzzle.puzzle_fen.contains(" w ")
# NULL for an unknown name.
_WHITE, _BLACK = (func.nullif(name, "") for name in (Game.white, Game.black))

# A solution with n solver moves has 2n - 1 plies, separated by 2n - 2 spaces.
_SPACES = func.length(Puzzle.solution) - func.length(func.replace(Puzzle.solution, " ", ""))
SOLVER_MOVES = type_coerce(_SPACES, Integer) // 2 + 1


@dataclass(frozen=True)
class PuzzleFilter:
    """Conditions on puzzles, all of which must hold. Bounds are inclusive.

    `kind` tells puzzles from exercises; None means both.
    `rating` bounds `Puzzle.level`: the rating or, where there is none, the estimate. `gap` is the least
    win-chance gap (0…2); `white` says whether White solves; `moves` bounds the number of solver moves.

    The puzzle's tags and its source's themes must include all of `tags` and none of `no_tags`. Each of `tags`
    may be alternatives, such as `fork,pin`, of which one is enough; in `no_tags`, commas separate tags.

    `sound` leaves out puzzles with a verdict in `db.models.UNSOUND`, `unestimated` those with an estimate of
    their difficulty, `other_than` those from the game with this number, and `new_to` those that were shown to
    this person or group. `since` asks for puzzles that were stored or changed after the change with this
    number (see `db.changes`). With `solver`, puzzles from analysed games of other people are left out (see
    `db.sets.games_of_others`). `player` asks for puzzles from games of a player, given by whole words of the
    name in any order and any case. `new_to` and `solver` may be several names.

    `opening` is that of the game: words of its name, a tag of Lichess, or an ECO code or its beginning (see
    `db.openings`). Lichess' tags have no ECO codes, so a code finds only puzzles whose game says it.

    Raises `InputError` for impossible values. A tag or source that no puzzle has is an error when the filter
    is used.
    """

    rating: tuple[float | None, float | None] = (None, None)
    gap: float | None = None
    tags: tuple[str, ...] = ()
    source: str | None = None
    player: str | None = None
    sound: bool = False
    no_tags: tuple[str, ...] = ()
    white: bool | None = None
    moves: tuple[int | None, int | None] = (None, None)
    other_than: int | None = None
    new_to: str | tuple[str, ...] | None = None
    unestimated: bool = False
    kind: Kind | None = Kind.PUZZLE
    since: int | None = None
    solver: str | tuple[str, ...] | None = None
    opening: str | None = None

    def __post_init__(self) -> None:
        arguments.not_text(tags=self.tags, no_tags=self.no_tags)
        arguments.in_order(rating=self.rating, moves=self.moves)
        arguments.within(0, LARGEST_GAP, gap=self.gap)
        arguments.at_least(0, since=self.since)
        if self.kind is not None:
            arguments.one_of(Kind, kind=self.kind)

    def judges(self) -> list[str]:
        """Return what must be known of a puzzle to apply the filter, such as its rating."""
        needed = {
            "rating": self.rating != (None, None),
            "gap": self.gap is not None,
            "opening": self.opening is not None,
            "players": self.player is not None,
        }
        return [name for name, is_needed in needed.items() if is_needed]

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the filter as SQL conditions over puzzles outer-joined with games.

        A condition on an unknown value is NULL.
        """
        conditions = [] if self.kind is None else [Puzzle.kind == self.kind.value]
        conditions += [*within(Puzzle.level, self.rating), *within(SOLVER_MOVES, self.moves)]
        if self.unestimated:
            conditions.append(Puzzle.difficulty.is_(None))
        if self.gap is not None:
            conditions.append(Puzzle.gap >= self.gap)
        if self.source is not None:
            conditions.append(Puzzle.source == self.source)
        if self.player is not None:
            conditions.append(or_(is_named(_WHITE, self.player), is_named(_BLACK, self.player)))
        if self.opening is not None:
            conditions.append(in_opening(self.opening))
        if self.sound:
            conditions.append(func.coalesce(Puzzle.verdict, "").not_in(UNSOUND))
        if self.white is not None:
            conditions.append(_WHITE_SOLVES if self.white else ~_WHITE_SOLVES)
        if self.other_than is not None:
            conditions.append(Puzzle.game_number.is_distinct_from(self.other_than))
        if self.new_to is not None:
            shown = select(Showing.puzzle_id).where(Showing.name.in_(_names(self.new_to)))
            conditions.append(Puzzle.id.not_in(shown))
        if self.since is not None:
            conditions.append(Puzzle.change > self.since)
        if self.solver is not None:
            # Imported only here: the tables of sets take a while to map, and few commands need them.
            from db.sets import games_of_others

            for name in _names(self.solver):
                is_of_others = Puzzle.game_number.in_(games_of_others(name))
                conditions.append(or_(Puzzle.game_number.is_(None), ~is_of_others))
        conditions += [_tagged(tag) for tag in self.tags]
        conditions += [~_tagged(tag) for tag in self.no_tags]
        return conditions


def _names(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def puzzle_id(fen: str, first_move: chess.Move) -> str:
    """Return the id of the puzzle that starts at `fen`, as `Board.fen` writes it, and begins with a move.

    The id has eight letters and digits and is the same on every computer. Move counters do not matter.
    """
    position = fen.rsplit(" ", 2)[0]
    digest = hashlib.sha256(f"{position} {first_move.uci()}".encode()).digest()
    number = int.from_bytes(digest[:16], "big")
    letters = []
    for _ in range(ID_LENGTH):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return "".join(letters)


def get_puzzle(session: Session, name: str) -> Puzzle:
    """Return the puzzle with the id `name`, or else the first puzzle that has this id at its source.

    Raises `UnknownPuzzleError` if there is neither.
    """
    # Databases refuse surrogates, which stand for invalid bytes of a command's argument.
    name = clean(name)
    for column in (Puzzle.id, Puzzle.source_id):
        # The source's id is empty where it is not known.
        named = select(Puzzle).where(column == name, column != "").order_by(Puzzle.number)
        if puzzle := session.scalar(named.limit(1)):
            return puzzle
    raise UnknownPuzzleError(f"no puzzle {name!r} in the database; 'puzzlegen list' shows them")


def known_names(session: Session, source: str, names: Sequence[str]) -> set[str]:
    """Return those of the names that are ids of puzzles, or ids at the source of puzzles from there."""
    # With the source as a condition, SQLite reads all puzzles from there.
    at_source = select(Puzzle.source_id, Puzzle.source).where(Puzzle.source_id != "")
    known = {name for (name,) in rows_with(session, select(Puzzle.id), Puzzle.id, names)}
    from_there = rows_with(session, at_source, Puzzle.source_id, names)
    return known | {name for name, of_puzzle in from_there if of_puzzle == source}


def require_puzzles(session: Session) -> None:
    """Raise `InputError` when there is no puzzle in the database."""
    if not count_puzzles(session, PuzzleFilter(), most=1):
        raise InputError("the database has no puzzles yet; 'puzzlegen mine' or 'puzzlegen import' adds some")


def puzzles_of_game(session: Session, url: str) -> list[Puzzle]:
    """Return the puzzles from the game at the address `url`, oldest first.

    The addresses of puzzles may add a side and a ply to that of the game: `/black#56`.
    """
    sides = [f"{url}{side}" for side in ("", "/white", "/black")]
    plies = (Puzzle.game_url.startswith(f"{side}#", autoescape=True) for side in sides)
    is_same = or_(Puzzle.game_url.in_(sides), *plies)
    return list(session.scalars(select(Puzzle).where(is_same).order_by(Puzzle.number)))


def has_tag(session: Session, tag: str) -> bool:
    """Return whether any puzzle has this tag or theme."""
    return session.scalar(select(Puzzle.number).where(_tagged(tag)).limit(1)) is not None


def all_tags(session: Session) -> set[str]:
    """Return every tag and theme that a puzzle has. Reads all puzzles."""
    columns = (Puzzle.tags, Puzzle.themes)
    return {
        tag
        for column in columns
        for tags in session.scalars(select(column).distinct())
        for tag in tags.split()
    }


def all_sources(session: Session) -> set[str]:
    """Return the sources that the puzzles come from."""
    found, last = set[str](), ""
    # Each is looked up after the last one: a query for all reads all puzzles.
    while last := session.scalar(select(func.min(Puzzle.source)).where(Puzzle.source > last)) or "":
        found.add(last)
    return found


def check_tags(session: Session, tags: Iterable[str]) -> None:
    """Raise `InputError` for a tag that is neither one of ours nor of any puzzle.

    Each of `tags` may be several tags, separated by commas.
    """
    for tag in (tag for several in tags for tag in several.split(",")):
        if tag not in TAG_NAMES and not has_tag(session, tag):
            hint = did_you_mean(tag, TAG_NAMES | all_tags(session))
            raise InputError(f"no puzzle has the tag {tag!r}{hint}")


def check_source(session: Session, source: str | None) -> None:
    """Raise `InputError` for a source that is neither one of ours nor of any puzzle."""
    if source is None or source in SOURCE_NAMES:
        return
    known = SOURCE_NAMES | all_sources(session)
    if source not in known:
        hint = did_you_mean(source, known)
        raise InputError(f"no puzzle has the source {source!r}{hint}")


def get_puzzles(
    session: Session, ids: Sequence[str], filters: PuzzleFilter | None = None
) -> dict[str, Puzzle]:
    """Return the puzzles with these ids that pass the filter, by id."""
    query = filtered(session, select(Puzzle), filters)
    return {puzzle.id: puzzle for (puzzle,) in rows_with(session, query, Puzzle.id, ids)}


def find_puzzles(
    session: Session, filters: PuzzleFilter | None = None, limit: int | None = None, *, after: int = 0
) -> Iterator[Puzzle]:
    """Return the puzzles that pass the filter and have numbers above `after`, oldest first, in batches.

    Raises `InputError` for a negative limit, and for a tag or a source that does not exist.
    """
    arguments.at_least(0, limit=limit)
    query = filtered(session, select(Puzzle), filters).order_by(Puzzle.number)
    return _in_batches(session, query, sys.maxsize if limit is None else limit, after)


def _in_batches(session: Session, query: Select[Any], remaining: int, last: int) -> Iterator[Puzzle]:
    # A single streamed result would leave a cursor open if the caller stops reading early.
    while batch := session.scalars(query.where(Puzzle.number > last).limit(min(remaining, BATCH))).all():
        yield from batch
        last, remaining = batch[-1].number, remaining - len(batch)


def count_puzzles(session: Session, filters: PuzzleFilter | None = None, most: int | None = None) -> int:
    """Return how many puzzles pass the filter, or `most` if there are more.

    Raises `InputError` for a tag or a source that does not exist.
    """
    if most is None:
        return session.scalar(filtered(session, select(func.count(Puzzle.number)), filters)) or 0
    passing = filtered(session, select(Puzzle.number), filters).limit(most).subquery()
    return session.scalar(select(func.count()).select_from(passing)) or 0


def count_unjudged(session: Session, filters: PuzzleFilter, ids: Sequence[str] | None = None) -> int:
    """Return how many puzzles fail the filter only because of an unknown value.

    With `ids`, only the puzzles with these ids are counted.
    """
    if not filters.judges():
        return 0
    unjudged = select(Puzzle.id).outerjoin(Puzzle.game).where(and_(*filters.conditions()).is_(None))
    if ids is not None:
        return len(set(session.scalars(unjudged)).intersection(ids))
    return session.scalar(select(func.count()).select_from(unjudged.subquery())) or 0


def get_audits(
    session: Session, ids: Sequence[str], *, lock: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id and `audit` of the audited ones among the puzzles with these ids.

    With `lock`, nobody else can change these puzzles until the transaction ends.
    """
    query = select(Puzzle.id, Puzzle.audit).where(Puzzle.audit.is_not(None))
    for name, facts in rows_with(session, query.with_for_update() if lock else query, Puzzle.id, ids):
        if facts:
            yield name, facts


def mark_audited(session: Session, name: str, *, passed: bool, facts: Mapping[str, Any]) -> None:
    """Store the verdict of an audit on the puzzle with the id `name`, with `facts` as its `audit`."""
    number = session.scalar(select(Puzzle.number).where(Puzzle.id == name))
    change_puzzles(session, [{"number": number, "audit_passed": passed, "audit": dict(facts)}])


def change_puzzles(session: Session, rows: Sequence[Mapping[str, Any]]) -> int:
    """Change puzzles by rows with their `number` and the new values; return how many puzzles changed.

    Puzzles that were deleted meanwhile stay deleted. A row with a time `updated` changes nothing unless this
    time is later than the last change of the puzzle.
    """
    numbers = sorted(row["number"] for row in rows)
    # Locking in the order of the numbers prevents deadlocks.
    locked = select(Puzzle.number, Puzzle.created, Puzzle.updated).order_by(Puzzle.number).with_for_update()
    as_of = {
        number: in_utc(updated or created)
        for number, created, updated in rows_with(session, locked, Puzzle.number, numbers)
    }
    # Taken after the lock, so that times are in the order of the changes.
    now = utc_now()
    changed = [
        {"updated": max(now, as_of[row["number"]] + TICK), **row, "change": None}
        for row in rows
        if row["number"] in as_of and ("updated" not in row or in_utc(row["updated"]) > as_of[row["number"]])
    ]
    if changed:
        session.execute(update(Puzzle), changed)
        number_changes(session)
    return len(changed)


def delete_puzzles(session: Session, ids: Sequence[str], at: Mapping[str, datetime] | None = None) -> None:
    """Delete the puzzles with these ids. `at` has the times of earlier deletions elsewhere, by id."""
    for some in chunks_of(ids, BATCH):
        gone = delete(Puzzle).where(Puzzle.id.in_(some)).returning(Puzzle.id, Puzzle.created, Puzzle.updated)
        as_of = {name: in_utc(updated or created) for name, created, updated in session.execute(gone)}
        times = {name: max(utc_now(), time) for name, time in as_of.items()} | dict(at or {})
        if insert_new(session, [DeletedPuzzle(id=name, at=times[name]) for name in as_of]):
            number_changes(session)


def add_puzzles(session: Session, puzzles: Sequence[Puzzle]) -> int:
    """Store the new ones among these puzzles; return how many.

    A puzzle that had been deleted counts as changed, so that it is newer than all its earlier states.
    """
    stored = insert_new(session, puzzles)
    if stored:
        is_older = func.coalesce(Puzzle.updated, Puzzle.created) <= bindparam("at")
        restore = update(Puzzle).where(Puzzle.id == bindparam("name"), is_older)
        for some in chunks_of([puzzle.id for puzzle in puzzles], BATCH):
            gone = delete(DeletedPuzzle).where(DeletedPuzzle.id.in_(some))
            for name, at in session.execute(gone.returning(DeletedPuzzle.id, DeletedPuzzle.at)).all():
                session.execute(restore.values(updated=in_utc(at) + TICK), {"name": name, "at": in_utc(at)})
        number_changes(session)
    return stored


def delete_outdated(session: Session, deleted: Sequence[DeletedPuzzle]) -> int:
    """Delete the puzzles that were deleted elsewhere after their last change here; return how many."""
    stored = get_puzzles(session, [gone.id for gone in deleted])
    at = {gone.id: in_utc(gone.at) for gone in deleted}
    outdated = [name for name, puzzle in stored.items() if at[name] >= puzzle.as_of]
    delete_puzzles(session, outdated, at)
    return len(outdated)


def update_puzzles(session: Session, puzzles: Sequence[Puzzle]) -> int:
    """Replace stored puzzles by newer ones with the same ids; return how many changed.

    A stored puzzle keeps its number, the time of its creation, and its mining run.
    """
    kept = {"number", "id", "created", "run_number", "change"}
    names = [column.name for column in Puzzle.__table__.columns if column.name not in kept]
    stored = select(Puzzle.id, Puzzle.number)
    numbers = dict(rows_with(session, stored, Puzzle.id, [puzzle.id for puzzle in puzzles]))
    rows = [
        {name: getattr(puzzle, name) for name in names}
        | {"number": numbers[puzzle.id], "updated": puzzle.as_of}
        for puzzle in puzzles
        if puzzle.id in numbers
    ]
    return change_puzzles(session, rows)


def filtered(session: Session, query: Select[Any], filters: PuzzleFilter | None) -> Select[Any]:
    """Return a query of puzzles, with the conditions of the filter added.

    Raises `InputError` for a tag or a source that does not exist.
    """
    if filters is None:
        return query
    check_tags(session, (*filters.tags, *filters.no_tags))
    check_source(session, filters.source)
    if filters.player is not None or filters.opening is not None:
        query = query.outerjoin(Puzzle.game)
    return query.where(*filters.conditions())


def _tagged(tags: str) -> ColumnElement[bool]:
    """Return the condition that a puzzle has the tag or theme, or one of several separated by commas."""
    words = literal(" ") + Puzzle.tags + " " + Puzzle.themes + " "
    return or_(*(words.contains(f" {tag} ", autoescape=True) for tag in tags.split(",")))


def mark_shown(session: Session, name: str, ids: Sequence[str]) -> None:
    """Record that the puzzles with these ids were shown to `name`, a person or a group."""
    insert_new(session, [Showing(name=name, puzzle_id=id_) for id_ in ids])


def shown_counts(session: Session) -> dict[str, int]:
    """Return how many puzzles were shown to each person or group, by name."""
    counts = select(Showing.name, func.count()).group_by(Showing.name).order_by(Showing.name)
    return dict(session.execute(counts).all())
