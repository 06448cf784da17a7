"""What a person is to grade: the first results of all feature sets, mixed to hide which is whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from chess_motif.errors import InputError
from motifsearch.evaluation.position_queries import NumberedPosition
from motifsearch.evaluation.trec import GRADES, Grades, Results, document_id
from motifsearch.positions.searcher import PositionHit

# First results of each feature set that are graded (TREC's pooling): those that P@5 and nDCG@5 look at.
POOL_DEPTH = 5


@dataclass(frozen=True)
class Pooled:
    """A position to be graded (the piece placement of its FEN), and all results that show it."""

    placement: str
    documents: tuple[str, ...]
    caption: str


def pool(results: Results, query: str) -> list[Pooled]:
    """Return the positions among the first results of each feature set for a query, each once.

    Results further down that show one of them get the same grade. The order is always the same, and has
    nothing to do with feature sets or scores.
    """
    lists = [found[query] for found in results.values() if query in found]
    shown = {hit.board().board_fen() for hits in lists for hit in hits[:POOL_DEPTH]}
    showing: dict[str, dict[str, PositionHit]] = {placement: {} for placement in shown}
    for hit in (hit for hits in lists for hit in hits):
        placement = hit.board().board_fen()
        if placement in shown:
            showing[placement][document_id(hit)] = hit
    pooled = [
        Pooled(placement, tuple(sorted(documents)), _caption(documents[min(documents)]))
        for placement, documents in showing.items()
    ]
    return sorted(pooled, key=lambda one: _digest(f"{query} {one.placement}"))


def grading_task(
    queries: Sequence[NumberedPosition], results: Results, grades: Grades | None = None
) -> dict[str, Any]:
    """Return what the grading page shows, as JSON. `grades` are those that it begins with.

    `key` is the name under which a browser stores the grades of these queries. Queries without results are
    left out; raises `InputError` if no query has any.
    """
    pools = [(query, pool(results, query.id)) for query in queries]
    if not any(pooled for _, pooled in pools):
        raise InputError("nothing to grade: no feature set has a result")
    asked = " ".join(query.board.board_fen() for query in queries)
    return {
        # As it always was: browsers have grades under this name.
        "key": f"chess-motif judgements {_digest(asked)[:16]}",
        "grades": GRADES,
        "queries": [
            {
                "id": query.id,
                "placement": query.board.board_fen(),
                "pool": [vars(one) for one in pooled],
            }
            for query, pooled in pools
            if pooled
        ],
        "graded": [
            [query, document, grade]
            for query, documents in (grades or {}).items()
            for document, grade in documents.items()
        ],
    }


def _caption(found: PositionHit) -> str:
    game = found.game.game
    players = f"{game.white or '?'} – {game.black or '?'}"
    # A date such as `2013.??.??` becomes the year.
    facts = [players, game.date.rstrip("?."), f"move {found.board().fullmove_number}"]
    return ", ".join(filter(None, facts))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
