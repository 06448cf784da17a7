"""Training sets as text: a list of sets, the puzzles of a set, puzzles added, and the results of students."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from chess_motif.tables import Column, fitted_table, table
from chess_motif.text import counted
from db.days import day_of
from db.sets import SetEntry
from motifsearch.trainer.level import is_hard
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import seen_words, tag_words

if TYPE_CHECKING:
    from motifsearch.trainer.coach import AddedPuzzles, PuzzleResult, StudentResults
    from motifsearch.trainer.sets import SetStatus

# Shown instead of the motif of a puzzle that is not solved yet.
HIDDEN = "?"

# The number of most often missed motifs that are named.
MOST_NAMED = 3


def sets_text(sets: Sequence[SetStatus]) -> str:
    """Return a table of training sets (at least one), with the numbers of due puzzles."""
    rows = [each.as_dict() for each in sets]
    cells = [[value if value is not None else "" for value in row.values()] for row in rows]
    return table(list(rows[0]), cells, right="llrrrl")


def set_text(
    entries: Sequence[SetEntry], width: int, hidden: Collection[str] = (), level: float | None = None
) -> str:
    """Return a table of the puzzles of a set, for a terminal of `width` columns.

    The motifs of the puzzles with the ids `hidden` are not shown. `level` is the student's level.
    """
    if not entries:
        return "The set has no puzzles."
    puzzles = [entry.puzzle for entry in entries]
    motifs = [HIDDEN if one.id in hidden else seen_words(one.all_tags()) for one in puzzles]
    hard = [", hard" if is_hard(puzzle, level) else "" for puzzle in puzzles]
    what = [f"{kind}{mark}".removeprefix(", ") for kind, mark in zip(_kinds(entries), hard, strict=True)]
    columns = [
        Column("", [str(place) for place in range(1, len(entries) + 1)], right=True),
        Column("id", [puzzle.id for puzzle in puzzles]),
        Column("what", what),
        Column("level", [puzzle.level_text() for puzzle in puzzles], right=True),
        Column("motif", motifs, order=1),
        Column("from", [puzzle.origin() for puzzle in puzzles], order=2),
    ]
    if not any(columns[2].cells):
        del columns[2]
    text, left_out = fitted_table(columns, width)
    lines = [text, ""]
    if left_out:
        lines.append(f"No room for: {', '.join(left_out)}")
    if hidden:
        lines.append("Motifs of puzzles that have not been tried are hidden; --motifs shows them.")
    lines.append(_contents(entries))
    return "\n".join(lines)


def _kinds(entries: Sequence[SetEntry]) -> list[str]:
    """Return why each puzzle is in its set; empty if a coach has added it."""
    return [
        "" if entry.opportunity is None else entry.opportunity.result if entry.is_own else "like it"
        for entry in entries
    ]


def _contents(entries: Sequence[SetEntry]) -> str:
    kinds = _kinds(entries)
    like, chosen = (kinds.count(kind) for kind in ("like it", ""))
    own = len(kinds) - like - chosen
    if not own + like:
        return counted(chosen, "puzzle")
    text = f"{counted(own, 'opportunity')} of the player's games, and {counted(like, 'puzzle')} like them"
    return f"{text}; {counted(chosen, 'puzzle')} that a coach has added" if chosen else text


def added_puzzles_text(report: AddedPuzzles, entries: Sequence[SetEntry]) -> str:
    """Return what was added to a set, which now has these entries."""
    new = set(report.added)
    levels = [entry.puzzle.level for entry in entries if entry.puzzle.id in new]
    known = [round(level) for level in levels if level is not None]
    lowest, highest = min(known, default=0), max(known, default=0)
    span = f", levels {lowest} to {highest}" if lowest < highest else f", level {highest}" if known else ""
    added = f"Added {counted(len(new), 'puzzle')} to the set {report.name!r}{span}."
    return f"{added} It has {len(entries)} now."


def left_out(report: AddedPuzzles) -> list[str]:
    """Return how many puzzles were not added to a set, and why."""
    reasons = {
        f"{report.known:,} in the set already": report.known,
        f"{report.shown:,} that the student has been shown": report.shown,
        f"{report.of_students:,} from games of other students (--of-students)": report.of_students,
    }
    return [reason for reason, number in reasons.items() if number]


def results_text(results: Sequence[StudentResults]) -> str:
    """Return a table of each student's results in a set, and which motifs were missed most."""
    rows = [
        [
            one.student,
            f"{len(one.results)} of {one.puzzles}",
            one.right,
            one.hinted,
            one.wrong,
            one.learned,
            round(one.seconds),
            day_of(max(result.last for result in one.results)),
        ]
        for one in results
    ]
    header = ["student", "tried", "right", "with a hint", "wrong", "then right", "seconds", "last"]
    lines = [table(header, rows, right="lrrrrrrl")]
    lines += [f"{one.student} missed most: {missed}." for one in results if (missed := _missed(one))]
    return "\n".join([lines[0], "", *lines[1:]]).rstrip()


def _missed(results: StudentResults) -> str:
    from motifsearch.trainer.coach import missed_motifs

    return ", ".join(
        f"{tag_words(tag) if tag in TAGS else tag} ({wrong} of {tried})"
        for tag, wrong, tried in missed_motifs(results)[:MOST_NAMED]
    )


def student_text(results: StudentResults, width: int) -> str:
    """Return a table of a student's results in the puzzles of a set that she has tried."""
    tried = results.results
    columns = [
        Column("id", [one.puzzle.id for one in tried]),
        Column("level", [one.puzzle.level_text() for one in tried], right=True),
        Column("first", [_first(one) for one in tried]),
        Column("tries", [str(one.attempts) for one in tried], right=True, order=2),
        Column("last", [{True: "right", False: "wrong", None: ""}[one.later] for one in tried], order=1),
        Column("seconds", [f"{one.seconds:.0f}" for one in tried], right=True, order=3),
        Column("motif", [seen_words(one.puzzle.all_tags()) for one in tried], order=4),
    ]
    text, _ = fitted_table(columns, width)
    done = f"{results.student} has tried {len(tried)} of {counted(results.puzzles, 'puzzle')}: "
    counts = f"{results.right} right, {results.hinted} with a hint, {results.wrong} wrong"
    learned = f" ({results.learned} of these right later)" if results.learned else ""
    return f"{text}\n\n{done}{counts}{learned}."


def _first(result: PuzzleResult) -> str:
    if not result.right:
        return "wrong"
    return "with a hint" if result.hinted else "right"
