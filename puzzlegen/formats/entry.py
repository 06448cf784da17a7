"""The puzzle of an entry in a file of any format, and the facts that the file has about the puzzle.

Facts are named texts: the columns of a CSV file after the moves, or the tags of a PGN file, with `Puzzle`
before the name. The schema of Lichess has columns for the facts in `LICHESS` only. Unknown facts are empty.
`Accepted` has moves in UCI, separated by commas; `Kind` is empty for a puzzle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from chess_motif.errors import InputError, TableError
from chess_motif.material import capture_by
from chess_motif.notation import parse_move, parse_moves, parse_position, uci_line
from db.models import DeletedPuzzle, Kind, Puzzle
from db.puzzles import LARGEST_GAP, MINED, puzzle_id
from puzzlegen.formats.lines import read_entries
from puzzlegen.games.archive import Archive
from puzzlegen.verify.ending import Ending

if TYPE_CHECKING:
    from puzzlegen.reasons.tactics import Tactics


class Parsed(NamedTuple):
    """A puzzle, with its game if that is in the file, and the tactics of its solution for White to move."""

    puzzle: Puzzle
    tactics: Tactics


# A place in a file, such as `line 3`, and the puzzle there, a puzzle to delete, or an error.
Entry = tuple[str, Parsed | DeletedPuzzle | InputError]


class Reader(NamedTuple):
    """Reads the puzzles of a format.

    `items` yields the unparsed entries of a file, each with its place, and raises `ArchiveError` where the
    file is damaged. `parse` returns the puzzle of an entry, and raises `InputError`. `facts` quickly returns
    the facts of an entry without parsing the moves, and raises `InputError`; it is None if `parse` is as
    fast. `name` quickly returns the id of an entry of `source`, by which it need not be parsed again once it
    is stored.
    """

    items: Callable[[Archive], Iterator[tuple[str, Any]]]
    parse: Callable[[Any], Parsed | DeletedPuzzle]
    facts: Callable[[Any], Mapping[str, str]] | None = None
    name: Callable[[Any], str] | None = None
    source: str = ""

    def __call__(self, archive: Archive) -> Iterator[Entry]:
        """Yield the entries of a file. Raises `ArchiveError` where it is damaged."""
        return read_entries(self.items(archive), self.parse)


# The column of a stored puzzle for each fact.
FACTS = {
    "Kind": "kind",
    "Accepted": "accepted",
    "Rating": "rating",
    "RatingDeviation": "rating_deviation",
    "Popularity": "popularity",
    "NbPlays": "plays",
    "Themes": "themes",
    "GameUrl": "game_url",
    "OpeningTags": "opening_tags",
    "Source": "source",
    "Gap": "gap",
    "SolverFound": "solver_found",
    "Difficulty": "difficulty",
    "DifficultyMargin": "difficulty_margin",
    "FirstMoveChance": "first_move_chance",
}

# The facts that have a column in the Lichess database.
LICHESS = ("Rating", "RatingDeviation", "Popularity", "NbPlays", "Themes", "GameUrl", "OpeningTags")

# The largest number that every database can store.
LARGEST_NUMBER = 2**31 - 1

# Higher than any rating on any scale.
LARGEST_RATING = 10_000.0

_INTEGER = re.compile(r"[-+]?[0-9]+")
_YES_NO = {"yes": True, "no": False, "": None}


def after_blunder(fen: str, uci: str) -> chess.Board:
    """Return the position of a puzzle, with the opponent's move on its move stack. Raises `PositionError`."""
    position = parse_position(fen)
    position.push(parse_move(position, uci))
    return position


