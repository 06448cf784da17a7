"""Every network and table that is shipped has a record, which fits it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.paths import ROOT, SAMPLE_PUZZLES
from tests.test_house import PACKAGES
from training.about import KEYS, as_array, digest, from_array, origin_of, write_about

# What else the packages hold: code, pages, the schema of a puzzle, and puzzles (see samples/README.md).
OTHERS = {".py", ".pyc", ".typed", ".html", ".css", ".svg", ".js", ".mako"}
NOT_LEARNED = {"puzzle.schema.json", SAMPLE_PUZZLES.name}

FILES = sorted(
    file
    for package in PACKAGES
    for file in (ROOT / package).rglob("*.*")
    if file.suffix not in OTHERS and file.name not in NOT_LEARNED
)
RECORDS = [file for file in FILES if file.name.endswith("about.json")]
LEARNED = [file for file in FILES if file not in RECORDS]


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def read(record: Path) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
    return about


def test_each_file_has_one_record_with_its_digest() -> None:
    recorded = [
        (record.with_name(name), sha256)
        for record in RECORDS
        for name, sha256 in read(record)["files"].items()
    ]
    assert sorted(recorded) == [(file, digest(file)) for file in LEARNED]


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_a_record_is_complete(record: Path) -> None:
    about = read(record)
    assert [key for key in KEYS if not about.get(key)] == []
    assert all(source.keys() == {"name", "sha256", "used"} for source in about["made_from"])


def test_the_origin_of_examples_comes_first(tmp_path: Path) -> None:
    games, model = tmp_path / "games.pgn", tmp_path / "model.npz"
    games.write_text("1. e4 *")
    np.savez(tmp_path / "examples.npz", allow_pickle=False, origin=as_array(origin_of({games: "all"})))
    with np.load(tmp_path / "examples.npz") as examples:
        origin = origin_of({}, from_array(examples["origin"]))
    model.write_bytes(b"weights")
    write_about([model], origin, what="a model", held_out="nothing", figures={"error": 0.5}, ratings=[1100])
    about = read(tmp_path / "model.about.json")
    assert about["made_from"] == [{"name": "games.pgn", "sha256": digest(games), "used": "all"}]
    assert len(about["made_by"]) == 2
    assert about["files"] == {"model.npz": digest(model)}
    assert {*KEYS, "ratings"} == about.keys()


def test_a_command_is_one_that_others_can_type(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["/somewhere/training/likely.py", "/somewhere/two words.csv", "--out", "terms/likely.json"]
    monkeypatch.setattr("sys.argv", words)
    expected = "python -m training.likely 'two words.csv' --out terms/likely.json"
    assert origin_of({})["made_by"] == [expected]
