"""How well our tags agree with the themes of labelled puzzles.

    python -m benchmarks.tags PUZZLES.csv [--puzzles N]

PUZZLES is a Lichess puzzle file, of which N puzzles are taken. Precision is the share of the puzzles with our
tag that have the theme; recall is the share of the puzzles with the theme that have our tag. Prints a table,
the most frequent theme of each group first, and how many puzzles have no motif, or no main motif.
"""

from __future__ import annotations

from collections import Counter

from benchmarks.command import at_least, parser_for, run
from benchmarks.puzzles import read_puzzles, sample
from chess_motif.tables import table
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import main_motif, motif_tags

GROUPS = (TagGroup.PHASE, TagGroup.MOTIF, TagGroup.MATE_PATTERN)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("puzzles")
    parser.add_argument("--puzzles", dest="count", type=at_least(1), default=5000)
    arguments = parser.parse_args()

    themed: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    entries = sample(read_puzzles(arguments.puzzles), arguments.count)
    for entry in entries:
        themes, tags = {*entry.themes.split()}, {*entry.tags.split()}
        themed.update(themes)
        tagged.update(tags)
        agreed.update(themes & tags)
    rows = []
    for group in GROUPS:
        names = [tag.name for tag in TAGS.values() if tag.group is group]
        for name in sorted(names, key=lambda name: (-themed[name], name)):
            # If no puzzle has a theme, Lichess does not use it.
            precision = share(agreed[name], tagged[name] if themed[name] else 0)
            recall = share(agreed[name], themed[name])
            rows.append([name, str(themed[name]), str(tagged[name]), precision, recall])
    untagged = [entry for entry in entries if not motif_tags(entry.tags.split())]
    unthemed = sum(not motif_tags(entry.themes.split()) for entry in untagged)
    unnamed = sum(main_motif(entry.tags.split()) is None for entry in entries)
    text = (
        f"{table(['tag', 'with the theme', 'with the tag', 'precision', 'recall'], rows, right='lrrrr')}\n\n"
        f"{len(untagged)} of {len(entries)} puzzles have no motif, and {unthemed} of these no such theme; "
        f"{unnamed} have no main motif"
    )
    print(text)


if __name__ == "__main__":
    run(main)
