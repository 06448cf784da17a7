"""Pairs of positions that share a motif, and how often a search for one finds the other.

A pair is a base position and a simplified one, each with its solution. A file of pairs is CSV with the
columns `pair_id,role,fen,moves` (role `base` or `simplified`, the solution in UCI, solver first), or PGN with
set-up positions and the headers `PairId` and `Role`, whose main line is the solution. The format follows from
the suffix, .csv or .pgn. Entries that cannot be used are skipped, and listed with their place and the reason.

Generated pairs (`benchmarks.pairs`) have two more columns, filled in for the simplified position: `removed`,
the number of pieces removed, and `moved` (`yes` or `no`), whether it was moved on the board.

The experiment is that of Bizjak & Guid (ACG 2021): the simplified positions are the documents, each base
position is a query, and the rank of its partner among all documents counts. There may be other documents.
Ties count against the partner: documents with the same score rank before it. A partner that shares no term
with the query ranks last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess

from chess_motif.errors import InputError, TableError
from chess_motif.notation import parse_moves, parse_position, uci_line
from motifsearch.index.bm25 import DIGITS, Clause, search
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Encoded, index_in_memory
from motifsearch.puzzles.ranking import FIELDS_BY, By, clauses, scores
from motifsearch.terms.encoding import DEFAULT, ENCODINGS, Encoding, encode, query_terms
from puzzlegen.formats.lines import read_entries, read_table
from puzzlegen.formats.pgn import games_of, set_up_game
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.split import RawGame

COLUMNS = ("pair_id", "role", "fen", "moves")
GENERATED_COLUMNS = ("removed", "moved")
ROLES = ("base", "simplified")

# How many pieces can have been removed, as a cell says it.
_PIECES = {str(count): count for count in range(31)}

# Scores that differ by less are equal except for rounding.
SAME_SCORE = 10.0**-DIGITS

# A partner counts as found if it is among this many first results.
DEPTHS = (1, 5, 10)

# What the paper calls the three kinds of terms.
PAPER_NAMES: Mapping[By, str] = {By.STATIC: "static", By.DYNAMIC: "dynamic", By.COMBINED: "all"}

# The figures of Bizjak & Guid 2021: shares found in the top 1, 5 and 10, for the pairs of the CT-ART course.
PAPER_FIGURES: Mapping[By, tuple[float, float, float]] = {
    By.STATIC: (0.252, 0.370, 0.433),
    By.DYNAMIC: (0.418, 0.652, 0.761),
    By.COMBINED: (0.481, 0.736, 0.814),
}
PAPER_NOTE = (
    "The published figures are for the pairs of the CT-ART course. They cannot be compared with figures for "
    "other pairs."
)
GENERATED_NOTE = (
    "Generated pairs: puzzles and the same puzzles with fewer pieces, made by a program. They are not "
    "the pairs of the CT-ART course, and figures for them cannot be compared with those of the paper."
)


@dataclass(frozen=True)
class SolvedPosition:
    """A puzzle position and its solution, solver first."""

    board: chess.Board
    moves: tuple[chess.Move, ...]


@dataclass(frozen=True)
class Pair:
    """Two positions with the same motif.

    A generated pair has the number of pieces `removed` from the base position, and says whether the rest was
    `moved` on the board.
    """

    id: str
    base: SolvedPosition
    simplified: SolvedPosition
    removed: int | None = None
    moved: bool = False

    @property
    def generated(self) -> bool:
        """Whether the pair was made by a program."""
        return self.removed is not None


@dataclass(frozen=True)
class Skipped:
    """An entry that was skipped; `place` is a line, a game or a pair of the file."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass
class PairFile:
    """The contents of a file of pairs."""

    pairs: list[Pair] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    """One of the two positions of a pair: a row of CSV, or a game of PGN."""

    pair_id: str
    role: str
    solved: SolvedPosition
    removed: int | None
    moved: bool


def read_pairs(path: Path) -> PairFile:
    """Return the pairs in a file, in the order in which their first positions appear.

    Raises `TableError` if the file is neither CSV nor PGN, lacks a column, or has no games, and
    `ArchiveError` if it cannot be read.
    """
    readers = {".csv": _csv_entries, ".pgn": _pgn_entries}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise TableError(f"{path}: the name must end in .csv or .pgn")
    with open_archive(str(path)) as archive:
        return _paired(reader(archive))


def _paired(entries: Iterator[tuple[str, _Entry | InputError]]) -> PairFile:
    contents = PairFile()
    by_pair: dict[str, dict[str, _Entry]] = {}
    for place, entry in entries:
        if isinstance(entry, InputError):
            contents.skipped.append(Skipped(place, str(entry)))
        elif entry.role in by_pair.setdefault(entry.pair_id, {}):
            reason = f"pair {entry.pair_id} already has a {entry.role} position"
            contents.skipped.append(Skipped(place, reason))
        else:
            by_pair[entry.pair_id][entry.role] = entry
    for pair_id, roles in by_pair.items():
        missing = [role for role in ROLES if role not in roles]
        if missing:
            contents.skipped.append(Skipped(f"pair {pair_id}", f"has no usable {missing[0]} position"))
        else:
            base, simple = roles["base"], roles["simplified"]
            contents.pairs.append(Pair(pair_id, base.solved, simple.solved, simple.removed, simple.moved))
    return contents


def _entry(
    pair_id: str, role: str, board: chess.Board, moves: str, removed: str = "", moved: str = ""
) -> _Entry:
    role = role.strip().lower()
    if not pair_id.strip():
        raise TableError("no pair id")
    if role not in ROLES:
        raise TableError(f"the role is {role!r}, not base or simplified")
    solved = SolvedPosition(board, tuple(parse_moves(board, moves)))
    return _Entry(pair_id.strip(), role, solved, _PIECES.get(removed), moved == "yes")


