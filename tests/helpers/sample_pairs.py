"""Pairs of puzzles with the same motif."""

from __future__ import annotations

from dataclasses import replace

import chess

from motifsearch.puzzles.pair_files import Pair, SolvedPosition
from tests.helpers.sample_puzzles import PUZZLES


def line_of(fen: str, moves: str) -> SolvedPosition:
    return SolvedPosition(chess.Board(fen), tuple(chess.Move.from_uci(move) for move in moves.split()))


def solution_line(name: str) -> SolvedPosition:
    """Return one of the sample puzzles as a side of a pair."""
    return line_of(*PUZZLES[name])


GOOD = Pair("good", solution_line("fork"), solution_line("fork"))
OTHER = Pair("other", solution_line("smothered"), solution_line("smothered"))
# The same as a generated pair, whose simplified puzzle is elsewhere on the board.
MOVED = replace(OTHER, removed=2, moved=True)
