"""Draw what was measured while networks learned, as SVG.

    python -m training.curves FOLDER OUT.svg --columns triplet_loss pieces loss recall_at_1

FOLDER has the files that `training.embedding` and `training.chessbert` write (see `training.pytorch.Curve`).
There is a picture for each column, with a line for each file that has it. Needs matplotlib (the extra
`bench`).
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path


def read_curve(file: Path) -> dict[str, list[float]]:
    """Return the columns of a file."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines)]
    return {column: [float(row[column]) for row in rows] for column in rows[0]}


def plot(curves: dict[str, dict[str, list[float]]], columns: Sequence[str], out: Path) -> None:
    """Draw a picture for each column, with a line for each curve that has it, known by its name."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(columns), figsize=(4 * len(columns), 3.5), layout="constrained", squeeze=False
    )
    for axis, column in zip(axes[0], columns, strict=True):
        for name, curve in curves.items():
            if column in curve:
                axis.plot(curve["steps"], curve[column], label=name)
        axis.set(title=column.replace("_", " "), xlabel="steps", ylim=(0, None))
        axis.legend(fontsize="small")
    figure.savefig(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--columns", nargs="+", required=True)
    options = parser.parse_args()
    curves = {file.stem: read_curve(file) for file in sorted(options.folder.glob("*.csv"))}
    plot(curves, options.columns, options.out)


if __name__ == "__main__":
    main()
