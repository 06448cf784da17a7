"""Make the examples that ChessBERT learns from: positions of games with similar ones from other games.

The file is an `.npz` of these arrays for N examples, the rows of all examples one after the other:

| name | type and shape | what |
|---|---|---|
| `tokens` | uint8 (all tokens, 3) | the positions and their contexts, each query's own tokens first |
| `token_ends` | int64 (N,) | where the tokens of each example end |
| `query_tokens` | uint8 (N,) | how many of its tokens are of the query |
| `moves` | uint8 (all moves, 3) | the legal moves, the one that was played first |
| `move_ends` | int64 (N,) | where the moves of each example end |
| `test` | bool (N,) | whether it is for the test |

See `motifsearch.retrieval.chessbert.tokens` for the numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np

from chess_motif.parallel import chunks_of, in_processes
from motifsearch.retrieval.chessbert.tokens import CONTEXTS, QUERY, Context, move_tokens, tokens_of
from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import SkipGame, read_game
from puzzlegen.games.split import RawGame, split_games

# Positions taken from one game: its positions are alike.
POSITIONS_OF_A_GAME = 8

# Of 256 games this many are for the test, with all their positions.
TEST_SHARE = 5

# Games that a process reads at a time, and positions whose neighbours are asked for at a time.
GAMES_AT_ONCE = 50
POSITIONS_AT_ONCE = 1000


class Position(NamedTuple):
    """A position of the game with the key `game`, and the move that was played in it."""

    board: chess.Board
    move: chess.Move
    game: str


# Returns for each position that many contexts or fewer, most similar first, none from its own game.
Neighbours = Callable[[Sequence[Position], int], Sequence[Sequence[Context]]]


def positions_of(archive: Path) -> Iterator[Position]:
    """Yield a random sample of the positions of each game, the same on each call."""
    with open_archive(str(archive)) as opened:
        for positions in in_processes(_sample, chunks_of(split_games(opened.chunks()), GAMES_AT_ONCE)):
            yield from positions


def _sample(games: Sequence[RawGame]) -> list[Position]:
    positions = []
    for raw in games:
        try:
            game = read_game(raw)
        except SkipGame:
            continue
        chance = random.Random(game.key)
        chosen = set(chance.sample(range(len(game.moves)), min(POSITIONS_OF_A_GAME, len(game.moves))))
        board = game.start.copy()
        for ply, move in enumerate(game.moves):
            if ply in chosen:
                positions.append(Position(board.copy(stack=False), move, game.key))
            board.push(move)
    return positions


def is_for_test(game: str) -> bool:
    """Return whether the positions of a game, known by its key, are for the test."""
    return int(game[:2], 16) < TEST_SHARE


def make_examples(out: Path, positions: Iterable[Position], neighbours: Neighbours) -> int:
    """Write the file of examples, and return how many it has."""
    parts = [arrays([], [])]
    for chunk in chunks_of(positions, POSITIONS_AT_ONCE):
        parts.append(arrays(chunk, neighbours(chunk, CONTEXTS)))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    ends = {f"{name}_ends": joined.pop(f"{name}_count").cumsum() for name in ("token", "move")}
    np.savez(out, allow_pickle=False, **joined, **ends)
    return len(joined["test"])


def arrays(positions: Sequence[Position], contexts: Sequence[Sequence[Context]]) -> dict[str, np.ndarray]:
    """Return the arrays of a few examples, with counts instead of ends."""
    tokens = [tokens_of(position.board, given) for position, given in zip(positions, contexts, strict=True)]
    moves = [move_tokens(position.board, _played_first(position)) for position in positions]
    none = np.empty((0, 3), np.uint8)
    return {
        "tokens": np.concatenate([none, *tokens]),
        "token_count": np.array([len(rows) for rows in tokens], np.int64),
        "query_tokens": np.array([(rows[:, 2] == QUERY).sum() for rows in tokens], np.uint8),
        "moves": np.concatenate([none, *moves]),
        "move_count": np.array([len(rows) for rows in moves], np.int64),
        "test": np.array([is_for_test(position.game) for position in positions], bool),
    }


def _played_first(position: Position) -> list[chess.Move]:
    return [position.move, *(move for move in position.board.legal_moves if move != position.move)]
