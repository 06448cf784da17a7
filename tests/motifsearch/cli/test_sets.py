"""The commands `sets`: what is printed, and the exit status."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from db.sets import set_entries
from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.solving import Grade
from tests.helpers.commands import Answer, Command, CommandOn
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row


def test_sets_are_listed(command: Command) -> None:
    status, out, _ = command("sets", "list")
    assert status == 0
    assert out.splitlines()[2].split() == ["Ann", "ann", "2", "0", "2"]
    assert json.loads(command("sets", "list", "--json")[1])[0]["new"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("sets", "show"),
        ("sets", "create"),
        ("sets", "add", "Ann"),
        ("sets", "add", "Ann", "--limit", "3"),
        ("sets", "add", "Ann", "--tag", "nonsense"),
        ("sets", "export", "Ann", "file.epd", "--per-page", "4"),
        ("sets", "export", "Ann", "file.pdf", "--sort", "nonsense"),
    ],
)
def test_wrong_usage(command: Command, arguments: tuple[str, ...]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err


def test_no_sets(sqlite_store: Store, command_on: CommandOn) -> None:
    assert command_on(sqlite_store, "motifsearch")("sets", "list").out.startswith("No training sets yet")


def test_a_set_is_shown(command: Command) -> None:
    _, out, _ = command("sets", "show", "Ann")
    assert "2 opportunities of the player's games, and 0 puzzles like them" in out
    entries = json.loads(command("sets", "show", "Ann", "--json")[1])
    assert [entry["missed"] == entry["id"] for entry in entries] == [True, True]


def test_a_misspelt_set(command: Command) -> None:
    status, _, err = command("sets", "show", "Anne")
    assert (status, err) == (1, "motifsearch: no training set 'Anne'; did you mean 'Ann'?; "
                                "'motifsearch sets list' shows them\n")  # fmt: skip


def test_a_set_is_exported(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "set.epd"
    _, _, err = command("sets", "export", "Ann", str(file))
    assert "2 puzzles written" in err
    assert len(file.read_text().splitlines()) == 2


def test_the_title_of_a_page_is_the_name_of_the_set(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "set.html"
    command("sets", "export", "Ann", str(file))
    assert "<title>Ann</title>" in file.read_text()


def test_a_set_is_deleted_if_the_user_agrees(command: Command, answer: Answer) -> None:
    answer("n")
    assert command("sets", "delete", "Ann").status == 1
    assert command("sets", "delete", "Ann", "--yes").status == 0
    assert "No training sets yet" in command("sets", "list").out


def test_a_coach_makes_a_set(command: Command, trained: Store) -> None:
    put(trained, *(row(*puzzle, rating=1000) for puzzle in PUZZLES.values()))
    assert command("sets", "create", "lesson", "--for", "Bob").out.startswith("Made the set 'lesson' for Bob")
    status, out, _ = command("sets", "add", "lesson", id_of("fork"), id_of("smothered"))
    assert (status, out.splitlines()[0]) == (
        0,
        "Added 2 puzzles to the set 'lesson', level 1000. It has 2 now.",
    )
    assert "2 puzzles\n" in command("sets", "show", "lesson").out
    assert command("sets", "remove", "lesson", id_of("fork")).status == 0
    entries = json.loads(command("sets", "show", "lesson", "--json").out)
    assert [(entry["id"], entry["missed"]) for entry in entries] == [(id_of("smothered"), None)]


def test_a_set_for_several_students_is_solved_by_the_one_who_is_named(command: Command) -> None:
    out = command("sets", "create", "lesson", "--for", "Bob", "--for", "Cleo", "--due", "2026-12-04").out
    assert out.startswith("Made the set 'lesson' for Bob and Cleo")
    students = [each["student"] for each in json.loads(command("sets", "list", "--json").out)]
    assert students == ["ann", "Bob", "Cleo"]
    status, _, err = command("solve", "lesson")
    assert (status, "--for says who solves it" in err) == (1, True)


def test_a_set_is_changed(command: Command) -> None:
    def ids() -> list[str]:
        return [entry["id"] for entry in json.loads(command("sets", "show", "Lesson", "--json").out)]

    assert command("sets", "rename", "Ann", "Lesson").out == "The set 'Ann' is now 'Lesson'\n"
    first, second = ids()
    assert command("sets", "move", "Lesson", first, "2").status == 0
    assert ids() == [second, first]
    command("sets", "remove", "Lesson", second)
    assert ids() == [first]
    assert command("sets", "undo", "Lesson").out == f"Put 1 puzzle back into the set 'Lesson': {second}\n"
    assert ids() == [second, first]
    assert command("sets", "undo", "Lesson").err.endswith("in the last 10 minutes\n")


def test_the_ids_of_a_search_make_a_set(
    command: Command, trained: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(trained, *(row(*puzzle, rating=1000) for puzzle in PUZZLES.values()))
    found = command("similar", id_of("back rank"), "-k", "3", "--ids").out
    assert len(found.split()) == 3
    command("sets", "create", "lesson")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(found.encode()), encoding="utf-8"))
    assert command("sets", "add", "lesson", "-").status == 0
    entries = json.loads(command("sets", "show", "lesson", "--json").out)
    assert {entry["id"] for entry in entries} == set(found.split())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("sets", "create", "Ann"), "there is a training set 'Ann' already"),
        (("sets", "create", " "), "a set needs a name"),
        (("sets", "add", "Anna", "x"), "no training set 'Anna'; did you mean 'Ann'?"),
        (("sets", "add", "Ann", "x"), "no puzzle 'x' in the database"),
        (("sets", "add", "Ann", "no.pgn"), "no.pgn: no such file"),
        (("sets", "add", "Ann", "no.txt"), "no.txt: cannot be read"),
        (("sets", "add", "Ann", "--rating", "1-2"), "nothing was added to the set 'Ann': no puzzle passes"),
        (("sets", "remove", "Ann", "x"), "no puzzle 'x'"),
        (("sets", "results", "Ann", "--for", "Bob"), "'Bob' has tried no puzzle of the set 'Ann'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    command: Command, arguments: tuple[str, ...], why: str
) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (1, "")
    assert why in err
    assert err.count("\n") == 1


def test_no_ids_are_an_error(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
    status, _, err = command("sets", "add", "Ann", "-")
    assert (status, err) == (
        1,
        "motifsearch: no ids were given; nothing was added to the set 'Ann'\n",
    )


def test_a_motif_is_hidden_until_the_puzzle_is_tried(command: Command, trained: Store) -> None:
    assert "fork" not in command("sets", "show", "Ann").out
    assert "fork" in command("sets", "show", "Ann", "--motifs").out
    with trained.reading() as session:
        first, *_ = set_entries(session, "Ann")
    record_attempt(trained, "ann", first.puzzle.id, Grade.GOOD, seconds=1)
    assert "fork" in command("sets", "show", "Ann").out


def test_an_export_is_for_the_student_and_sorted_if_asked(
    command: Command, trained: Store, tmp_path: Path
) -> None:
    put(trained, row(*PUZZLES["fork"], rating=900), row(*PUZZLES["smothered"], rating=800))
    command("sets", "create", "lesson", "--for", "Bob", "--title", "Knights")
    command("sets", "add", "lesson", id_of("fork"), id_of("smothered"))
    command("sets", "export", "lesson", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "<title>Knights</title>" in page
    assert "<span>Knights, for Bob</span>" in page
    ratings = {}
    for sort in ("rating", "-rating"):
        command("sets", "export", "lesson", str(tmp_path / "file.pgn"), "--sort", sort)
        text = (tmp_path / "file.pgn").read_text()
        assert text.count('[Event "Knights"]') == 2
        ratings[sort] = re.findall(r'PuzzleRating "(\d+)"', text)
    assert ratings == {"rating": ["800", "900"], "-rating": ["900", "800"]}


def test_results_are_those_of_each_student(command: Command, trained: Store) -> None:
    assert command("sets", "results", "Ann").out.startswith("Nobody has tried a puzzle of this set yet")
    with trained.reading() as session:
        first, second = (entry.puzzle.id for entry in set_entries(session, "Ann"))
    record_attempt(trained, "Bob", first, Grade.HARD, seconds=5)
    record_attempt(trained, "Bob", second, Grade.AGAIN, seconds=15)
    out = command("sets", "results", "Ann").out
    assert out.splitlines()[2].split()[:8] == ["Bob", "2", "of", "2", "0", "1", "1", "0"]
    assert "Bob missed most: mate (1 of 1)" in out
    assert "0 right, 1 with a hint, 1 wrong." in command("sets", "results", "Ann", "--for", "Bob").out
