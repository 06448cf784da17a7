"""Write what is found in puzzles to a file, and compare two such files after a change of the rules.

    python -m benchmarks.frozen FILE PUZZLES... [--each N]
    python -m benchmarks.frozen FILE --against OLD

PUZZLES are Lichess puzzle files and URLs of databases, from each of which N puzzles are taken. Writes a line
of JSON for each puzzle: its tags, as a puzzle and as an exercise, its terms, its sentences and arrows, and
the replies that are answered. `--against` compares two such files, and prints the number of puzzles with each
kind of change, with the first three ids.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.command import at_least, parser_for, run
from benchmarks.puzzles import read_puzzles
from chess_motif.parallel import in_processes
from chess_motif.tables import table
from db.models import Puzzle
from motifsearch.terms.encoding import encode
from puzzlegen.reasons.explained import SolutionReasons
from puzzlegen.reasons.tactics import Tactics

NAMED = 3


def found_in(puzzle: Puzzle) -> dict[str, Any]:
    tactics = Tactics.of(puzzle)
    reasons = SolutionReasons.of(puzzle)
    answered = {
        str(ply): {reply.uci(): answer.uci() for reply, answer in replies.items()}
        for ply, replies in reasons.answers.items()
    }
    return {
        "id": puzzle.id,
        "tags": tactics.tags(),
        "exercise": tactics.tags(is_forced=False),
        "holds": tactics.tags(is_forced=False, holds=True),
        "terms": {field: sorted(terms) for field, terms in encode(tactics).items()},
        "said": [[reason.sentence, repr(reason.drawing)] for reason in reasons.explained()],
        "answered": answered,
    }


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield the changes for a puzzle."""
    for kind in ("tags", "exercise", "holds"):
        yield from (f"{kind} + {name}" for name in set(new[kind]) - set(old[kind]))
        yield from (f"{kind} - {name}" for name in set(old[kind]) - set(new[kind]))
    for field in old["terms"]:
        if old["terms"][field] != new["terms"].get(field):
            yield f"terms {field}"
    sentences, others = ({text for text, _ in one["said"]} for one in (old, new))
    if sentences != others:
        yield "said: nothing now" if not others else "said: something now" if not sentences else "said"
    elif old["said"] != new["said"]:
        yield "drawn, or in another order"
    if old["answered"] != new["answered"]:
        yield "answered"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--each", type=at_least(1), default=1000)
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()

    if arguments.against is None:
        puzzles = []
        for source in arguments.puzzles:
            found = sorted(read_puzzles(source), key=lambda puzzle: puzzle.id)
            puzzles += Random(0).sample(found, min(arguments.each, len(found)))
        with arguments.file.open("w") as file:
            file.writelines(f"{json.dumps(line)}\n" for line in in_processes(found_in, puzzles))
        print(f"{len(puzzles)} puzzles in {arguments.file}")
        return
    old, new = (
        {line["id"]: line for line in map(json.loads, file.read_text().splitlines())}
        for file in (arguments.against, arguments.file)
    )
    counts, examples = Counter[str](), defaultdict[str, list[str]](list)
    for name in old.keys() & new.keys():
        for change in changes(old[name], new[name]):
            counts[change] += 1
            examples[change].append(name)
    rows = [
        [change, str(count), " ".join(sorted(examples[change])[:NAMED])]
        for change, count in counts.most_common()
    ]
    print(table(["change", "puzzles", "such as"], rows, right="lrl"))
    print(f"\nof {len(old)} puzzles")


if __name__ == "__main__":
    run(main)
