"""The options that select puzzles: what is refused, and what can be piped into what."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from db.store import Store
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

URL = "https://lichess.org/abcdefgh/black#56"


@pytest.fixture
def puzzlegen(sqlite_store: Store, command_on: CommandOn) -> Command:
    for name, puzzle in PUZZLES.items():
        facts = {"tags": "fork mate", "themes": "crushing", "game_url": URL, "source_id": id_of(name)[:5]}
        put(sqlite_store, row(*puzzle, **facts))
    return command_on(sqlite_store, "puzzlegen")


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


def listed(puzzlegen: Command, *arguments: str) -> list[str]:
    return [puzzle["id"] for puzzle in json.loads(puzzlegen("list", "--json", *arguments).out)]


@pytest.mark.parametrize("command", [["list"], ["export", "-", "--format", "epd"], ["audit"]])
@pytest.mark.parametrize(
    ("option", "value", "nearest"),
    [("--tag", "pin,frok", "fork"), ("--no-tag", "pin,frok", "fork"), ("--source", "lichss", "lichess")],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(
    puzzlegen: Command, command: list[str], option: str, value: str, nearest: str
) -> None:
    status, out, err = puzzlegen(*command, option, value)
    assert (status, out) == (2, "")
    assert f"'{nearest}'?" in err


@pytest.mark.parametrize(
    "filters",
    [
        pytest.param(["--tag", "crushing"], id="a theme"),
        pytest.param(["--tag", "skewer,fork", "--tag", "mate"], id="one of several tags"),
        pytest.param(["--no-tag", "skewer"], id="a tag that no puzzle has"),
        pytest.param(["--source", "test"], id="a source in the database"),
    ],
)
def test_what_is_known_is_not_refused(puzzlegen: Command, filters: list[str]) -> None:
    assert len(listed(puzzlegen, *filters)) == len(PUZZLES)


@pytest.mark.parametrize("source", ["lichess", "pgn", "epd", "jsonl"])
def test_every_format_that_can_be_imported_is_a_source(puzzlegen: Command, source: str) -> None:
    assert listed(puzzlegen, "--source", source) == []


def test_ids_are_listed_in_the_order_given(puzzlegen: Command) -> None:
    names = [id_of("promotion"), id_of("back rank"), id_of("fork")]
    assert listed(puzzlegen, *names) == names


@pytest.mark.parametrize("form", ["{}\n{}\n", '"{}"\n"{}"\n', '["{}", "{}"]', "{} {}"])
def test_ids_from_standard_input(puzzlegen: Command, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    names = [id_of("promotion"), id_of("back rank")]
    typed(monkeypatch, form.format(*names))
    assert listed(puzzlegen, "-") == names


def test_an_empty_list_of_ids_means_no_puzzle(puzzlegen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "")
    assert listed(puzzlegen, "-") == []


def test_an_unknown_id_is_one_line_and_leaves_no_file(puzzlegen: Command, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    status, out, err = puzzlegen("export", str(file), id_of("fork"), "nosuch")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "'nosuch'" in err
    assert not file.exists()


def test_a_random_sample_says_how_to_repeat_it(puzzlegen: Command) -> None:
    _, out, err = puzzlegen("list", "--json", "--random", "3")
    seed = err.split("--seed ")[1].split()[0]
    assert listed(puzzlegen, "--random", "3", "--seed", seed) == [puzzle["id"] for puzzle in json.loads(out)]


def test_a_minus_sign_sorts_the_other_way(puzzlegen: Command) -> None:
    def lengths(key: str) -> list[int]:
        puzzles = json.loads(puzzlegen("list", "--json", "--sort", key).out)
        return [len(puzzle["solution"]) for puzzle in puzzles]

    assert lengths("length") == sorted(lengths("length"))
    assert lengths("-length") == sorted(lengths("length"), reverse=True)


@pytest.mark.parametrize("width", [40, 200])
def test_the_list_fits_and_addresses_are_in_one_piece(
    puzzlegen: Command, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = puzzlegen("list").out
    assert max(map(len, out.splitlines())) <= width
    assert ("lichess" in out) == (URL in out) == (width >= 80)


def test_the_list_has_the_motif_and_the_id_at_the_source(puzzlegen: Command) -> None:
    header, _, first, *_ = puzzlegen("list").out.splitlines()
    assert header.split() == ["id", "source", "id", "solver", "moves", "motif", "from"]
    assert first.split() == [id_of("back rank"), id_of("back rank")[:5], "White", "1", "fork", URL]


def test_delete_says_what_it_deleted(puzzlegen: Command) -> None:
    name = id_of("fork")
    assert puzzlegen("delete", name[:5], "--yes") == (0, f"Deleted 1 puzzle: {name}\n", "")
    assert name not in listed(puzzlegen)


@pytest.mark.parametrize(("answer", "deleted"), [("y\n", True), ("n\n", False), ("", False)])
def test_delete_asks_first(
    puzzlegen: Command, monkeypatch: pytest.MonkeyPatch, answer: str, deleted: bool
) -> None:
    typed(monkeypatch, answer)
    status, _, err = puzzlegen("delete", id_of("fork"))
    assert "Delete 1 puzzle?" in err
    assert (status, id_of("fork") not in listed(puzzlegen)) == ((0, True) if deleted else (1, False))


def test_nothing_is_deleted_if_an_id_is_unknown(puzzlegen: Command) -> None:
    assert puzzlegen("delete", id_of("fork"), "nosuch", "--yes").status == 1
    assert len(listed(puzzlegen)) == len(PUZZLES)


def test_ids_to_delete_from_standard_input(puzzlegen: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, f"{id_of('fork')}\n{id_of('promotion')}\n")
    done = puzzlegen("delete", "-", "--yes", "--json")
    assert json.loads(done.out) == {"deleted": [id_of("fork"), id_of("promotion")]}
