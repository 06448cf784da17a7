"""Old names of commands and options, which go on working for one version.

They are replaced before the command line is parsed, each with a line on stderr.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from chess_motif import console
from chess_motif.output import note

# Old commands and the new ones.
COMMANDS = {
    "puzzlegen memory get": "puzzlegen cache near",
    "puzzlegen memory": "puzzlegen cache",
}

# Old options of each command and the new ones, in the order in which they are replaced. Words in capital
# letters are values; `TAG...` stands for the values of all options with this name, with commas between them.
_SELECTING = {
    "--difficulty MIN-MAX": "--rating MIN-MAX",
    "--any-tag TAG...": "--tag TAG...",
    "--ends mate": "--tag mate",
    "--ends material": "--no-tag mate",
}
_LISTING = {
    **_SELECTING,
    "--sort difficulty": "--sort rating",
    "--sort KEY --reverse": "--sort -KEY",
}
_EXPORTING = {"--study": "--format study"}
OPTIONS = {
    "puzzlegen mine": {"--memory FILE": "--cache FILE"},
    "puzzlegen list": _LISTING,
    "puzzlegen export": _LISTING | _EXPORTING,
    "puzzlegen audit": {**_SELECTING, "--sample N": "--random N", "--mark": ""},
    "puzzlegen cache pack": {"--from GAMES": "GAMES"},
    "puzzlegen cache near": {"--memory FILE": "--cache FILE"},
    "motifsearch similar": {
        **_SELECTING,
        "--easier": "--rating easier",
        "--harder": "--rating harder",
        "--new": "",
    },
    "motifsearch solve": {"-n N": "--limit N"},
    "motifsearch sets export": _EXPORTING,
    "motifsearch positions similar": {
        "--pgn FILE": "--out FILE",
        "--white NAME --black OPPONENT": "--player NAME --against OPPONENT --side white",
        "--white NAME": "--player NAME --side white",
        "--black NAME": "--player NAME --side black",
    },
}

# An option of the table, and its value if it has one.
_OPTION = re.compile(r"(--?\S+)(?: (?!-)(\S+))?")
_VALUE = re.compile(r"[A-Z][A-Z-]*(\.\.\.)?")


def run(app: Callable[[], object], name: str) -> None:
    """Run a program as `console.run` does; its command line may have old names."""

    def with_new_names() -> object:
        sys.argv[1:] = renewed(name, sys.argv[1:])
        return app()

    console.run(with_new_names, name)


def renewed(name: str, words: list[str]) -> list[str]:
    """Return the words after the name of a program with new names in place of old ones."""
    command = [name, *words]
    for old, new in COMMANDS.items():
        if _begins(command, old):
            note(f"'{old}' is now '{new}'")
            command = new.split() + command[len(old.split()) :]
            break
    for begin, replacements in OPTIONS.items():
        if _begins(command, begin):
            for old, new in replacements.items():
                command = _replaced(command, old, new)
    return command[1:]


def _begins(command: list[str], begin: str) -> bool:
    return command[: len(begin.split())] == begin.split()


def _replaced(words: list[str], old: str, new: str) -> list[str]:
    """Return the words with `new` options at the end, if they have all `old` ones."""
    values: dict[str, str] = {}
    left = words
    for option, value in _OPTION.findall(old):
        left, given = _without(left, option, takes_value=bool(value))
        if not given or (value.islower() and given != [value]):
            return words
        values[value] = ",".join(given) if value.endswith("...") else given[-1]

    def filled(text: str) -> list[str]:
        return [_VALUE.sub(lambda match: values[match[0]], word) for word in text.split()]

    was, now = " ".join(filled(old)), " ".join(filled(new))
    note(f"'{was}' is now '{now}'" if new else f"'{was}' is no longer needed")
    return left + filled(new)


def _without(words: list[str], option: str, *, takes_value: bool) -> tuple[list[str], list[str]]:
    """Return the words without an option, and the values that it was given, one for each time."""
    left, values = [], []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name != option:
            left.append(word)
        else:
            values.append(value if equals or not takes_value else next(rest, ""))
    return left, values
