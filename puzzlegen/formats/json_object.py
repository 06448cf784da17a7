"""Reading the JSON object of a puzzle, as `puzzlegen.formats.jsonl` writes it.

Required are `solution` and the position: `puzzle_fen`, or `fen` with `blunder`. Unknown keys are ignored. The
object of a deleted puzzle needs only `id`, `deleted` and `updated`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from chess_motif.boards import board_after
from chess_motif.errors import PositionError, TableError
from chess_motif.notation import parse_defence, parse_position, uci_line
from chess_motif.text import clean
from db.models import DeletedPuzzle, Game, Puzzle, Verdict, utc_now
from db.puzzles import LARGEST_GAP
from puzzlegen.formats.entry import LARGEST_NUMBER, LARGEST_RATING, Parsed, after_blunder, parsed_puzzle

SOURCE = "jsonl"

_Text = Annotated[str, AfterValidator(clean)]
_Integer = Annotated[int, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
_Rating = Annotated[float, Field(ge=0, le=LARGEST_RATING)]
_Count = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]
_Chance = Annotated[float, Field(ge=-1, le=1)]


class _Object(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, keys: Any) -> Any:
        """Remove keys that are null, which count as missing."""
        if not isinstance(keys, dict):
            return keys
        return {key: value for key, value in keys.items() if value is not None}


class _Fault(_Object):
    fault: _Text
    ply: _Count = 0
    move: _Text
    seen: _Text


class _Audit(_Object):
    engine: _Text = ""
    nodes: _Count
    verdict: Verdict | None = None
    faults: list[_Fault]


class _Game(_Object):
    """Columns of `db.models.Game`."""

    key: str = Field(alias="game_key", pattern="^[0-9A-Za-z]{1,16}$")
    white: _Text = ""
    black: _Text = ""
    white_elo: _Integer | None = None
    black_elo: _Integer | None = None
    event: _Text = ""
    site: _Text = ""
    date: _Text = ""
    round: _Text = ""
    result: _Text = ""
    eco: _Text = ""
    opening: _Text = ""
    time_control: _Text = ""
    url: _Text = ""


class _Known(_Object):
    """Columns of `db.models.Puzzle` that are copied, because they do not follow from the moves."""

    rating: _Integer | None = None
    rating_deviation: _Integer | None = None
    popularity: _Integer | None = None
    plays: _Integer | None = None
    difficulty: _Rating | None = None
    difficulty_margin: _Rating | None = None
    first_move_chance: Annotated[float, Field(ge=0, le=1)] | None = None
    gap: Annotated[float, Field(ge=0, le=LARGEST_GAP)] | None = None
    solver_found: bool | None = None
    evaluations: dict[_Text, _Chance | None] | None = None
    nodes: dict[_Text, _Count] | None = None
    engine: _Text = ""
    audit_passed: bool | None = None
    audit: _Audit | None = None
    game_url: _Text = ""
    ply: _Count | None = None
    created: AwareDatetime = Field(default_factory=utc_now, strict=False)
    updated: AwareDatetime | None = Field(default=None, strict=False)


class _Deleted(_Object):
    schema_version: Literal[1] = 1
    id: str = Field(pattern="^[0-9A-Za-z]{8}$")
    deleted: Literal[True]
    updated: AwareDatetime = Field(strict=False)


class _Puzzle(_Object):
    """The other keys, from which the rest of a puzzle's row is made."""

    schema_version: Literal[1] = 1
    deleted: bool = False
    fen: str = ""
    blunder: str = ""
    puzzle_fen: str = ""
    solution: list[str] = []
    kind: _Text = ""
    accepted: list[str] = []
    other_defences: list[list[str]] = []
    source: _Text = SOURCE
    source_id: _Text = ""
    outcome: Literal["mate", "material", "won", "held", ""] = ""
    themes: list[_Text] = []
    opening_tags: list[_Text] = []
    game_key: str = ""


def read_object(line: str) -> Parsed | DeletedPuzzle:
    """Return the puzzle of a line. Raises `TableError` or `PositionError` if the line has no puzzle."""
    try:
        keys = _Puzzle.model_validate_json(line)
        if keys.deleted:
            gone = _Deleted.model_validate_json(line)
            return DeletedPuzzle(id=gone.id, at=gone.updated)
        known = _Known.model_validate_json(line)
        game = _Game.model_validate_json(line) if keys.game_key else None
    except ValidationError as error:
        raise TableError(_reason(error)) from error
    position = after_blunder(keys.fen, keys.blunder) if keys.blunder else parse_position(keys.puzzle_fen)
    kind = {"Kind": keys.kind, "Accepted": ",".join(keys.accepted)}
    parsed = parsed_puzzle(
        position, keys.solution, keys.source, keys.source_id, facts=kind, outcome=keys.outcome
    )
    puzzle = parsed.puzzle
    puzzle.other_defences = _defences(puzzle, keys.other_defences)
    puzzle.themes = " ".join(keys.themes)
    puzzle.opening_tags = " ".join(keys.opening_tags)
    for column, value in known.model_dump().items():
        setattr(puzzle, column, value)
    puzzle.audit = known.audit.model_dump(exclude_none=True) if known.audit else None
    if puzzle.updated == puzzle.created:
        puzzle.updated = None
    puzzle.game = Game(**game.model_dump()) if game else None
    return parsed


def _defences(puzzle: Puzzle, lines: Iterable[Iterable[str]]) -> str:
    """Return lines against other defences as stored. Raises `PositionError` if a move is not legal."""
    after = board_after(puzzle.position(), puzzle.moves()[:1])
    try:
        return ",".join(uci_line(parse_defence(after, " ".join(line))) for line in lines)
    except PositionError as error:
        raise PositionError(f"other_defences: {error}") from error


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
