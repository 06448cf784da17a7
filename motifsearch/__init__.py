"""Finding similar puzzles and positions (command `motifsearch`).

`PuzzleSearcher` finds the stored puzzles that share a motif with one, `PositionSearcher` the archived games
in which a similar position occurred. Both stay open and answer many queries. `find_opportunities` stores what
a player had and missed in her games, `train` makes a training set of it; `make_set` and `add_to_set` make one
of puzzles that a coach chooses, and `set_results` says what students made of it. `Solving` is a puzzle that
somebody solves. Everything else in this package may change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from motifsearch.index.bm25 import Match
    from motifsearch.positions.archiving import AddReport, add_positions
    from motifsearch.positions.index import PositionsReport
    from motifsearch.positions.ranking import Colours
    from motifsearch.positions.searcher import PositionFilters, PositionHit, PositionSearcher
    from motifsearch.positions.terms import FeatureSet, Pieces
    from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
    from motifsearch.retrieval.build import MemoryReport, build_memory, remember_games
    from motifsearch.retrieval.chesscone import Chesscone, Form
    from motifsearch.retrieval.decision import Decision
    from motifsearch.retrieval.evidence import MoveEvidence, Record
    from motifsearch.retrieval.memory import Memory, MemoryFilter, Neighbours
    from motifsearch.search import By, PuzzleQuery, SearchRequest, Than
    from motifsearch.trainer.analysis.opportunities import OpportunityReport, find_opportunities
    from motifsearch.trainer.analysis.rules import ExerciseRules
    from motifsearch.trainer.attempts import record_attempt
    from motifsearch.trainer.coach import (
        AddedPuzzles,
        PuzzleResult,
        StudentResults,
        add_to_set,
        make_set,
        remove_from_set,
        set_results,
    )
    from motifsearch.trainer.repetition import Due
    from motifsearch.trainer.report import OpportunityTables, OpportunityTally, ReportRow
    from motifsearch.trainer.sets import SetReport, SetStatus, set_statuses
    from motifsearch.trainer.solving import Feedback, Grade, Solving, SolvingState
    from motifsearch.trainer.train import Training, train

__all__ = [
    "AddReport",
    "AddedPuzzles",
    "By",
    "Chesscone",
    "Colours",
    "Decision",
    "Due",
    "ExerciseRules",
    "FeatureSet",
    "Feedback",
    "Form",
    "Grade",
    "Match",
    "Memory",
    "MemoryFilter",
    "MemoryReport",
    "MoveEvidence",
    "Neighbours",
    "OpportunityReport",
    "OpportunityTables",
    "OpportunityTally",
    "Pieces",
    "PositionFilters",
    "PositionHit",
    "PositionSearcher",
    "PositionsReport",
    "PuzzleHit",
    "PuzzleQuery",
    "PuzzleResult",
    "PuzzleSearcher",
    "Record",
    "ReportRow",
    "SearchRequest",
    "SetReport",
    "SetStatus",
    "Solving",
    "SolvingState",
    "StudentResults",
    "Than",
    "Training",
    "add_positions",
    "add_to_set",
    "build_memory",
    "find_opportunities",
    "make_set",
    "record_attempt",
    "remember_games",
    "remove_from_set",
    "set_results",
    "set_statuses",
    "train",
]

if not TYPE_CHECKING:
    # Out of sight of type checkers, which would believe that it finds any name.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "motifsearch.index.bm25": ["Match"],
            "motifsearch.positions.archiving": ["AddReport", "add_positions"],
            "motifsearch.positions.index": ["PositionsReport"],
            "motifsearch.positions.ranking": ["Colours"],
            "motifsearch.positions.searcher": ["PositionFilters", "PositionHit", "PositionSearcher"],
            "motifsearch.positions.terms": ["FeatureSet", "Pieces"],
            "motifsearch.puzzles.searcher": ["PuzzleHit", "PuzzleSearcher"],
            "motifsearch.retrieval.build": ["MemoryReport", "build_memory", "remember_games"],
            "motifsearch.retrieval.chesscone": ["Chesscone", "Form"],
            "motifsearch.retrieval.decision": ["Decision"],
            "motifsearch.retrieval.evidence": ["MoveEvidence", "Record"],
            "motifsearch.retrieval.memory": ["Memory", "MemoryFilter", "Neighbours"],
            "motifsearch.search": ["By", "PuzzleQuery", "SearchRequest", "Than"],
            "motifsearch.trainer.analysis.opportunities": ["OpportunityReport", "find_opportunities"],
            "motifsearch.trainer.analysis.rules": ["ExerciseRules"],
            "motifsearch.trainer.coach": [
                "AddedPuzzles",
                "PuzzleResult",
                "StudentResults",
                "add_to_set",
                "make_set",
                "remove_from_set",
                "set_results",
            ],
            "motifsearch.trainer.attempts": ["record_attempt"],
            "motifsearch.trainer.repetition": ["Due"],
            "motifsearch.trainer.report": ["OpportunityTables", "OpportunityTally", "ReportRow"],
            "motifsearch.trainer.sets": ["SetReport", "SetStatus", "set_statuses"],
            "motifsearch.trainer.solving": ["Feedback", "Grade", "Solving", "SolvingState"],
            "motifsearch.trainer.train": ["Training", "train"],
        },
    )
