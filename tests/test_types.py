"""What type checkers see of the packages: the examples of the documents pass, and typos do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

from tests.helpers.paths import ROOT
from tests.test_examples import EXAMPLES

TYPOS = """\
from puzzlegen import mien
import motifsearch
import puzzlegen
from db import Stroe
from engines import Engine

puzzlegen.mien
motifsearch.PuzzleSercher
Engine().serach
"""


def checked(scripts: dict[Path, str], monkeypatch: pytest.MonkeyPatch) -> str:
    for path, script in scripts.items():
        path.write_text(script, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    # With the cache of the project: another one takes mypy a minute.
    out, errors, _ = api.run(["--strict", "--follow-imports=silent", *map(str, scripts)])
    assert errors == ""
    return out


def test_the_examples_of_the_documents_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [str(example.values[0]) for example in EXAMPLES]
    scripts = {tmp_path / f"example{number}.py": code for number, code in enumerate(codes)}
    assert checked(scripts, monkeypatch).startswith("Success")


def test_every_typo_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = checked({tmp_path / "typos.py": TYPOS}, monkeypatch)
    lines = {int(line) for line in re.findall(r"typos\.py:(\d+): error", out)}
    assert lines == {1, 4, 7, 8, 9}
