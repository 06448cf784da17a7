"""Files of pairs: which positions make a pair, and which entries cannot be used.

A pair is a base position and a simplified one, each with its solution. Files are PGN with set-up positions,
whose main lines are the solutions, or CSV with the columns `fen,moves` (solver first, in SAN or UCI); both
may be compressed. Pairs are formed in one of four ways:

- by the tags, or columns, `PairId` and `Role` (base or simplified),
- by another tag: the two games with the same value,
- neighbouring games, or rows: the first, third, … are bases,
- the games of two files in the same order: the first file has the bases.

The way is guessed unless the caller chooses it. An entry that cannot be used keeps its place, so that the
pairs after it are still right, and is listed with the reason.

Generated pairs (`benchmarks.pairs`) have two more columns, filled in for the simplified position: `removed`,
the number of pieces removed, and `moved` (`yes` or `no`), whether the position was shifted on the board.

Simplified positions of courses may lack a king, which the rules of chess do not allow. The missing king is
put where it takes no part: no piece attacks it or can give check to it, and it attacks nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import chess

from chess_motif.boards import side_name
from chess_motif.errors import InputError, TableError
from chess_motif.notation import parse_line, parse_position
from chess_motif.text import counted
from puzzlegen.formats.lines import table_rows
from puzzlegen.formats.pgn import games_of, set_up_game
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.pgn import read_tags
from puzzlegen.games.split import RawGame
from puzzlegen.reasons.tactics import Tactics

PAIR_ID, ROLE = "PairId", "Role"
ROLES = ("base", "simplified")
COLUMNS = ("fen", "moves")
OWN_COLUMNS = ("pair_id", "role")
GENERATED_COLUMNS = ("removed", "moved")

# Tags in which courses may name the two positions of a pair.
NAMING_TAGS = ("White", "Event", "Black", "Round", "Annotator")

# The share of games that a tag must pair before pairs are formed by it.
PAIRED = 0.8

# The most pairs, or places, that a line names.
MOST_NAMED = 8

# The numbers of removed pieces, by the text of a cell.
_PIECES = {str(count): count for count in range(31)}

_COMPRESSED = re.compile(r"\.(zst|gz|bz2)$")
_CHESSBASE = (".cbh", ".cbv", ".cbf", ".2cbh")


@dataclass(frozen=True)
class SolvedPosition:
    """A puzzle position and its solution, solver first. The king on the square `added` was missing."""

    board: chess.Board
    moves: tuple[chess.Move, ...]
    added: chess.Square | None = None

    def tactics(self) -> Tactics:
        """Return the tactics of the solution."""
        return Tactics(self.board, self.moves)


@dataclass(frozen=True)
class Pair:
    """Two positions with the same motif, and their `places` in the files.

    A generated pair has the number of pieces `removed` from the base position, and whether the rest was
    `moved` on the board.
    """

    id: str
    base: SolvedPosition
    simplified: SolvedPosition
    removed: int | None = None
    moved: bool = False
    places: tuple[str, str] = field(default=("", ""), compare=False)

    @property
    def both(self) -> tuple[SolvedPosition, SolvedPosition]:
        """Both positions, the base first."""
        return self.base, self.simplified

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


class Formed(StrEnum):
    """How the pairs of a file are formed; the value is the beginning of the description."""

    IDS = f"by {PAIR_ID} and {ROLE}"
    TAG = "by the same value of"
    NEIGHBOURS = "from neighbouring positions, the first of two is the base"
    FILES = "from two files in the same order, the first one has the bases"


@dataclass
class PairFile:
    """The contents of a file of pairs: how they are `formed`, in words, and whether that was `guessed`."""

    pairs: list[Pair] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    formed: str = Formed.IDS.value
    guessed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the contents as one JSON document."""
        pairs = [
            {"id": pair.id, "places": pair.places}
            | {
                role: {"fen": each.board.fen(), "moves": [move.uci() for move in each.moves]}
                for role, each in zip(ROLES, pair.both, strict=True)
            }
            for pair in self.pairs
        ]
        return {"notes": self.notes, "pairs": pairs, "skipped": [vars(each) for each in self.skipped]}

    @property
    def notes(self) -> list[str]:
        """What a reader should know about how the pairs were formed."""
        notes = [f"{counted(len(self.pairs), 'pair')} {self.formed}{' (guessed)' if self.guessed else ''}"]
        added = [pair.id for pair in self.pairs if any(each.added is not None for each in pair.both)]
        if added:
            notes.append(f"{len(added)} with a missing king, put where it takes no part: {few(added)}")
        larger = sum(_pieces(pair.simplified) > _pieces(pair.base) for pair in self.pairs)
        if 2 * larger > len(self.pairs):
            notes.append(
                f"in {larger} of {counted(len(self.pairs), 'pair')} the simplified position has more pieces "
                "than the base: is the order right?"
            )
        return notes


