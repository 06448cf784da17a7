"""Options that many commands share, written once as the parameters of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def with_options(**groups: Callable[..., object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a typer command the parameters of functions, and each function's value as one argument.

    `with_options(filters=puzzle_filter)` replaces the command's parameter `filters` by the options that
    `puzzle_filter` takes, and calls the command with what it returns.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        shared = {name: inspect.signature(group, eval_str=True) for name, group in groups.items()}
        parameters: list[inspect.Parameter] = []
        for name, parameter in own.parameters.items():
            parameters += shared[name].parameters.values() if name in shared else [parameter]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            for name, group in groups.items():
                given[name] = group(**{option: given.pop(option) for option in shared[name].parameters})
            command(**given)

        # typer reads both.
        run.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]
        )
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate
