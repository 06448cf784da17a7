"""Perturbed positions: positions of archived games in which a few pieces have been moved at random.

They are similar to the original by construction: Ganguly, Leveling & Jones (SIGIR 2014, Figure 3) call them
positional transformations. They are planted in a copy of the index, each as the only position of another
game, and the ranks at which a search for the original finds them are counted.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from random import Random

import chess
from filelock import Timeout
from sqlalchemy.orm import Session
from tantivy import Occur, Query

from chess_motif.errors import IndexUnavailableError, reason_of
from chess_motif.material import material_of
from chess_motif.parallel import chunks_of
from db.games import BATCH, archived_keys, get_archived
from motifsearch.index.directory import FREQUENCIES, LOCK_WAIT, Index, Writer, busy, open_index, write_lock
from motifsearch.index.shards import OpenShards
from motifsearch.positions.index import documents_at, fields_of, first_ply, positions_schema
from motifsearch.positions.ranking import Candidate, Colours, best_of_games, candidates, variants
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.positions.terms import Family, FeatureSet, query_families
from training.parts import shuffle_key

# The largest number of pieces moved.
MAX_MOVED = 4

# The ranks of planted positions, 1 being best; None for one that is not among the candidates.
Ranks = Sequence[int | None]


@dataclass(frozen=True)
class PerturbedQuery:
    """A position of an archived game, and the same position with one piece moved, with two, and so on.

    `key` identifies the game, and `ply` is the number of plies before the position.
    """

    key: str
    ply: int
    board: chess.Board
    perturbed: Sequence[chess.Board]


def sample_queries(session: Session, opening: int, seed: int) -> Iterator[PerturbedQuery]:
    """Yield a random position of each archived game; the games are in the order of a hash of seed and game.

    The position is after the first `opening` moves. Games are skipped if they have none, or if no piece can
    be moved in it.
    """
    hashes = {number: shuffle_key(seed, key) for number, key in archived_keys(session)}
    for batch in chunks_of(sorted(hashes, key=hashes.__getitem__), BATCH):
        games = get_archived(session, batch)
        for number in batch:
            game = games[number]
            moves = game.moves.split()
            plies = range(first_ply(game.start, opening), len(moves) + 1)
            if not plies:
                continue
            random = Random(hashes[number])
            ply = random.choice(plies)
            board, _ = game.played(ply)
            if perturbed := list(islice(perturbations(board, random), MAX_MOVED)):
                yield PerturbedQuery(game.game.key, ply, board, perturbed)


def perturbations(board: chess.Board, random: Random) -> Iterator[chess.Board]:
    """Yield the position with one piece moved at random, then with another one moved as well, and so on.

    Pieces of both sides move. No piece moves twice, or to a square that another one has left: each step
    changes two more squares. Moves are legal and never capture, promote, castle or give check, so that the
    material stays the same, and the position is legal with either side to move. The side to move is that of
    `board`. Ends when no piece can move.
    """
    board = board.copy(stack=False)
    turn = board.turn
    board.ep_square = None
    used = chess.BB_EMPTY
    while moves := _moves(board, used):
        # The piece is chosen first: otherwise queens, which have more moves, would move more often than
        # pawns.
        move = random.choice(moves[random.choice(list(moves))])
        board.turn = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[move.from_square])
        board.push(move)
        used |= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        board.turn, board.ep_square = turn, None
        yield board.copy(stack=False)


def _moves(board: chess.Board, used: chess.Bitboard) -> dict[chess.Square, list[chess.Move]]:
    """Return the quiet moves by origin, except those to or from a square that is `used`."""
    moves: dict[chess.Square, list[chess.Move]] = {}
    trial = board.copy(stack=False)
    for trial.turn in chess.COLORS:
        # With the other side in check, the position is illegal.
        if trial.was_into_check():
            continue
        # Only to empty squares. This excludes castling, which python-chess generates as the king taking its
        # rook.
        for move in trial.generate_legal_moves(~used, ~used & ~board.occupied):
            if not move.promotion and not trial.gives_check(move):
                moves.setdefault(move.from_square, []).append(move)
    return moves


class Planted:
    """Groups of positions that are planted in an index, each as the only position of another game."""

    def __init__(self, index: OpenShards, groups: Sequence[Sequence[chess.Board]]) -> None:
        """Add the positions to the index. Raises `IndexUnavailableError`."""
        self._index = index
        self._last = max(shard.last_number for shard in index.shards)
        numbers = count(self._last + 1)
        self._groups: list[list[int]] = []
        with ExitStack() as opened:
            writers = {shard: opened.enter_context(Writer(shard)) for shard in index.shards}
            for group in groups:
                self._groups.append([next(numbers) for _ in group])
                for number, board in zip(self._groups[-1], group, strict=True):
                    for document in documents_at(number, [(0, board)]):
                        writers[index.shard_of(number)].add(fields_of(document))

    def ranks(
        self, group: int, board: chess.Board, colours: Colours = Colours.SAME
    ) -> dict[FeatureSet, Ranks]:
        """Return for each feature set the ranks at which a search for `board` finds the positions of a group.

        They are ranked among the games that were in the index before, except those in which `board` itself
        occurred, with these colours. Games with the same score rank before them, unless their colours are
        reversed.
        """
        same = self._games_with(board)
        if colours is Colours.EITHER:
            same |= self._games_with(board.mirror())
        # The other positions of these games are similar, too, and must not displace candidates.
        limit = CANDIDATES + len(self._positions_of(same))
        queries = {one: variants(self._index, board, one, colours) for one in FeatureSet}
        found = {one: best_of_games(candidates(self._index, query, limit)) for one, query in queries.items()}
        return {one: self._ranks(ranked, group, same) for one, ranked in found.items()}

    def _ranks(self, found: Sequence[Candidate], group: int, same: set[int]) -> Ranks:
        """Return the ranks of a group's positions among the games that count."""
        ahead, ranks = 0, {}
        # Ties are broken by number: planted games, which have the highest ones, come last.
        for number in (candidate.place.number for candidate in found):
            if number in self._groups[group]:
                ranks[number] = ahead + 1
            elif number <= self._last and number not in same:
                ahead += 1
        return [ranks.get(number) for number in self._groups[group]]

    def _games_with(self, board: chess.Board) -> set[int]:
        """Return the games in which exactly these pieces were on these squares."""
        schema = positions_schema()
        pieces = [
            Query.term_query(schema, Family.PLACED, piece, FREQUENCIES)
            for piece in query_families(board)[Family.PLACED]
        ]
        material = Query.term_query(schema, "material", material_of(board), "basic")
        return set(self._numbers(Query.boolean_query([(Occur.Must, part) for part in (*pieces, material)])))

    def _positions_of(self, games: set[int]) -> list[int]:
        return self._numbers(Query.term_set_query(positions_schema(), "number", sorted(games)))

    def _numbers(self, query: Query) -> list[int]:
        """Return the game number of each position that matches."""

        def of_shard(shard: Index, query: Query) -> list[int | None]:
            hits = shard.search(query, shard.count)
            return shard.values("number", [address for _, address in hits])

        numbers = chain.from_iterable(self._index.each(of_shard, [query]))
        return [number for number in numbers if number is not None]