@dataclass(frozen=True)
class _Entry:
    """A row of CSV or a game of PGN: its tags, and its position with solution, or why there is none."""

    place: str
    tags: Mapping[str, str]
    solved: SolvedPosition | InputError


def read_pairs(path: Path, second: Path | None = None, *, neighbours: bool = False) -> PairFile:
    """Return the pairs in a file, or of two files, in the order in which their first positions appear.

    With `neighbours`, pairs are formed from neighbouring positions; otherwise, the way is guessed. Raises
    `TableError` if a file is neither CSV nor PGN, lacks a column, or has no games, and `ArchiveError` if a
    file cannot be read.
    """
    entries = _entries(path)
    if second is not None:
        return _in_order(entries, _entries(second), PairFile(formed=Formed.FILES))
    if not neighbours and any(PAIR_ID in entry.tags for entry in entries):
        return _by_ids(entries, PairFile())
    tag = None if neighbours else _naming_tag(entries)
    if tag is not None:
        return _by_tag(entries, tag, PairFile(formed=f"{Formed.TAG} {tag}", guessed=True))
    found = PairFile(formed=Formed.NEIGHBOURS, guessed=not neighbours)
    return _in_order(entries[::2], entries[1::2], found)


def _entries(path: Path) -> list[_Entry]:
    suffix = Path(_COMPRESSED.sub("", path.name.lower())).suffix
    if suffix in _CHESSBASE:
        raise TableError(
            f"{path}: is a database of ChessBase; save its games there as PGN (select all games, then "
            "Output/Selection to text file), or convert it with cbh2pgn"
        )
    if suffix not in (".csv", ".pgn"):
        raise TableError(f"{path}: the name must end in .csv or .pgn, or in that and .zst, .gz or .bz2")
    with open_archive(str(path)) as archive:
        found = list(_rows(archive) if suffix == ".csv" else _games(archive))
    if not found and suffix == ".pgn":
        raise TableError(f"{path}: no games found")
    return found


def _rows(archive: Archive) -> Iterator[_Entry]:
    names = {"pair_id": PAIR_ID, "role": ROLE}
    for place, row in table_rows(archive, COLUMNS, (*OWN_COLUMNS, *GENERATED_COLUMNS)):
        try:
            cells = row.cells()
        except InputError as error:
            yield _Entry(place, {PAIR_ID: ""} if "pair_id" in row.header else {}, error)
            continue
        tags = {names.get(name, name): cell.strip() for name, cell in cells.items()}

        def read(fen: str, moves: str = cells["moves"]) -> SolvedPosition:
            board = parse_position(fen)
            return SolvedPosition(board, tuple(parse_line(board, moves)))

        yield _Entry(place, tags, _solved(cells["fen"], read))


def _games(archive: Archive) -> Iterator[_Entry]:
    for place, raw in games_of(archive):
        tags = read_tags(raw)

        def read(fen: str, raw: RawGame = raw, own: str = tags.get("FEN", "")) -> SolvedPosition:
            text = raw.text.replace(f'"{own}"'.encode(), f'"{fen}"'.encode(), 1)
            game = set_up_game(raw._replace(text=text))
            return SolvedPosition(game.start, game.moves)

        yield _Entry(place, tags, _solved(tags.get("FEN", ""), read))


def _solved(fen: str, read: Callable[[str], SolvedPosition]) -> SolvedPosition | InputError:
    """Return what `read` returns for a FEN, with a missing king added, or why the FEN cannot be used."""
    try:
        return read(fen)
    except InputError as error:
        placement, *rest = fen.split() or [""]
        board = chess.Board(None)
        with suppress(ValueError):
            board.set_board_fen(placement)
        missing = [side for side in chess.COLORS if not board.kings & board.occupied_co[side]]
        if not board.occupied or len(missing) != 1:
            return error
        for square in chess.scan_reversed(~board.occupied & chess.BB_ALL):
            board.set_piece_at(square, chess.Piece(chess.KING, missing[0]))
            with suppress(InputError):
                solved = read(" ".join([board.board_fen(), *rest]))
                if _takes_no_part(solved, square):
                    return replace(solved, added=square)
            board.remove_piece_at(square)
        return TableError(f"{side_name(missing[0])} has no king, and a king would take part anywhere")


