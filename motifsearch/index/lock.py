"""A lock between processes, let go by the system when its holder dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# Seconds between two attempts.
PAUSE = 0.1


@contextmanager
def only_process(path: Path, wait: float) -> Iterator[None]:
    """Hold the lock file `path` for the length of the block, after at most `wait` seconds.

    Raises `BlockingIOError` when another process holds it that long, `OSError` when the file cannot be
    made.
    """
    deadline = time.monotonic() + wait
    with path.open("ab") as file:
        while True:
            try:
                _try_lock(file)
                break
            except (BlockingIOError, PermissionError):
                if time.monotonic() >= deadline:
                    raise BlockingIOError(f"{path} is locked") from None
                time.sleep(PAUSE)
        yield
