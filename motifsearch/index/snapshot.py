"""A temporary copy of an index, to which documents can be added."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import Timeout

from chess_motif.errors import IndexUnavailableError, reason_of
from motifsearch.index.directory import Index, open_index
from motifsearch.index.lock import LOCK_WAIT, busy, write_lock


@contextmanager
def temporary_copy(path: Path) -> Iterator[Index]:
    """Open a copy of the index in the directory `path`, which is deleted at the end of the `with` block.

    The copy is made beside the index; writing to it does not change the index. Where files can be linked, it
    takes hardly any disk space. Raises `IndexUnavailableError`.
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
            index = open_index(copy)
        except Timeout as error:
            raise busy(path) from error
        except OSError as error:
            reason = reason_of(error)
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
    """Link a segment's file, which Tantivy never changes after writing it; copy it if that fails."""
    try:
        os.link(file, copy)
    except OSError:
        shutil.copyfile(file, copy)
