"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from chess_motif.errors import InputError, reason_of

STANDARD_OUTPUT = "-"


@contextmanager
def output(path: str) -> Iterator[TextIO]:
    """Open `path` (`-`: standard output) for writing; the file appears when the block ends without an error.

    Raises `InputError` when it cannot be written.
    """
    if path == STANDARD_OUTPUT:
        yield sys.stdout
        return
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {reason_of(error)}") from error
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            yield out
        # Temporary files are private; give this one the usual permissions.
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
