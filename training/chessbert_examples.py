"""Make the examples that ChessBERT learns from: positions of games with similar ones from other games.

    python -m training.chessbert_examples EXAMPLES.npz GAMES.pgn.zst --memory DIR

DIR is made by `motifsearch retrieval build OTHER.pgn.zst --memory DIR --min-elo 2000 --speed '!bullet'`, for
the published form with `--model chesspos`. Games of GAMES that are in the memory are left out. EXAMPLES.npz
has these arrays for N examples, the rows of all examples one after the other:

| name | type and shape | what |
|---|---|---|
| `tokens` | uint8 (all tokens, 3) | the positions and their contexts, each query's own tokens first |
| `token_ends` | int64 (N,) | where the tokens of each example end |
| `query_tokens` | uint8 (N,) | the number of the query's own tokens |
| `moves` | uint8 (all moves, 3) | the legal moves; the first is the move that was played |
| `move_ends` | int64 (N,) | where the moves of each example end |
| `test` | bool (N,) | whether the example is for the test |
| `origin` | text | the origin of the examples, see `training.about` |

See `motifsearch.retrieval.chessbert` for the numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
from tqdm import tqdm

from chess_motif.held_out import game_is_for_test
from chess_motif.parallel import chunks_of, in_processes
from db.games import archived_keys
from motifsearch.retrieval.chessbert import CONTEXTS, QUERY, Context, contexts_of, move_tokens, tokens_of
from motifsearch.retrieval.folder import FACTS
from motifsearch.retrieval.memory import Memory, open_memory
from puzzlegen.games.archive import games_of
from puzzlegen.games.split import RawGame
from training.about import Origin, as_array, origin_of
from training.parts import published_games, sample_plies

# Positions taken from a game: few, since they are alike.
POSITIONS_OF_A_GAME = 8

# The number of positions of the same game that may be nearer than those of other games.
POSITIONS_OF_OWN_GAME = 8

# Games that a process reads at a time, and positions whose neighbours are searched for at a time.
GAMES_AT_ONCE = 50
POSITIONS_AT_ONCE = 20_000
POSITIONS_OF_A_PROCESS = 100


class Position(NamedTuple):
    """A position of the game with the key `game`, and the move that was played."""

    board: chess.Board
    move: chess.Move
    game: str


# Returns for each position up to a number of contexts, most similar first, without those of its own game.
Neighbours = Callable[[Sequence[Position], int], Sequence[Sequence[Context]]]


def positions_of(archive: Path) -> Iterator[Position]:
    """Yield a random sample of positions of each game that the paper takes (see `published_games`).

    Every call yields the same sample.
    """
    for positions in in_processes(_sample, chunks_of(games_of([str(archive)]), GAMES_AT_ONCE)):
        yield from positions


def _sample(games: Sequence[RawGame]) -> list[Position]:
    positions = []
    for game in published_games(games):
        chosen = sample_plies(game.key, range(len(game.moves)), POSITIONS_OF_A_GAME)
        board = game.start.copy()
        for ply, move in enumerate(game.moves):
            if ply in chosen:
                positions.append(Position(board.copy(stack=False), move, game.key))
            board.push(move)
    return positions


def neighbours_in(path: Path) -> Neighbours:
    """Return a function that finds the nearest positions of other games, in the memory in a folder."""

    def neighbours(positions: Sequence[Position], k: int) -> list[list[Context]]:
        chunks = tqdm([*chunks_of(positions, POSITIONS_OF_A_PROCESS)], leave=False)
        found = in_processes(partial(_of_positions, path, k), chunks)
        return [contexts for chunk in found for contexts in chunk]

    return neighbours


def _of_positions(path: Path, k: int, positions: Sequence[Position]) -> list[list[Context]]:
    return [_from_others(_memory(path), position, k) for position in positions]


@cache
def _memory(path: Path) -> Memory:
    return open_memory(path=path)


def _from_others(memory: Memory, position: Position, k: int) -> list[Context]:
    # Neighbouring plies of the same game are often nearer than other games.
    neighbours = memory.near(position.board, k + POSITIONS_OF_OWN_GAME)
    rows = neighbours.rows
    games = memory.games([*{*rows["game"].tolist()}])
    own = [number for number, game in games.items() if game.game.key == position.game]
    others = rows[~np.isin(rows["game"], own)][:k]
    return [*contexts_of(memory, others)]


def make_examples(
    out: Path, positions: Iterable[Position], neighbours: Neighbours, origin: Origin | None = None
) -> int:
    """Write the file of examples with their origin, and return the number of examples."""
    parts = [arrays([], [])]
    for chunk in chunks_of(positions, POSITIONS_AT_ONCE):
        parts.append(arrays(chunk, neighbours(chunk, CONTEXTS)))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    ends = {f"{name}_ends": joined.pop(f"{name}_count").cumsum() for name in ("token", "move")}
    stored = as_array(origin or origin_of({}))
    np.savez(out, allow_pickle=False, **joined, **ends, origin=stored)
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
        "test": np.array([game_is_for_test(position.game) for position in positions], bool),
    }


def _played_first(position: Position) -> list[chess.Move]:
    return [position.move, *(move for move in position.board.legal_moves if move != position.move)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("games", type=Path)
    parser.add_argument("--memory", type=Path, required=True)
    options = parser.parse_args()
    with open_memory(path=options.memory).store.reading() as session:
        known = {key for _, key in archived_keys(session)}
    positions = (position for position in positions_of(options.games) if position.game not in known)
    origin = origin_of(
        {
            options.games: f"{POSITIONS_OF_A_GAME} positions of each game of players rated 2000 or more",
            options.memory / FACTS: f"{CONTEXTS} similar positions for each, from {len(known):,} other games",
        }
    )
    count = make_examples(options.out, positions, neighbours_in(options.memory), origin)
    print(f"{count:,} examples in {options.out}")


if __name__ == "__main__":
    main()
