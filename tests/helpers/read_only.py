"""Folders that cannot be written, as on a read-only disk, or where another user owns them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nothing in a folder be written. Root may write anything, unless it is mounted so."""
    if sys.platform == "win32":
        pytest.skip("Windows has no read-only folders")
    if os.geteuid() == 0:
        try:
            _mount("--bind", folder, folder)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("root cannot mount anything here, and may write everywhere")
        _mount("-o", "remount,bind,ro", folder)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
        return
    places = [folder, *folder.rglob("*")]
    modes = [place.stat().st_mode for place in places]
    for place in places:
        place.chmod(place.stat().st_mode & ~0o222)
    try:
        yield
    finally:
        for place, mode in zip(places, modes, strict=True):
            place.chmod(mode)


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)
