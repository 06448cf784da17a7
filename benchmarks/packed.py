"""How few bits positions take, by each method, and how fast they are written, read and found.

    python -m benchmarks.packed GAMES.pgn.zst PUZZLES.csv.zst [--plot FILE.svg]

Two sets of positions: every different one of some games, and the puzzle positions of the test part of a file
of puzzles (see `training.parts`), which come from different games. For each set, general-purpose compressors
on EPD lines in the order of the file; the methods of McKenzie (1994); and our packed file. What is read is
compared with what was written. His methods with an index have a stream of whole bytes for each material, and
nine bytes of index: ten counts of four bits, and a pointer. The time is that of one core, in microseconds of
CPU a position. For packed files, also the time to read a block, to find one position, and all of a material,
nothing being read before; and the bits of each move of the games by `MoveModel`, beside those that it would
take if all legal moves were as likely. Prints tables.
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
from typing import Any, NamedTuple

import chess
import numpy as np
from backports import zstd

from benchmarks.command import parser_for, run, show
from benchmarks.mckenzie import BoardState, Differential, StateModel, Symbolwise, index_driven, sym1, sym2
from chess_motif.tables import table
from db.packed.coder import Coder, EntropyReader, EntropyWriter
from db.packed.file import PackedFile, write_packed
from db.packed.models import contents_of, load_models, possible_moves
from db.packed.position import CONTENTS, SIMPLE_BYTES, material_key, pack_simply, unpack_simply
from db.packed.verdicts import PackedEntry
from training.parts import puzzle_is_for_test, puzzle_position, read_puzzles, usable_games_of

# Bytes of index that the report's methods take for each material.
INDEX_BYTES = 9

# Positions that are looked up one by one, and materials.
LOOKUPS = 300

Boards = list[chess.Board]


class Result(NamedTuple):
    """Bits a position, without the index and of the index, and microseconds to write and read a position."""

    method: str
    bits: float
    index_bits: float
    write: float
    read: float

    @property
    def together(self) -> float:
        return self.bits + self.index_bits

    def cells(self) -> list[str]:
        bits = [f"{value:.2f}" for value in (self.bits, self.index_bits, self.together)]
        return [self.method, *bits, f"{self.write:.1f}", f"{self.read:.1f}"]


def games_positions(name: str) -> Boards:
    """Return every different position of the games of an archive, in their order."""
    boards: dict[str, chess.Board] = {}
    for game in usable_games_of([name]):
        for board in game.positions():
            boards.setdefault(board.epd(), board)
    return list(boards.values())


def puzzle_positions(file: Path) -> Boards:
    """Return the different positions of the puzzles that no model has learned from."""
    boards: dict[str, chess.Board] = {}
    for puzzle in read_puzzles(file):
        if puzzle_is_for_test(puzzle):
            board = puzzle_position(puzzle)
            boards.setdefault(board.epd(), board)
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


def in_one_stream(boards: Boards) -> Iterator[Result]:
    for name, method in (("sym1", sym1), ("sym2", sym2)):
        timer = Timer(len(boards))
        model, writer = method(boards), EntropyWriter({})
        model.code(writer, len(boards), boards)
        written, write = writer.written(), timer.lap()
        back = model.code(EntropyReader({}, written), len(boards), None)
        read = timer.lap()
        assert fens(back) == fens(boards)
        yield Result(name, 8 * len(written) / len(boards), 0, write, read)


def by_material(boards: Boards) -> Iterator[Result]:
    groups: dict[bytes, Boards] = {}
    for board in boards:
        groups.setdefault(material_key(board), []).append(board)
    squares, state = contents_of(boards), BoardState.of(boards)
    rough = StateModel.of(state, squares, at_home=False)
    fine = StateModel.of(state, squares, at_home=True)

    def symbolwise(model: StateModel) -> Callable[[Coder, list[int], int, Boards | None], Boards]:
        return lambda coder, material, number, given: Symbolwise(index_driven(material), model).code(
            coder, number, given
        )

    methods = {"ind1": symbolwise(rough), "ind2": symbolwise(fine), "diff": Differential(fine).code}
    firsts = contents_of([group[0] for group in groups.values()])
    materials = [np.bincount(first, minlength=CONTENTS).tolist() for first in firsts]
    for name, code in methods.items():
        timer, streams = Timer(len(boards)), []
        for material, group in zip(materials, groups.values(), strict=True):
            writer = EntropyWriter({})
            code(writer, material, len(group), group)
            streams.append(writer.written())
        write, back = timer.lap(), list[chess.Board]()
        for material, group, stream in zip(materials, groups.values(), streams, strict=True):
            back += code(EntropyReader({}, stream), material, len(group), None)
        read = timer.lap()
        assert fens(back) == fens(boards)
        size = 8 * sum(map(len, streams)) / len(boards)
        yield Result(name, size, 8 * INDEX_BYTES * len(groups) / len(boards), write, read)


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
    """Return milliseconds to read a block, find a position, and find all of a material, opened each time."""
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


class MoveBits(NamedTuple):
    """Bits a move: by the network of packed files, and if all legal moves are as likely."""

    predicted: float
    flat: float


def move_bits(name: str) -> MoveBits:
    """Return the mean of all moves of the games of an archive."""
    model, predicted, flat = load_models().moves, list[float](), list[float]()
    for game in usable_games_of([name]):
        boards = list(game.positions())[: len(game.moves)]
        moves = [possible_moves(board) for board in boards]
        weights = model.weights(boards, moves)
        for number, (board, played) in enumerate(zip(boards, game.moves, strict=True)):
            place = moves[number].index(
                played.from_square << 9 | played.to_square << 3 | (played.promotion or 0)
            )
            predicted.append(-math.log2(weights[number, place] / weights[number].sum()))
            flat.append(math.log2(board.legal_moves.count()))
    return MoveBits(mean(predicted), mean(flat))


def draw(results: dict[str, list[Result]], file: Path) -> None:
    """Plot the bits and the time to read a position, by method."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
    for axes, (name, rows) in zip(panels, results.items(), strict=False):
        names = [row.method for row in rows[1:]]
        axes.barh(names, [row.bits for row in rows[1:]], color="tab:blue", label="positions")
        axes.barh(
            names,
            [row.index_bits for row in rows[1:]],
            left=[row.bits for row in rows[1:]],
            color="tab:orange",
            label="index",
        )
        for row in rows[1:]:
            axes.text(row.together, row.method, f" {row.together:.1f}", va="center", fontsize=8)
        axes.set(xlabel="bits a position", title=name, xlim=(0, 1.15 * max(row.bits for row in rows[1:])))
        axes.invert_yaxis()
        axes.legend(loc="lower right", fontsize=8)
    rows = next(iter(results.values()))[1:]
    panels[2].barh([row.method for row in rows], [max(row.read, 0.1) for row in rows], color="tab:green")
    panels[2].set(xlabel="µs to read a position", title="reading, same games", xscale="log")
    panels[2].invert_yaxis()
    figure.savefig(file)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()

    sets = {
        "positions of the same games": games_positions(arguments.games),
        "independent positions": puzzle_positions(arguments.puzzles),
    }
    results: dict[str, list[Result]] = {}
    access, text = {}, list[str]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "positions.pos"
        for name, boards in sets.items():
            results[name] = [
                *compressors(boards),
                simple(boards),
                *in_one_stream(boards),
                *by_material(boards),
                packed(boards, path),
            ]
            access[name] = random_access(boards, path)
            rows = [row.cells() for row in results[name]]
            header = ["method", "bits", "index", "together", "µs to write", "µs to read"]
            means = ", ".join(f"{what} {value:.1f}" for what, value in access[name].items())
            text += [f"{len(boards):,} {name}", table(header, rows, right="lrrrrr")]
            text += [f"ms, by what is read: {means}"]
    of_moves = move_bits(arguments.games)
    text += [f"bits a move: {of_moves.predicted:.2f} as predicted, {of_moves.flat:.2f} flat"]
    if arguments.plot:
        draw(results, arguments.plot)
    document: dict[str, Any] = {
        name: {"positions": len(sets[name]), "methods": [row._asdict() for row in rows], "ms": access[name]}
        for name, rows in results.items()
    }
    document["bits a move"] = of_moves._asdict()
    show("\n\n".join(text), document, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
