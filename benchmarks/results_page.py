"""Queries of different motifs with their best five results on one page, to be looked at.

    python -m benchmarks.results_page OUT.html [--db URL] [--place N]

The database holds Lichess puzzles. For each theme, the N-th of its puzzles in the order of their ids is
searched for. Prints how many there are, and with `--json` each solution and what both share.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from pathlib import Path

import chess

from benchmarks.command import parser_for, run, show
from chess_motif.boards import solution_san, svg_board
from db.puzzles import PuzzleFilter
from db.selection import puzzle_ids
from db.store import Store, default_url
from motifsearch.puzzles.query import resolve
from motifsearch.puzzles.searcher import PuzzleSearcher

THEMES = (
    "smotheredMate", "fork", "skewer", "backRankMate", "deflection", "discoveredAttack", "promotion",
    "trappedPiece", "interference", "attraction",
)  # fmt: skip
BEST = 5
STYLE = (
    "body{font:13px sans-serif}section{display:flex;gap:8px;margin-bottom:14px}div{width:215px}"
    "svg{width:210px}"
)


def card(title: str, board: chess.Board, moves: Sequence[chess.Move], words: str = "") -> str:
    text = [escape(part) for part in (title, solution_san(board, moves), words)]
    return f"<div><b>{text[0]}</b>{svg_board(board, moves[:1])}{text[1]}<br><i>{text[2]}</i></div>"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--db", default=default_url())
    parser.add_argument("--place", type=int, default=1)
    arguments = parser.parse_args()

    sections, queries = [], []
    with Store(arguments.db) as store, PuzzleSearcher(store) as searcher:
        for theme in THEMES:
            with store.reading() as session:
                ids = puzzle_ids(session, PuzzleFilter(tags=(theme,)), arguments.place)
            for name in islice(ids, arguments.place - 1, None):
                query = resolve(store, name)
                found = []
                cards = [card(f"{theme} {name}", query.board, query.moves)]
                for hit in searcher.similar(query, k=BEST, why=True):
                    board, moves = hit.puzzle.position(), hit.puzzle.moves()
                    found.append(
                        {"id": hit.puzzle.id, "solution": solution_san(board, moves), "why": hit.words}
                    )
                    cards.append(card(f"{hit.rank}. {hit.puzzle.id}", board, moves, hit.words))
                sections.append(f"<section>{''.join(cards)}</section>")
                solution = solution_san(query.board, query.moves)
                queries.append({"theme": theme, "id": name, "solution": solution, "results": found})
    page = f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{''.join(sections)}"
    arguments.out.write_text(page, encoding="utf-8")
    show(f"{len(queries)} queries in {arguments.out}", queries, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
