"""Divide labelled puzzles into a training part and a test part that have no puzzle in common.

    python -m benchmarks.divide PUZZLES.csv[.zst] TRAIN.csv TEST.csv

The hash of a puzzle's id decides. Only puzzles with themes are written.
"""

from __future__ import annotations

import csv
from pathlib import Path

from benchmarks.command import parser_for, run, show
from training.parts import WEIGHTS_SHARE, LichessRow, is_for_test, read_puzzles


def divide(puzzles: Path, train: Path, test: Path) -> tuple[int, int]:
    """Write the two parts to files; return how many puzzles each has."""
    parts: dict[bool, list[LichessRow]] = {False: [], True: []}
    for puzzle in read_puzzles(puzzles):
        if puzzle["Themes"]:
            parts[is_for_test(puzzle["PuzzleId"], WEIGHTS_SHARE)].append(puzzle)
    for file, for_test in ((train, False), (test, True)):
        with file.open("w", newline="", encoding="utf-8") as out:
            columns = parts[for_test][0] if parts[for_test] else ()
            writer = csv.DictWriter(out, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(parts[for_test])
    return len(parts[False]), len(parts[True])


def main() -> None:
    parser = parser_for(__doc__)
    for name in ("puzzles", "train", "test"):
        parser.add_argument(name, type=Path)
    files = parser.parse_args()
    train, test = divide(files.puzzles, files.train, files.test)
    text = f"{train:,} puzzles in {files.train}, {test:,} in {files.test}"
    show(text, {"train": train, "test": test}, as_json=files.json)


if __name__ == "__main__":
    run(main)
