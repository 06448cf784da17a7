"""Old names on the command line: each row of the table, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from typer.main import get_command

import motifsearch.cli.main
import puzzlegen.cli.main
from db.store import Store
from puzzlegen.cli.renamed import COMMANDS, OPTIONS, renewed
from tests.helpers.commands import CommandOn

APPS = {
    "puzzlegen": get_command(puzzlegen.cli.main.app.application()),
    "motifsearch": get_command(motifsearch.cli.main.app.application()),
}
ROWS = [(command, old, new) for command, replaced in OPTIONS.items() for old, new in replaced.items()]


def named(command: str) -> Any:
    """Return the command that a program has today, None if it has none of this name."""
    name, *words = command.split()
    found: Any = APPS[name]
    for word in words:
        found = getattr(found, "commands", {}).get(word)
    return found


def options_of(command: str) -> set[str]:
    return {option for given in named(command).params for option in given.opts}


def given(text: str) -> list[str]:
    """Return options of the table with values: a word in capital letters stands for itself."""
    return text.replace("...", "").split()


@pytest.mark.parametrize(("command", "old", "new"), ROWS)
def test_old_options_become_new_ones(
    capsys: pytest.CaptureFixture[str], command: str, old: str, new: str
) -> None:
    name, *words = command.split()
    assert renewed(name, [*words, *given(old), "x"]) == [*words, "x", *given(new)]
    was, now = " ".join(given(old)), " ".join(given(new))
    said = f"'{was}' is now '{now}'" if new else f"'{was}' is no longer needed"
    assert capsys.readouterr().err == f"{said}\n"


@pytest.mark.parametrize(("old", "new"), COMMANDS.items())
def test_old_commands_become_new_ones(capsys: pytest.CaptureFixture[str], old: str, new: str) -> None:
    name, *words = old.split()
    assert [name, *renewed(name, [*words, "x"])] == [*new.split(), "x"]
    assert capsys.readouterr().err == f"'{old}' is now '{new}'\n"


@pytest.mark.parametrize(("command", "old", "new"), ROWS)
def test_the_new_options_are_there_and_the_old_ones_are_not(command: str, old: str, new: str) -> None:
    known = options_of(command)
    then, now = ({word for word in text.split() if word.startswith("--")} for text in (old, new))
    assert now <= known
    assert not (then - now) & known


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("puzzlegen list", "--any-tag fork --any-tag=pin", "--tag fork,pin"),
        ("puzzlegen list", "--sort difficulty --reverse", "--sort -rating"),
        ("puzzlegen memory get", "FEN --memory FILE", "FEN --cache FILE"),
        ("puzzlegen cache pack", "--from GAMES OUT", "OUT GAMES"),
        ("motifsearch positions similar", "--black Al --white Bo", "--player Bo --against Al --side white"),
    ],
)
def test_several_old_names_at_once(command: str, words: str, expected: str) -> None:
    name, *before = command.split()
    assert " ".join(renewed(name, [*before, *words.split()])).endswith(expected)


@pytest.mark.parametrize(
    "words", ["list --tag fork --sort -rating", "mine memory", "export x.pgn --title --reverse"]
)
def test_new_names_stay_as_they_are(capsys: pytest.CaptureFixture[str], words: str) -> None:
    assert renewed("puzzlegen", words.split()) == words.split()
    assert capsys.readouterr().err == ""


def test_a_command_with_an_old_name_does_its_work(sqlite_store: Store, command_on: CommandOn) -> None:
    done = command_on(sqlite_store, "puzzlegen")("list", "--ends", "mate", "--json")
    assert done == (0, "[]\n", "'--ends mate' is now '--tag mate'\n")