def parsed_puzzle(
    position: chess.Board,
    solution: Sequence[str],
    source: str,
    source_id: str,
    *,
    facts: Mapping[str, str] | None = None,
    outcome: str = "",
) -> Parsed:
    """Return a puzzle that starts at `position`, which has the opponent's move, if known, on its move stack.

    `solution` has UCI moves, solver first; a reply at its end is dropped. `source` is used if the `facts`
    have no source. The tags, and the `outcome` if not given, are found from the moves. Raises `PositionError`
    if a move is not legal, and `TableError` if a fact cannot be read.
    """
    # Imported only here: whoever reads no puzzles needs no reasons.
    from puzzlegen.reasons.tactics import Tactics

    facts = facts or {}
    moves = parse_moves(position, " ".join(solution[: len(solution) - 1 + len(solution) % 2]))
    before = position.copy()
    blunder = before.pop() if before.move_stack else None
    capture = capture_by(before, blunder) if blunder else None
    kind, accepted = _kind(facts, position, moves[0])
    tactics = Tactics(position, moves, capture).with_white_to_move()
    outcome = outcome or tactics.ending() or ""
    # The line of an exercise may end in a mate that is not forced, and then has no theme `mate`.
    is_forced = kind == Kind.PUZZLE or len(moves) == 1 or "mate" in facts.get("Themes", outcome).split()
    if outcome == Ending.MATE and not is_forced:
        outcome = Ending.MATERIAL.value
    tags = tactics.tags(is_forced=is_forced, holds=outcome == Ending.HELD)
    fen = position.fen()
    name = puzzle_id(fen, moves[0])
    puzzle = Puzzle(
        id=name,
        kind=kind,
        fen=before.fen(),
        blunder=blunder.uci() if blunder else "",
        puzzle_fen=fen,
        solution=uci_line(moves),
        accepted=accepted,
        outcome=outcome,
        tags=" ".join(tags),
        source=source,
        # Puzzles that we have exported have our id.
        source_id="" if source_id == name else source_id,
    )
    _set_facts(puzzle, facts)
    return Parsed(puzzle, tactics)


def facts_of(puzzle: Puzzle) -> dict[str, str]:
    """Return the facts of a stored puzzle. The themes include our own tags; only exercises have a kind."""
    return {name: _text(getattr(puzzle, column)) for name, column in FACTS.items()} | {
        "Kind": "" if puzzle.kind == Kind.PUZZLE else puzzle.kind,
        "Accepted": ",".join(puzzle.accepted.split()),
        "Themes": " ".join(puzzle.all_tags()),
    }


def _text(value: str | float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _kind(facts: Mapping[str, str], position: chess.Board, best: chess.Move) -> tuple[str, str]:
    """Return the columns `kind` and `accepted`, after checking that they match."""
    kind, accepted = facts.get("Kind") or Kind.PUZZLE.value, facts.get("Accepted", "").split(",")
    moves = [parse_move(position, uci) for uci in filter(None, accepted)]
    if kind not in set(Kind):
        raise TableError(f"neither a puzzle nor an exercise: {kind!r}")
    if (kind == Kind.EXERCISE) != bool(moves):
        raise TableError("an exercise needs accepted moves" if not moves else "accepted moves in a puzzle")
    if moves and best not in moves:
        raise TableError(f"the first move of the solution, {best.uci()}, is not an accepted one")
    return kind, uci_line(moves)


def _set_facts(puzzle: Puzzle, facts: Mapping[str, str]) -> None:
    """Give a puzzle its facts, except `Kind` and `Accepted`, which depend on the position.

    The themes of a mined puzzle do not repeat the tags. Raises `TableError` if a text cannot be read.
    """
    puzzle.source = facts.get("Source") or puzzle.source
    own = set(puzzle.tags.split()) if puzzle.source == MINED else set()
    puzzle.themes = " ".join(theme for theme in facts.get("Themes", "").split() if theme not in own)
    puzzle.game_url = facts.get("GameUrl", "")
    puzzle.opening_tags = " ".join(facts.get("OpeningTags", "").split())
    for name, read in _READERS.items():
        setattr(puzzle, FACTS[name], read(name, facts.get(name, "")))


def _integer(name: str, text: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if not _INTEGER.fullmatch(text):
        raise TableError(f"{name} is not a number: {text!r}")
    # Python refuses numbers of more than 4,300 digits.
    if len(text) > len(str(LARGEST_NUMBER)) + 1 or abs(int(text)) > LARGEST_NUMBER:
        raise TableError(f"{name} is too large: {text}")
    return int(text)


def _number(name: str, text: str, largest: float) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError as error:
        raise TableError(f"{name} is not a number: {text!r}") from error
    if number is not None and not (math.isfinite(number) and 0 <= number <= largest):
        raise TableError(f"{name} is not between 0 and {largest:g}: {text}")
    return number


def _yes_no(name: str, text: str) -> bool | None:
    if text not in _YES_NO:
        raise TableError(f"{name} is neither yes nor no: {text!r}")
    return _YES_NO[text]


# The functions that read the facts that are not stored as texts.
_READERS: dict[str, Callable[[str, str], float | None]] = {
    **dict.fromkeys(("Rating", "RatingDeviation", "Popularity", "NbPlays"), _integer),
    "Gap": partial(_number, largest=LARGEST_GAP),
    "SolverFound": _yes_no,
    **dict.fromkeys(("Difficulty", "DifficultyMargin"), partial(_number, largest=LARGEST_RATING)),
    "FirstMoveChance": partial(_number, largest=1.0),
}
