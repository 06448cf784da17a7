"""Puzzles to print, learn and solve, which are not stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from db.models import Game, Puzzle
from puzzlegen.formats.entry import after_blunder, parsed_puzzle
from tests.helpers.sample_puzzles import PUZZLES

# What a file may call a player.
EVIL = "</script><script>document.title = 'evil'</script>\"'&<b>[sound:x.mp3]"


def sheet_puzzle(
    fen: str, solution: str, *, blunder: str = "", accepted: Sequence[str] = (), **columns: Any
) -> Puzzle:
    """Return a puzzle whose `fen` is before the `blunder`, if any; with accepted moves, an exercise."""
    position = after_blunder(fen, blunder) if blunder else chess.Board(fen)
    facts = {"Kind": "exercise", "Accepted": ",".join(accepted)} if accepted else {}
    puzzle = parsed_puzzle(position, solution.split(), "test", "", facts=facts).puzzle
    for column, value in columns.items():
        setattr(puzzle, column, value)
    return puzzle


def named(name: str, **columns: Any) -> Puzzle:
    """Return one of the sample puzzles."""
    return sheet_puzzle(*PUZZLES[name], **columns)


def blundered(**columns: Any) -> Puzzle:
    """Return a puzzle after the move 1... Kg8."""
    return sheet_puzzle("5k2/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", "b1b8", blunder="f8g8", **columns)


def evil_game() -> Game:
    return Game(key="k", white=EVIL, black="Дворецкий, Марк", event="北京 Open", date="2024.01.02")
