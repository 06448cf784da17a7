"""Extending a training set: missed chances, and puzzles like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter, count_puzzles, get_puzzles
from db.showings import mark_shown
from db.store import Store
from db.training.chances import chances_of
from db.training.models import Chance, TrainingSet
from db.training.sets import extend_set, find_set, set_entries
from motifsearch.puzzles.filters import nearly_same
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.trainer.picking import pick

# Puzzles picked for each missed chance.
DEFAULT_COUNT = 3


@dataclass(frozen=True)
class SetReport:
    """What was added to a set: `own` missed chances, and `picked` puzzles like them.

    `without` counts missed chances that no puzzle or exercise was made of, `alone` those that no puzzle is
    close to, and `repeated` those left out because they are nearly the same as an earlier one of the game.
    """

    name: str
    own: int
    picked: int
    without: int
    alone: int
    repeated: int


def extend_training_set(
    store: Store,
    name: str,
    players: Sequence[str],
    *,
    solver: str | None = None,
    k: int = DEFAULT_COUNT,
    index: Path | None = None,
    progress: Progress | None = None,
) -> SetReport:
    """Add what is missing to the training set `name`, which is created if it is new.

    For each missed chance of the player, who goes by any of the names `players`, come up to `k` puzzles most
    like it, easier ones first (see `pick`), and then the chance itself. What is in the set stays as it is.
    The puzzles are recorded as shown to `solver` (default: the set's own, or its name). Raises `InputError`
    if the set belongs to somebody else, `IndexUnavailableError`, `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        found = find_set(session, name)
        entries = set_entries(session, found.number) if found else []
        missed = [chance for chance in chances_of(session, players) if not chance.taken]
        own = get_puzzles(session, [chance.puzzle_id for chance in missed if chance.puzzle_id])
        has_puzzles = count_puzzles(session, PuzzleFilter()) > 0
    solver = solver or (found.solver if found else name)
    if found is not None and found.solver != solver:
        raise InputError(f"the training set {name!r} is for {found.solver!r}")
    usable = [(chance, own[chance.puzzle_id]) for chance in missed if chance.puzzle_id in own]
    distinct = _without_repetitions(usable)
    done = {entry.chance.number for entry in entries}
    new = [(chance, puzzle) for chance, puzzle in distinct if chance.number not in done]
    picked = {}
    if has_puzzles and k and new:
        taken = {entry.puzzle.id for entry in entries} | own.keys()
        with PuzzleSearcher(store, directory=index, progress=progress) as searcher:
            for number, (chance, puzzle) in enumerate(new, 1):
                query = PuzzleQuery(puzzle.position(), tuple(puzzle.moves()), puzzle.id, puzzle)
                hits = pick(searcher, query, k, solver, taken)
                picked[chance.number] = [hit.puzzle.id for hit in hits]
                taken.update(picked[chance.number])
                progress.update(f"picking puzzles for {name}", number, len(new), "chance")
    added = [
        (puzzle_id, chance.number)
        for chance, puzzle in new
        for puzzle_id in [*picked.get(chance.number, ()), puzzle.id]
    ]
    with store.session() as session:
        _save(session, name, solver, added)
    return SetReport(
        name,
        own=len(new),
        picked=len(added) - len(new),
        without=len(missed) - len(usable),
        alone=sum(not ids for ids in picked.values()),
        repeated=len(usable) - len(distinct),
    )


def _without_repetitions(chances: Sequence[tuple[Chance, Puzzle]]) -> list[tuple[Chance, Puzzle]]:
    """Return the chances that are not nearly the same as an earlier one of their game, each puzzle once."""

    def repeats(chance: Chance, puzzle: Puzzle, earlier: Chance, other: Puzzle) -> bool:
        is_same_game = chance.game_number == earlier.game_number
        return puzzle.id == other.id or (is_same_game and nearly_same(puzzle.puzzle_fen, other.puzzle_fen))

    return [
        one
        for number, one in enumerate(chances)
        if not any(repeats(*one, *other) for other in chances[:number])
    ]


def _save(session: Session, name: str, solver: str, added: Sequence[tuple[str, int]]) -> None:
    found = find_set(session, name)
    if found is None:
        found = TrainingSet(name=name, solver=solver)
        session.add(found)
        session.flush()
    extend_set(session, found.number, added)
    mark_shown(session, solver, [puzzle_id for puzzle_id, _ in added])
