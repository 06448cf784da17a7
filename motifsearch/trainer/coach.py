"""Sets that a coach makes: their puzzles, the order of the puzzles, and the results of students.

A selection of stored puzzles goes in. A set begins with the easiest puzzle. Puzzles from the games of a
student are not shown to other students, unless the coach allows it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.attempts import Attempt, attempts_at
from db.days import day_of
from db.games import BATCH
from db.models import Puzzle
from db.puzzles import PuzzleFilter, filtered, get_puzzles, mark_shown
from db.selection import Selection, count_selected, resolve_ids, select_puzzles
from db.sets import create_set, extend_set, get_set, place_set, set_entries
from db.store import Store
from motifsearch.search import is_address, nearly_same, resolve
from puzzlegen.formats.ids import read_ids
from puzzlegen.formats.importing import imported_ids, is_puzzle_file
from puzzlegen.games.archive import STANDARD_INPUT
from puzzlegen.motifs.tags import main_motif
from puzzlegen.upkeep.changes import rate_unrated

# The default limit of puzzles that are chosen by filters.
DEFAULT_COUNT = 20

# The rating range that counts as one level, and the number of puzzles of a level to choose from.
STEP = 25
OF_A_LEVEL = 100

# The shares of the easiest and of the hardest puzzles that do not begin or end a set: in a database of
# millions, the easiest puzzle is an odd one.
TAIL = 0.05


def make_set(store: Store, name: str, *students: str, title: str = "", due_on: date | None = None) -> None:
    """Make an empty set for students or groups (none: for anyone). A due date is optional.

    `title` is above the diagrams of an exported set. Names are stored without invisible characters. Raises
    `InputError` if a set with this name exists, or the name is empty.
    """
    with store.session() as session:
        create_set(session, name, *students, title=title, due_on=due_on)


def ids_of(store: Store, words: Sequence[str], progress: Progress | None = None) -> list[str]:
    """Return the ids of the puzzles that `words` name, each once.

    A word is an id (ours or the source's), the address of a puzzle or its game, a file of puzzles, which are
    imported first, or another file with a list of ids (`-`: standard input). Raises `InputError`, and
    `UnknownPuzzleError`.
    """
    names: list[str] = []
    for word in words:
        if word == STANDARD_INPUT:
            names += read_ids(word)
        elif is_address(word):
            names.append(resolve(store, word).id)
        elif is_puzzle_file(word):
            names += imported_ids(word, store, progress)
        elif Path(word).exists() or Path(word).suffix:
            names += read_ids(word)
        else:
            names.append(word)
    with store.reading() as session:
        return resolve_ids(session, names)


@dataclass(frozen=True)
class AddedPuzzles:
    """What was added to a set: the ids of the puzzles, easiest first.

    The other counts are of puzzles left out: `known` puzzles were in the set already, `shown` puzzles had
    been shown to a student of the set, and `of_students` are from the games of other students.
    """

    name: str
    added: tuple[str, ...]
    known: int
    shown: int
    of_students: int


def add_to_set(store: Store, name: str, selection: Selection, *, of_students: bool = False) -> AddedPuzzles:
    """Add puzzles to a set, and record them as shown to its students.

    A selection with a limit is spread over the levels of its puzzles (see `spread`). The whole set is sorted
    by level, unless it has a player's missed opportunities: then the new puzzles come at the end. Puzzles
    without a level get an estimate. Puzzles from the games of other students are left out without
    `of_students`. Unless the selection names its puzzles, puzzles that were shown to a student of the set are
    left out, too. Raises `InputError`, `UnknownPuzzleError`, `HumanModelError`, `StoreError`.
    """
    with store.reading() as session:
        found, entries = get_set(session, name), set_entries(session, name)
        present = {entry.puzzle.id for entry in entries}
        asked = selection if selection.names is not None else _narrowed(selection, new_to=found.whom)
        fitting = asked if of_students else _narrowed(asked, solver=found.whom)
        chosen = _chosen(session, fitting, present)
        all_counts = [count_selected(session, each) for each in (selection, asked, fitting)]
        shown, left_out = (more - less for more, less in pairwise(all_counts))
        known = len(present.intersection(resolve_ids(session, selection.names or ())))
    rate_unrated(store, [puzzle for puzzle in chosen if puzzle.level is None])
    chosen.sort(key=_level)
    with store.session() as session:
        extend_set(session, name, "", [(puzzle.id, None) for puzzle in chosen])
        for student in found.whom:
            mark_shown(session, student, [puzzle.id for puzzle in chosen])
        if not any(entry.opportunity for entry in entries):
            whole = sorted([*(entry.puzzle for entry in entries), *chosen], key=_level)
            session.flush()
            place_set(session, name, [puzzle.id for puzzle in whole])
    return AddedPuzzles(name, tuple(puzzle.id for puzzle in chosen), known, shown, left_out)


def remove_from_set(store: Store, name: str, names: Sequence[str]) -> list[str]:
    """Remove the puzzles with these ids (ours or the source's) from a set; return our ids.

    Raises `InputError` if there is no such set, or if a puzzle is not in the set.
    """
    with store.session() as session:
        ids = [entry.puzzle.id for entry in set_entries(session, name)]
        gone = resolve_ids(session, names)
        if missing := [repr(one) for one in gone if one not in ids]:
            raise InputError(f"not in the set {name!r}: {', '.join(missing)}")
        place_set(session, name, [one for one in ids if one not in gone])
    return gone


def spread(levels: Mapping[str, float], count: int, positions: Mapping[str, str] | None = None) -> list[str]:
    """Return the ids of `count` puzzles whose levels go up in even steps, easiest first.

    `levels` has the level of each puzzle by its id, and `positions` the position (FEN): of positions that are
    nearly the same, only one is taken. The easiest and the hardest of many puzzles are left out (`TAIL`). The
    choice among puzzles that fit equally well is arbitrary, but always the same.
    """
    ordered = sorted(levels, key=lambda one: (levels[one], _lot(one)))
    cut = int(len(ordered) * TAIL)
    if not ordered or count < 1:
        return []
    lowest, highest = levels[ordered[cut]], levels[ordered[-1 - cut]]
    taken: list[str] = []
    for step in range(count):
        target = lowest + (highest - lowest) * step / max(1, count - 1)
        nearest = _from_nearest(ordered, levels, target)
        fitting = (one for one in nearest if not _repeats(one, taken, positions or {}))
        if (one := next(fitting, None)) is None:
            break
        taken.append(one)
    return sorted(taken, key=levels.__getitem__)


def _from_nearest(ordered: Sequence[str], levels: Mapping[str, float], target: float) -> Iterator[str]:
    """Yield ids by the distance of their levels from the target."""
    after = bisect_left(ordered, target, key=levels.__getitem__)
    before = after - 1
    while before >= 0 or after < len(ordered):
        is_below = after == len(ordered) or (
            before >= 0 and target - levels[ordered[before]] <= levels[ordered[after]] - target
        )
        yield ordered[before if is_below else after]
        before, after = (before - 1, after) if is_below else (before, after + 1)


def _repeats(one: str, taken: Sequence[str], positions: Mapping[str, str]) -> bool:
    if one in taken:
        return True
    fen = positions.get(one)
    return fen is not None and any(
        other in positions and nearly_same(fen, positions[other]) for other in taken
    )


def _lot(name: str) -> int:
    """Return a hash of an id, to sort ids in an arbitrary but constant order."""
    return crc32(name.encode())


def _level(puzzle: Puzzle) -> float:
    """Return the level that a puzzle is sorted by; puzzles without a level come last."""
    return inf if puzzle.level is None else puzzle.level


def _chosen(session: Session, selection: Selection, present: set[str]) -> list[Puzzle]:
    """Return the puzzles of a selection that are not `present`, as many as its limit allows."""
    limit = selection.limit
    if limit is None and selection.names is None:
        limit = DEFAULT_COUNT
    if limit is None:
        return [puzzle for puzzle in select_puzzles(session, selection) if puzzle.id not in present]
    if selection.names is None:
        candidates = _by_level(session, selection.filters)
        puzzles = get_puzzles(session, candidates)
    else:
        puzzles = get_puzzles(session, resolve_ids(session, selection.names), selection.filters)
    puzzles = {one: puzzle for one, puzzle in puzzles.items() if one not in present}
    levels = {one: puzzle.level for one, puzzle in puzzles.items() if puzzle.level is not None}
    taken = spread(levels, limit, {one: puzzle.puzzle_fen for one, puzzle in puzzles.items()})
    # Puzzles without a level only fill up the set.
    others = [one for one in puzzles if one not in levels][: limit - len(taken)]
    return [puzzles[one] for one in [*taken, *others]]


def _by_level(session: Session, filters: PuzzleFilter) -> list[str]:
    """Return the ids of some puzzles of each level that pass the filter, and some without a level."""
    by_level: defaultdict[int | None, list[tuple[int, str]]] = defaultdict(list)
    columns: Select[*tuple[Any, ...]] = select(Puzzle.id, Puzzle.level)
    rows = filtered(session, columns, filters).execution_options(yield_per=BATCH)
    for name, level in session.execute(rows):
        some = by_level[None if level is None else int(level // STEP)]
        some.append((_lot(name), name))
        if len(some) == 2 * OF_A_LEVEL:
            some.sort()
            del some[OF_A_LEVEL:]
    return [name for some in by_level.values() for _, name in sorted(some)[:OF_A_LEVEL]]


def _narrowed(selection: Selection, **conditions: Any) -> Selection:
    return replace(selection, filters=replace(selection.filters, **conditions))


@dataclass(frozen=True)
class PuzzleResult:
    """The result of a student in a puzzle: the first attempt, and the number of attempts.

    `later` says whether the last of several attempts was right; it is None after one attempt.
    """

    puzzle: Puzzle
    attempts: int
    right: bool
    hinted: bool
    seconds: float
    later: bool | None
    last: datetime

    def as_dict(self) -> dict[str, Any]:
        """Return the result as the keys and values of its JSON object."""
        facts = {name: value for name, value in vars(self).items() if name != "puzzle"}
        return {"id": self.puzzle.id} | facts | {"last": str(day_of(self.last))}


@dataclass(frozen=True)
class StudentResults:
    """The `results` of a student in a set of `puzzles` puzzles, in the order of the set."""

    student: str
    puzzles: int
    results: tuple[PuzzleResult, ...]

    @property
    def right(self) -> int:
        """The number of puzzles that were right at once, without a hint."""
        return sum(one.right and not one.hinted for one in self.results)

    @property
    def hinted(self) -> int:
        """The number of puzzles that were right at once with a hint."""
        return sum(one.right and one.hinted for one in self.results)

    @property
    def wrong(self) -> int:
        """The number of puzzles that were wrong at first."""
        return sum(not one.right for one in self.results)

    @property
    def learned(self) -> int:
        """The number of puzzles that were wrong at first, and right the last time."""
        return sum(not one.right and bool(one.later) for one in self.results)

    @property
    def seconds(self) -> float:
        """The mean time of the first attempts, in seconds."""
        return sum(one.seconds for one in self.results) / max(1, len(self.results))

    def as_dict(self) -> dict[str, Any]:
        """Return the results as the keys and values of their JSON object."""
        counts = ("right", "hinted", "wrong", "learned", "seconds")
        return vars(self) | {name: getattr(self, name) for name in counts}


def set_results(store: Store, name: str, student: str | None = None) -> list[StudentResults]:
    """Return the results of each student, or of one `student`, in the puzzles of a set, sorted by name.

    Attempts at the same puzzles in other sets count, too. Raises `InputError` if there is no such set, or if
    the student has tried none of its puzzles.
    """
    with store.reading() as session:
        puzzles = [entry.puzzle for entry in set_entries(session, name)]
        attempts = attempts_at(session, [puzzle.id for puzzle in puzzles])
    by_student: defaultdict[str, defaultdict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        by_student[attempt.solver][attempt.puzzle_id].append(attempt)
    if student is not None and student not in by_student:
        raise InputError(f"{student!r} has tried no puzzle of the set {name!r}")
    return [
        StudentResults(
            who,
            len(puzzles),
            tuple(_result(one, tried[one.id]) for one in puzzles if one.id in tried),
        )
        for who, tried in sorted(by_student.items())
        if student in (None, who)
    ]


def _result(puzzle: Puzzle, attempts: Sequence[Attempt]) -> PuzzleResult:
    first, last = attempts[0], attempts[-1]
    return PuzzleResult(
        puzzle,
        len(attempts),
        first.right,
        first.hinted,
        first.seconds,
        last.right if len(attempts) > 1 else None,
        last.at,
    )


def missed_motifs(results: StudentResults) -> list[tuple[str, int, int]]:
    """Return (main motif, puzzles wrong at first, puzzles tried), the most often missed motifs first."""
    tried, wrong = Counter[str](), Counter[str]()
    for one in results.results:
        motif = main_motif(one.puzzle.all_tags())
        if motif is not None:
            tried[motif] += 1
            wrong[motif] += not one.right
    return [(motif, count, tried[motif]) for motif, count in wrong.most_common() if count]
