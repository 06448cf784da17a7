"""What Python users import: these names, and that they are there without loading the rest."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import pytest

PUBLIC = {
    "db": [
        "ArchivedGame", "DeletedPuzzle", "Game", "GameFilter", "Kind", "Opportunity",
        "OpportunityKind", "PackedEntry", "PackedFile", "Puzzle", "PuzzleFilter", "Selection", "SetEntry",
        "SetSummary", "Sort", "Store", "Verdict", "count_puzzles", "delete_set", "find_puzzles",
        "get_puzzle", "set_entries",
    ],
    "engines": [
        "Engine", "EngineSetup", "HumanModel", "Outcome", "Prediction", "Searcher", "Until", "Variation",
        "find_engine", "install_command", "load_human_model", "win_chance",
    ],
    "puzzlegen": [
        "ArchiveFilter", "AuditReport", "Drawing", "Ending", "Estimate", "ExplainedReason",
        "ExportOptions", "ExportReport", "Fault", "Finding", "Format", "FoundPlayer",
        "Idea", "ImportFilter", "ImportReport", "LineRules", "MiningReport", "MiningRules",
        "MiningSummary", "NoTactic", "PackReport", "Pattern", "Rejection", "Role", "Shift",
        "SimplifiedPuzzle", "Solution", "Stage", "Stats", "Tag", "TagCount", "TagGroup", "WinningMove",
        "WonLine", "audit", "count_tags", "delete", "explain_solution", "export_puzzles",
        "find_players", "find_solution", "import_puzzles", "merge_packed", "mine", "mine_game",
        "pack_archives", "pack_store", "rate", "rate_solution", "retag", "simplify", "stats",
        "tag_solution", "write_puzzles",
    ],
    "motifsearch": [
        "AddReport", "AddedPuzzles", "By", "Chesscone", "Colours", "Decision", "Due",
        "ExerciseRules", "FeatureSet", "Feedback", "Form", "Grade", "Match", "Memory",
        "MemoryFilter", "MemoryReport", "MoveEvidence", "Neighbours", "OpportunityReport",
        "OpportunityTables", "OpportunityTally", "Pieces", "PositionFilters", "PositionHit",
        "PositionSearcher", "PositionsReport", "PuzzleHit", "PuzzleQuery",
        "PuzzleResult", "PuzzleSearcher", "Record", "ReportRow", "SearchRequest", "SetReport", "SetStatus",
        "Solving", "SolvingState", "StudentResults", "Than", "Training", "add_positions",
        "add_to_set", "build_memory", "find_opportunities", "make_set", "record_attempt",
        "remember_games", "remove_from_set", "set_results", "set_statuses", "train",
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


# Classes of the ground floor, and working parts, which users only pass on, if they see them at all.
PARTS = {
    "Capture", "Encoding", "GameResult", "Interval", "Motif", "Network", "Observer", "Progress",
    "Replay", "Skip", "SkippedSpan", "Slot", "Tactics",
}  # fmt: skip


def names_of_types() -> dict[str, Any]:
    """Return what annotations may name, imported for type checkers only or not."""
    names: dict[str, Any] = {}
    for package in [*PUBLIC, "chess_motif", "chess"]:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if "__main__" not in found.name and "migrations" not in found.name:
                names = vars(importlib.import_module(found.name)) | names
    return names


def annotated(public: Any) -> Iterator[Any]:
    """Yield a function or a class, and the public methods and properties of a class."""
    yield public
    if inspect.isclass(public) and not issubclass(public, Enum):
        for name, member in vars(public).items():
            function = getattr(member, "fget", None) or getattr(member, "func", None)
            function = function or getattr(member, "__func__", member)
            if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                yield function


def classes_in(annotation: Any) -> Iterator[type]:
    """Yield the classes of our packages that an annotation names."""
    for part in get_args(annotation):
        for each in part if isinstance(part, list) else [part]:
            yield from classes_in(each)
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and kind.__module__.partition(".")[0] in (*PUBLIC, "chess_motif"):
        yield kind


def test_the_classes_that_public_names_take_and_return_are_public() -> None:
    modules = map(importlib.import_module, PUBLIC)
    public = [getattr(module, name) for module in modules for name in module.__all__]
    elsewhere = names_of_types()
    private = {
        kind.__name__
        for each in public
        for one in annotated(each)
        for name, annotation in get_type_hints(one, elsewhere | vars(sys.modules[one.__module__])).items()
        if not name.startswith("_")
        for kind in classes_in(annotation)
        if kind not in public and not issubclass(kind, BaseException)
    }
    assert private == PARTS
