"""The command line of all benchmarks: arguments, errors and exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from chess_motif import console


def parser_for(description: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of a benchmark."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number, `least` or more."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is less than {least}")
        return value

    return number


def run(main: Callable[[], int | None]) -> None:
    """Run a benchmark and exit; an error is one line on stderr and status 1."""
    console.run(lambda: sys.exit(main()), Path(sys.argv[0]).stem)
