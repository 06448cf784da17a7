"""Looking up searches in a packed file, so that the miner need not repeat them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chess_motif.errors import PackedFileError
from chess_motif.search import Search
from db.packed.file import PackedFile
from db.packed.verdicts import Verdict

Known = Callable[[Sequence[Search]], dict[Search, str]]


def recall(file: PackedFile) -> Known:
    """Return a function that finds the results of searches in a packed file.

    A result counts if it is that of the same search, or else of one by the same engine with at least as many
    nodes and variations. It may then have more variations than were asked for. In a block that is damaged,
    nothing is found.
    """

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        found = {}
        for search in searches:
            try:
                entry = file.get(search.board())
            except PackedFileError:
                continue
            if entry is not None:
                sufficient = [verdict for verdict in entry.verdicts if _is_sufficient(verdict, search)]
                if sufficient:
                    found[search] = min(sufficient, key=lambda verdict: (verdict.nodes, verdict.lines)).found
        return found

    return known


def first_of(*lookups: Known) -> Known:
    """Return a function that asks these, one after another, for what those before did not find."""

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        found: dict[Search, str] = {}
        for lookup in lookups:
            found |= lookup([search for search in searches if search not in found])
        return found

    return known


def _is_sufficient(verdict: Verdict, search: Search) -> bool:
    if (verdict.clock, verdict.settings, verdict.depth) != (search.clock, search.settings, search.depth):
        return False
    if search.depth is not None:
        return (verdict.nodes, verdict.lines) == (search.nodes, search.lines)
    return verdict.nodes >= search.nodes and verdict.lines >= search.lines
