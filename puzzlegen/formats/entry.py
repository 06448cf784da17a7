"""What a source says about a puzzle, and how it was verified, as named texts.

They are the columns of a CSV file after the moves, and with `Puzzle` before the name the tags of a PGN file.
The schema of Lichess has no columns for `OURS`. A text is empty if the fact is not known. `Accepted` has
moves in UCI, separated by commas; `Kind` is empty for a puzzle.

The puzzles of a file, as every reader returns them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import chess

from chess_motif.errors import InputError, TableError
from chess_motif.material import capture_by
from chess_motif.notation import parse_move, parse_moves, parse_position
from db.models import Kind, Puzzle
from db.puzzles import MINED, puzzle_id
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import Ending, ending_shown

# The columns of the Lichess database, and facts of our own.
LICHESS = ("Rating", "RatingDeviation", "Popularity", "NbPlays", "Themes", "GameUrl", "OpeningTags")
OURS = (
    "Kind", "Accepted", "Source", "Gap", "SolverFound", "Difficulty", "DifficultyMargin", "FirstMoveChance",
)  # fmt: skip

# The largest number that every database can store.
LARGEST_NUMBER = 2**31 - 1

# The greatest difference between two win chances.
LARGEST_GAP = 2.0

# More than any rating, on any scale.
LARGEST_RATING = 10_000.0

_INTEGER = re.compile(r"[-+]?[0-9]+")
_YES_NO = {"yes": True, "no": False, "": None}


def facts_of(puzzle: Puzzle) -> dict[str, str]:
    """Return the facts of a stored puzzle. Its themes include its own tags; only exercises have a kind."""
    return {
        "Kind": "" if puzzle.kind == Kind.PUZZLE else puzzle.kind,
        "Accepted": ",".join(puzzle.accepted.split()),
        "Rating": _text(puzzle.rating),
        "RatingDeviation": _text(puzzle.rating_deviation),
        "Popularity": _text(puzzle.popularity),
        "NbPlays": _text(puzzle.plays),
        "Themes": " ".join(puzzle.all_tags()),
        "GameUrl": puzzle.game_url,
        "OpeningTags": puzzle.opening_tags,
        "Source": puzzle.source,
        "Gap": _text(puzzle.gap),
        "SolverFound": {True: "yes", False: "no", None: ""}[puzzle.solver_found],
        "Difficulty": _text(puzzle.difficulty),
        "DifficultyMargin": _text(puzzle.difficulty_margin),
        "FirstMoveChance": _text(puzzle.first_move_chance),
    }


def set_facts(puzzle: Puzzle, texts: Mapping[str, str]) -> None:
    """Give a puzzle its facts, except `Kind` and `Accepted`, which depend on the position.

    The themes of a mined puzzle do not repeat its tags. Raises `TableError` if a text cannot be read.
    """
    puzzle.source = texts.get("Source") or puzzle.source
    own = set(puzzle.tags.split()) if puzzle.source == MINED else set()
    puzzle.rating = _integer(texts, "Rating")
    puzzle.rating_deviation = _integer(texts, "RatingDeviation")
    puzzle.popularity = _integer(texts, "Popularity")
    puzzle.plays = _integer(texts, "NbPlays")
    puzzle.themes = " ".join(theme for theme in texts.get("Themes", "").split() if theme not in own)
    puzzle.game_url = texts.get("GameUrl", "")
    puzzle.opening_tags = " ".join(texts.get("OpeningTags", "").split())
    puzzle.gap = _number(texts, "Gap", LARGEST_GAP)
    puzzle.solver_found = _yes_no(texts.get("SolverFound", ""))
    puzzle.difficulty = _number(texts, "Difficulty", LARGEST_RATING)
    puzzle.difficulty_margin = _number(texts, "DifficultyMargin", LARGEST_RATING)
    puzzle.first_move_chance = _number(texts, "FirstMoveChance", 1.0)


def _text(number: float | None) -> str:
    return "" if number is None else str(number)


def _integer(texts: Mapping[str, str], name: str) -> int | None:
    text = texts.get(name, "").strip()
    if not text:
        return None
    if not _INTEGER.fullmatch(text):
        raise TableError(f"{name} is not a number: {text!r}")
    # Python reads no number of more than 4,300 digits.
    if len(text) > len(str(LARGEST_NUMBER)) + 1 or abs(int(text)) > LARGEST_NUMBER:
        raise TableError(f"{name} is too large: {text}")
    return int(text)


def _number(texts: Mapping[str, str], name: str, largest: float) -> float | None:
    text = texts.get(name, "")
    try:
        number = float(text) if text else None
    except ValueError as error:
        raise TableError(f"{name} is not a number: {text!r}") from error
    if number is not None and not (math.isfinite(number) and 0 <= number <= largest):
        raise TableError(f"{name} is not between 0 and {largest:g}: {text}")
    return number


def _yes_no(text: str) -> bool | None:
    if text not in _YES_NO:
        raise TableError(f"SolverFound is neither yes nor no: {text!r}")
    return _YES_NO[text]


# A place in a file, such as `line 3`, and the puzzle there or what is wrong with it. A puzzle has the game
# that it comes from, if that is in the file.
Entry = tuple[str, Puzzle | InputError]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def read_blunder(fen: str, uci: str) -> tuple[chess.Board, chess.Move, chess.Board]:
    """Return the position before the opponent's move, that move, and the puzzle. Raises `PositionError`."""
    before = parse_position(fen)
    blunder = parse_move(before, uci)
    position = before.copy()
    position.push(blunder)
    return before, blunder, position


