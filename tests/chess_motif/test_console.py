"""What every command prints, and shell completion."""

from __future__ import annotations

import json

import pytest
from typer import Typer
from typer.testing import CliRunner

from chess_motif.console import print_json
from motifsearch.cli.main import app as motifsearch
from puzzlegen.cli.main import app as puzzlegen


def test_numbers_in_json_are_rounded(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"score": 16.860000000000003, "of": [(1 / 3, 7, "0.123456", None, True)]})
    assert json.loads(capsys.readouterr().out) == {
        "score": 16.86,
        "of": [[0.3333, 7, "0.123456", None, True]],
    }


@pytest.mark.parametrize(
    ("app", "name", "typed", "completed"),
    [
        (puzzlegen, "puzzlegen", "puzzlegen mi", "mine"),
        (puzzlegen, "puzzlegen", "puzzlegen mine games.pgn --pattern b", "blunder"),
        (motifsearch, "motifsearch", "motifsearch positions a", "add"),
    ],
)
def test_the_shell_completes_commands_and_values(app: Typer, name: str, typed: str, completed: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    result = CliRunner().invoke(
        app, prog_name=name, env={f"_{name.upper()}_COMPLETE": "complete_bash", **words}
    )
    assert completed in result.stdout.splitlines()
