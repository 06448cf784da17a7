"""How well our tags agree with the themes of labelled puzzles.

    python benchmarks/tags.py PUZZLES.csv [--puzzles N]

PUZZLES is a Lichess puzzle file, of which N puzzles are taken. Precision: of the puzzles with our tag,
how many have the theme; recall: of those with the theme, how many have our tag. Prints a table in
Markdown, the most frequent theme first.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from motifsearch.evaluation.themes import NOT_MOTIFS
from puzzlegen.formats import lichess_csv
from puzzlegen.formats.entry import ImportedPuzzle
from puzzlegen.games.archive import open_archive


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--puzzles", dest="count", type=int, default=5000)
    arguments = parser.parse_args()

    themed: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    with open_archive(str(arguments.puzzles)) as archive:
        entries = [entry.row for _, entry in lichess_csv.read(archive) if isinstance(entry, ImportedPuzzle)]
    # From all over the file, which may be sorted.
    for entry in entries[:: max(1, len(entries) // arguments.count)][: arguments.count]:
        themes = {*entry["themes"].split()} - NOT_MOTIFS
        tags = {*entry["tags"].split()} - NOT_MOTIFS
        themed.update(themes)
        tagged.update(tags)
        agreed.update(themes & tags)
    print("| tag | puzzles with the theme | precision | recall |\n|---|---|---|---|")
    for name in sorted({*themed, *tagged}, key=lambda name: (-themed[name], name)):
        figures = share(agreed[name], tagged[name]), share(agreed[name], themed[name])
        seen = f"{themed[name]}" if themed[name] else f"0 ({tagged[name]} with the tag)"
        print(f"| {name} | {seen} | {' | '.join(figures)} |")


if __name__ == "__main__":
    main()
