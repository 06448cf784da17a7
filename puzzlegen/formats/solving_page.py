"""A web page on which people solve puzzles, as one file that loads nothing.

The script does not know the rules of chess: the page has the legal moves of every position in which the
solver is to move, and the placement of the pieces after each right move. Every mate is right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, TextIO

import chess

from chess_motif.boards import board_after, mates, rights
from chess_motif.pages import link, render
from db.models import Puzzle
from puzzlegen.formats.answers import answer, question, why


def write(out: TextIO, puzzles: Iterable[Puzzle], title: str, solver: str) -> None:
    """Write a page with puzzles for `solver` (empty: anyone)."""
    tasks = [solving_task(puzzle) for puzzle in puzzles]
    named = "\n".join([title, solver, *(task["id"] for task in tasks)])
    page = {
        # The browser stores the results under this key.
        "key": f"chess-motif {hashlib.sha256(named.encode()).hexdigest()[:16]}",
        "puzzles": tasks,
    }
    out.write(render("puzzlegen/formats/solving.html", title=title, solver=solver, page=page))


def solving_task(puzzle: Puzzle) -> dict[str, Any]:
    """Return all that the page needs of a puzzle, as plain values for JSON."""
    opponents = puzzle.opponents_move()
    return {
        "id": puzzle.id,
        "question": question(puzzle),
        "white": puzzle.position().turn == chess.WHITE,
        "before": None if opponents is None else opponents[0].board_fen(),
        "blunder": puzzle.blunder or None,
        "steps": _steps(puzzle),
        "answer": answer(puzzle),
        "why": why(puzzle),
        "facts": " · ".join(filter(None, [puzzle.id, puzzle.level_text(), puzzle.origin()])),
        "link": link(puzzle.game_url),
    }


def _steps(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return the positions in which the solver is to move; an exercise has one.

    Each has the notes for the diagram, the legal moves, the best move, the right moves (each with the
    placement after it), and, if the solution goes on, the reply to the best move with the placement after it.
    """
    board, moves = puzzle.position(), puzzle.moves()
    accepted = puzzle.accepted_moves()
    steps = []
    for place in range(0, 1 if accepted else len(moves), 2):
        best, *after = moves[place : place + 2]
        solving = {best, *accepted}
        step: dict[str, Any] = {
            "placement": board.board_fen(),
            "rights": rights(board, moves[place:]),
            "legal": [move.uci() for move in board.legal_moves],
            "best": best.uci(),
            "solving": {
                move.uci(): board_after(board, [move]).board_fen()
                for move in board.legal_moves
                if move in solving or mates(board, move)
            },
            "reply": None,
        }
        board.push(best)
        if after and not accepted:
            board.push(after[0])
            step["reply"] = {"move": after[0].uci(), "placement": board.board_fen()}
        steps.append(step)
    return steps
