"""What type checkers see of the packages: the scripts of the reference pass, and typos do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

from tests.helpers.paths import ROOT

PAGE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```python\n(\"\"\".*?)```", PAGE, re.DOTALL)

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


def checked(file: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    # With the cache of the project: another one takes mypy a minute for each file.
    out, errors, _ = api.run(["--strict", "--follow-imports=silent", str(file)])
    assert errors == ""
    return out


def test_the_scripts_of_the_reference_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(SCRIPTS) == 2
    for number, script in enumerate(SCRIPTS):
        assert "Success" in checked(tmp_path / f"script{number}.py", script, monkeypatch)


def test_every_typo_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = checked(tmp_path / "typos.py", TYPOS, monkeypatch)
    lines = {int(line) for line in re.findall(r"typos\.py:(\d+): error", out)}
    assert lines == {1, 4, 7, 8, 9}
