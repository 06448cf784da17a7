"""Puzzles as JSON objects, and as files with one object per line (JSON lines).

An object has everything that is stored about a puzzle, and can be imported again. Only numbers that mean
nothing outside of one database are left out: those of the puzzle, its game and its mining run. A deleted
puzzle is an object with the keys `id`, `deleted` (true) and `updated` (the time). `puzzle.schema.json`
describes the objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TextIO

from db.models import DeletedPuzzle, Puzzle, in_utc
from puzzlegen.formats.entry import Parsed, Reader
from puzzlegen.formats.lines import lines_of
from puzzlegen.reasons.explained import reasons_of

# The version of `puzzle.schema.json`, which is raised when a key is removed or changes its meaning, not when
# a key is added.
SCHEMA_VERSION = 1

# Columns of the puzzle's game; None if the game is not known.
_OF_THE_GAME = (
    "white", "black", "white_elo", "black_elo", "event", "site", "date", "round", "result", "eco", "opening",
    "time_control", "url",
)  # fmt: skip


def _puzzle(line: str) -> Parsed | DeletedPuzzle:
    # Imported only here: the validation library takes a while to load.
    from puzzlegen.formats.json_object import read_object

    return read_object(line)


read = Reader(lines_of, _puzzle)


def write(out: TextIO, puzzles: Iterable[Puzzle | DeletedPuzzle]) -> None:
    """Write a line with a JSON object for each puzzle."""
    for puzzle in puzzles:
        keys = _deleted(puzzle) if isinstance(puzzle, DeletedPuzzle) else as_dict(puzzle)
        print(json.dumps(keys, ensure_ascii=False), file=out)


def _deleted(puzzle: DeletedPuzzle) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "id": puzzle.id, "deleted": True, "updated": _text(puzzle.at)}


def _text(time: datetime) -> str:
    return in_utc(time).isoformat()


def as_dict(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as the keys and values of its JSON object. Unknown values are None or empty.

    `tags` are our own tags and the source's `themes`; `reasons` are sentences that say why the solution works
    (finding these takes some two milliseconds). The last keys are about the puzzle's game.
    """
    game = puzzle.game
    return {
        "schema_version": SCHEMA_VERSION,
        "id": puzzle.id,
        "kind": puzzle.kind,
        "source": puzzle.source,
        "source_id": puzzle.source_id or None,
        "fen": puzzle.fen,
        "blunder": puzzle.blunder or None,
        "puzzle_fen": puzzle.puzzle_fen,
        "solution": puzzle.solution.split(),
        "accepted": puzzle.accepted.split(),
        "other_defences": [line.split() for line in puzzle.other_defences.split(",") if line],
        "rating": puzzle.rating,
        "rating_deviation": puzzle.rating_deviation,
        "popularity": puzzle.popularity,
        "plays": puzzle.plays,
        "difficulty": puzzle.difficulty,
        "difficulty_margin": puzzle.difficulty_margin,
        "first_move_chance": puzzle.first_move_chance,
        "tags": puzzle.all_tags(),
        "themes": puzzle.themes.split(),
        "reasons": reasons_of(puzzle),
        "outcome": puzzle.outcome or None,
        "gap": puzzle.gap,
        "solver_found": puzzle.solver_found,
        "evaluations": puzzle.evaluations,
        "nodes": puzzle.nodes,
        "engine": puzzle.engine or None,
        "audit_passed": puzzle.audit_passed,
        "verdict": puzzle.verdict,
        "audit": puzzle.audit,
        "opening_tags": puzzle.opening_tags.split(),
        "game_url": puzzle.game_url or None,
        "ply": puzzle.ply,
        "created": _text(puzzle.created),
        "updated": _text(puzzle.as_of),
        "game_key": game.key if game else None,
        **{column: getattr(game, column, None) for column in _OF_THE_GAME},
    }
