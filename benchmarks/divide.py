"""Divide labelled puzzles into a training part and a test part that have no puzzle in common.

    python benchmarks/divide.py PUZZLES.csv[.zst] TRAIN.csv TEST.csv

The hash of a puzzle's id decides. Only puzzles with themes are written.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
from pathlib import Path

from puzzlegen.games.archive import open_archive

# Of 256 puzzles this many are for the test.
TEST_SHARE = 110


def is_for_test(source_id: str) -> bool:
    return hashlib.sha256(source_id.encode()).digest()[0] < TEST_SHARE


def divide(puzzles: Path, train: Path, test: Path) -> tuple[int, int]:
    """Write the two parts to files; return how many puzzles each has."""
    with open_archive(str(puzzles)) as archive:
        rows = csv.reader(io.StringIO(b"".join(archive.chunks()).decode()))
    header = next(rows)
    name, themes = header.index("PuzzleId"), header.index("Themes")
    parts: dict[bool, list[list[str]]] = {False: [], True: []}
    for row in rows:
        if row[themes]:
            parts[is_for_test(row[name])].append(row)
    for file, for_test in ((train, False), (test, True)):
        with file.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *parts[for_test]])
    return len(parts[False]), len(parts[True])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("puzzles", "train", "test"):
        parser.add_argument(name, type=Path)
    files = parser.parse_args()
    train, test = divide(files.puzzles, files.train, files.test)
    print(f"{train:,} puzzles in {files.train}, {test:,} in {files.test}")


if __name__ == "__main__":
    main()
