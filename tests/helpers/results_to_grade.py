"""Results of two runs, to be graded."""

from __future__ import annotations

import chess

from benchmarks.grading import NumberedPosition
from motifsearch.positions.terms import FeatureSet
from tests.helpers.archived_games import KINGS, QUEENS, ROOKS, found

QUERIES = [NumberedPosition("1", chess.Board(ROOKS)), NumberedPosition("3", chess.Board(KINGS))]

RESULTS = {
    FeatureSet.ATTK: {"1": [found("a", 3.0), found("b", 2.0, start=QUEENS)], "3": []},
    FeatureSet.DFNS: {
        "1": [found("b", 2.0, start=QUEENS), found("c", 1.0)],
        "3": [found("d", 1.0, start=KINGS)],
    },
}
