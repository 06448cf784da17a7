"""What the tree adds to an estimate."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from puzzlegen.difficulty.attributes import BY_LEVEL, LEVELS, OF_TREE, TreeAttributes
from puzzlegen.difficulty.rating_model import MODELS
from puzzlegen.difficulty.tree import MeaningfulTree, TreePosition
from puzzlegen.difficulty.tree_correction import TreeCorrection

# White has a rook and a pawn, Black a rook: 6 / 5.
EMPTY_TREE = TreeAttributes(MeaningfulTree(TreePosition(chess.Board("6k1/r7/8/8/8/8/P7/R5K1 w - - 0 1"), 20)))


def test_each_attribute_adds_its_weight() -> None:
    correction = TreeCorrection(10.0, {"PieceValueRatio": 100.0, "PossibleMoves(1)": -2.0, "TreeSize": 7.0})
    assert correction.points(EMPTY_TREE) == pytest.approx(10 + 120 - 40)


@pytest.mark.parametrize("folder", sorted(MODELS.iterdir()), ids=lambda folder: folder.name)
def test_every_model_has_a_weight_for_every_attribute(folder: Path) -> None:
    names = {f"{name}({level})" for name in BY_LEVEL for level in LEVELS} | OF_TREE.keys()
    assert TreeCorrection.load(folder / "tree.json").weights.keys() == names
