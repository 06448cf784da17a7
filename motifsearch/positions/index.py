"""The index of positions: a document for each position after the opening of an archived game.

A stretch is a few consecutive positions, which have nearly the same terms. Its first document has the terms
of all its positions in another field, so that a search can find whole stretches first.

A large index is divided by game into shards (see `motifsearch.index.shards`).

The number of opening moves that are not indexed is the same for all games of a store. A game that ends in the
opening has one document without terms, so that the highest number in the index is that of the last game
indexed. The terms of many games are made on all cores.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import chess
import tantivy
from sqlalchemy.orm import Session

from chess_motif.errors import StoreError
from chess_motif.material import material_of
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.games import WHOLE_ARCHIVE, Share, archived_after, count_archived, get_archived, last_archived
from db.store import Store, get_fact, set_fact
from motifsearch.index.bm25 import Word
from motifsearch.index.directory import (
    FREQUENCIES,
    Index,
    Writer,
    index_path,
    is_replaceable,
    of_another_state,
)
from motifsearch.index.shards import OpenShards, counts_of
from motifsearch.index.sync import check_stopping, open_synced, progress_of
from motifsearch.positions.terms import PAWN_FIELD, Family, GameTerms, pawn_terms

# Raise it whenever the fields or the terms of a position change: indexes of another version are rebuilt.
POSITIONS_VERSION = 4

DIRECTORY = "positions"

# The name of the number of opening moves in the database.
FACT = "positions_after_move"

# The names of two numbers of shards in the database: as the archive has grown, and as a user has set it.
SHARDS_FACT = "positions_shards"
SET_SHARDS_FACT = "positions_shards_set"

# As in the paper (Ganguly et al., SIGIR 2014): the first twelve moves of both sides are not indexed.
OPENING_MOVES = 12

# In the opening, every move of both sides leaves about 1.5 pieces fewer on their initial squares: castling
# moves two, and a capture can take one. With 12 moves, 96 % of the positions at move 9 pass as opening, 36 %
# at move 12, 6 % at move 15, none at move 18 (1,000 master games). Later, the number falls more slowly.
DEVELOPED_PER_MOVE = 1.5

# When each shard has this many games, the number of shards is doubled, up to a maximum. A core searches
# 25,000 master games in about 50 ms; each shard adds a few milliseconds.
SHARD_GAMES = 50_000
MOST_SHARDS = 16

# Plies of a stretch. 8 plies find as much as 4 with half as many postings, and 16 plies find less.
STRETCH = 8

# The fields of a stretch: its number, which all its positions have, and the terms of all its positions. Terms
# are numbers here: Tantivy would compare the length of a text with the average of all documents, most of
# which have no such text.
STRETCH_NUMBER = "stretch"
STRETCH_TERMS = "stretch_terms"

# More plies than any archived game has.
_PLIES = 1 << 14

# Takes the place of the material in the document of a game without a position after its opening.
NO_POSITION = "-"
NOWHERE = Word("material", NO_POSITION)

# Games handed to a worker at a time: about 3,000 positions, 3 MB of terms.
CHUNK = 50

# With fewer games, starting workers takes longer than the work.
WORTH_WORKERS = 200

# Games between two commits, about 20 seconds of work, which are lost at most when the process is killed.
COMMIT_EVERY = 5000

# The folder of an index or a shard, also while the index is being rebuilt (.new) or replaced (.old).
_FOLDER = re.compile(rf"(?P<shard>{DIRECTORY}(-\d+of\d+)?)(\.new|\.old)?", re.ASCII)

_INITIAL = chess.Board().piece_map()

# A game: its number, the FEN of its starting position (empty for the standard one), its moves in UCI
# notation.
NumberedGame = tuple[int, str, str]


class Document(NamedTuple):
    """A position: the `number` of its game, and the terms of each family, separated by blanks.

    The first document of a stretch also has the numbers of the terms of all positions of the stretch.
    """

    number: int
    ply: int
    material: str
    families: list[str]
    stretch_terms: Sequence[int] = ()


@dataclass
class PositionsReport:
    """What an update did, in `seconds` of wall time.

    `games` with their `positions` were added; `indexed` positions are in the index now. The index is in the
    folder `path`, or in a folder for each of its `shards`.
    """

    path: Path
    shards: int = 1
    games: int = 0
    positions: int = 0
    indexed: int = 0
    rebuilt: bool = False
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Positions added per second."""
        return self.positions / self.seconds if self.seconds else 0.0

    @property
    def folders(self) -> list[Path]:
        """The folder of each shard."""
        return shard_paths(self.path, self.shards)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "path": str(self.path), "rate": self.rate}


