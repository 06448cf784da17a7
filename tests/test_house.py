"""The layout of the code: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

MAY_IMPORT = {
    "chess_motif": set(),
    "db": {"chess_motif"},
    "engines": {"chess_motif"},
    "puzzlegen": {"chess_motif", "db", "engines"},
    "motifsearch": {"chess_motif", "db", "engines", "puzzlegen"},
}


def imported_packages(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_imports_upward(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert files
    forbidden = MAY_IMPORT.keys() - MAY_IMPORT[package] - {package}
    assert {str(file): imported_packages(file) & forbidden for file in files} == {
        str(file): set() for file in files
    }


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_file_states_its_contract(package: str) -> None:
    files = [file for file in (ROOT / package).rglob("*.py") if "versions" not in file.parts]
    assert [str(file) for file in files if not ast.get_docstring(ast.parse(file.read_text()))] == []