def _takes_no_part(solved: SolvedPosition, king: chess.Square) -> bool:
    """Return whether a king takes no part in a solution: it is not attacked, and attacks nothing."""
    board = solved.board.copy()
    side, near = board.color_at(king), chess.BB_KING_ATTACKS[king]
    for move in (*solved.moves, None):
        is_reached = any(board.attackers_mask(colour, king) for colour in chess.COLORS)
        if is_reached or near & board.occupied:
            return False
        # A check to the added king would be another solution, or another defence.
        if board.turn is not side and any(map(board.gives_check, board.legal_moves)):
            return False
        if move is None:
            break
        if near & (chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]):
            return False
        board.push(move)
    return True


def _naming_tag(entries: Sequence[_Entry]) -> str | None:
    """Return the tag of which most values name two games each, or None."""
    for tag in NAMING_TAGS:
        counts = Counter(entry.tags[tag] for entry in entries if tag in entry.tags)
        if 2 * sum(count == 2 for count in counts.values()) >= PAIRED * len(entries):
            return tag
    return None


def _by_tag(entries: Sequence[_Entry], tag: str, found: PairFile) -> PairFile:
    by_value: defaultdict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        if not entry.tags.get(tag):
            found.skipped.append(Skipped(entry.place, f"has no {tag}"))
        else:
            by_value[entry.tags[tag]].append(entry)
    for value, same in by_value.items():
        if len(same) == 2:
            _add(found, value, *same)
        else:
            places = few([entry.place for entry in same])
            found.skipped.append(Skipped(f"{tag} {value!r}", f"is in {counted(len(same), 'game')}: {places}"))
    return found


def _by_ids(entries: Sequence[_Entry], found: PairFile) -> PairFile:
    by_pair: dict[str, dict[str, _Entry]] = {}
    for entry in entries:
        name, role = entry.tags.get(PAIR_ID, "").strip(), entry.tags.get(ROLE, "").strip().lower()
        reason = ""
        if isinstance(entry.solved, InputError):
            reason = str(entry.solved)
        elif not name:
            reason = "no pair id"
        elif role not in ROLES:
            reason = f"the role is {role!r}, not base or simplified"
        elif role in by_pair.setdefault(name, {}):
            reason = f"pair {name} already has a {role} position"
        if reason:
            found.skipped.append(Skipped(entry.place, reason))
        else:
            by_pair[name][role] = entry
    for name, roles in by_pair.items():
        missing = [role for role in ROLES if role not in roles]
        if missing:
            found.skipped.append(Skipped(f"pair {name}", f"has no usable {missing[0]} position"))
        else:
            _add(found, name, roles["base"], roles["simplified"])
    return found


def _in_order(bases: Sequence[_Entry], simplified: Sequence[_Entry], found: PairFile) -> PairFile:
    for number, pair in enumerate(zip(bases, simplified, strict=False), 1):
        _add(found, str(number), *pair)
    for alone in (*bases[len(simplified) :], *simplified[len(bases) :]):
        found.skipped.append(Skipped(alone.place, "has no partner"))
    return found


def _add(found: PairFile, name: str, base: _Entry, simplified: _Entry) -> None:
    """Add a pair, or the reason why it cannot be used."""
    if isinstance(base.solved, InputError):
        found.skipped.append(Skipped(base.place, str(base.solved)))
    elif isinstance(simplified.solved, InputError):
        found.skipped.append(Skipped(simplified.place, str(simplified.solved)))
    else:
        removed, moved = (simplified.tags.get(column, "") for column in GENERATED_COLUMNS)
        places = (base.place, simplified.place)
        pair = Pair(name, base.solved, simplified.solved, _PIECES.get(removed), moved == "yes", places)
        found.pairs.append(pair)


def _pieces(solved: SolvedPosition) -> int:
    return chess.popcount(solved.board.occupied)


def few(names: Sequence[str]) -> str:
    """Return the first few names, separated by commas."""
    return ", ".join([*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])])
