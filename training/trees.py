"""Writing models of LightGBM as files for `puzzlegen.difficulty.trees`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np


def save_trees(model: lightgbm.Booster, file: Path) -> None:
    """Write a model of numerical features to a file `.npz`."""
    dumped = model.dump_model()
    trees = [tree["tree_structure"] for tree in dumped["tree_info"]]
    splits = [sorted(_splits(tree), key=lambda node: node["split_index"]) for tree in trees]
    leaves = [sorted(_leaves(tree), key=lambda node: node.get("leaf_index", 0)) for tree in trees]
    nodes = [node for of_tree in splits for node in of_tree]
    if any(node["decision_type"] != "<=" or node["missing_type"] == "Zero" for node in nodes):
        raise ValueError("the model splits by categories, or takes zero for a missing value")
    np.savez_compressed(
        file,
        allow_pickle=False,
        names=np.array(dumped["feature_names"]),
        splits=np.array([len(of_tree) for of_tree in splits], np.uint16),
        column=np.array([node["split_feature"] for node in nodes], np.uint16),
        threshold=np.array([node["threshold"] for node in nodes], np.float64),
        missing_left=np.array([_missing_left(node) for node in nodes], np.bool_),
        left=np.array([_number(node["left_child"]) for node in nodes], np.int16),
        right=np.array([_number(node["right_child"]) for node in nodes], np.int16),
        leaves=np.array([node["leaf_value"] for of_tree in leaves for node in of_tree], np.float64),
    )


def _splits(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "split_index" in node:
        yield node
        yield from _splits(node["left_child"])
        yield from _splits(node["right_child"])


def _leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "split_index" in node:
        yield from _leaves(node["left_child"])
        yield from _leaves(node["right_child"])
    else:
        yield node


def _number(node: dict[str, Any]) -> int:
    return int(node["split_index"]) if "split_index" in node else ~int(node["leaf_index"])


def _missing_left(node: dict[str, Any]) -> bool:
    """Return whether NaN goes left. If there was no NaN in training, LightGBM takes NaN for 0."""
    return bool(node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0)
