from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from db.changes import deleted_since, last_change
from db.models import Puzzle, utc_now
from db.puzzles import (
    PuzzleFilter,
    add_puzzles,
    delete_puzzles,
    find_puzzles,
    get_puzzle,
    mark_audited,
)
from db.store import Store
from puzzlegen.formats.exporting import Format, write_puzzles
from puzzlegen.formats.importing import ImportReport, import_puzzles
from puzzlegen.formats.jsonl import SCHEMA_VERSION, as_dict
from puzzlegen.upkeep.changes import retag
from tests.helpers.paths import ROOT
from tests.helpers.puzzle_files import exported
from tests.helpers.puzzle_strategies import puzzles
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

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


def copy_changes(source: Store, target: Store, file: Path, since: int) -> tuple[int, ImportReport]:
    """Bring the changes after `since` into another store; return the number to continue with."""
    with source.reading() as session:
        last = last_change(session)
        puzzles = find_puzzles(session, PuzzleFilter(since=since, kind=None))
        write_puzzles(str(file), puzzles, deleted=deleted_since(session, since))
    return last, import_puzzles(str(file), target)


def contents(store: Store) -> list[dict[str, Any]]:
    with store.reading() as session:
        return sorted(map(as_dict, find_puzzles(session)), key=lambda keys: str(keys["id"]))


def test_a_second_store_follows_by_the_changes(sqlite_store: Store, tmp_path: Path) -> None:
    names = ["fork", "smothered", "promotion"]
    put(sqlite_store, *(row(*PUZZLES[name], source="mined") for name in names))
    retag(sqlite_store)
    file = tmp_path / "changes.jsonl"
    with Store(str(tmp_path / "second.db")) as second:
        last, report = copy_changes(sqlite_store, second, file, 0)
        assert (report.stored, contents(second)) == (3, contents(sqlite_store))
        with sqlite_store.session() as session:
            facts = {"engine": "x", "nodes": 1, "faults": []}
            mark_audited(session, id_of("fork"), passed=False, facts=facts)
            delete_puzzles(session, [id_of("smothered")])
            add_puzzles(session, [row(*PUZZLES["black's fork"], source="mined")])
        retag(sqlite_store)
        last, report = copy_changes(sqlite_store, second, file, last)
        assert (report.stored, report.updated, report.deleted) == (1, 1, 1)
        assert contents(second) == contents(sqlite_store)
        # An old file changes nothing.
        assert import_puzzles(str(file), second).known == 2
        assert contents(second) == contents(sqlite_store)


def test_a_puzzle_that_was_deleted_and_stored_again_is_as_it_was_stored(
    sqlite_store: Store, tmp_path: Path
) -> None:
    """The second store never hears of the deletion, and has a verdict on the first state."""
    puzzle = PUZZLES["fork"]
    mined = utc_now()
    put(sqlite_store, row(*puzzle))
    with sqlite_store.session() as session:
        mark_audited(session, id_of("fork"), passed=False, facts={"engine": "x", "nodes": 1, "faults": []})
    with Store(str(tmp_path / "second.db")) as second:
        last, _ = copy_changes(sqlite_store, second, tmp_path / "changes.jsonl", 0)
        with sqlite_store.session() as session:
            delete_puzzles(session, [id_of("fork")])
        # It was found before that.
        put(sqlite_store, row(*puzzle, created=mined))
        _, report = copy_changes(sqlite_store, second, tmp_path / "changes.jsonl", last)
        assert report.updated == 1
        with sqlite_store.reading() as one, second.reading() as two:
            states = [get_puzzle(session, id_of("fork")) for session in (one, two)]
    assert states[0].as_of == states[1].as_of
    assert states[1].audit_passed is None


def test_an_older_deletion_spares_what_changed_later(sqlite_store: Store, tmp_path: Path) -> None:
    put(sqlite_store, row(*PUZZLES["fork"]))
    keys = {"id": id_of("fork"), "deleted": True, "updated": "2001-01-01T00:00:00+00:00"}
    file = tmp_path / "old.jsonl"
    file.write_text(json.dumps(keys))
    assert import_puzzles(str(file), sqlite_store).deleted == 0
    assert len(contents(sqlite_store)) == 1
