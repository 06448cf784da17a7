"""Reading an archive from where an earlier run left it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from chess_motif.errors import ArchiveError
from db.models import Checkpoint
from db.store import Store
from puzzlegen.games.archive import Archive
from puzzlegen.games.checkpoint import HEAD, fingerprint, load, reset, skip_to


@dataclass(frozen=True)
class Resumed:
    """Where an archive was left, and its text from there on; no text where its end was reached before."""

    checkpoint: Checkpoint
    text: Iterator[bytes] | None


def resume(
    store: Store, archive: Archive, settings: str, notice: Callable[[str], None], *, restart: bool = False
) -> Resumed:
    """Return the archive's checkpoint under given settings, and the text after it.

    With `restart` the checkpoint is put back to the start; so it is, with a notice, where the archive is
    not what it was. The text raises `ArchiveError` where it is damaged; so does this where what is not a
    file would have to be read again.
    """
    head, chunks = _head(archive)
    with store.session() as session:
        checkpoint = load(session, fingerprint(head[:HEAD]), settings, archive.name)
        if restart:
            reset(checkpoint)
    if checkpoint.finished_size is not None and checkpoint.finished_size == archive.size:
        return Resumed(checkpoint, None)
    rest = skip_to(checkpoint.offset, checkpoint.before, chain([head], chunks))
    if rest is None:
        notice(f"{archive.name}: changed since it was read; starting over")
        with store.session() as session:
            reset(session.merge(checkpoint))
        reset(checkpoint)
        archive.rewind()
        rest, chunks = _head(archive)
    return Resumed(checkpoint, chain([rest], chunks))


def _head(archive: Archive) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of an archive, enough to know it by, and the rest of its text."""
    chunks = archive.chunks()
    head = b""
    try:
        for chunk in chunks:
            head += chunk
            if len(head) >= HEAD:
                break
    except ArchiveError as error:
        return head, _fail(error)
    return head, chunks


def _fail(error: ArchiveError) -> Iterator[bytes]:
    raise error
    yield b""
