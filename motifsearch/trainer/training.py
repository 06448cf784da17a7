"""From a player's games to her training set: missed chances, and puzzles like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.puzzles import PuzzleFilter, count_puzzles, get_puzzles
from db.showings import mark_shown
from db.store import Store
from db.training.chances import chances_of
from db.training.models import Chance, TrainingSet
from db.training.sets import extend_set, find_set, set_entries
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.trainer.picking import pick

# Puzzles picked for each missed chance.
DEFAULT_COUNT = 3


@dataclass(frozen=True)
class SetReport:
    """What was added to a set: for how many missed `chances`, `own` of them themselves, and `picked` puzzles.

    `without` counts missed chances that no puzzle or exercise was made of: they are in no set. `left_over`
    counts those of the others that no puzzle is close to.
    """

    name: str
    chances: int
    own: int
    picked: int
    without: int
    left_over: int


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
    like it, easier ones first (see `pick`), and then the chance itself. Chances that are in the set already
    are left as they are. The puzzles are recorded as shown to `solver` (default: the set's own, or its name).
    Raises `InputError` if the set belongs to somebody else, `IndexUnavailableError`, `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        found = find_set(session, name)
        entries = set_entries(session, found.number) if found else []
        missed = [chance for chance in chances_of(session, players) if not chance.taken]
        has_puzzles = count_puzzles(session, PuzzleFilter()) > 0
    solver = solver or (found.solver if found else name)
    if found is not None and found.solver != solver:
        raise InputError(f"the training set {name!r} is for {found.solver!r}")
    done = {entry.chance.number for entry in entries}
    usable = [chance for chance in missed if chance.puzzle_id and chance.number not in done]
    taken = {entry.puzzle.id for entry in entries} | {chance.puzzle_id for chance in usable}
    added = _Picking(store, solver, k, taken)
    if has_puzzles and usable:
        with PuzzleSearcher(store, directory=index, progress=progress) as searcher:
            for number, chance in enumerate(usable, 1):
                added.add(chance, searcher)
                progress.update(f"picking puzzles for {name}", number, len(usable), "chance")
    else:
        for chance in usable:
            added.add(chance, None)
    with store.session() as session:
        _save(session, name, solver, added.entries)
    return SetReport(
        name,
        len(usable),
        len(added.own),
        len(added.entries) - len(added.own),
        sum(not chance.puzzle_id for chance in missed),
        added.left_over,
    )


class _Picking:
    """Collects the entries (id of a puzzle, number of the chance) that are to be added to a set."""

    def __init__(self, store: Store, solver: str, k: int, taken: set[str]) -> None:
        self.entries: list[tuple[str, int]] = []
        self.own: set[str] = set()
        self.left_over = 0
        self._store = store
        self._solver = solver
        self._k = k
        self._taken = taken

    def add(self, chance: Chance, searcher: PuzzleSearcher | None) -> None:
        """Add the picks for a missed chance, and the chance itself."""
        if searcher is not None:
            with self._store.reading() as session:
                own = get_puzzles(session, [chance.puzzle_id]).get(chance.puzzle_id)
            if own is not None:
                query = PuzzleQuery(own.position(), tuple(own.moves()), own.id, own)
                picks = pick(searcher, query, self._k, self._solver, self._taken)
                self._append([hit.puzzle.id for hit in picks.hits], chance)
                self.left_over += not picks.hits
        # The same mistake in two games makes one puzzle.
        if chance.puzzle_id not in self.own:
            self._append([chance.puzzle_id], chance)
            self.own.add(chance.puzzle_id)

    def _append(self, ids: Sequence[str], chance: Chance) -> None:
        self.entries += [(puzzle_id, chance.number) for puzzle_id in ids]
        self._taken.update(ids)


def _save(session: Session, name: str, solver: str, entries: Sequence[tuple[str, int]]) -> None:
    found = find_set(session, name)
    if found is None:
        found = TrainingSet(name=name, solver=solver)
        session.add(found)
        session.flush()
    extend_set(session, found.number, entries)
    mark_shown(session, solver, [puzzle_id for puzzle_id, _ in entries])
