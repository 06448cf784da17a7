"""A program with many commands, of which only the one that is run is loaded.

Each needs other libraries, and some of them take longer to load than a short command takes to run.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import typer

from chess_motif.console import VersionOption


class Place(NamedTuple):
    """Where a command is, as `module:function`, and the first paragraph of its help.

    In place of the function there may be a typer application, for a group of commands.
    """

    where: str
    help: str


@dataclass(frozen=True)
class Program:
    """A program that does what `help` says by one of its `commands`, given by name."""

    name: str
    help: str
    commands: Mapping[str, Place]

    def __call__(self) -> object:
        """Run the command that `sys.argv` names, or show what there is."""
        if f"_{self.name.upper()}_COMPLETE" in os.environ:
            # The shell completes a word: which command it belongs to is in the environment.
            return self.application()()
        word = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        # Hardly anything that modules make when they are imported is garbage: looking for it among them takes
        # a tenth of the time that a command needs to start, and it would be looked for again at the end.
        gc.disable()
        application = self.application({word})
        gc.freeze()
        gc.enable()
        return application()

    def application(self, loaded: set[str] | None = None) -> typer.Typer:
        """Return the typer application. Commands that are not in `loaded` (default: all) are only listed."""
        app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
        app.callback(help=self.help)(_common)
        for name, (where, about) in self.commands.items():
            if loaded is not None and name not in loaded:
                app.command(name, help=about)(_common)
                continue
            command = pkgutil.resolve_name(where)
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name)
            else:
                app.command(name)(command)
        return app


def _common(version: VersionOption = False) -> None:
    """Take the options of a program itself; the command line calls it before a command."""
