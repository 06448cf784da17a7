"""The commands for training: what is printed, and the exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from db.store import Store
from motifsearch.trainer.sets import extend_training_set
from tests.helpers.commands import Command, CommandOn
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game
from tests.helpers.pool_here import mining_in
from tests.helpers.sample_games import MISSED_MATE
from tests.helpers.sample_puzzles import PUZZLES, put, row


@pytest.fixture
def trained(sqlite_store: Store) -> Store:
    """A database with a set of Ann's: the fork and the mate that she missed, without other puzzles."""
    store_game(sqlite_store, opportunity_row(*FORK), opportunity_row(*BACK_RANK, ply=30, tags="mate mateIn2"))
    extend_training_set(sqlite_store, "Ann", ["ann"], k=0)
    return sqlite_store


@pytest.fixture
def command(trained: Store, command_on: CommandOn) -> Command:
    return command_on(trained, "motifsearch")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the user types: write to it."""
    text = io.StringIO()
    monkeypatch.setattr("sys.stdin", text)
    return text


def answer(typed: io.StringIO, *lines: str) -> None:
    typed.write("".join(f"{line}\n" for line in lines))
    typed.seek(0)


def test_from_games_to_a_set(
    sqlite_store: Store, command_on: CommandOn, tmp_path: Path, stockfish: str
) -> None:
    put(sqlite_store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    (tmp_path / "games.pgn").write_text(MISSED_MATE)
    with mining_in():
        status, out, _ = command_on(sqlite_store, "motifsearch")(
            "train", str(tmp_path / "games.pgn"), "--player", "Miller", "-k", "1"
        )
    assert status == 0
    assert out.startswith("1 new game: 2 chances of both sides, from which came 1 puzzle and 0 exercises.")
    assert "mate in 1" in out
    assert "Added to the training set 'Miller': 1 missed chance and" in out
    assert out.endswith("Next: motifsearch solve Miller\n")


def test_train_as_json(sqlite_store: Store, command_on: CommandOn, tmp_path: Path, stockfish: str) -> None:
    (tmp_path / "games.pgn").write_text(MISSED_MATE)
    with mining_in():
        arguments = ("train", str(tmp_path / "games.pgn"), "--player", "Miller", "--set", "s", "--json")
        _, out, _ = command_on(sqlite_store, "motifsearch")(*arguments)
    document = json.loads(out)
    assert document["analysis"]["chances"] == 2
    assert document["chances"]["all"]["missed"] == 1
    assert (document["set"]["name"], document["set"]["own"]) == ("s", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "games.pgn"),
        ("train", "games.pgn", "--player", " "),
        ("train",),
        ("train", "games.pgn", "--player", "x", "--since", "yesterday"),
        ("sets", "show"),
        ("solve",),
        ("solve", "Ann", "--limit", "0"),
    ],
)
def test_wrong_usage(command: Command, arguments: tuple[str, ...]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err


def test_a_missing_file_is_reported(command: Command, stockfish: str) -> None:
    with mining_in():
        status, _, err = command("train", "no.pgn", "--player", "ann")
    assert status == 1
    assert "no such file" in err


def test_sets_are_listed(command: Command) -> None:
    status, out, _ = command("sets", "list")
    assert status == 0
    assert out.splitlines()[2].split() == ["Ann", "Ann", "2", "0", "2"]
    assert json.loads(command("sets", "list", "--json")[1])[0]["new"] == 2


def test_no_sets(sqlite_store: Store, command_on: CommandOn) -> None:
    assert command_on(sqlite_store, "motifsearch")("sets", "list").out.startswith("No training sets yet")


def test_a_set_is_shown(command: Command) -> None:
    _, out, _ = command("sets", "show", "Ann")
    assert "2 missed chances, and 0 puzzles like them" in out
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
    command("sets", "export", "Ann", str(file), "--title", "Forks")
    assert "<title>Forks</title>" in file.read_text()


def test_a_set_is_deleted_if_the_user_agrees(command: Command, typed: io.StringIO) -> None:
    answer(typed, "n")
    assert command("sets", "delete", "Ann").status == 1
    assert command("sets", "delete", "Ann", "--yes").status == 0
    assert "No training sets yet" in command("sets", "list").out


def test_solving_a_set(command: Command, typed: io.StringIO) -> None:
    answer(typed, "hint", "Ke2", "Nonsense", "Nc7+", "e2e8")
    status, out, _ = command("solve", "Ann")
    assert status == 0
    assert "The opponent plays 1...Ra8" in out
    assert "Hint: the knight on d5" in out
    assert "No. Try again." in out
    assert "'Nonsense' is not a move" in out
    assert "Motif: fork" in out
    assert out.endswith("1 of 2 puzzles right at once\n")


def test_what_was_solved_is_not_due(command: Command, typed: io.StringIO) -> None:
    answer(typed, "Nc7+", "Qe8")
    command("solve", "Ann")
    _, out, _ = command("sets", "list", "--json")
    (status,) = json.loads(out)
    assert (status["due"], status["new"]) == (0, 0)
    assert command("solve", "Ann").out.startswith("Nothing is due. Next: ")


def test_a_puzzle_that_was_given_up_counts_as_wrong(command: Command, typed: io.StringIO) -> None:
    answer(typed, "show", "quit")
    assert command("solve", "Ann").out.endswith("0 of 1 puzzle right at once\n")


def test_quitting_records_nothing(command: Command, typed: io.StringIO) -> None:
    answer(typed, "Ke2", "quit")
    assert "right at once" not in command("solve", "Ann").out
    assert json.loads(command("sets", "list", "--json")[1])[0]["new"] == 2
