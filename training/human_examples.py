"""Make the positions that the human-move model learns from.

    python -m training.human_examples OUT.npz --puzzles PUZZLES.csv.zst --teachers maia-*.pb.gz \
        --teacher-games 12000 --games GAMES.pgn.zst...

Each position has the Elo rating of the player to move and comes from one of these:

- games that a teacher plays against itself, every move drawn with the teacher's probability;
- the lines of puzzles, except those of the test part (see `training.parts`), each position shown to one
  teacher;
- games between people: the move that was played, and the result of the game.

From teachers, the model learns the probability of each move and the expected outcome. Teachers are networks
that predict human moves, such as the nine of Maia (McIlroy-Young et al., "Aligning Superhuman AI with Human
Behavior", KDD 2020). A teacher's file name ends in the rating that it was trained for. Without teachers,
millions of games between people are enough.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import chess
import numpy as np
from tqdm import tqdm

from chess_motif.held_out import puzzle_is_for_test
from chess_motif.parallel import chunks_of
from engines.human.model import HumanModel, load_human_model
from engines.human.planes import encode, policy_index
from puzzlegen.games.archive import games_of
from puzzlegen.games.pgn import usable_games
from training.about import as_array, origin_of
from training.parts import read_puzzles

# The planes (of 112) that the model uses: the pieces of two positions, and the castling rights.
PLANES_USED = [*range(12), *range(13, 25), *range(104, 108)]

# Positions with more legal moves are left out: they are rare, and all positions take as much space as the
# largest.
MOST_MOVES = 64

# Games that a teacher plays at a time, the most plies of a game, and the most plies without a capture or a
# pawn move.
GAMES_AT_A_TIME = 250
MOST_PLIES = 160
MOST_QUIET_PLIES = 30

# Only a share of the positions before this ply is kept, since they are often the same.
OPENING_PLIES = 8
OPENING_SHARE = 0.15

# Positions taken from a game between people: few, since they are alike.
POSITIONS_OF_A_GAME = 10

# Positions that a teacher is shown at a time.
BATCH = 256

OUTCOMES = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}


class Example(NamedTuple):
    """A position, the probabilities of its legal moves, and the expected outcome (-1…1) for the mover."""

    board: chess.Board
    rating: int
    moves: dict[chess.Move, float]
    value: float


class Teacher(NamedTuple):
    model: HumanModel
    rating: int

    def examples(self, boards: Sequence[chess.Board]) -> list[Example]:
        predictions = self.model.predict(boards)
        return [
            Example(board, self.rating, dict(prediction.moves), prediction.value)
            for board, prediction in zip(boards, predictions, strict=True)
        ]


def played_by(teacher: Teacher, games: int, generator: random.Random) -> Iterator[Example]:
    """Yield the positions of games that the teacher plays against itself."""
    boards = [chess.Board() for _ in range(games)]
    while boards:
        for example in teacher.examples(boards):
            board = example.board
            if board.ply() >= OPENING_PLIES or generator.random() < OPENING_SHARE:
                yield example._replace(board=board.copy(stack=1))
            (move,) = generator.choices(list(example.moves), list(example.moves.values()))
            board.push(move)
        boards = [board for board in boards if not _is_over(board)]


def _is_over(board: chess.Board) -> bool:
    """Return whether a game ends here; games without progress end early, since their positions are alike."""
    return board.ply() >= MOST_PLIES or board.halfmove_clock >= MOST_QUIET_PLIES or board.is_game_over()


def lines_of(puzzles: Path) -> Iterator[chess.Board]:
    """Yield the positions of the lines of all training puzzles."""
    for puzzle in read_puzzles(puzzles):
        if puzzle_is_for_test(puzzle):
            continue
        board = chess.Board(puzzle["FEN"])
        for move in puzzle["Moves"].split():
            yield board.copy(stack=1)
            board.push_uci(move)


def played_by_people(name: str, generator: random.Random) -> Iterator[Example]:
    """Yield positions of the games of an archive in which both players have ratings, with the move played."""
    for game in usable_games(games_of([name])):
        row = game.row()
        if not (row.white_elo and row.black_elo) or row.result not in OUTCOMES:
            continue
        elo = {chess.WHITE: row.white_elo, chess.BLACK: row.black_elo}
        plies = range(OPENING_PLIES, len(game.moves))
        chosen = set(generator.sample(plies, min(POSITIONS_OF_A_GAME, len(plies))))
        board = game.start.copy()
        for ply, move in enumerate(game.moves):
            if ply in chosen:
                value = OUTCOMES[row.result] * (1 if board.turn else -1)
                moves = {legal: float(legal == move) for legal in board.legal_moves}
                yield Example(board.copy(stack=1), elo[board.turn], moves, value)
            board.push(move)


def arrays(examples: Sequence[Example]) -> dict[str, np.ndarray]:
    """Return the examples as arrays. Planes are packed; missing moves are -1."""
    planes = encode([example.board for example in examples])[:, PLANES_USED]
    moves = np.full((len(examples), MOST_MOVES), -1, np.int16)
    probabilities = np.zeros((len(examples), MOST_MOVES), np.float16)
    for number, example in enumerate(examples):
        moves[number, : len(example.moves)] = [policy_index(example.board, move) for move in example.moves]
        probabilities[number, : len(example.moves)] = list(example.moves.values())
    return {
        "planes": np.packbits(planes.astype(bool).reshape(len(examples), 64 * len(PLANES_USED)), axis=1),
        "rating": np.array([example.rating for example in examples], np.int16),
        "moves": moves,
        "probabilities": probabilities,
        "value": np.array([example.value for example in examples], np.float16),
    }


def teacher_games(teacher: Path, games: int, seed: int) -> dict[str, np.ndarray]:
    return _joined(played_by(_teacher(teacher), games, random.Random(seed)))


def puzzle_lines(teacher: Path, puzzles: Path, seed: int, share: float) -> dict[str, np.ndarray]:
    """Return a random share of the positions of puzzles, with the teacher's predictions."""
    generator = random.Random(seed)
    boards = (board for board in lines_of(puzzles) if generator.random() < share)
    model = _teacher(teacher)
    return _joined(example for batch in chunks_of(boards, BATCH) for example in model.examples(batch))