def puzzle_row(
    position: chess.Board,
    solution: Sequence[str],
    source: str,
    source_id: str,
    *,
    before: chess.Board | None = None,
    blunder: chess.Move | None = None,
    facts: Mapping[str, str] = _NOTHING,
    outcome: str = "",
) -> Puzzle:
    """Return a puzzle that starts at `position`, after the move `blunder` in `before` if known.

    `solution` has UCI moves, solver first; a reply at its end is dropped. `source` is where the puzzle comes
    from if the `facts` (see `puzzlegen.formats.entry`) do not say so. Tags are those that we give, and the
    `outcome`, if not given, is what the moves show. Raises `PositionError` if a move is not legal, and
    `TableError` if a fact cannot be read.
    """
    moves = parse_moves(position, " ".join(solution[: len(solution) - 1 + len(solution) % 2]))
    capture = capture_by(before, blunder) if before and blunder else None
    kind, accepted = _kind(facts, position, moves[0])
    outcome = outcome or ending_shown(position, moves) or ""
    # The line of an exercise may end in a mate that is not forced; its themes then do not say so.
    is_forced = kind == Kind.PUZZLE or len(moves) == 1 or "mate" in facts.get("Themes", outcome).split()
    if outcome == Ending.MATE and not is_forced:
        outcome = Ending.MATERIAL.value
    tags = solution_tags(position, moves, capture, is_forced=is_forced)
    fen = position.fen()
    name = puzzle_id(fen, moves[0])
    puzzle = Puzzle(
        id=name,
        kind=kind,
        fen=before.fen() if before else fen,
        blunder=blunder.uci() if blunder else "",
        puzzle_fen=fen,
        solution=" ".join(move.uci() for move in moves),
        accepted=accepted,
        outcome=outcome,
        tags=" ".join(tags),
        source=source,
        # A puzzle that we have exported has our id.
        source_id="" if source_id == name else source_id,
    )
    set_facts(puzzle, facts)
    return puzzle


def _kind(facts: Mapping[str, str], position: chess.Board, best: chess.Move) -> tuple[str, str]:
    """Return the columns `kind` and `accepted`, and check that they go together."""
    kind, accepted = facts.get("Kind") or Kind.PUZZLE.value, facts.get("Accepted", "").split(",")
    moves = [parse_move(position, uci) for uci in filter(None, accepted)]
    if kind not in set(Kind):
        raise TableError(f"neither a puzzle nor an exercise: {kind!r}")
    if (kind == Kind.EXERCISE) != bool(moves):
        raise TableError("an exercise needs accepted moves" if not moves else "accepted moves of a puzzle")
    if moves and best not in moves:
        raise TableError(f"the first move of the solution, {best.uci()}, is not an accepted one")
    return kind, " ".join(move.uci() for move in moves)
