"""The puzzles and games that models and weights are made from, and which of them are for the test.

    python -m training.parts PUZZLES.csv[.zst] TRAIN.csv TEST.csv

divides the puzzles with themes into a training part and a test part that have no puzzle in common.

Hashes decide what is for the test and what a random sample has, so that it is the same in every program and
on every computer, in whichever order things come.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import chess

from benchmarks.command import parser_for, run, show
from puzzlegen.games.archive import open_archive
from puzzlegen.games.filter import PUBLISHED
from puzzlegen.games.pgn import PlayedGame, usable_games
from puzzlegen.games.split import RawGame, split_games

# Of 256 things, this many are for the test: of the games of rated puzzles, with all their puzzles; of the
# puzzles and games by which the weights of searches are set; and of the games that ChessPos and ChessBERT
# learn from.
RATED_SHARE, WEIGHTS_SHARE, RETRIEVAL_SHARE = 52, 110, 5

_GAME = re.compile(r"lichess\.org/(\w{8})")

# A puzzle by the names of the columns of Lichess' CSV file.
LichessRow = dict[str, str]


def is_for_test(name: str, share: int) -> bool:
    """Return whether what has this name is for the test, as are `share` of 256 things."""
    return sha256(name.encode()).digest()[0] < share


def puzzle_is_for_test(puzzle: LichessRow) -> bool:
    """Return whether a rated puzzle is for the test: its game decides, or its id if that is not known."""
    game = _GAME.search(puzzle["GameUrl"])
    return is_for_test(game[1] if game else puzzle["PuzzleId"], RATED_SHARE)


def game_is_for_test(key: str) -> bool:
    """Return whether a game is for the test of ChessPos and ChessBERT. Its key is a hash itself."""
    return int(key[:2], 16) < RETRIEVAL_SHARE


def shuffle_key(seed: int, name: str | bytes) -> bytes:
    """Return the key by which names are sorted to be in random order; another seed gives another order."""
    return sha256(b"%d %b" % (seed, name.encode() if isinstance(name, str) else name)).digest()


def sample_plies(key: str, plies: range, count: int) -> set[int]:
    """Return a random sample of `count` plies of the game with this key, or all if there are fewer."""
    return set(Random(key).sample(plies, min(count, len(plies))))


def read_puzzles(file: Path) -> Iterator[LichessRow]:
    """Yield the puzzles of a file in Lichess' CSV format, compressed or not."""
    with open_archive(str(file)) as archive:
        text = b"".join(archive.chunks()).decode()
    yield from csv.DictReader(io.StringIO(text))


def puzzle_position(puzzle: LichessRow) -> chess.Board:
    """Return the position in which the solver is to move."""
    board = chess.Board(puzzle["FEN"])
    board.push_uci(puzzle["Moves"].split()[0])
    return board.copy(stack=False)


def games_of(archives: Iterable[str]) -> Iterator[RawGame]:
    """Yield the games of archives, one archive after the other. Raises `ArchiveError`."""
    for name in archives:
        with open_archive(name) as archive:
            yield from split_games(archive.chunks())


def usable_games_of(archives: Iterable[str]) -> Iterator[PlayedGame]:
    """Yield the games of archives that can be used. Raises `ArchiveError`."""
    return usable_games(games_of(archives))


def published_games(games: Iterable[RawGame]) -> Iterator[PlayedGame]:
    """Yield the games that can be used and that the paper on engines takes, see `PUBLISHED`."""
    return (game for game in usable_games(games) if not PUBLISHED.refuses(game.row()))


def divide(puzzles: Path, train: Path, test: Path) -> tuple[int, int]:
    """Write the two parts to files; return how many puzzles each has."""
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
    parser = parser_for(__doc__)
    for name in ("puzzles", "train", "test"):
        parser.add_argument(name, type=Path)
    files = parser.parse_args()
    train, test = divide(files.puzzles, files.train, files.test)
    text = f"{train:,} puzzles in {files.train}, {test:,} in {files.test}"
    show(text, {"train": train, "test": test}, as_json=files.json)


if __name__ == "__main__":
    run(main)
