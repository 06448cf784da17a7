"""The output of commands: files that appear complete or not at all, standard output, and notes on stderr."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from chess_motif.errors import InputError, reason_of
from chess_motif.text import clean

STANDARD_OUTPUT = "-"

# The suffix of a file that is being written, and the seconds after which the file must have been left behind
# by a killed process.
PART = ".part"
PART_LEFT = 24 * 60 * 60

# Seconds that a file is waited for which another program has open, and between two attempts to rename it.
OPEN, AGAIN = 2.0, 0.05


@contextmanager
def output(path: str) -> Iterator[TextIO]:
    """Open `path` (`-`: standard output) for writing; a file appears when the block ends without an error.

    Symbolic links are followed. Anything but a regular file, such as a named pipe, is written to directly.
    Raises `InputError` if a file cannot be written, and `OSError` if standard output cannot.
    """
    if path == STANDARD_OUTPUT:
        yield sys.stdout
        return
    with binary_output(path) as out:
        text = io.TextIOWrapper(out, encoding="utf-8", newline="\n")
        yield text
        text.flush()


@contextmanager
def binary_output(path: str) -> Iterator[BinaryIO]:
    """Open `path` like `output`, for bytes. Raises `InputError` also if standard output is a terminal."""
    if path == STANDARD_OUTPUT:
        if sys.stdout.isatty():
            raise InputError("this format is not text: name a file, or pipe the output into another program")
        yield sys.stdout.buffer
        return
    try:
        with _opened(Path(path)) as out:
            yield out
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {reason_of(error)}") from error


def note(text: str) -> None:
    """Print a line for the user that is not part of the result (stderr).

    The text may name any file. Errors are ignored: a full disk behind stderr should stop no work.
    """
    try:
        print(clean(text), file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Discard what is not yet written to a stream: otherwise Python would try again at its exit, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        regular = True
    return replacing(path) if regular else path.open("wb")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that becomes the file at `path` when the block ends without an error.

    Old temporary files of killed processes are removed. Raises `OSError`.
    """
    target = path.resolve()
    mode = _mode(target)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{PART}"):
        # Another process may be removing the same file.
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > PART_LEFT:
                left.unlink()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=PART)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
        part.chmod(mode)
        rename(part, target)
    finally:
        part.unlink(missing_ok=True)


def rename(old: Path, new: Path) -> None:
    """Rename a file, replacing what is there, or a folder. Raises `OSError`.

    Windows renames nothing that is open, and virus scanners open new files: it is tried for `OPEN` seconds.
    """
    deadline = time.monotonic() + OPEN
    while True:
        try:
            old.replace(new)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > deadline:
                raise
            time.sleep(AGAIN)
        else:
            return


def _mode(target: Path) -> int:
    """Return the permissions of a file, or those of a new file: a temporary file would be private."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
