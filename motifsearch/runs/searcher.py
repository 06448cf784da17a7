"""Finding similar positions by any run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import chess

from chess_motif.errors import IndexUnavailableError, LibraryMissingError
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.games import get_archived
from db.models import ArchivedGame
from db.store import Store
from motifsearch.index.bm25 import rounded
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.ranking import Candidate
from motifsearch.positions.searcher import (
    DEFAULT_COUNT,
    PositionFilters,
    PositionHit,
    PositionSearcher,
    Request,
    request,
)
from motifsearch.runs.fusion import DEPTH, VECTORS, Shares, fused
from motifsearch.runs.names import WITH_MEMORY, Run

if TYPE_CHECKING:
    from motifsearch.runs.embedded import EmbeddedSearcher, Material


class RunSearcher:
    """Finds the positions of archived games that are most like a given one, by any run.

    What a run needs is opened when it is first searched by: the index of positions, brought up to date as
    `PositionSearcher` does, and the memory. `directory` holds both (default: beside the database).
    """

    def __init__(self, store: Store, directory: Path | None = None, progress: Progress | None = None) -> None:
        self._store = store
        self._directory = directory
        self._progress = progress or Progress()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what has been opened."""
        opened = vars(self)
        if "_terms" in opened:
            opened.pop("_terms").close()
        opened.pop("embedded", None)

    @cached_property
    def embedded(self) -> EmbeddedSearcher:
        """The searcher by vectors. Raises as `EmbeddedSearcher` does."""
        # Imported only here: they need the human-move model and faiss, an extra.
        from motifsearch.retrieval.memory.folder import default_folder
        from motifsearch.runs.embedded import EmbeddedSearcher

        searcher = EmbeddedSearcher(self._store, default_folder(self._store, self._directory))
        if searcher.missing:
            games = counted(searcher.missing, "archived game")
            self._progress.notice(
                f"{games} not in the memory yet: 'motifsearch retrieval build' adds what is missing"
            )
        return searcher

    @cached_property
    def _terms(self) -> PositionSearcher:
        return PositionSearcher(self._store, self._directory, self._progress)

    @cached_property
    def left_out(self) -> str | None:
        """Why the runs that need the memory cannot be used, None if they can."""
        try:
            self.embedded  # noqa: B018 - opened to see whether it can be
        except (IndexUnavailableError, LibraryMissingError) as error:
            return str(error)
        return None

    @property
    def runs(self) -> list[Run]:
        """The runs that can be used."""
        return [run for run in Run if run not in WITH_MEMORY or self.left_out is None]

    def similar(
        self,
        board: chess.Board | str,
        *,
        run: Run | str = Run.DEFAULT,
        colours: Colours | str | None = None,
        k: int = DEFAULT_COUNT,
        why: bool = False,
        filters: PositionFilters | None = None,
    ) -> list[PositionHit]:
        """Return the positions most like `board`, best first: the best one of each of `k` archived games.

        As `PositionSearcher.similar` does, and raises what that raises. `Embedded` and `Fused` raise
        `IndexUnavailableError` if there is no memory, `LibraryMissingError` without faiss, `HumanModelError`.
        A score of theirs is at most 100. With `why`, results of `Fused` have the terms that matched in
        `Default`, and those of `Embedded` have none.
        """
        run = Run(run)
        if run.feature_set is not None:
            return self._terms.similar(
                board, feature_set=run.feature_set, colours=colours, k=k, why=why, filters=filters
            )
        asked = request(board, colours, k, filters)
        return self._embedded(asked) if run is Run.EMBEDDED else self._fused(asked, why)

    def _embedded(self, asked: Request) -> list[PositionHit]:
        found = self._near(asked)
        games = self._games(found)
        return [
            PositionHit(
                rank,
                candidate.score,
                games[candidate.place.number],
                candidate.place.ply,
                {VECTORS: candidate.score},
                reversed=candidate.reversed,
            )
            for rank, candidate in enumerate(found, start=1)
        ]

    def _fused(self, asked: Request, why: bool) -> list[PositionHit]:
        deep = replace(asked, k=max(DEPTH, asked.k))
        ranked = self._terms.ranked(deep, FeatureSet.DEFAULT)
        near = self._near(deep)
        by_terms = {_unscored(candidate): candidate.score for candidate, _ in ranked}
        by_vectors = {_unscored(candidate): candidate.score for candidate in near}
        games = {candidate.place.number: game for candidate, game in ranked} | self._games(near)
        lack_terms = {one: games[one.place.number] for one in by_vectors if one not in by_terms}
        lack_vectors = {one: games[one.place.number] for one in by_terms if one not in by_vectors}
        by_terms |= self._terms.scores(asked.board, FeatureSet.DEFAULT, lack_terms)
        by_vectors |= self._nearness(asked.board, lack_vectors)
        best: dict[int, tuple[Candidate, Shares]] = {}
        for one, shares in fused(by_terms, by_vectors).items():
            best.setdefault(one.place.number, (one._replace(score=by_terms[one]), shares))
        shown = list(best.values())[: asked.k]
        found = [(candidate, games[candidate.place.number]) for candidate, _ in shown]
        hits = self._terms.explained(asked.board, FeatureSet.DEFAULT, found, why=why)
        return [_united(hit, shares) for hit, (_, shares) in zip(hits, shown, strict=True)]

    def _near(self, asked: Request) -> list[Candidate]:
        material = self._material(asked.filters.material)
        return self.embedded.best_of_games(asked.board, asked.colours, asked.k, asked.filters, material)

    def _games(self, found: Sequence[Candidate]) -> dict[int, ArchivedGame]:
        with self._store.reading() as session:
            return get_archived(session, [candidate.place.number for candidate in found])

    def _nearness(
        self, board: chess.Board, found: Mapping[Candidate, ArchivedGame]
    ) -> dict[Candidate, float]:
        """Return the scores of positions by their vectors."""
        boards = [(game.position(one.place.ply), one.reversed) for one, game in found.items()]
        return dict(zip(found, self.embedded.scores(self.embedded.views(board), boards), strict=True))

    def _material(self, material: str | None) -> Material | None:
        """Return the positions with a material, which the index of positions knows."""
        from motifsearch.runs.embedded import Material

        if material is None:
            return None
        exchanged = "-".join(reversed(material.split("-")))
        return Material(self._terms.with_material(material), self._terms.with_material(exchanged))


def _unscored(candidate: Candidate) -> Candidate:
    """Return a position without the score by which it was found, which is of one kind or the other."""
    return candidate._replace(score=0.0)


def _united(hit: PositionHit, shares: Shares) -> PositionHit:
    """Return a hit of the terms with its new score, of which its terms add up to their share."""
    scale = shares.terms / hit.score if hit.score else 0.0
    parts = {family: scale * score for family, score in hit.parts.items()} | {VECTORS: shares.vectors}
    return replace(
        hit,
        score=rounded(sum(shares)),
        parts={name: rounded(part) for name, part in parts.items()},
        matched=tuple(replace(match, score=scale * match.score) for match in hit.matched),
    )
