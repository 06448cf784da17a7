"""Measuring move choosers in positions of games: Stockfish scores all moves, and the choosers are asked."""

from __future__ import annotations

from collections.abc import Sequence

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.evaluations import keep_evaluations, lookup
from db.store import Store
from engines.locate import find_engine
from engines.pool import EnginePool
from engines.search_cache import Searcher
from motifsearch.evaluation.move_quality.choosers import MoveChooser
from motifsearch.evaluation.move_quality.move_scores import MoveScores, score_moves
from motifsearch.evaluation.move_quality.questions import Question
from motifsearch.evaluation.move_quality.report import Answer, MoveQualityReport, ask, players_answer


def measure_choosers(
    questions: Sequence[Question],
    choosers: Sequence[MoveChooser],
    engine_path: str | None = None,
    *,
    store: Store | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> MoveQualityReport:
    """Return how good the moves are that each of `choosers` chooses in `questions`.

    All legal moves are scored by the engine at `engine_path` (default: Stockfish, wherever it is installed);
    `workers` of them run at a time. With a `store`, the results of searches are stored, so that none is
    repeated. The choosers are asked in this process. Raises `EngineError`, `StoreError`, `InputError` for
    fewer than two questions, and `ValueError` if two choosers have the same name or one does not rank every
    legal move once.
    """
    if len(questions) < 2:
        raise InputError("a report needs two positions or more: one has no confidence interval")
    if len({chooser.name for chooser in choosers}) < len(choosers):
        raise ValueError(f"two of {[chooser.name for chooser in choosers]} have the same name")
    progress = progress or Progress()
    all_scores: list[MoveScores] = []
    players: list[Answer] = []
    answers: dict[str, list[Answer]] = {chooser.name: [] for chooser in choosers}
    with EnginePool(find_engine(engine_path), workers, None if store is None else lookup(store)) as pool:
        for scored in pool.map(_score, questions):
            if store is not None:
                with store.session() as session:
                    keep_evaluations(session, scored.searched)
            question, scores = scored.item, scored.result
            all_scores.append(scores)
            players.append(players_answer(question, scores))
            for chooser in choosers:
                answers[chooser.name].append(ask(chooser, question, scores))
            progress.update("choosing moves", len(all_scores), len(questions), "position")
        return MoveQualityReport(pool.engines[0].name, questions, all_scores, players, answers)


def _score(question: Question, searcher: Searcher) -> MoveScores:
    return score_moves(question.board, searcher)