def sync_positions(
    store: Store,
    directory: Path | None = None,
    *,
    allow_stale: bool = False,
    progress: Progress | None = None,
) -> tuple[OpenShards, PositionsReport]:
    """Bring the index of positions up to date with the archived games; return it and a report.

    `directory` holds all indexes (see `index_path`). With `allow_stale`, the last saved state of the index is
    returned, with a notice, while another process adds games or writes it (see `open_synced`). Raises
    `IndexUnavailableError`, `StoreError`.
    """
    started = perf_counter()
    path = index_path(store, DIRECTORY, directory)
    report = PositionsReport(path, shard_count(store))
    opened = []
    for number, folder in enumerate(report.folders):
        source = ArchivedPositions(store, Share(number, report.shards), progress, report.games)
        index, rebuilt = open_synced(folder, source, progress, allow_stale=allow_stale, whole=path)
        opened.append(index)
        report.games += source.games
        report.positions += source.positions
        report.rebuilt |= rebuilt
    if not allow_stale:
        remove_others(report)
    shards = OpenShards(opened)
    report.indexed = indexed_positions(shards)
    report.seconds = perf_counter() - started
    return shards, report


class ArchivedPositions:
    """The positions of a share of the archived games as the source of an index, or of one of its shards.

    `games` and `positions` are what the last update added. `before` is how many games were added to the
    previous shards. Terms are made by `workers` processes (default: one per core if there are many games).
    """

    # Games are never removed from a store.
    max_deleted = 0.0

    def __init__(
        self,
        store: Store,
        share: Share = WHOLE_ARCHIVE,
        progress: Progress | None = None,
        before: int = 0,
        workers: int | None = None,
    ) -> None:
        self._store, self._share, self._before, self._workers = store, share, before, workers
        self._progress = progress or Progress()
        self._opening = opening_moves(store)
        self.games = self.positions = 0
        self.origin: dict[str, object] = {
            "store": store.identity(),
            "positions": POSITIONS_VERSION,
            "after_move": self._opening,
        }
        if share != WHOLE_ARCHIVE:
            self.origin["share"] = list(share)
        self.schema = positions_schema()

    def is_current(self, index: Index) -> bool:
        """Return whether the last archived game is the last one that is indexed."""
        with self._store.reading() as session:
            return index.last_number == last_archived(session, self._share) and self._is_of(session, index)

    def _is_of(self, session: Session, index: Index) -> bool:
        """Return whether the last game in the index is archived with the same number of positions.

        After a database is replaced by an older copy, new games get numbers that other games had before.
        """
        number = index.last_number
        game = get_archived(session, [number]).get(number)
        if game is None:
            return number == 0
        plies = len(game.moves.split()) + 1 - first_ply(game.start, self._opening)
        # A game has one document if it is damaged or ends in the opening.
        return index.frequency("number", number) in (1, plies)

    def update(self, index: Index) -> None:
        """Add the positions of the games that are not indexed yet, and commit.

        Raises `IndexDamagedError` if the database has been replaced by an older copy.
        """
        # If the index is being rebuilt, the counts of an update that failed are dropped.
        self.games = self.positions = 0
        with self._store.reading() as session:
            if not self._is_of(session, index):
                raise of_another_state()
            missing = count_archived(session, index.last_number, self._share)
        # The shards that follow lack about as many games.
        total = self._before + missing * (self._share.of - self._share.remainder)
        with Writer(index) as writer:
            games = chunks_of(archived_after(self._store, index.last_number, self._share), CHUNK)
            workers = 1 if missing < WORTH_WORKERS else self._workers
            progress = progress_of(self._progress, total)
            encode = partial(documents_of, opening=self._opening)
            with closing(in_processes(encode, games, workers)) as encoded:
                for chunk in encoded:
                    self._add(writer, chunk)
                    progress.update("indexing", self._before + self.games, total, "game")
                    check_stopping(self._progress)

    def _add(self, writer: Writer, games: list[list[Document]]) -> None:
        for document in chain.from_iterable(games):
            writer.add(fields_of(document))
            self.positions += document.material != NO_POSITION
        self.games += len(games)
        if self.games % COMMIT_EVERY < len(games):
            writer.commit()


def shard_paths(path: Path, shards: int) -> list[Path]:
    """Return the folders of the shards of the index `path`; a single shard is in `path` itself."""
    if shards == 1:
        return [path]
    return [path.with_name(f"{path.name}-{number}of{shards}") for number in range(1, shards + 1)]


def indexed_positions(shards: OpenShards) -> int:
    """Return the number of positions in an index."""
    counts = counts_of(shards, [NOWHERE])
    return counts.count - counts.frequency(*NOWHERE)


def remove_others(report: PositionsReport) -> None:
    """Remove the folders of an index with another number of shards than in the report."""
    kept = {folder.name for folder in report.folders}
    for folder in report.path.parent.iterdir():
        name = _FOLDER.fullmatch(folder.name)
        if name and name["shard"] not in kept and is_replaceable(folder):
            shutil.rmtree(folder, ignore_errors=True)


def documents_of(games: list[NumberedGame], opening: int) -> list[list[Document]]:
    """Return the documents of each game, one for each position after `opening` moves of both sides."""
    return [_documents_of_game(number, start, moves, opening) for number, start, moves in games]


