from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from db.models import Puzzle
from db.store import Store
from puzzlegen.formats.exporting import Format
from puzzlegen.formats.jsonl import SCHEMA_VERSION, as_dict
from tests.helpers.paths import ROOT
from tests.helpers.puzzle_files import exported
from tests.helpers.puzzle_strategies import puzzles

SCHEMA: dict[str, Any] = json.loads((ROOT / "puzzlegen/formats/puzzle.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def test_jsonl_has_an_object_a_line(filled: Store, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in exported(filled, tmp_path, Format.JSONL).splitlines()]
    assert [line["id"] for line in lines] == ["whole", "bare"]
    assert [line["blunder"] for line in lines] == ["f8g8", None]
    assert lines[0]["solution"] == ["b1b8"]


@settings(max_examples=30)
@given(puzzles())
def test_the_schema_describes_what_is_written(puzzle: Puzzle) -> None:
    written = as_dict(puzzle)
    VALIDATOR.validate(written)
    described = list(SCHEMA["properties"])
    assert list(written) == described == SCHEMA["required"], "describe new keys in puzzle.schema.json"


def test_the_schema_has_the_version_that_is_written() -> None:
    VALIDATOR.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == SCHEMA_VERSION
    assert SCHEMA["$id"].endswith(f":{SCHEMA_VERSION}")


@pytest.mark.parametrize("wrong", [{"kind": "test"}, {"solution": []}, {"solution": ["Rb8"]}, {"gap": 3}])
def test_the_schema_refuses_what_is_wrong(filled: Store, tmp_path: Path, wrong: dict[str, Any]) -> None:
    line = json.loads(exported(filled, tmp_path, Format.JSONL).splitlines()[0])
    assert not VALIDATOR.is_valid(line | {"id": "hVYDgQkI"} | wrong)
