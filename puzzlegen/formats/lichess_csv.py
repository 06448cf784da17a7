"""Puzzles in the CSV schema of the Lichess puzzle database (https://database.lichess.org/#puzzles).

Programs that read the database of Lichess can read these files: the columns are the same, no number is
missing, and the themes are those of Lichess. An unrated puzzle has the numbers of a new puzzle on Lichess:
see `_UNRATED`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from chess_motif.errors import TableError
from db.models import Kind, Puzzle
from puzzlegen.formats.entry import LICHESS, Parsed, Reader, after_blunder, facts_of, parsed_puzzle
from puzzlegen.formats.lines import TableRow, table_rows
from puzzlegen.games.archive import Archive

SOURCE = "lichess"

_REQUIRED = ("PuzzleId", "FEN", "Moves")
COLUMNS = (*_REQUIRED, *LICHESS, "DailyDate")

# A puzzle of Lichess that nobody has tried (Glicko-2).
_UNRATED = {"Rating": "1500", "RatingDeviation": "500", "Popularity": "0", "NbPlays": "0"}

# The values that stand for unknown numbers of a rated puzzle.
_UNKNOWN = {"Rating": "", "RatingDeviation": "0", "Popularity": "0", "NbPlays": "0"}

# The themes of Lichess (https://lichess.org/training/themes) that follow from the moves.
THEMES = frozenset({
    "advancedPawn", "anastasiaMate", "arabianMate", "attackingF2F7", "attraction", "backRankMate",
    "balestraMate", "bishopEndgame", "blindSwineMate", "bodenMate", "capturingDefender", "castling",
    "clearance", "cornerMate", "defensiveMove", "deflection", "discoveredAttack", "discoveredCheck",
    "doubleBishopMate", "doubleCheck", "dovetailMate", "enPassant", "endgame", "epauletteMate", "exposedKing",
    "fork", "hangingPiece", "hookMate", "interference", "intermezzo", "killBoxMate", "kingsideAttack",
    "knightEndgame", "long", "mate", "mateIn1", "mateIn2", "mateIn3", "mateIn4", "mateIn5", "middlegame",
    "morphysMate", "oneMove", "opening", "operaMate", "pawnEndgame", "pillsburysMate", "pin", "promotion",
    "queenEndgame", "queenRookEndgame", "queensideAttack", "quietMove", "rookEndgame", "sacrifice", "short",
    "skewer", "smotheredMate", "swallowstailMate", "trappedPiece", "triangleMate", "underPromotion",
    "veryLong", "vukovicMate", "xRayAttack", "zugzwang",
})  # fmt: skip

# Columns of free text. A spreadsheet would run a cell as a formula if it begins with one of these characters
# (or their wide forms), and shows a cell as text if it begins with an apostrophe.
_FREE_TEXT = ("PuzzleId", "Themes", "GameUrl", "OpeningTags")
_FORMULA = re.compile("'*[-=+@\uff0d\uff1d\uff0b\uff20]")
_ESCAPE = "'"


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> None:
    """Write the header and a line for each puzzle, see `has_place_for`."""
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(map(_cells, puzzles))


def has_place_for(puzzle: Puzzle) -> bool:
    """Return whether the schema can represent a puzzle.

    Puzzles without the opponent's move before them, and exercises, have no place in the schema.
    """
    return bool(puzzle.blunder) and puzzle.kind == Kind.PUZZLE


def _cells(puzzle: Puzzle) -> dict[str, str]:
    facts = facts_of(puzzle)
    if puzzle.rating is None:
        facts["RatingDeviation"] = ""
    missing = _UNRATED if puzzle.rating is None else _UNKNOWN
    numbers = {name: facts[name] or number for name, number in missing.items()}
    words = puzzle.themes.split() if puzzle.source == SOURCE else THEMES.intersection(puzzle.all_tags())
    cells = (
        facts
        | numbers
        | {
            "PuzzleId": puzzle.source_id or puzzle.id,
            "FEN": puzzle.fen,
            "Moves": f"{puzzle.blunder} {puzzle.solution}",
            "Themes": " ".join(sorted(words)),
        }
    )
    return cells | {name: as_text(cells[name]) for name in _FREE_TEXT}


def as_text(cell: str) -> str:
    """Return a cell that a spreadsheet shows as text, and does not run."""
    return _ESCAPE + cell if _FORMULA.match(cell) else cell


def _rows(archive: Archive) -> Iterator[tuple[str, TableRow]]:
    return table_rows(archive, _REQUIRED, LICHESS)


def _facts_of_row(row: TableRow) -> dict[str, str]:
    return _facts(row.cells())


def _facts(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of a line. An unrated puzzle has no numbers."""
    facts = dict(cells)
    rating, deviation = facts.get("Rating"), facts.get("RatingDeviation")
    if (rating, deviation) == (_UNRATED["Rating"], _UNRATED["RatingDeviation"]):
        facts |= {"Rating": "", "RatingDeviation": ""}
    elif deviation == _UNKNOWN["RatingDeviation"]:
        facts["RatingDeviation"] = ""
    return facts


def _name(row: TableRow) -> str:
    """Return the id of a row, which stands first in the files of Lichess; empty in other files."""
    return row.line.partition(",")[0] if row.header[0] == "PuzzleId" else ""


def _puzzle(row: TableRow) -> Parsed:
    cells = row.cells()
    for name in _FREE_TEXT:
        if _FORMULA.match(cells.get(name, "")):
            cells[name] = cells[name].removeprefix(_ESCAPE)
    moves = cells["Moves"].split()
    if len(moves) < 2:
        raise TableError("fewer than two moves")
    position = after_blunder(cells["FEN"], moves[0])
    return parsed_puzzle(position, moves[1:], SOURCE, cells["PuzzleId"], facts=_facts(cells))


# Raises `TableError` if the first line does not name the required columns.
read = Reader(_rows, _puzzle, _facts_of_row, _name, SOURCE)
