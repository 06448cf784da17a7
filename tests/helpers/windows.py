"""Files as on Windows: what this process has open can be neither removed nor replaced nor renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.systems import PROC, skip_without_proc

_OPEN, _MAPPED = PROC / "self/fd", PROC / "self/maps"

# The functions of `os` on files, and how many of their first arguments are files.
_FILES = {"unlink": 1, "remove": 1, "rename": 2, "replace": 2}


def files_as_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let functions of `os` fail for files that are open. Files of other processes are not known."""
    skip_without_proc()
    for name, number in _FILES.items():
        monkeypatch.setattr(os, name, _refusing(getattr(os, name), number))


def is_open(path: Path) -> bool:
    """Return whether a file, or a file in a folder, is open or mapped into memory."""
    skip_without_proc()
    whole = path.resolve()
    mapped = [Path(line.split(maxsplit=5)[-1]) for line in _MAPPED.read_text(encoding="utf-8").splitlines()]
    opened = [file for file in map(_target, _OPEN.iterdir()) if file.is_file()]
    return any(file.is_relative_to(whole) for file in (*mapped, *opened))


def _refusing(work: Callable[..., None], number: int) -> Callable[..., None]:
    def refuse(*arguments: Any, **others: Any) -> None:
        folder = others.get("dir_fd")
        place = Path() if folder is None else _target(_OPEN / str(folder))
        for path in arguments[:number]:
            if is_open(place / path):
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))
        work(*arguments, **others)

    return refuse


def _target(link: Path) -> Path:
    # A descriptor may be closed meanwhile.
    try:
        return link.readlink()
    except OSError:
        return Path()
