"""What a person grades: the first results of all runs, mixed to hide which run found what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from chess_motif.errors import InputError
from motifsearch.evaluation.position_queries import NumberedPosition
from motifsearch.evaluation.trec import GRADES, Grades, Results, document_id
from motifsearch.positions.searcher import PositionHit

# The first results of each run that are graded (TREC's pooling): those that count in P@5 and nDCG@5.
POOL_DEPTH = 5


@dataclass(frozen=True)
class Pooled:
    """A position to grade: its piece placement as in a FEN, the results with it, and a caption."""

    placement: str
    documents: tuple[str, ...]
    caption: str


def pool(results: Results, query: str) -> list[Pooled]:
    """Return the positions among the first results of each run for a query, each once.

    Results further down with the same position get the same grade. The order is always the same, and does not
    depend on runs or scores.
    """
    rankings = [by_query[query] for by_query in results.values() if query in by_query]
    placements = {_placement(hit) for hits in rankings for hit in hits[:POOL_DEPTH]}
    hits_with: dict[str, dict[str, PositionHit]] = {placement: {} for placement in placements}
    for hit in (hit for hits in rankings for hit in hits):
        placement = _placement(hit)
        if placement in placements:
            hits_with[placement][document_id(hit)] = hit
    pooled = [
        Pooled(placement, tuple(sorted(documents)), _caption(documents[min(documents)]))
        for placement, documents in hits_with.items()
    ]
    return sorted(pooled, key=lambda position: _digest(f"{query} {position.placement}"))


def grading_task(
    queries: Sequence[NumberedPosition], results: Results, grades: Grades | None = None
) -> dict[str, Any]:
    """Return what the grading page shows, as JSON. It starts with `grades`, if any.

    `key` is the name under which a browser stores the grades of these queries. Queries without results are
    left out. Raises `InputError` if no query has results.
    """
    pools = [(query, pool(results, query.id)) for query in queries]
    if not any(pooled for _, pooled in pools):
        raise InputError("nothing to grade: no run has a result")
    placements = " ".join(query.board.board_fen() for query in queries)
    return {
        # Not to be renamed: browsers keep grades under this name.
        "key": f"chess-motif judgements {_digest(placements)[:16]}",
        "grades": GRADES,
        "queries": [
            {
                "id": query.id,
                "placement": query.board.board_fen(),
                "pool": [vars(position) for position in pooled],
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


def _placement(hit: PositionHit) -> str:
    """Return where the pieces are, with the colours of the query."""
    return hit.as_query()[0].board_fen()


def _caption(hit: PositionHit) -> str:
    game = hit.game.game
    players = f"{game.white or '?'} – {game.black or '?'}"
    # A date such as `2013.??.??` becomes the year.
    facts = [players, game.date.rstrip("?."), f"move {hit.board().fullmove_number}"]
    return ", ".join(filter(None, facts))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
