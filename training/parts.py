"""The puzzles and games that models and weights are made from, and which of them are for the test.

    python -m training.parts PUZZLES.csv[.zst] TRAIN.csv TEST.csv

divides the puzzles with themes into disjoint training and test parts by a hash, as `chess_motif.held_out`
does for rated puzzles and for games.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import chess

from chess_motif.held_out import is_for_test
from puzzlegen.games.archive import open_archive
from puzzlegen.games.filter import PUBLISHED
from puzzlegen.games.pgn import PlayedGame, usable_games
from puzzlegen.games.split import RawGame

# Of 256 puzzles with themes, which the weights of searches are tuned on, this many are for the test.
WEIGHTS_SHARE = 110

# A puzzle by the names of the columns of Lichess' CSV file.
LichessRow = dict[str, str]


def sample_plies(key: str, plies: range, count: int) -> set[int]:
    """Return a random sample of `count` plies of the game with this key, or all if there are fewer."""
    return set(Random(key).sample(plies, min(count, len(plies))))


def read_puzzles(file: Path) -> Iterator[LichessRow]:
    """Yield the puzzles of a file in Lichess' CSV format, compressed or not."""
    with open_archive(str(file)) as archive:
        text = b"".join(archive.chunks()).decode()
    yield from csv.DictReader(io.StringIO(text))


def puzzle_position(puzzle: LichessRow) -> chess.Board:
    """Return the position with the solver to move."""
    board = chess.Board(puzzle["FEN"])
    board.push_uci(puzzle["Moves"].split()[0])
    return board.copy(stack=False)


def published_games(games: Iterable[RawGame]) -> Iterator[PlayedGame]:
    """Yield the usable games of the kind in the paper on engines, see `PUBLISHED`."""
    return (game for game in usable_games(games) if not PUBLISHED.refuses(game.row()))


def divide(puzzles: Path, train: Path, test: Path) -> tuple[int, int]:
    """Write the two parts to files, and return the number of puzzles of each part."""
    parts: dict[bool, list[LichessRow]] = {False: [], True: []}
    for puzzle in read_puzzles(puzzles):
        if puzzle["Themes"]:
            parts[is_for_test(puzzle["PuzzleId"], WEIGHTS_SHARE)].append(puzzle)
    for file, for_test in ((train, False), (test, True)):
        with file.open("w", newline="", encoding="utf-8") as out:
            columns = parts[for_test][0] if parts[for_test] else ()
            writer = csv.DictWriter(out, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(parts[for_test])
    return len(parts[False]), len(parts[True])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("puzzles", "train", "test"):
        parser.add_argument(name, type=Path)
    files = parser.parse_args()
    train, test = divide(files.puzzles, files.train, files.test)
    print(f"{train:,} puzzles in {files.train}, {test:,} in {files.test}")


if __name__ == "__main__":
    main()
