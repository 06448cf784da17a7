"""How many bits positions take in a packed file, and how fast they are written, read and found.

    python -m benchmarks.packed GAMES.pgn.zst PUZZLES.csv.zst

There are two sets of positions: all different positions of some games, and the puzzle positions of the test
part of a file of puzzles (see `chess_motif.held_out`), which come from different games. Each set is written
by general-purpose compressors as EPD lines in the order of the file, in simple code, and as a packed file.
The positions read are compared with those written. Times are microseconds of CPU a position, on one core. For
packed files, it also measures the time to read a block, to find one position, and to find all positions of a
material, each time in a newly opened file; and the bits of each move of the games by `MoveModel`, compared
with equally likely legal moves. Prints tables.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import chess
from backports import zstd

from benchmarks.command import parser_for, run
from chess_motif.held_out import puzzle_is_for_test
from chess_motif.tables import table
from db.packed.file import PackedFile, write_packed
from db.packed.models import load_models, possible_moves
from db.packed.position import SIMPLE_BYTES, pack_simply, unpack_simply
from db.packed.verdicts import PackedEntry
from puzzlegen.formats.lines import table_rows
from puzzlegen.games.archive import games_of, open_archive
from puzzlegen.games.pgn import usable_games

# The number of positions, and of materials, that are looked up one by one.
LOOKUPS = 300

Boards = list[chess.Board]


class Result(NamedTuple):
    """Bits a position, without the index and for the index, and microseconds to write and read a position."""

    method: str
    bits: float
    index_bits: float
    write: float
    read: float

    def cells(self) -> list[str]:
        bits = [f"{value:.2f}" for value in (self.bits, self.index_bits, self.bits + self.index_bits)]
        return [self.method, *bits, f"{self.write:.1f}", f"{self.read:.1f}"]


def games_positions(name: str) -> Boards:
    """Return all different positions of the games of an archive, in their order."""
    boards: dict[str, chess.Board] = {}
    for game in usable_games(games_of([name])):
        for board in game.positions():
            boards.setdefault(board.epd(), board)
    return list(boards.values())


def puzzle_positions(file: Path) -> Boards:
    """Return the different positions of the puzzles of the test part."""
    boards: dict[str, chess.Board] = {}
    with open_archive(str(file)) as archive:
        for _, row in table_rows(archive, ("PuzzleId", "FEN", "Moves", "GameUrl")):
            puzzle = row.cells()
            if puzzle_is_for_test(puzzle):
                board = chess.Board(puzzle["FEN"])
                board.push_uci(puzzle["Moves"].split()[0])
                boards.setdefault(board.epd(), board.copy(stack=False))
    return list(boards.values())


class Timer:
    """Measures CPU time in microseconds a position."""

    def __init__(self, positions: int) -> None:
        self.positions = positions
        self.begun = time.process_time()

    def lap(self) -> float:
        now = time.process_time()
        elapsed, self.begun = now - self.begun, now
        return elapsed / self.positions * 1e6


def fens(boards: Boards) -> list[str]:
    return sorted(board.epd() for board in boards)


def compressors(boards: Boards) -> Iterator[Result]:
    text = "".join(f"{board.epd()}\n" for board in boards).encode()
    yield Result("EPD", 8 * len(text) / len(boards), 0, 0, 0)
    methods: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
        "gzip -9": (lambda data: gzip.compress(data, 9), gzip.decompress),
        "bzip2 -9": (lambda data: bz2.compress(data, 9), bz2.decompress),
        "zstd -19": (lambda data: zstd.compress(data, 19), zstd.decompress),
        "xz -9": (lambda data: lzma.compress(data, preset=9), lzma.decompress),
    }
    for name, (compress, decompress) in methods.items():
        timer = Timer(len(boards))
        packed = compress(text)
        write = timer.lap()
        assert decompress(packed) == text
        yield Result(name, 8 * len(packed) / len(boards), 0, write, timer.lap())


def simple(boards: Boards) -> Result:
    timer = Timer(len(boards))
    codes = [pack_simply(board) for board in boards]
    write = timer.lap()
    back = [unpack_simply(code) for code in codes]
    read = timer.lap()
    assert fens(back) == fens(boards)
    return Result("simple", 8 * SIMPLE_BYTES, 0, write, read)


def packed(boards: Boards, path: Path) -> Result:
    timer = Timer(len(boards))
    header = write_packed(path, (PackedEntry(board, []) for board in boards), workers=1)
    write = timer.lap()
    with PackedFile(path) as file:
        timer = Timer(len(boards))
        back = [board for slot in file.slots for board in file.boards(slot)]
        read = timer.lap()
    assert fens(back) == fens(boards)
    index = 8 * header.index_bytes / len(boards)
    return Result("packed", 8 * path.stat().st_size / len(boards) - index, index, write, read)


def random_access(boards: Boards, path: Path) -> dict[str, float]:
    """Return milliseconds to read a block, a position, and all of a material, in a newly opened file."""
    chosen = random.Random(1).sample(boards, LOOKUPS)
    times: dict[str, list[float]] = {"block": [], "position": [], "material": []}
    found = []
    with PackedFile(path) as file:
        for slot in random.Random(1).choices(file.slots, k=LOOKUPS):
            timer = Timer(1)
            file.boards(slot)
            times["block"].append(timer.lap() / 1000)
    for board in chosen:
        with PackedFile(path) as file:
            timer = Timer(1)
            assert file.get(board) is not None
            times["position"].append(timer.lap() / 1000)
        with PackedFile(path) as file:
            timer = Timer(1)
            found.append(sum(1 for _ in file.near(board)))
            times["material"].append(timer.lap() / 1000)
    means = {name: mean(values) for name, values in times.items()}
    return means | {"positions of a material": mean(found)}


def move_bits(name: str) -> tuple[float, float]:
    """Return the mean bits a move of games: by the network, and with equally likely legal moves."""
    model, predicted, flat = load_models().moves, list[float](), list[float]()
    for game in usable_games(games_of([name])):
        boards = list(game.positions())[: len(game.moves)]
        moves = [possible_moves(board) for board in boards]
        weights = model.weights(boards, moves)
        for number, (board, played) in enumerate(zip(boards, game.moves, strict=True)):
            place = moves[number].index(
                played.from_square << 9 | played.to_square << 3 | (played.promotion or 0)
            )
            predicted.append(-math.log2(weights[number, place] / weights[number].sum()))
            flat.append(math.log2(board.legal_moves.count()))
    return mean(predicted), mean(flat)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("puzzles", type=Path)
    arguments = parser.parse_args()

    sets = {
        "positions of the same games": games_positions(arguments.games),
        "independent positions": puzzle_positions(arguments.puzzles),
    }
    text: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "positions.pos"
        for name, boards in sets.items():
            results = [*compressors(boards), simple(boards), packed(boards, path)]
            access = random_access(boards, path)
            header = ["method", "bits", "index", "together", "µs to write", "µs to read"]
            means = ", ".join(f"{what} {value:.1f}" for what, value in access.items())
            text += [f"{len(boards):,} {name}", table(header, map(Result.cells, results), right="lrrrrr")]
            text += [f"ms, by what is read: {means}"]
    predicted, flat = move_bits(arguments.games)
    text += [f"bits a move: {predicted:.2f} as predicted, {flat:.2f} flat"]
    print("\n\n".join(text))


if __name__ == "__main__":
    run(main)
