"""A temporary copy of an index, which can be added to."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import tantivy
from filelock import Timeout

from chess_motif.errors import IndexUnavailableError
from motifsearch.index.directory import Index
from motifsearch.index.sync import LOCK_WAIT, write_lock


@contextmanager
def temporary_copy(path: Path) -> Iterator[Index]:
    """Copy the index in the directory `path` for the length of the block; the copy is beside it.

    Writing to the copy does not change the index. Where files can be linked, it takes next to no disk space.
    Raises `IndexUnavailableError`.
    """
    with ExitStack() as cleanup:
        try:
            copy = Path(
                cleanup.enter_context(
                    tempfile.TemporaryDirectory(prefix=f"{path.name}.copy-", dir=path.parent)
                )
            )
            with write_lock(path, LOCK_WAIT):
                _copy(path, copy)
            index = Index(tantivy.Index.open(str(copy)))
        except Timeout as error:
            raise IndexUnavailableError(
                f"{path}: another process is writing the index; try again when it is done"
            ) from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise IndexUnavailableError(f"{path}: the index cannot be copied: {reason}") from error
        yield index


def _copy(path: Path, copy: Path) -> None:
    for file in path.iterdir():
        if file.suffix == ".json":
            shutil.copyfile(file, copy / file.name)
        # A linked lock would lock the index itself.
        elif file.suffix != ".lock":
            _link(file, copy / file.name)


def _link(file: Path, copy: Path) -> None:
    """Link a file of a segment, which Tantivy never changes once it is written, or else copy it."""
    try:
        os.link(file, copy)
    except OSError:
        shutil.copyfile(file, copy)
