"""What the benchmarks share as commands: how they read their arguments, print, and end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chess_motif import console


def parser_for(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option `--json`; its help is the docstring of a benchmark."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number, `least` or more."""

    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"{value} is less than {least}")
        return value

    return number


def show(text: str, document: Any, *, as_json: bool) -> None:
    """Print what was measured: as text, or as one JSON document."""
    console.show(document, lambda: text, as_json)


def run(main: Callable[[], int | None]) -> None:
    """Run a benchmark and exit; what cannot be done is one line on stderr and status 1."""
    console.run(lambda: sys.exit(main()), Path(sys.argv[0]).stem)
