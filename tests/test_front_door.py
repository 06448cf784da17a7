"""What Python users import: these names, and that they are there without loading the rest."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PUBLIC = {
    "db": [
        "Game", "GameFilter", "PackedFile", "Puzzle", "PuzzleFilter", "Selection", "Sort", "Store",
        "count_puzzles", "find_puzzles", "get_puzzle",
    ],
    "engines": [
        "Engine", "HumanModel", "Prediction", "Variation", "find_engine", "load_human_model", "win_chance",
    ],
    "puzzlegen": [
        "ExerciseRules", "ExportOptions", "MiningRules", "Pattern", "audit", "export_puzzles",
        "find_opportunities", "find_players", "import_puzzles", "merge_packed", "mine", "pack_archives",
        "pack_store", "rate", "retag", "simplify",
    ],
    "motifsearch": [
        "PositionFilters", "PositionSearcher", "PuzzleFilters", "PuzzleSearcher", "Solving", "add_to_set",
        "make_set", "set_results", "train",
    ],
}  # fmt: skip


@pytest.mark.parametrize("package", PUBLIC)
def test_the_public_names_are_these(package: str) -> None:
    module = importlib.import_module(package)
    assert sorted(module.__all__) == PUBLIC[package]
    assert all(getattr(module, name) is not None for name in PUBLIC[package])


@pytest.mark.parametrize("package", PUBLIC)
def test_another_name_is_an_error(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018 - the access is what is tested


@pytest.mark.parametrize("package", PUBLIC)
def test_a_package_loads_nothing_before_a_name_is_used(package: str) -> None:
    heavy = ("chess", "onnxruntime", "sqlalchemy", "tantivy")
    code = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
