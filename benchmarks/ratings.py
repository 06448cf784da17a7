"""How soon the rating of a student is right, and how often the puzzles chosen for her are solved as expected.

    python -m benchmarks.ratings PUZZLES.db [--estimated] [--students 20] [--puzzles 300]

Simulated students of a known strength practise on the puzzles of a database that have ratings on Lichess; a
copy of it is made. Each puzzle is chosen and each attempt rated by the program itself. The true level of a
puzzle is drawn around its rating, by the deviation that Lichess gives; a student solves it with the
probability of Elo's formula. With `--estimated`, the program sees no ratings, only its own estimates.

Prints the mean error of ratings after some puzzles, the share of students whose interval contains their
strength, and the share solved beside the share expected, with the Brier score.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from statistics import fmean

from sqlalchemy import delete, select, update

from benchmarks.command import parser_for, run
from chess_motif.tables import table
from db.models import Puzzle, utc_now
from db.store import Store
from motifsearch.trainer.attempts import add_attempt
from motifsearch.trainer.practice import Practice, next_puzzle
from motifsearch.trainer.rating import UNKNOWN_DEVIATION, Rating, rating_of, rating_of_puzzle
from motifsearch.trainer.solving import Grade

STRENGTHS = (1000, 1500, 2000)
AFTER = (10, 20, 50, 100, 300)


def true_levels(store: Store, chance: random.Random) -> dict[str, float]:
    """Return a true level of each puzzle that has a rating, and delete the others."""
    with store.session() as session:
        session.execute(delete(Puzzle).where(Puzzle.rating.is_(None)))
        rows = session.execute(select(Puzzle.id, Puzzle.rating, Puzzle.rating_deviation)).all()
    return {
        name: chance.gauss(rating or 0, deviation or UNKNOWN_DEVIATION) for name, rating, deviation in rows
    }


def practise(
    store: Store, name: str, strength: int, levels: dict[str, float], puzzles: int, chance: random.Random
) -> tuple[list[Rating], list[tuple[float, bool]]]:
    """Return the ratings of a student after each puzzle, and what was expected and came of each."""
    ratings: list[Rating] = []
    expected: list[tuple[float, bool]] = []
    at = utc_now()
    for number in range(puzzles):
        with store.session() as session:
            before = rating_of(session, name) or Rating()
            puzzle = next_puzzle(session, name, Practice(), chance=chance)
            opponent = None if puzzle is None else rating_of_puzzle(puzzle)
            if puzzle is None or opponent is None:
                break
            right = chance.random() < 1 / (1 + 10 ** ((levels[puzzle.id] - strength) / 400))
            expected.append((before.expected(opponent), right))
            grade, time = Grade.GOOD if right else Grade.AGAIN, at + timedelta(minutes=number)
            add_attempt(session, name, puzzle, grade, seconds=1, at=time)
            session.flush()
            ratings.append(rating_of(session, name) or Rating())
    return ratings, expected


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--estimated", action="store_true")
    parser.add_argument("--students", type=int, default=20)
    parser.add_argument("--puzzles", type=int, default=300)
    options = parser.parse_args()
    chance = random.Random(1)
    expected: list[tuple[float, bool]] = []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(options.database, folder)
        with Store(copy) as store:
            levels = true_levels(store, chance)
            if options.estimated:
                with store.session() as session:
                    session.execute(update(Puzzle).values(rating=None))
            for strength in STRENGTHS:
                errors, inside = defaultdict[int, list[float]](list), defaultdict[int, list[bool]](list)
                for student in range(options.students):
                    name = f"{strength} {student}"
                    ratings, more = practise(store, name, strength, levels, options.puzzles, chance)
                    # The first puzzles only find the level.
                    expected += more[20:]
                    for count in AFTER:
                        if count <= len(ratings):
                            rating = ratings[count - 1]
                            errors[count].append(abs(rating.value - strength))
                            inside[count].append(rating.interval[0] <= strength <= rating.interval[1])
                for count in errors:
                    rows.append(
                        [strength, count, f"{fmean(errors[count]):.0f}", f"{fmean(inside[count]):.2f}"]
                    )
    print(table(["strength", "puzzles", "mean error", "in interval"], rows, right="rrrr"))
    bins = defaultdict[int, list[tuple[float, bool]]](list)
    for share, right in expected:
        bins[int(20 * share)].append((share, right))
    cells = [
        [f"{fmean(share for share, _ in some):.3f}", f"{fmean(right for _, right in some):.3f}", len(some)]
        for _, some in sorted(bins.items())
    ]
    print(f"\n{table(['expected', 'solved', 'puzzles'], cells, right='rrr')}")
    brier = fmean((share - right) ** 2 for share, right in expected)
    constant = fmean(right for _, right in expected)
    print(f"\nBrier score {brier:.4f}; of a constant {constant:.3f}: {constant * (1 - constant):.4f}")


if __name__ == "__main__":
    run(main)
