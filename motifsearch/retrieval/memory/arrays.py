"""Files of named arrays (`.npz`), each complete or missing."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from chess_motif.errors import IndexDamagedError


def save_arrays(file: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays and numbers to a file. Raises `OSError`."""
    new = file.with_name(f"{file.name}.new")
    with new.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    new.replace(file)


def load_arrays(file: Path, *names: str) -> list[Any]:
    """Return the arrays that `save_arrays` wrote under these names.

    Raises `IndexDamagedError` if the file is missing or cannot be read.
    """
    try:
        # numpy leaves the file open if it is damaged.
        with file.open("rb") as stream, np.load(stream) as arrays:
            return [arrays[name] for name in names]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise IndexDamagedError(f"{file}: missing or damaged") from error
