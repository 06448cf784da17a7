"""The locks of an index, files beside it. The operating system releases a lock when its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from chess_motif.errors import IndexUnavailableError

# Seconds to wait while another process is writing.
LOCK_WAIT = 10.0

# Seconds to wait for a lock that is held for minutes, or for an instant by a process that tries it.
INSTANT = 0.1


def write_lock(path: Path, wait: float) -> FileLock:
    """Return the lock that a process needs in order to write the index in the directory `path`.

    It is not acquired yet. Acquiring it raises `Timeout` if another process still holds it after `wait`
    seconds, and `OSError` if its file cannot be created.
    """
    return FileLock(path.with_name(f"{path.name}.lock"), timeout=wait)


def source_lock(path: Path) -> FileLock:
    """Return the lock that a process holds while it stores much that the index in `path` is built from.

    Acquiring it raises as that of `write_lock` does.
    """
    return FileLock(path.with_name(f"{path.name}.source.lock"), timeout=INSTANT)


@contextmanager
def source_growing(path: Path) -> Iterator[None]:
    """Hold the `source_lock` unless another process has it, or it cannot be had in this place."""
    with ExitStack() as held:
        with suppress(Timeout, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(source_lock(path))
        yield


def busy(path: Path) -> IndexUnavailableError:
    """Return the error that another process has held the lock of the index in `path` for too long."""
    return IndexUnavailableError(
        f"{path}: another process is writing the index; try again when it has finished"
    )
