"""Options that many commands share, written once as the parameters of a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def with_options(**groups: Callable[..., object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that replaces parameters of a typer command by groups of options.

    `with_options(filters=puzzle_filter)` replaces the command's parameter `filters` by the options that
    `puzzle_filter` takes, and calls the command with the value that it returns.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        options = {name: inspect.signature(group, eval_str=True).parameters for name, group in groups.items()}
        parameters: list[inspect.Parameter] = []
        for name, parameter in signature.parameters.items():
            parameters += options[name].values() if name in options else [parameter]

        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            for name, group in groups.items():
                arguments[name] = group(**{option: arguments.pop(option) for option in options[name]})
            command(**arguments)

        # typer reads both the signature and the annotations.
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]
        )
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate
