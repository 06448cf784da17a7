"""The UCI options that a user chooses for an engine, checked against those that the engine announces."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chess_motif.errors import InputError

# Options that every search sets, or on which no result may depend.
OURS = ("MultiPV", "Ponder", "Threads", "UCI_Chess960")

# Options that change no result.
WITHOUT_EFFECT = ("Debug Log File", "Move Overhead", "Slow Mover")

# If the file or folder does not exist, an engine dies or silently ignores the option.
_FILES, _FOLDERS = ("EvalFile", "EvalFileSmall"), ("SyzygyPath",)

_ANNOUNCED = re.compile(
    r"option name (?P<name>.+?) type (?P<kind>\w+)(?: default(?P<default>.*?))?"
    r"(?: min (?P<least>-?\d+))?(?: max (?P<most>-?\d+))?(?P<values>(?: var .*)?)"
)


@dataclass(frozen=True)
class EngineSetup:
    """An engine to be started: the path or name of its command (default: Stockfish), and its UCI options."""

    command: str | None = None
    options: tuple[tuple[str, str], ...] = ()


STOCKFISH = EngineSetup()

# Functions that start an engine take a path, a command name, or a whole setup; None is Stockfish.
EngineChoice = str | EngineSetup | None


@dataclass(frozen=True)
class UciOption:
    """An option as an engine announces it: a check, spin, combo, string or button."""

    name: str
    kind: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    values: tuple[str, ...] = ()

    @classmethod
    def announced(cls, line: str) -> UciOption | None:
        """Return the option of a line `option name Hash type spin default 16 …`, None for other lines."""
        match = _ANNOUNCED.fullmatch(line)
        if match is None:
            return None
        default = (match["default"] or "").strip()
        least, most = (None if bound is None else int(bound) for bound in match.group("least", "most"))
        values = tuple(value.strip() for value in match["values"].split(" var ") if value.strip())
        return cls(match["name"], match["kind"], "" if default == "<empty>" else default, least, most, values)

    def checked(self, value: str) -> str:
        """Return a value as it will be sent. Raises `InputError` if the option does not take the value."""
        wanted = {"check": "true or false", "combo": ", ".join(self.values), "button": "no value"}
        is_taken = value.isprintable()
        if self.kind == "spin":
            least, most = (bound if bound is not None else "any" for bound in (self.least, self.most))
            wanted["spin"] = f"a number from {least} to {most}"
            is_number = re.fullmatch(r"-?\d{1,18}", value) is not None
            is_taken = is_number and (self.least is None or int(value) >= self.least)
            is_taken = is_taken and (self.most is None or int(value) <= self.most)
            value = str(int(value)) if is_taken else value
        elif self.kind in ("check", "combo"):
            known = ("true", "false") if self.kind == "check" else self.values
            value = next((each for each in known if each.lower() == value.lower()), value)
            is_taken = value in known
        elif self.kind == "button":
            is_taken = False
        elif self.name in _FILES:
            wanted[self.kind] = "an existing file"
            is_taken = value == self.default or Path(value).is_file()
        elif self.name in _FOLDERS:
            wanted[self.kind] = "existing folders"
            is_taken = all(Path(folder).is_dir() for folder in value.split(os.pathsep))
        if not is_taken:
            takes = wanted.get(self.kind, "printable text")
            raise InputError(f"the engine's option {self.name} takes {takes}, not {value!r:.60}")
        return value


def checked_options(
    chosen: Sequence[tuple[str, str]], known: Mapping[str, UciOption], engine: str
) -> dict[str, str]:
    """Return the chosen options by name, without those that have their default value.

    `known` are the options that `engine` announces; case does not matter in names. Raises `InputError` for an
    unknown option, for one of `OURS`, and for a value that the option does not take.
    """
    by_name = {name.lower(): option for name, option in known.items()}
    found = {}
    for name, value in chosen:
        option = by_name.get(name.lower())
        if option is None:
            free = [name for name, each in known.items() if each.kind != "button" and name not in OURS]
            names = ", ".join(sorted(free, key=str.lower)) or "none"
            raise InputError(f"{engine} has no option {name!r:.60}; it has {names}")
        if option.name in OURS:
            raise InputError(f"the engine's option {option.name} cannot be chosen: searches set it")
        value = option.checked(value)
        if value != option.default:
            found[option.name] = value
    return found
