"""The index of positions: one document for each position of an archived game after its opening.

A game without such a position has one document without terms, so that the highest number in the index
tells how far it goes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import chess
import tantivy

from chess_motif.material import material_of
from chess_motif.parallel import chunks_of, in_processes
from db.games import archived_after, count_archived, last_archived
from db.store import Store
from motifsearch.index import directory as indexes
from motifsearch.index.directory import FREQUENCIES, Index, Writer
from motifsearch.index.sync import ignore, up_to_date
from motifsearch.positions.opening import first_ply, opening_moves
from motifsearch.positions.terms import Family, GameTerms

# Raised when other terms are made of a position; indexes are then made anew.
POSITIONS_VERSION = 1

DIRECTORY = "positions"

# The material of the document of a game without a position after its opening.
NO_POSITION = "-"

# Games handed to a worker at a time: some 3,000 positions, 3 MB of terms.
CHUNK = 50

# With fewer games, starting workers takes longer than the work.
WORTH_WORKERS = 200

# Games between two commits, some 20 seconds of work: what is lost at most when the process is killed.
COMMIT_EVERY = 5000

# A game: its number, the FEN that it starts from (empty for the usual position), its moves in UCI.
Game = tuple[int, str, str]

# A document: the number of its game, the ply, the material, and a text of terms for each family.
Document = tuple[int, int, str, list[str]]


@dataclass
class PositionsReport:
    """What was done. `games` and `positions` were added; `indexed` positions are there now. Wall seconds."""

    path: Path
    games: int = 0
    positions: int = 0
    indexed: int = 0
    rebuilt: bool = False
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Positions added per second."""
        return self.positions / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "path": str(self.path), "rate": self.rate}


def bring_positions_up_to_date(
    store: Store,
    directory: Path | None = None,
    *,
    rebuild: bool = False,
    behind: bool = False,
    notice: Callable[[str], None] = ignore,
) -> tuple[Index, PositionsReport]:
    """Return the index of positions, holding those of exactly the archived games, and what that took.

    `directory` holds all indexes (default: `index.default_directory`). With `behind`, an index that another
    process is writing is returned as it is so far, with a notice. Raises `IndexUnavailableError`,
    `StoreError`.
    """
    started = perf_counter()
    path = (directory or indexes.default_directory(store)) / DIRECTORY
    report = PositionsReport(path)
    source = ArchivedPositions(store, report)
    index = up_to_date(path, source, rebuild=rebuild, behind=behind, notice=notice)
    report.indexed = index.count - index.searcher.doc_freq("material", NO_POSITION)
    report.seconds = perf_counter() - started
    return index, report


@dataclass
class ArchivedPositions:
    """The positions of a store's archived games, as what an index is made from."""

    store: Store
    report: PositionsReport
    origin: dict[str, object] = field(init=False)
    schema: tantivy.Schema = field(init=False)

    def __post_init__(self) -> None:
        """Take the settings from the store."""
        self._opening = opening_moves(self.store)
        self.origin = {
            "store": self.store.identity(),
            "positions": POSITIONS_VERSION,
            "after_move": self._opening,
        }
        self.schema = positions_schema()

    def is_in(self, index: Index) -> bool:
        """Tell whether the index goes as far as the archive."""
        with self.store.reading() as session:
            last = last_archived(session)
        return last == 0 or index.holds(last)

    def begins(self) -> None:
        """Take note that the index is made from nothing."""
        self.report.rebuilt = True
        self.report.games = self.report.positions = 0

    def bring(self, index: Index) -> None:
        """Add the positions of the games that the index lacks, and commit."""
        # Only here: most searches find the index complete and need no bar.
        from tqdm import tqdm

        with self.store.reading() as session, closing(Writer(index)) as writer:
            missing = count_archived(session, index.last_number)
            games = chunks_of(archived_after(session, index.last_number), CHUNK)
            few = missing < WORTH_WORKERS
            encode = partial(documents_of, opening=self._opening)
            # None: a bar on terminals only.
            bar = tqdm(total=missing, unit=" games", disable=True if few else None)
            with closing(in_processes(encode, games, 1 if few else None)) as encoded, bar:
                try:
                    for chunk in encoded:
                        self._add(writer, chunk)
                        bar.update(chunk.games)
                except KeyboardInterrupt:
                    # The next run goes on from here.
                    writer.commit()
                    raise
            writer.commit()

    def _add(self, writer: Writer, chunk: Encoded) -> None:
        for document in chunk.documents:
            writer.add(fields_of(document))
        committed = self.report.games // COMMIT_EVERY
        self.report.games += chunk.games
        self.report.positions += sum(bool(families) for *_, families in chunk.documents)
        if self.report.games // COMMIT_EVERY > committed:
            writer.commit()


@dataclass(frozen=True)
class Encoded:
    """The documents of some games."""

    games: int
    documents: list[Document]


def documents_of(games: list[Game], opening: int) -> Encoded:
    """Return the documents of games, of positions after an opening of so many moves of both sides."""
    documents: list[Document] = []
    for number, start, moves in games:
        board, followed = chess.Board(start or chess.STARTING_FEN), GameTerms()
        first = first_ply(start, opening)
        found = len(documents)
        words = moves.split()
        for ply in range(len(words) + 1):
            if ply:
                board.push(chess.Move.from_uci(words[ply - 1]))
            if ply >= first:
                documents.append((number, ply, material_of(board), followed.families(board)))
        if len(documents) == found:
            documents.append((number, 0, NO_POSITION, []))
    return Encoded(len(games), documents)


def fields_of(document: Document) -> dict[str, object]:
    """Return a document as the values of its fields."""
    number, ply, material, families = document
    fields: dict[str, object] = {"number": number, "ply": ply, "material": material}
    return fields | dict(zip(Family, families, strict=True)) if families else fields


def positions_schema() -> tantivy.Schema:
    """Return the fields of a position's document; nothing is stored."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", indexed=True, fast=True)
    builder.add_integer_field("ply", fast=True)
    builder.add_text_field("material", tokenizer_name="raw", index_option="basic")
    for family in Family:
        builder.add_text_field(family, tokenizer_name="whitespace", index_option=FREQUENCIES)
    return builder.build()
