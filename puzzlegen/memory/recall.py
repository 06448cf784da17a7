"""Looking up searches in a packed file, so that the miner need not repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from chess_motif.errors import StoreError
from chess_motif.search import Search
from db.packed.file import PackedFile
from db.packed.verdicts import Verdict
from engines.search_cache import Lookup, legal_variations


def recall(file: PackedFile) -> Lookup:
    """Return a function that finds the results of searches in a packed file.

    A result counts if it is that of the same search, or else of one by the same engine with at least as many
    nodes and variations. It may then have more variations than were asked for. What is damaged is not found.
    """

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        found = {}
        for search in searches:
            # Another person may have written the file.
            with suppress(StoreError):
                board = search.board()
                entry = file.get(board)
                verdict = _sufficient(entry.verdicts, search) if entry else None
                if verdict is not None and legal_variations(board, verdict.found):
                    found[search] = verdict.found
        return found

    return known


def first_of(*lookups: Lookup) -> Lookup:
    """Return a function that asks these, one after another, for what those before did not find."""

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        found: dict[Search, str] = {}
        for lookup in lookups:
            found |= lookup([search for search in searches if search not in found])
        return found

    return known


def _sufficient(verdicts: Sequence[Verdict], search: Search) -> Verdict | None:
    """Return the verdict with the smallest budget that is sufficient, None if there is none."""
    sufficient = [verdict for verdict in verdicts if _is_sufficient(verdict, search)]
    return min(sufficient, key=lambda verdict: (verdict.nodes, verdict.lines), default=None)


def _is_sufficient(verdict: Verdict, search: Search) -> bool:
    if (verdict.clock, verdict.settings, verdict.depth) != (search.clock, search.settings, search.depth):
        return False
    if search.depth is not None:
        return (verdict.nodes, verdict.lines) == (search.nodes, search.lines)
    return verdict.nodes >= search.nodes and verdict.lines >= search.lines
