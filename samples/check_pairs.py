"""Check the pairs of puzzles: that each solution is the only one, and that no partner is a copy of its base.

Run it from the root of the project:

    python samples/check_pairs.py [FILE] [--nodes 2000000]

Stockfish 15.1 searches each position in which the solver is to move, one process with one thread and a hash
table of 128 MiB, with two variations. The move of the solution must be the best, win, and have a win chance
(-1…1) that is at least 0.5 ahead of the second. As in all puzzles of the project, several mates in one count
as one at the end of a solution. The script prints what is wrong with each pair, and ends with status 1 if
anything is. The id of a pair is its idea and a number.
"""

import argparse
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import chess

from chess_motif.boards import board_after, mates
from engines import Engine, EngineSetup
from motifsearch.puzzles.pair_files import SolvedPosition, read_pairs
from puzzlegen.rules import MiningRules
from puzzlegen.verify.solution import gap_of

FILE = Path(__file__).with_name("pairs.pgn")
ENGINE = EngineSetup(options=(("Hash", "128"),))
ENGINE_NAME = "Stockfish 15.1"
RULES = MiningRules()

LEAST_PIECES, MOST_PIECES = 3, 10
LEAST_PAIRS, LEAST_IDEAS = 100, 35

# A partner is a copy of the base if more than this fraction of its pieces stand there on the same squares.
MOST_SHARED = 0.6


def versions(board: chess.Board) -> list[chess.Board]:
    """Return a position as it is, mirrored left to right, and both with the colours exchanged."""
    mirrored = board.transform(chess.flip_horizontal)
    return [board, mirrored, board.mirror(), mirrored.mirror()]


def is_copy(base: chess.Board, partner: chess.Board) -> bool:
    """Return whether the partner is mostly a part of the base, or a part that was moved as a whole."""
    pieces = {(square % 8, square // 8): piece for square, piece in base.piece_map().items()}
    most = MOST_SHARED * len(partner.piece_map())
    for board in versions(partner):
        others = {(square % 8, square // 8): piece for square, piece in board.piece_map().items()}
        if sum(pieces.get(place) == piece for place, piece in others.items()) > most:
            return True
        for files, ranks in product(range(-7, 8), repeat=2):
            if all(pieces.get((file + files, rank + ranks)) == one for (file, rank), one in others.items()):
                return True
    return False


def faults(solved: SolvedPosition, engine: Engine, nodes: int) -> list[str]:
    """Return what is wrong with a position and its solution."""
    if not solved.board.is_valid():
        return ["the position is not legal"]
    found, board = [], solved.board.copy(stack=False)
    for ply, move in enumerate(solved.moves):
        name = board.variation_san([move])
        if ply % 2 == 0 and mates(board, move):
            if ply == 0 and sum(mates(board, other) for other in board.legal_moves) > 1:
                found.append(f"{name} is not the only mate")
        elif ply % 2 == 0 and board.legal_moves.count() > 1:
            best, second = engine.search(board, nodes, 2)
            if best.move != move:
                found.append(f"{name}: {board.san(best.move)} is better ({best.chance:.2f})")
            elif best.chance < RULES.winning:
                found.append(f"{name} does not win ({best.chance:.2f})")
            elif gap_of([best, second]) < RULES.gap:
                found.append(f"{name}: {board.san(second.move)} wins, too ({second.chance:.2f})")
        board = board_after(board, [move])
    if len(solved.moves) % 2 == 0:
        found.append("the solution ends with a move of the opponent")
    return found


def main() -> int:
    """Check a file; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--nodes", type=int, default=2_000_000)
    options = parser.parse_args()

    contents = read_pairs(options.file)
    wrong = [str(skipped) for skipped in contents.skipped]
    seen = Counter(pair.simplified.board.epd() for pair in contents.pairs)
    wrong += [f"{epd} is there {count} times" for epd, count in seen.items() if count > 1]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    with Engine(ENGINE) as engine:
        if engine.name != ENGINE_NAME:
            print(f"the engine is {engine.name}, not {ENGINE_NAME}")
        for number, pair in enumerate(contents.pairs, 1):
            base, partner = pair.base.board, pair.simplified.board
            found = [f"base: {fault}" for fault in faults(pair.base, engine, options.nodes)]
            found += [f"partner: {fault}" for fault in faults(pair.simplified, engine, options.nodes)]
            if not LEAST_PIECES <= len(partner.piece_map()) <= MOST_PIECES:
                found.append(f"the partner has {len(partner.piece_map())} pieces")
            if is_copy(base, partner):
                found.append("the partner is a part of the base")
            wrong += [f"pair {pair.id}: {fault}" for fault in found]
            print(f"{number}/{len(contents.pairs)} {pair.id}:", "; ".join(found) or "holds", flush=True)
    ideas = {pair.id.rsplit(" ", 1)[0] for pair in contents.pairs}
    print(f"{len(contents.pairs)} pairs, {len(ideas)} ideas, {len(wrong)} faults, {engine.nodes:,} nodes")
    return 1 if wrong or len(contents.pairs) < LEAST_PAIRS or len(ideas) < LEAST_IDEAS else 0


if __name__ == "__main__":
    sys.exit(main())
