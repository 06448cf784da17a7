from __future__ import annotations

import json
from pathlib import Path

from db.store import Store
from puzzlegen.formats.exporting import Format
from tests.helpers.puzzle_files import exported


def test_jsonl_has_an_object_a_line(filled: Store, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in exported(filled, tmp_path, Format.JSONL).splitlines()]
    assert [line["id"] for line in lines] == ["whole", "bare"]
    assert [line["blunder"] for line in lines] == ["f8g8", None]
    assert lines[0]["solution"] == ["b1b8"]
