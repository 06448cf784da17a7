"""The types of commands that tests run in their own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Outcome(NamedTuple):
    """What a command leaves: its exit status, stdout and stderr."""

    status: int
    out: str
    err: str


# Takes the arguments.
Command = Callable[..., Outcome]

# Takes a store and the first words of a command, such as `motifsearch`, `positions`, or `benchmarks.themes`.
CommandOn = Callable[..., Command]

# Takes the lines that a user types.
Answer = Callable[..., None]
