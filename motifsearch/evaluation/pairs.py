"""Reading and writing pairs of positions that share a motif: a base position and a simplified one.

CSV with the columns `pair_id,role,fen,moves` (role `base` or `simplified`, the solution in UCI, solver
first), or PGN with set-up positions and the headers `PairId` and `Role`, whose main line is the solution. The
format follows from the suffix, .csv or .pgn. Entries that cannot be used are skipped, and listed with their
place and the reason.

Generated pairs (see `generated_pairs`) have two more columns, filled in for the simplified position:
`removed`, the number of pieces removed, and `moved` (`yes` or `no`), whether it was moved on the board.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import chess

from chess_motif.errors import InputError, TableError
from chess_motif.notation import parse_moves, parse_position
from chess_motif.output import output
from puzzlegen.formats.lines import csv_header, csv_row, lines_of, read_entries
from puzzlegen.formats.pgn import games_of, set_up_game
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.split import RawGame

COLUMNS = ("pair_id", "role", "fen", "moves")
GENERATED_COLUMNS = ("removed", "moved")
ROLES = ("base", "simplified")

# How many pieces can have been removed, as a cell says it.
_PIECES = {str(count): count for count in range(31)}


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


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write generated pairs as CSV; the file appears when it is complete, or not at all.

    Raises `InputError` when it cannot be written.
    """
    with output(str(path)) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*COLUMNS, *GENERATED_COLUMNS])
        for pair in pairs:
            for role, solved, *facts in (
                ("base", pair.base, "", ""),
                ("simplified", pair.simplified, pair.removed, "yes" if pair.moved else "no"),
            ):
                moves = " ".join(move.uci() for move in solved.moves)
                writer.writerow([pair.id, role, solved.board.fen(), moves, *facts])


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
    lines = lines_of(archive)
    header = csv_header(lines, COLUMNS, archive.name)
    return read_entries(lines, lambda line: _row_entry(csv_row(header, line)))


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
    moves = " ".join(move.uci() for move in game.moves)
    return _entry(game.header("PairId"), game.header("Role"), game.start, moves)
