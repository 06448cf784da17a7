"""Checks of the arguments of public functions. An impossible value raises an `InputError` that says why."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, TypeVar

from chess_motif.errors import InputError
from chess_motif.text import did_you_mean

E = TypeVar("E", bound=Enum)


def at_least(least: float, **values: float | None) -> None:
    """Raise `InputError` if one of the named values is less than `least`. None is ignored."""
    for name, value in values.items():
        if value is not None and not value >= least:
            raise InputError(f"{name} must be at least {least:g}, not {value}")


def within(least: float, most: float, **values: float | None) -> None:
    """Raise `InputError` if one of the named values is not between `least` and `most`. None is ignored."""
    for name, value in values.items():
        if value is not None and not least <= value <= most:
            raise InputError(f"{name} must be from {least:g} to {most:g}, not {value}")


def in_order(**bounds: tuple[Any, Any]) -> None:
    """Raise `InputError` if a lower bound is above its upper bound. None is no bound."""
    for name, pair in bounds.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(f"{name} must be a pair of bounds, such as (1200, None), not {pair!r}")
        lowest, highest = pair
        if lowest is not None and highest is not None and lowest > highest:
            raise InputError(f"{name} has its larger bound first: {pair}")


def not_text(**lists: Iterable[object] | None) -> None:
    """Raise `InputError` if a single string is given where a list of strings is needed."""
    for name, values in lists.items():
        if isinstance(values, str):
            raise InputError(f"{name} must be a list, such as [{values!r}], not a string")


def one_of(kinds: type[E], **given: object) -> E:
    """Return a member of an enumeration, given as itself or by its value. Raises `InputError`."""
    ((name, value),) = given.items()
    try:
        return kinds(value)
    except ValueError as error:
        known = [str(kind.value) for kind in kinds]
        hint = did_you_mean(str(value), known)
        raise InputError(f"{name} must be one of {', '.join(known)}, not {value!r}{hint}") from error
