"""The layout of the code: which floor each room is on, and that imports only point down."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from tests.helpers.paths import ROOT

# Lowest floor first. A room may import the rooms of lower floors and the rooms inside it, and no others.
FLOORS = [
    {"chess_motif"},
    {"db", "db.packed", "engines", "engines.human"},
    {"puzzlegen.rules", "puzzlegen.games", "puzzlegen.motifs"},
    {"puzzlegen.verify"},
    {"puzzlegen.reasons"},
    {"puzzlegen.candidates", "puzzlegen.indexer"},
    {"puzzlegen.difficulty", "puzzlegen.formats"},
    {"puzzlegen.solutions"},
    {"puzzlegen.cache"},
    {"puzzlegen.mining", "puzzlegen.upkeep"},
    {"puzzlegen.cli"},
    {"motifsearch.terms", "motifsearch.index"},
    {"motifsearch.search"},
    {"motifsearch.puzzles", "motifsearch.positions"},
    {"motifsearch.retrieval", "motifsearch.trainer", "motifsearch.trainer.analysis"},
    {"motifsearch.show"},
    {"motifsearch.web"},
    {"motifsearch.cli"},
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

# What users import, and the commands, reach into every room.
DOORS = {"puzzlegen", "puzzlegen.__main__", "motifsearch", "motifsearch.__main__"}

# What the wheel holds, and what measures and trains it.
PACKAGES = ("chess_motif", "db", "engines", "puzzlegen", "motifsearch")
LABORATORY = {"benchmarks", "training"}
FILES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str | None:
    """Return the room that a module is in; None for what is not ours, and for doors."""
    parts = module.split(".")
    rooms = (".".join(parts[:depth]) for depth in range(len(parts), 0, -1))
    return next((room for room in rooms if room in FLOOR_OF), None)


@cache
def imports_of(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{name.name}" for name in node.names]
    return found


def test_every_file_is_in_a_room() -> None:
    assert {module for module in map(module_of, FILES) if room_of(module) is None} == DOORS


def test_imports_point_down() -> None:
    upward = []
    for file in FILES:
        if (room := room_of(module_of(file))) is None:
            continue
        below = {other for other, floor in FLOOR_OF.items() if floor < FLOOR_OF[room]} | {room}
        below |= {other for other in FLOOR_OF if other.startswith(f"{room}.")}
        names = [name for name in imports_of(file) if name.split(".")[0] in PACKAGES]
        upward += [f"{module_of(file)} imports {name}" for name in names if room_of(name) not in below]
    assert upward == []


def test_no_package_needs_what_measures_or_trains_it() -> None:
    found = [(module_of(file), name) for file in FILES for name in imports_of(file)]
    assert [(module, name) for module, name in found if name.split(".")[0] in LABORATORY] == []


def test_what_measures_and_what_trains_need_only_the_packages() -> None:
    others = LABORATORY | {"tests"}
    found = [
        (module_of(file), name)
        for package in LABORATORY
        for file in (ROOT / package).rglob("*.py")
        for name in imports_of(file)
        if name.split(".")[0] in others - {package}
    ]
    assert found == []


def test_the_wheel_holds_the_packages_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [*PACKAGES]


def test_third_party_names_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lists = [project["dependencies"], *(extras[name] for name in extras if name not in {"test", "docs"})]
    names = {re.split(r"[^\w.-]", dependency)[0] for dependencies in lists for dependency in dependencies}
    rows = [line.split("|") for line in (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8").splitlines()]
    listed = " ".join(row[1] for row in rows if len(row) > 1).lower().replace("_", "-")
    assert {name for name in names if name not in listed} == set()


def test_every_file_states_its_contract() -> None:
    files = [file for file in FILES if "versions" not in file.parts]
    assert [module_of(file) for file in files if not ast.get_docstring(ast.parse(file.read_text()))] == []
