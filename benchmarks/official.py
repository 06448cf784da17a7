"""How many of Lichess' own puzzles a mined database holds, and what they cost.

    python benchmarks/official.py GAMES PUZZLES.csv [--games N] [--skip N]
        [--pattern blunder] [--set gap=0.6] [--set ladder=50000:.2:.3,200000:0:0]

GAMES is an archive of Lichess games that each hold one official puzzle, PUZZLES.csv those puzzles. A
puzzle counts as found when position and first move are the same. Prints a table row and JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import chess

from db.puzzles import find_puzzles, puzzle_id
from db.store import Store
from engines.locate import find_engine
from puzzlegen.archive import open_archive
from puzzlegen.console import table
from puzzlegen.mine import mine
from puzzlegen.rules import MiningRules, Pattern, Rung
from puzzlegen.split import split_games


def official_ids(path: Path) -> dict[str, str]:
    """Return the official puzzles by our id, with the id of the game each comes from."""
    found = {}
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            board = chess.Board(row["FEN"])
            blunder, first, *_ = row["Moves"].split()
            board.push_uci(blunder)
            found[puzzle_id(board, chess.Move.from_uci(first))] = row["GameId"]
    return found


def ladder(text: str) -> tuple[Rung, ...]:
    rungs = [rung.split(":") for rung in text.split(",")]
    return tuple(Rung(int(nodes), float(clear), float(hopeless)) for nodes, clear, hopeless in rungs)


def rules_from(settings: list[str], pattern: Pattern) -> MiningRules:
    kinds = {field.name: field.type for field in fields(MiningRules)}
    chosen: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        chosen[name] = (
            ladder(value) if name == "ladder" else float(value) if kinds[name] == "float" else int(value)
        )
    return MiningRules(pattern=pattern, **chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("games")
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--games", dest="count", type=int, default=60)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--pattern", type=Pattern, default=Pattern.BLUNDER)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="RULE=VALUE")
    wanted = parser.parse_args()

    with open_archive(wanted.games) as archive:
        chosen = [
            game.text
            for game in split_games(archive.chunks())
            if wanted.skip < game.number <= wanted.skip + wanted.count
        ]
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "games.pgn"
        part.write_bytes(b"".join(chosen))
        with Store(f"{folder}/puzzles.db") as store:
            report = mine(
                [str(part)],
                store,
                find_engine(),
                rules=rules_from(wanted.settings, wanted.pattern),
                workers=os.cpu_count() or 1,
            )
            with store.reading() as session:
                mined = {puzzle.id for puzzle in find_puzzles(session)}
    text = b"".join(chosen).decode()
    official = {name for name, game in official_ids(wanted.puzzles).items() if f"/{game}" in text}
    summary = report.summary
    figures = {
        "pattern": wanted.pattern.value,
        "games": summary.games,
        "candidates": summary.candidates,
        "puzzles": len(mined),
        "official": len(official),
        "found": len(official & mined),
        "nodes (million)": round(summary.nodes / 1e6, 1),
        "nodes a puzzle (million)": round(summary.nodes / 1e6 / max(1, len(mined)), 2),
    }
    print(table(list(figures), [list(figures.values())], right="l" + "r" * 7))
    print(json.dumps(figures | {"rules": report.rules.as_dict(), "engine": report.engine}), file=sys.stderr)


if __name__ == "__main__":
    main()
