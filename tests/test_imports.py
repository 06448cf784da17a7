"""What a command loads: commands that are typed all the time start fast, and nothing heavy comes unasked."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from typer.main import get_group

from chess_motif.program import Program
from motifsearch.cli.main import app as motifsearch
from puzzlegen.cli.main import app as puzzlegen

# Libraries of the extra `training`, which no command needs.
NEVER = {"lightgbm", "pandas", "scipy", "sklearn", "torch"}

# What takes a while to load, and what each command does without.
HEAVY = {"alembic", "chess.engine", "chess.svg", "jinja2", "multiprocessing", "numpy", "onnxruntime"}
# The tables of what a player trains, which take a while to map.
TRAINING = {"db.analyses", "db.attempts", "db.sets"}
WITHOUT = {
    "puzzlegen.cli.main": HEAVY | {"chess", "rich", "sqlalchemy", "tantivy"},
    "motifsearch.cli.main": HEAVY | {"chess", "rich", "sqlalchemy", "tantivy"},
    "puzzlegen.cli.puzzles": HEAVY | TRAINING | {"puzzlegen.reasons", "tantivy"},
    "motifsearch.cli.puzzles": TRAINING | {"alembic", "numpy", "onnxruntime"},
}


def loaded_by(code: str) -> set[str]:
    """Return the modules that are loaded after some code ran in a process of its own."""
    shown = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", WITHOUT)
def test_what_a_command_does_without(module: str) -> None:
    assert loaded_by(f"import {module}") & (WITHOUT[module] | NEVER) == set()


def test_rating_needs_no_library_for_training() -> None:
    code = (
        "from engines import load_human_model\n"
        "from puzzlegen.difficulty.rating import load_rating_model\n"
        "load_rating_model(load_human_model())"
    )
    assert loaded_by(code) & NEVER == set()


@pytest.mark.parametrize("program", [puzzlegen, motifsearch], ids=lambda program: program.name)
def test_the_list_of_commands_says_what_their_help_says(program: Program) -> None:
    """Commands are listed without being loaded."""
    commands: Any = get_group(program.application())
    firsts = {
        name: " ".join(str(command.help).split("\n\n")[0].split())
        for name, command in commands.commands.items()
    }
    assert firsts == {name: place.help for name, place in program.commands.items()}
