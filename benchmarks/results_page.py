"""Queries of different motifs with their best five results on one page, to be looked at.

    python benchmarks/results_page.py OUT.html [--db URL] [--place N]

The database holds Lichess puzzles. For each theme, the N-th of its puzzles in the order of their ids is
searched for. Prints each solution and what both share, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from html import escape
from itertools import islice
from pathlib import Path

import chess

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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--db", default=default_url())
    parser.add_argument("--place", type=int, default=1)
    arguments = parser.parse_args()

    sections = []
    with Store(arguments.db) as store, PuzzleSearcher(store) as searcher:
        for theme in THEMES:
            with store.reading() as session:
                ids = puzzle_ids(session, PuzzleFilter(tags=(theme,)), arguments.place)
            for name in islice(ids, arguments.place - 1, None):
                query = resolve(store, name)
                print(f"{theme} {name} {solution_san(query.board, query.moves)}")
                cards = [card(f"{theme} {name}", query.board, query.moves)]
                for hit in searcher.similar(query, k=BEST, why=True):
                    board, moves = hit.puzzle.position(), hit.puzzle.moves()
                    print(f"    {solution_san(board, moves)} | {hit.words}")
                    cards.append(card(f"{hit.rank}. {hit.puzzle.id}", board, moves, hit.words))
                sections.append(f"<section>{''.join(cards)}</section>")
    page = f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{''.join(sections)}"
    arguments.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
