"""Reading the text files that users provide."""

from __future__ import annotations

from pathlib import Path

from chess_motif.errors import InputError, reason_of


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, invalid bytes replaced. Raises `InputError` if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {reason_of(error)}") from error
