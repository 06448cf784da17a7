"""Training sets: a player's missed opportunities with similar puzzles, and the puzzles that are due.

Stored opportunities go in, see `motifsearch.trainer.train`; an existing set is extended, never changed. For
sets made by a coach, see `motifsearch.trainer.coach`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from chess_motif.text import clean_name, name_key
from db.analyses import Opportunity, OpportunityKind, opportunities_of
from db.days import day_of
from db.models import Puzzle
from db.puzzles import PuzzleFilter, count_puzzles, get_puzzles, mark_shown
from db.sets import SetSummary, all_sets, extend_set, find_set, set_entries, sets_for
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.search import PuzzleQuery, nearly_same
from motifsearch.trainer.level import is_hard
from motifsearch.trainer.order import PickedGroup, mixed
from motifsearch.trainer.picks import pick
from motifsearch.trainer.repetition import Due, due

# Puzzles picked for each missed opportunity.
DEFAULT_COUNT = 3


@dataclass(frozen=True)
class SetReport:
    """What was added to a set: `own` missed opportunities, and `picked` puzzles like them.

    The set now has `puzzles` puzzles. `hard` counts the opportunities that are far above the player's level,
    `without` opportunities without a puzzle or exercise, `alone` opportunities without similar puzzles, and
    `repeated` opportunities left out because they are nearly the same as an earlier one of the game.
    """

    name: str
    puzzles: int
    own: int
    picked: int
    without: int
    alone: int
    repeated: int
    hard: int = 0


def extend_training_set(
    store: Store,
    name: str,
    players: Sequence[str],
    *,
    solver: str | None = None,
    k: int = DEFAULT_COUNT,
    level: float | None = None,
    index: Path | None = None,
    progress: Progress | None = None,
) -> SetReport:
    """Add the missing puzzles to the training set `name`, which is created if it is new.

    For each opportunity that the player (who has the names `players`) has missed or allowed, up to `k`
    similar puzzles at her `level` are added (see `pick`), and later the opportunity itself (see `mixed` for
    the order). Puzzles in the set stay as they are. New puzzles are recorded as shown to `solver`
    (default: the student of the set, or the player). Raises `InputError` if the set is for somebody else,
    `IndexUnavailableError`, `StoreError`.
    """
    progress, name = progress or Progress(), clean_name(name)
    with store.reading() as session:
        found = find_set(session, name)
        entries = set_entries(session, name) if found else []
        missed = [each for each in opportunities_of(session, players, OpportunityKind) if not each.taken]
        own = get_puzzles(session, [each.puzzle_id for each in missed if each.puzzle_id])
        has_puzzles = count_puzzles(session, PuzzleFilter(), most=1) > 0
    solver = clean_name(solver or (found.whom[0] if found else players[0]))
    if found is not None and solver not in found.whom:
        raise InputError(f"the training set {name!r} is for {', '.join(map(repr, found.whom))}")
    usable = [_Missed(own[each.puzzle_id], each) for each in missed if each.puzzle_id in own]
    distinct = _without_repetitions(usable)
    done = {entry.opportunity.number for entry in entries if entry.opportunity is not None}
    new = [entry for entry in distinct if entry.opportunity.number not in done]
    picked: dict[str, list[Puzzle]] = {}
    if has_puzzles and k and new:
        taken = {entry.puzzle.id for entry in entries} | own.keys()
        with PuzzleSearcher(store, directory=index, progress=progress) as searcher:
            for number, (puzzle, _) in enumerate(new, 1):
                query = PuzzleQuery.of(puzzle)
                hits = pick(searcher, query, k, solver, taken, level)
                picked[puzzle.id] = [hit.puzzle for hit in hits]
                taken.update(hit.puzzle.id for hit in hits)
                progress.update(f"picking puzzles for {name}", number, len(new), "opportunity")
    numbers = {puzzle.id: opportunity.number for puzzle, opportunity in new}
    groups = [PickedGroup(puzzle, picked.get(puzzle.id, ()), is_hard(puzzle, level)) for puzzle, _ in new]
    order = mixed(groups, [entry.puzzle for entry in entries])
    added = [(placed.puzzle.id, numbers[placed.group.own.id]) for placed in order]
    with store.session() as session:
        extend_set(session, name, solver, added, level)
        mark_shown(session, solver, [puzzle_id for puzzle_id, _ in added])
    return SetReport(
        name,
        puzzles=len(entries) + len(added),
        own=len(new),
        picked=len(added) - len(new),
        without=len(missed) - len(usable),
        alone=sum(not puzzles for puzzles in picked.values()),
        hard=sum(group.hard for group in groups),
        repeated=len(usable) - len(distinct),
    )


class _Missed(NamedTuple):
    """A missed opportunity, and the puzzle or exercise made from it."""

    puzzle: Puzzle
    opportunity: Opportunity


def _without_repetitions(entries: Sequence[_Missed]) -> list[_Missed]:
    """Return the entries that are not nearly the same as an earlier one of the game, each puzzle once."""

    seen: set[str] = set()
    of_game: defaultdict[int, list[str]] = defaultdict(list)
    distinct = []
    for one in entries:
        fen, earlier = one.puzzle.puzzle_fen, of_game[one.opportunity.game_number]
        if one.puzzle.id not in seen and not any(nearly_same(fen, other) for other in earlier):
            distinct.append(one)
        seen.add(one.puzzle.id)
        earlier.append(fen)
    return distinct


@dataclass(frozen=True)
class SetStatus:
    """A training set, and what is due in it for a student."""

    summary: SetSummary
    due: Due
    student: str

    def as_dict(self) -> dict[str, Any]:
        """Return the status as the keys and values of its JSON object."""
        later = self.due.later
        return {
            "set": self.summary.name,
            "student": self.student,
            "puzzles": self.summary.puzzles,
            "due": len(self.due.again),
            "new": len(self.due.new),
            "next": None if later is None else str(day_of(later)),
        }


def set_statuses(store: Store, name: str | None = None, student: str | None = None) -> list[SetStatus]:
    """Return the training set of this name, or else those for this student; without a name, all.

    A set for several students is there once for each. `student` is who solves them, if that is not whom they
    are for. Raises `InputError` if there is none of this name.
    """
    with store.reading() as session:
        sets = all_sets(session) if name is None else sets_for(session, name)
        is_student = name is not None and find_set(session, name) is None
        return [
            SetStatus(each, due(session, who, set_entries(session, each.name)), who)
            for each in sets
            for who in ([student] if student else each.whom)
            if student or not is_student or clean_name(who) == clean_name(name or "")
        ]


def own_set(store: Store, player: str) -> str:
    """Return the name of a player's training set, which is the player's name, as in an existing set."""
    with store.reading() as session:
        names = [each.name for each in all_sets(session)]
    return next((name for name in names if name_key(name) == name_key(player)), player)
