"""Rated puzzles, divided into those that models learn from and those that they are tested on."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from puzzlegen.games.archive import open_archive

# Of 256 games this many are for the test, with all their puzzles.
TEST_SHARE = 52

_GAME = re.compile(r"lichess\.org/(\w{8})")

# A puzzle by the names of the columns of Lichess' CSV file.
Row = dict[str, str]


def read_puzzles(file: Path) -> Iterator[Row]:
    """Yield the puzzles of a file in Lichess' CSV format, compressed or not."""
    with open_archive(str(file)) as archive:
        text = b"".join(archive.chunks()).decode()
    yield from csv.DictReader(io.StringIO(text))


def puzzle_position(puzzle: Row) -> chess.Board:
    """Return the position in which the solver is to move."""
    board = chess.Board(puzzle["FEN"])
    board.push_uci(puzzle["Moves"].split()[0])
    return board.copy(stack=False)


def is_for_test(puzzle: Row) -> bool:
    """Return whether a puzzle is for the test: the hash of its game decides, or of its id without a game."""
    game = _GAME.search(puzzle["GameUrl"])
    return hashlib.sha256((game[1] if game else puzzle["PuzzleId"]).encode()).digest()[0] < TEST_SHARE


class Trees(NamedTuple):
    """The attributes of the search trees of puzzles, a row for each, with the names of the columns."""

    ids: list[str]
    names: list[str]
    attributes: npt.NDArray[np.float64]
    ratings: npt.NDArray[np.float64]


def read_trees(file: Path) -> Trees:
    """Read what `training.search_trees --out` writes."""
    with file.open(newline="", encoding="utf-8") as rows:
        header, *values = csv.reader(rows)
    numbers = np.array([row[1:] for row in values], np.float64)
    return Trees([row[0] for row in values], header[2:], numbers[:, 1:], numbers[:, 0])