def _documents_of_game(number: int, start: str, moves: str, opening: int) -> list[Document]:
    documents: list[Document] = []
    # A game may be damaged in the database; python-chess asserts that there is a piece to move.
    with suppress(ValueError, AssertionError):
        documents = list(documents_at(number, _positions(start, moves.split(), opening)))
    return documents or [Document(number, 0, NO_POSITION, [])]


def _positions(start: str, moves: list[str], opening: int) -> Iterator[tuple[int, chess.Board]]:
    board = chess.Board(start or chess.STARTING_FEN)
    first = first_ply(start, opening)
    for ply in range(len(moves) + 1):
        if ply:
            board.push(chess.Move.from_uci(moves[ply - 1]))
        if ply >= first:
            yield ply, board


def documents_at(number: int, positions: Iterable[tuple[int, chess.Board]]) -> Iterator[Document]:
    """Yield the documents of a game's positions, given as plies and boards; one board may be reused."""
    terms = GameTerms()
    documents = (Document(number, ply, material_of(board), terms.families(board)) for ply, board in positions)
    for _, stretch in groupby(documents, key=lambda document: document.ply // STRETCH):
        first, *others = stretch
        words = set(" ".join(chain.from_iterable(one.families for one in (first, *others))).split())
        yield first._replace(stretch_terms=[number_of(word) for word in words])
        yield from others


def number_of(word: str) -> int:
    """Return a hash of a term, the same in every process. Two terms rarely have the same hash."""
    return crc32(word.encode())


def stretch_of(number: int, ply: int) -> int:
    """Return the number of the stretch that a position is in, given its game's number and its ply."""
    return number * _PLIES + ply - ply % STRETCH


def fields_of(document: Document) -> dict[str, object]:
    """Return the values of a document's fields, by name."""
    fields: dict[str, object] = {
        "number": document.number,
        "ply": document.ply,
        "material": document.material,
        STRETCH_NUMBER: stretch_of(document.number, document.ply),
    }
    if not document.families:
        return fields
    by_family = dict(zip(Family, document.families, strict=True))
    fields[PAWN_FIELD] = " ".join(pawn_terms(by_family[Family.PLACED].split()))
    fields[STRETCH_TERMS] = list(document.stretch_terms)
    return fields | by_family


def positions_schema() -> tantivy.Schema:
    """Return the fields of a position's document; nothing is stored."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", indexed=True, fast=True)
    builder.add_integer_field("ply", fast=True)
    builder.add_text_field("material", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(STRETCH_NUMBER, indexed=True, fast=True)
    builder.add_integer_field(STRETCH_TERMS, indexed=True)
    for field in (*Family, PAWN_FIELD):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option=FREQUENCIES)
    return builder.build()


def opening_moves(store: Store) -> int:
    """Return the number of opening moves that are not indexed. Raises `StoreError`."""
    return _number(store, FACT, OPENING_MOVES, "moves")


def shard_count(store: Store) -> int:
    """Return the number of shards of the index. Raises `StoreError`."""
    return _shards_set(store) or max(1, _number(store, SHARDS_FACT, 1, "shards"))


def _shards_set(store: Store) -> int:
    """Return the number of shards that a user has set, or 0."""
    return max(0, _number(store, SET_SHARDS_FACT, 0, "shards"))


def _number(store: Store, fact: str, default: int, unit: str) -> int:
    with store.reading() as session:
        stored = get_fact(session, fact)
    try:
        return default if stored is None else int(stored)
    except ValueError as error:
        raise StoreError(f"the database is damaged: {stored!r:.40} is not a number of {unit}") from error


def first_ply(start: str, opening: int) -> int:
    """Return the first ply that is indexed, after `opening` moves of both sides.

    A game that starts from a set-up position (`start`, a FEN) has no opening.
    """
    return 0 if start else 2 * opening


def set_opening_moves(store: Store, moves: int) -> None:
    """Set the number of opening moves; the index is rebuilt when it is next opened."""
    with store.session() as session:
        set_fact(session, FACT, str(moves))


def set_shards(store: Store, shards: int) -> None:
    """Set the number of shards for good; if it changes, the index is rebuilt when games are next added."""
    with store.session() as session:
        set_fact(session, SET_SHARDS_FACT, str(shards))


def grow_shards(store: Store, games: int) -> None:
    """Give the index as many shards as an archive of `games` games needs, unless a user has set the number.

    The number doubles, so that an index is rarely rebuilt.
    """
    shards = 1
    while games >= SHARD_GAMES * shards and shards < MOST_SHARDS:
        shards *= 2
    if not _shards_set(store) and shards != shard_count(store):
        with store.session() as session:
            set_fact(session, SHARDS_FACT, str(shards))


def is_opening(board: chess.Board, opening: int, move: int | None = None) -> bool:
    """Return whether a position probably belongs to the first `opening` moves.

    `move` is the number of the move to be played, if it is known. Otherwise the number of pieces on their
    initial squares decides.
    """
    if move is not None:
        return move <= opening
    developed = sum(board.piece_at(square) != piece for square, piece in _INITIAL.items())
    return developed < DEVELOPED_PER_MOVE * min(opening, OPENING_MOVES)
