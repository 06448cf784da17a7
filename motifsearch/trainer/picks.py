"""Extending a training set: missed chances, and puzzles like them.

Puzzles to train on: for each missed chance, those most like it that are worth solving.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import chess
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import OBVIOUS, PuzzleFilter, count_puzzles, get_puzzles, mark_shown
from db.store import Store
from db.training import Chance, TrainingSet, chances_of, extend_set, find_set, set_entries
from motifsearch.puzzles.query import PuzzleFilters, PuzzleQuery, nearly_same
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.terms.encoding import DEFAULT
from puzzlegen.motifs.replay import Replay
from puzzlegen.motifs.tags import motif_tags
from puzzlegen.reasons.explained import SolutionReasons

# Results that are looked at for each puzzle that is picked: some are too hard, obvious or picked already.
LOOKED_AT = 10

# Points of rating by which a pick may be harder than the missed chance.
HARDER = 200

# The theme of puzzles that only save a lost position: a chance wins.
SAVES = "equality"

# Motifs that say little about what was to be seen.
VAGUE = frozenset({"quietMove", "defensiveMove", "kingsideAttack", "queensideAttack", "castling"})


def pick(
    searcher: PuzzleSearcher, query: PuzzleQuery, k: int, solver: str, taken: Collection[str] = ()
) -> list[PuzzleHit]:
    """Return up to `k` of the puzzles most like the query, easier ones first.

    Left out are puzzles that were shown to `solver` or whose ids are among `taken`, nearly identical
    positions, those from the query's own game, those clearly harder than the query, those whose first move
    nearly everyone would play, recaptures, those that only save a lost position, and puzzles that are not
    close to the query or have neither a motif of it nor one of the reasons why it wins. Raises `StoreError`,
    `HumanModelError`.
    """
    assert query.puzzle is not None
    wanted = _Idea(query.puzzle)
    stored = PuzzleFilter(sound=True, new_to=solver, no_tags=(SAVES,))
    filters = PuzzleFilters(stored, other_games=True)
    hits = [
        hit
        for hit in searcher.similar(query, k=LOOKED_AT * k, filters=filters)
        if hit.normalised_score >= DEFAULT.close and hit.puzzle.id not in taken
        if _is_worth_solving(hit.puzzle, query.level) and wanted.is_like(_Idea(hit.puzzle))
    ]
    # Puzzles without a level come last.
    return sorted(hits[:k], key=lambda hit: (hit.puzzle.level is None, hit.puzzle.level))


class _Idea:
    """What was to be seen: motifs, and mates by their length and the piece that mates; and why it wins.

    Motifs that many different tactics share are left out.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._replay = Replay(puzzle.position(), puzzle.moves(), puzzle.capture_before())
        tags, last = puzzle.all_tags(), chess.piece_name(self._replay.plies[-1].kind)
        mates = {f"{name} {last}" for name in tags if name.startswith("mateIn")}
        self._motifs = set(motif_tags(tags)) - VAGUE | mates

    @cached_property
    def _reasons(self) -> SolutionReasons:
        return SolutionReasons(self._replay)

    def is_like(self, other: _Idea) -> bool:
        """Return whether both have a motif, or one of the reasons why they win, in common."""
        return not self._motifs.isdisjoint(other._motifs) or self._reasons.shares_win(other._reasons)


def _is_worth_solving(puzzle: Puzzle, level: float) -> bool:
    is_obvious = puzzle.first_move_chance is not None and puzzle.first_move_chance >= OBVIOUS
    is_too_hard = puzzle.level is not None and puzzle.level > level + HARDER
    return not (is_obvious or is_too_hard or is_recapture(puzzle))


def is_recapture(puzzle: Puzzle) -> bool:
    """Return whether the first move takes back on the square where the opponent has just captured."""
    before = puzzle.opponents_move()
    if before is None or puzzle.capture_before() is None:
        return False
    return puzzle.moves()[0].to_square == before[1].to_square


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
