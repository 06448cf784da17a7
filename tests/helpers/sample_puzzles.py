"""Puzzles to search among."""

from __future__ import annotations

from typing import Any

import chess

from db.models import Puzzle
from db.puzzles import add_puzzles, puzzle_id
from db.store import Store
from tests.helpers.rows import puzzle_row

# Name: puzzle position and solution.
PUZZLES = {
    "back rank": ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"),
    "back rank, two moves": ("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8"),
    "smothered": ("r5rk/6pp/7N/8/8/8/5PPP/6K1 w - - 0 1", "h6f7"),
    "greek gift": ("r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1", "d3h7 g8h7 f3g5"),
    "fork": ("r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1", "d5c7 e8d7 c7a8"),
    "promotion": ("8/4P1k1/8/8/8/8/5PPP/6K1 w - - 0 1", "e7e8q"),
    "scholar's mate": ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
    "black's fork": ("4k3/5ppp/8/8/3n4/8/5PPP/R3K3 b - - 0 1", "d4c2 e1d2 c2a1"),
}

# Those that are simplified quickly.
QUICK = ("smothered", "scholar's mate", "black's fork")


def row(fen: str, solution: str, **columns: Any) -> Puzzle:
    """Return a puzzle that starts at its puzzle position."""
    name = puzzle_id(chess.Board(fen).fen(), chess.Move.from_uci(solution.split()[0]))
    usual = {"fen": fen, "puzzle_fen": fen, "solution": solution, "source": "test"}
    return puzzle_row(name, **usual | columns)


def put(store: Store, *puzzles: Puzzle) -> None:
    with store.session() as session:
        add_puzzles(session, puzzles)


def put_quick(store: Store) -> None:
    put(store, *(row(*PUZZLES[name]) for name in QUICK))


def id_of(name: str) -> str:
    fen, solution = PUZZLES[name]
    return row(fen, solution).id
