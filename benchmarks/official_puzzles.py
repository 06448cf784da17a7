"""How many of Lichess' own puzzles are found by mining, and the cost.

    python -m benchmarks.official_puzzles GAMES PUZZLES.csv [--games N] [--skip N]
        [--pattern blunder] [--set gap=0.6]

GAMES is an archive of Lichess games with one official puzzle each; PUZZLES.csv has these puzzles. A puzzle
counts as found if position and first move are the same. A puzzle is strict if its gap is large at every move
(`MiningRules.strict_gap`). Prints a table row.
"""

from __future__ import annotations

import csv
import os
import tempfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import chess

from benchmarks.command import parser_for, run
from chess_motif.tables import table
from db.puzzles import PuzzleFilter, find_puzzles, puzzle_id
from db.store import Store
from engines.finding import find_engine
from puzzlegen.games.archive import games_of
from puzzlegen.mining.run import mine
from puzzlegen.rules import MiningRules, Pattern


def texts_of(archive: str, skip: int, count: int) -> list[bytes]:
    """Return the texts of `count` games of an archive, after the first `skip`."""
    return [game.text for game in islice(games_of([archive]), skip, skip + count)]


def official_ids(path: Path, games: list[bytes]) -> set[str]:
    """Return our ids of the official puzzles of these games."""
    addresses = b"".join(games).decode()
    found = set()
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if f"/{row['GameId']}" not in addresses:
                continue
            board = chess.Board(row["FEN"])
            blunder, first, *_ = row["Moves"].split()
            board.push_uci(blunder)
            found.add(puzzle_id(board.fen(), chess.Move.from_uci(first)))
    return found


def rules_from(settings: list[str], pattern: Pattern) -> MiningRules:
    """Return the default rules, changed by settings of the form RULE=VALUE."""
    defaults = MiningRules(pattern=pattern)
    chosen: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        chosen[name] = type(getattr(defaults, name))(value)
    return replace(defaults, **chosen)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--games", dest="count", type=int, default=60)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--pattern", type=Pattern, default=Pattern.BLUNDER)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="RULE=VALUE")
    arguments = parser.parse_args()

    chosen = texts_of(arguments.games, arguments.skip, arguments.count)
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "games.pgn"
        part.write_bytes(b"".join(chosen))
        with Store(f"{folder}/puzzles.db") as store:
            report = mine(
                [str(part)],
                store,
                find_engine(),
                rules=rules_from(arguments.settings, arguments.pattern),
                workers=os.cpu_count() or 1,
            )
            with store.reading() as session:
                mined = {puzzle.id for puzzle in find_puzzles(session)}
                clear = PuzzleFilter(gap=report.rules.strict_gap)
                strict = {puzzle.id for puzzle in find_puzzles(session, clear)}
    official = official_ids(arguments.puzzles, chosen)
    summary = report.summary
    figures = {
        "pattern": arguments.pattern.value,
        "games": summary.games,
        "candidates": summary.candidates,
        "puzzles": len(mined),
        "official": len(official),
        "found": len(official & mined),
        "strict": len(strict),
        "strict found": len(official & strict),
        "nodes (million)": round(summary.nodes / 1e6, 1),
        "nodes a puzzle (million)": round(summary.nodes / 1e6 / max(1, len(mined)), 2),
    }
    print(table(list(figures), [list(figures.values())], right="l" + "r" * (len(figures) - 1)))


if __name__ == "__main__":
    run(main)
