"""What Python users import: these names, and that they are there without loading the rest."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

PUBLIC = {
    "db": [
        "Game", "GameFilter", "Kind", "PackedFile", "Puzzle", "PuzzleFilter", "Selection", "Sort", "Store",
        "count_puzzles", "find_puzzles", "get_puzzle",
    ],
    "engines": [
        "Engine", "HumanModel", "Outcome", "Prediction", "Variation", "find_engine", "load_human_model",
        "win_chance",
    ],
    "puzzlegen": [
        "AuditReport", "Ending", "Estimate", "ExerciseRules", "ExportOptions", "ExportReport", "Fault",
        "Finding", "Format", "FoundPlayer", "ImportReport", "MiningReport", "MiningRules", "MiningSummary",
        "OpportunityReport", "PackReport", "Pattern", "Rejection", "SimplifiedPuzzle", "Solution", "Stats",
        "Tag", "TagCount", "audit", "count_tags", "delete", "explain_solution", "export_puzzles",
        "find_opportunities", "find_players", "find_solution", "import_puzzles", "merge_packed", "mine",
        "mine_game", "pack_archives", "pack_store", "rate", "rate_solution", "retag", "simplify", "stats",
        "tag_solution", "write_puzzles",
    ],
    "motifsearch": [
        "AddReport", "AddedPuzzles", "Chesscone", "Feedback", "Grade", "Memory", "MemoryFilter",
        "MemoryReport", "MoveEvidence", "PositionFilters", "PositionHit", "PositionSearcher",
        "PositionsReport", "PuzzleFilters", "PuzzleHit", "PuzzleQuery", "PuzzleResult", "PuzzleSearcher",
        "Record", "SetStatus", "Solving", "StudentResults", "Training", "add_positions", "add_to_set",
        "build_memory", "make_set", "record_attempt", "remember_games", "remove_from_set", "set_results",
        "set_statuses", "train",
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
