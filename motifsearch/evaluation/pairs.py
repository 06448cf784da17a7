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
from typing import TextIO

import chess
import chess.pgn

from chess_motif.errors import InputError, PositionError, TableError, reason_of
from chess_motif.notation import parse_moves, parse_position
from chess_motif.output import output

COLUMNS = ("pair_id", "role", "fen", "moves")
GENERATED_COLUMNS = ("removed", "moved")
ROLES = ("base", "simplified")


@dataclass(frozen=True)
class Line:
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
    base: Line
    simplified: Line
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


@dataclass
class PairFile:
    """The contents of a file of pairs."""

    pairs: list[Pair] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    """One of the two positions of a pair: a row of CSV, or a game of PGN."""

    place: str
    pair_id: str
    role: str
    line: Line
    removed: int | None
    moved: bool


def read_pairs(path: Path) -> PairFile:
    """Return the pairs in a file, in the order in which their first positions appear.

    Raises `TableError` if the file is neither CSV nor PGN or lacks a column, `InputError` if it cannot be
    read.
    """
    readers = {".csv": _read_csv, ".pgn": _read_pgn}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise TableError(f"{path}: the name must end in .csv or .pgn")
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return _paired(reader(file, str(path)))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {reason_of(error)}") from error


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write generated pairs as CSV; the file appears when it is complete, or not at all.

    Raises `InputError` when it cannot be written.
    """
    with output(str(path)) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*COLUMNS, *GENERATED_COLUMNS])
        for pair in pairs:
            for role, line, *facts in (
                ("base", pair.base, "", ""),
                ("simplified", pair.simplified, pair.removed, "yes" if pair.moved else "no"),
            ):
                moves = " ".join(move.uci() for move in line.moves)
                writer.writerow([pair.id, role, line.board.fen(), moves, *facts])


def _paired(entries: Iterator[_Entry | Skipped]) -> PairFile:
    contents = PairFile()
    by_pair: dict[str, dict[str, _Entry]] = {}
    for entry in entries:
        if isinstance(entry, Skipped):
            contents.skipped.append(entry)
        elif entry.role in by_pair.setdefault(entry.pair_id, {}):
            reason = f"pair {entry.pair_id} already has a {entry.role} position"
            contents.skipped.append(Skipped(entry.place, reason))
        else:
            by_pair[entry.pair_id][entry.role] = entry
    for pair_id, roles in by_pair.items():
        missing = [role for role in ROLES if role not in roles]
        if missing:
            contents.skipped.append(Skipped(f"pair {pair_id}", f"has no usable {missing[0]} position"))
        else:
            base, simple = roles["base"], roles["simplified"]
            contents.pairs.append(Pair(pair_id, base.line, simple.line, simple.removed, simple.moved))
    return contents


def _entry(
    place: str, pair_id: str, role: str, board: chess.Board, moves: str, removed: str = "", moved: str = ""
) -> _Entry | Skipped:
    role = role.strip().lower()
    if not pair_id.strip():
        return Skipped(place, "no pair id")
    if role not in ROLES:
        return Skipped(place, f"the role is {role!r}, not base or simplified")
    try:
        line = Line(board, tuple(parse_moves(board, moves)))
    except PositionError as error:
        return Skipped(place, str(error))
    count = int(removed) if removed.isdecimal() else None
    return _Entry(place, pair_id.strip(), role, line, count, moved == "yes")


def _read_csv(file: TextIO, name: str) -> Iterator[_Entry | Skipped]:
    header: list[str] = []
    # Line by line, so that a stray quotation mark spoils one row and not the rest of the file.
    for number, text in enumerate(file, start=1):
        place = f"line {number}"
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error as error:
            yield Skipped(place, str(error))
            continue
        if not header:
            header = [cell.strip().lower() for cell in cells]
            _require_columns(header, name)
        elif not cells:
            continue
        elif len(cells) != len(header):
            yield Skipped(place, f"{len(cells)} cells where the header has {len(header)}")
        else:
            row = dict(zip(header, cells, strict=True))
            try:
                board = parse_position(row["fen"])
            except PositionError as error:
                yield Skipped(place, str(error))
            else:
                generated = [row.get(column, "").strip() for column in GENERATED_COLUMNS]
                yield _entry(place, row["pair_id"], row["role"], board, row["moves"], *generated)
    if not header:
        _require_columns(header, name)


def _require_columns(header: list[str], name: str) -> None:
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise TableError(f"{name}: no column {', '.join(missing)}; it needs {', '.join(COLUMNS)}")


class _QuietBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Records errors in the game only; python-chess also logs them."""

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)


def _read_pgn(file: TextIO, name: str) -> Iterator[_Entry | Skipped]:
    number = 0
    while (game := chess.pgn.read_game(file, Visitor=_QuietBuilder)) is not None:
        number += 1
        place = f"game {number}"
        headers = game.headers
        if "FEN" not in headers:
            yield Skipped(place, "no set-up position (header FEN)")
            continue
        try:
            board = parse_position(headers["FEN"])
        except PositionError as error:
            yield Skipped(place, str(error))
            continue
        if game.errors:
            yield Skipped(place, " ".join(str(game.errors[0]).split()))
            continue
        moves = " ".join(move.uci() for move in game.mainline_moves())
        yield _entry(place, headers.get("PairId", ""), headers.get("Role", ""), board, moves)
    if number == 0:
        raise TableError(f"{name}: no games found")
