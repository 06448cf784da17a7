"""Make the examples for the models of packed files: positions, moves, and counts of the other symbols.

    python -m training.packed_examples EXAMPLES.npz --games GAMES.pgn.zst... --puzzles PUZZLES.csv.zst \
        --held-out OTHER.pgn.zst...

The positions of held-out games, and of puzzles of the test part (see `training.parts`), are left out.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from chess_motif.held_out import puzzle_is_for_test
from chess_motif.parallel import chunks_of, in_processes
from db.packed.block import SHARES, code_block, forest
from db.packed.coder import Coder, Symbols, Weights
from db.packed.file import BLOCK_POSITIONS
from db.packed.models import NUMBERS, TABLE, Models, Roots, contents_of, move_of, possible_moves
from db.packed.position import BLACK, castling_of, material_key, pack_simply, sort_key, squares_of
from puzzlegen.games.archive import games_of
from puzzlegen.games.pgn import usable_games
from puzzlegen.games.split import RawGame
from training.about import as_array, origin_of
from training.parts import puzzle_position, read_puzzles

# Games that a process reads at a time.
CHUNK = 200

# The shares of a game that are used: of positions after a capture (which are mostly roots), of other
# positions, and of moves.
AFTER_CAPTURE = 0.6
OTHER_POSITIONS = 3
MOVES = 40

# Each puzzle counts this many times, since there are few.
PUZZLE_WEIGHT = 3

# Moves of positions with more legal moves are left out: all positions take as much space as the largest.
MOST_MOVES = 72

# The number of a missing piece or move.
NONE = NUMBERS

# The number of games whose blocks are counted together, and the number of such groups. The contents of blocks
# depend on the number of games.
GROUPS = ((1000, 8), (250, 8))
PUZZLES_OF_A_GROUP = 13_000

# Tables of symbols, by the numbers of their contexts and of their symbols.
TABLES = {
    "turn": (1, 2),
    "castling": (31, 16),
    "en passant": (2,),
    "children": (2 * SHARES, 219),
    "same": (SHARES + 1, 2),
    "material": (10, 2, 11, 11, 11),
}

Arrays = dict[str, npt.NDArray[Any]]


def root_rows(boards: Sequence[chess.Board]) -> Arrays:
    """Return positions as rows: squares, the side to move and the castling rights."""
    state = [(board.turn, castling_of(board)) for board in boards]
    return {"squares": contents_of(boards), "state": np.array(state, np.uint8).reshape(-1, 2)}


def move_rows(pairs: Iterable[tuple[chess.Board, chess.Move]]) -> Arrays:
    """Return positions with the move played as rows: pieces, legal moves, and the number of the move."""
    rows = []
    for board, move in pairs:
        moves = possible_moves(board)
        if not 1 < len(moves) <= MOST_MOVES:
            continue
        places = {
            square: (piece.piece_type - 1 + (0 if piece.color else BLACK)) * 64
            for square, piece in board.piece_map().items()
        }
        origins = [places[number >> 9] + (number >> 9) for number in moves]
        targets = [places[number >> 9] + (number >> 3 & 63) for number in moves]
        pieces = [place + square for square, place in places.items()]
        places_of_moves = _filled(origins, MOST_MOVES), _filled(targets, MOST_MOVES)
        rows.append((_filled(pieces, 32), *places_of_moves, [*map(move_of, moves)].index(move)))
    columns = list(zip(*rows, strict=True))
    names = ("pieces", "origins", "targets", "played")
    return {name: np.array(column, np.int16) for name, column in zip(names, columns, strict=True)}


def _filled(numbers: list[int], length: int) -> list[int]:
    return numbers + [NONE] * (length - len(numbers))


def game_rows(games: list[RawGame]) -> Arrays:
    """Return the rows of `root_rows` and `move_rows` of some games."""
    roots, played = [], []
    for game in usable_games(games):
        choice = random.Random(game.key)
        boards = list(game.positions())
        others = set(choice.sample(range(len(boards)), min(OTHER_POSITIONS, len(boards))))
        quiet = set(choice.sample(range(len(game.moves)), min(MOVES, len(game.moves))))
        for ply, (board, move) in enumerate(zip(boards, game.moves, strict=False)):
            captures = board.is_capture(move) or move.promotion is not None
            if ply in others:
                roots.append(board)
            if captures and choice.random() < AFTER_CAPTURE:
                roots.append(boards[ply + 1])
            if not captures and ply in quiet:
                played.append((board, move))
    return root_rows(roots) | move_rows(played)


class Counting(Coder):
    """Counts the symbols that are looked up in tables, and writes nothing."""

    def __init__(self) -> None:
        super().__init__({})
        self.seen: Counter[tuple[str, tuple[int, ...]]] = Counter()

    def code(self, weights: Weights, symbols: Symbols | None) -> Symbols:
        assert symbols is not None
        return symbols

    def look_up(self, table: str, context: tuple[int, ...], symbol: int | None) -> int:
        assert symbol is not None
        self.seen[table, (*context, symbol)] += 1
        return symbol

    def look_up_all(self, table: str, contexts: npt.NDArray[np.int64], symbols: Symbols | None) -> Symbols:
        assert symbols is not None
        self.seen.update((table, pair) for pair in zip(contexts.tolist(), symbols.tolist(), strict=True))
        return symbols


class _NoModel:
    """Stands for both networks while symbols are counted."""

    def code(self, coder: Coder, roots: Roots, squares: Symbols) -> npt.NDArray[np.uint8]:
        return squares.astype(np.uint8)

    def weights(self, boards: list[chess.Board], moves: list[list[int]]) -> Weights:
        return np.ones((len(boards), max(map(len, moves))), np.float32)


def count_symbols(boards: Iterable[chess.Board]) -> Counter[tuple[str, tuple[int, ...]]]:
    """Return how often each symbol occurs, by table and context, in the blocks of these positions."""
    unique = {sort_key(board) + pack_simply(board): board for board in boards}
    counting, models = Counting(), Models(_NoModel(), _NoModel(), {}, b"")  # type: ignore[arg-type]
    for block in chunks_of([unique[place] for place in sorted(unique)], BLOCK_POSITIONS):
        code_block(counting, models, material_key(block[0]), len(block), (block, forest(block)))
    return counting.seen


def _count_games(games: list[RawGame]) -> Counter[tuple[str, tuple[int, ...]]]:
    return count_symbols(chain.from_iterable(game.positions() for game in usable_games(games)))


def tables_of(seen: Counter[tuple[str, tuple[int, ...]]]) -> Arrays:
    """Return the tables of weights for these counts. Symbols that never occurred remain possible."""
    tables: Arrays = {}
    for name, shape in TABLES.items():
        counts = np.zeros(shape)
        for (table, place), count in seen.items():
            if table == name:
                counts[place] += count
        counts += 1 / shape[-1]
        weights = np.round(65536 * counts / counts.sum(-1, keepdims=True))
        tables[TABLE + name] = np.maximum(weights, 1).astype(np.uint32)
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", nargs="+", required=True)
    parser.add_argument("--puzzles", type=Path, required=True)
    parser.add_argument("--held-out", nargs="+", default=[])
    arguments = parser.parse_args()

    learned: list[chess.Board] = []
    tested: list[chess.Board] = []
    for puzzle in read_puzzles(arguments.puzzles):
        (tested if puzzle_is_for_test(puzzle) else learned).append(puzzle_position(puzzle))
    puzzles = root_rows(learned)
    held_out = {squares_of(board) for board in tested}
    for game in usable_games(games_of(arguments.held_out)):
        held_out.update(map(squares_of, game.positions()))

    parts = list(in_processes(game_rows, chunks_of(games_of(arguments.games), CHUNK)))
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    kept = np.array([row.tobytes() not in held_out for row in rows["squares"]])
    for name in ("squares", "state"):
        rows[name] = np.concatenate([rows[name][kept], *[puzzles[name]] * PUZZLE_WEIGHT])

    seen: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for archive in arguments.games:
        for size, number in GROUPS:
            groups = islice(chunks_of(games_of([archive]), size), number)
            for counts in in_processes(_count_games, groups):
                seen += counts
    for counts in in_processes(count_symbols, chunks_of(learned, PUZZLES_OF_A_GROUP)):
        seen += counts
    used = {Path(archive): "positions, moves and counts of its games" for archive in arguments.games}
    used |= {arguments.puzzles: f"the positions of {len(learned):,} puzzles that are not for the test"}
    used |= {Path(archive): "held out: no position of its games" for archive in arguments.held_out}
    origin = as_array(origin_of(used))
    np.savez(arguments.out, allow_pickle=False, origin=origin, **rows, **tables_of(seen))
    lengths = len(rows["squares"]), len(rows["played"]), seen.total()
    print("{:,} positions, {:,} moves, {:,} other symbols".format(*lengths))


if __name__ == "__main__":
    main()