def _csv_entries(archive: Archive) -> Iterator[tuple[str, _Entry | InputError]]:
    return read_table(archive, COLUMNS, _row_entry, GENERATED_COLUMNS)


def _row_entry(row: dict[str, str]) -> _Entry:
    board = parse_position(row["fen"])
    generated = [row.get(column, "").strip() for column in GENERATED_COLUMNS]
    return _entry(row["pair_id"], row["role"], board, row["moves"], *generated)


def _pgn_entries(archive: Archive) -> Iterator[tuple[str, _Entry | InputError]]:
    games = 0
    for entry in read_entries(games_of(archive), _game_entry):
        games += 1
        yield entry
    if not games:
        raise TableError(f"{archive.name}: no games found")


def _game_entry(raw: RawGame) -> _Entry:
    game = set_up_game(raw)
    moves = uci_line(game.moves)
    return _entry(game.header("PairId"), game.header("Role"), game.start, moves)


@dataclass(frozen=True)
class Accuracy:
    """The shares of partners among the first 1, 5 and 10 results, and the mean reciprocal rank (all 0…1)."""

    top1: float
    top5: float
    top10: float
    mrr: float


@dataclass(frozen=True)
class AccuracyReport:
    """The ranks of all partners: `ranks[mode][by]` is in the order of `pairs`, and 1 is the best rank.

    A mode is the name of an encoding. `documents` is the number of positions searched.
    """

    pairs: Sequence[Pair]
    skipped: Sequence[Skipped]
    documents: int
    ranks: Mapping[str, Mapping[By, Sequence[int]]]

    @property
    def moved(self) -> int:
        """The number of simplified positions that were moved on the board."""
        return sum(pair.moved for pair in self.pairs)

    @property
    def generated(self) -> bool:
        """Whether some of the pairs are generated."""
        return any(pair.generated for pair in self.pairs)

    @property
    def note(self) -> str:
        """How to read the figures."""
        return GENERATED_NOTE if self.generated else PAPER_NOTE

    def accuracy(self, mode: str, by: By, *, moved: bool = False) -> Accuracy:
        """Return the accuracy for all pairs, or only for those with a moved simplified position."""
        ranks = [
            rank
            for pair, rank in zip(self.pairs, self.ranks[mode][by], strict=True)
            if pair.moved or not moved
        ]
        top1, top5, top10 = (sum(rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS)
        return Accuracy(top1, top5, top10, sum(1 / rank for rank in ranks) / len(ranks))

    def worst_first(self) -> list[tuple[Pair, dict[str, dict[By, int]]]]:
        """Return each pair with its ranks; those found last by all terms in default mode come first."""
        ranked, modes = [], self.ranks.items()
        for place, pair in enumerate(self.pairs):
            ranks = {mode: {by: all_ranks[place] for by, all_ranks in kinds.items()} for mode, kinds in modes}
            ranked.append((pair, ranks))
        return sorted(ranked, key=lambda item: -item[1][DEFAULT.name][By.COMBINED])

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "pairs": len(self.pairs),
            "documents": self.documents,
            "generated": self.generated,
            "accuracy": self._accuracies(moved=False),
            "moved_pairs": self.moved,
            "moved_accuracy": self._accuracies(moved=True) if self.moved else None,
            "paper": {
                "note": self.note,
                **{
                    PAPER_NAMES[by]: dict(zip(("top1", "top5", "top10"), figures, strict=True))
                    for by, figures in PAPER_FIGURES.items()
                },
            },
            "ranks": [
                {"pair_id": pair.id, "removed": pair.removed, "moved": pair.moved}
                | {
                    mode: {PAPER_NAMES[by]: rank for by, rank in kinds.items()}
                    for mode, kinds in ranks.items()
                }
                for pair, ranks in self.worst_first()
            ],
            "skipped": [vars(skipped) for skipped in self.skipped],
        }

    def _accuracies(self, *, moved: bool) -> dict[str, dict[str, dict[str, float]]]:
        return {
            mode: {PAPER_NAMES[by]: vars(self.accuracy(mode, by, moved=moved)) for by in kinds}
            for mode, kinds in self.ranks.items()
        }


def measure_pairs(file: PairFile, others: Sequence[SolvedPosition] = ()) -> AccuracyReport:
    """Return the ranks of the partners of a file, in each mode and by each kind of terms.

    `others` are further documents, without a base position. Raises `TableError` when there is no pair.
    """
    if not file.pairs:
        reason = f" ({file.skipped[0]})" if file.skipped else ""
        raise TableError(f"no usable pair to measure{reason}")
    documents = [*(pair.simplified for pair in file.pairs), *others]
    ranks = {name: _ranks(file.pairs, documents, encoding) for name, encoding in ENCODINGS.items()}
    return AccuracyReport(file.pairs, file.skipped, len(documents), ranks)


def _ranks(
    pairs: Sequence[Pair], documents: Sequence[SolvedPosition], encoding: Encoding
) -> dict[By, list[int]]:
    index = index_in_memory(
        Encoded.of(number, str(number), encode(document.board, document.moves, encoding))
        for number, document in enumerate(documents)
    )
    queries = [query_terms(encode(pair.base.board, pair.base.moves, encoding)) for pair in pairs]
    return {
        by: [
            _rank(index, clauses(index, terms, encoding, FIELDS_BY[by]), str(number))
            for number, terms in enumerate(queries)
        ]
        for by in PAPER_FIGURES
    }


def _rank(index: Index, query: Sequence[Clause], partner: str) -> int:
    partner_score = scores(index, query, [partner])[partner]
    if partner_score == 0:
        return index.count
    return sum(score > partner_score - SAME_SCORE for score, _ in search(index, query, index.count))
