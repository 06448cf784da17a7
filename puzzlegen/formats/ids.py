"""Lists of puzzle ids in files, written by other commands or by people."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from chess_motif.errors import InputError, reason_of
from puzzlegen.games.archive import STANDARD_INPUT

# An id in a list of ids, which may be JSON.
_ID = re.compile(r'[^\s",\[\]]+')


def read_ids(file: str) -> list[str]:
    """Return the ids in a file (`-`: standard input): words, or JSON strings. Raises `InputError`."""
    try:
        if file == STANDARD_INPUT:
            text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
        else:
            text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error
    return _ID.findall(text)