@contextmanager
def temporary_copy(folders: Sequence[Path]) -> Iterator[OpenShards]:
    """Open a copy of the shards in these folders, which is deleted at the end of the `with` block.

    Each copy is made beside the original; writing to it does not change the index. Where files can be linked,
    it takes hardly any disk space. Raises `IndexUnavailableError`.
    """
    with ExitStack() as cleanup:
        yield OpenShards([_open_copy(folder, cleanup) for folder in folders])


def _open_copy(path: Path, cleanup: ExitStack) -> Index:
    try:
        beside = tempfile.TemporaryDirectory(prefix=f"{path.name}.copy-", dir=path.parent)
        copy = Path(cleanup.enter_context(beside))
        with write_lock(path, LOCK_WAIT):
            _copy(path, copy)
        return open_index(copy)
    except Timeout as error:
        raise busy(path) from error
    except OSError as error:
        raise IndexUnavailableError(f"{path}: the index cannot be copied: {reason_of(error)}") from error


def _copy(path: Path, copy: Path) -> None:
    for file in path.iterdir():
        if file.suffix == ".json":
            shutil.copyfile(file, copy / file.name)
        # A linked lock would lock the index itself.
        elif file.suffix != ".lock":
            _link(file, copy / file.name)


def _link(file: Path, copy: Path) -> None:
    """Link a segment's file, which Tantivy never changes after writing it; copy it if that fails."""
    try:
        os.link(file, copy)
    except OSError:
        shutil.copyfile(file, copy)