def games_of_people(archive: str, seed: int) -> dict[str, np.ndarray]:
    return _joined(played_by_people(archive, random.Random(seed)))


def _teacher(file: Path) -> Teacher:
    rating = re.search(r"(\d{3,4})\.", file.name)
    if rating is None:
        raise SystemExit(f"{file}: the name does not end in a rating")
    return Teacher(load_human_model(file), int(rating[1]))


def _joined(examples: Iterable[Example]) -> dict[str, np.ndarray]:
    usable = (example for example in examples if len(example.moves) <= MOST_MOVES)
    return concatenated([arrays([]), *map(arrays, chunks_of(usable, BATCH))])


def concatenated(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--puzzles", type=Path, required=True)
    parser.add_argument("--teachers", type=Path, nargs="*", default=[])
    parser.add_argument("--teacher-games", type=int, default=12_000)
    parser.add_argument("--puzzle-views", type=int, default=3, help="teachers for each puzzle position")
    parser.add_argument("--games", nargs="*", default=[])
    options = parser.parse_args()
    jobs: list[tuple[Any, ...]] = [(games_of_people, archive, 1) for archive in options.games]
    share = options.puzzle_views / max(1, len(options.teachers))
    rounds = max(1, options.teacher_games // GAMES_AT_A_TIME // max(1, len(options.teachers)))
    for seed, teacher in enumerate(options.teachers):
        jobs.append((puzzle_lines, teacher, options.puzzles, seed, share))
        jobs += [(teacher_games, teacher, GAMES_AT_A_TIME, 1000 * seed + turn) for turn in range(rounds)]
    with ProcessPoolExecutor() as pool:
        futures = [pool.submit(*job) for job in jobs]
        parts = [future.result() for future in tqdm(as_completed(futures), total=len(futures))]
    used = dict.fromkeys(options.teachers, "teacher")
    if used:
        used[options.puzzles] = "the lines of the puzzles that are not for the test"
    used |= {Path(archive): "positions of games with ratings and a result" for archive in options.games}
    origin = as_array(origin_of(used))
    np.savez(options.out, allow_pickle=False, origin=origin, **concatenated(parts))
    print(f"{sum(len(part['rating']) for part in parts):,} positions in {options.out}")


if __name__ == "__main__":
    main()
