"""Similar puzzles as plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chess_motif.boards import solution_san
from db.models import Puzzle
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import Mode


def similar_document(
    query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode, why: bool
) -> dict[str, Any]:
    """Return the query and the results of a search.

    Only with `why`, all have `reasons`, and results `words` and `matched`.
    """
    document = {**query_document(query), "by": str(by), "mode": str(mode)}
    if why:
        document["reasons"] = [reason.sentence for reason in query.reasons]
    return {"query": document, "results": [_hit_document(hit, why) for hit in hits]}


def query_document(query: PuzzleQuery) -> dict[str, Any]:
    """Return the query; its `id` is None for a position that is not a stored puzzle."""
    return {
        "id": query.puzzle.id if query.puzzle else None,
        "puzzle_fen": query.board.fen(),
        "solution": [move.uci() for move in query.moves],
        "san": solution_san(query.board, query.moves),
        "source": source_of(query.puzzle) if query.puzzle else None,
    }


def source_of(puzzle: Puzzle) -> str:
    """Return the address of a puzzle's game or, without one, its players or its source."""
    return puzzle.game_url or puzzle.origin()


def _hit_document(hit: PuzzleHit, why: bool) -> dict[str, Any]:
    puzzle = hit.puzzle
    document: dict[str, Any] = {
        "rank": hit.rank,
        "id": puzzle.id,
        "closeness": round(hit.closeness, 4),
        "score": hit.score,
        "static": hit.static,
        "dynamic": hit.dynamic,
        "puzzle_fen": puzzle.puzzle_fen,
        "solution": puzzle.solution.split(),
        "san": solution_san(puzzle.position(), puzzle.moves()),
        "source": source_of(puzzle),
        "source_id": puzzle.source_id or None,
        "game_url": puzzle.game_url or None,
        "rating": puzzle.rating,
        "difficulty": puzzle.difficulty,
        "tags": puzzle.tags.split(),
        "themes": puzzle.themes.split(),
    }
    if why:
        document["words"] = hit.words
        document["reasons"] = [reason.sentence for reason in hit.reasons]
        document["matched"] = [
            {"term": match.term, "field": match.field, "score": match.score} for match in hit.matched
        ]
    return document
