"""Reading an archive from where an earlier run left it, and keeping how far this one gets.

An archive is known by the beginning of its text, and a place in it by the text just before: a file that was
moved, completed or continued is recognised, and one that was changed is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chess_motif.errors import ArchiveError
from chess_motif.progress import Progress
from db.models import Checkpoint
from db.store import Store
from puzzlegen.games.archive import Archive

# Bytes of text at the beginning that identify an archive, and before a place that identify it.
HEAD = 4096
TAIL = 64


class ArchiveWalk:
    """An archive that is read under given settings, from its checkpoint on.

    `text` is what has not been read yet, from byte `offset` of the whole text on; None where the end was
    reached before. Earlier runs read `games` games and left the counts `summary`.
    """

    def __init__(
        self, archive: Archive, store: Store, settings: str, progress: Progress, *, restart: bool = False
    ) -> None:
        """Find the checkpoint, or begin one; `settings` is the fingerprint of what results depend on.

        The checkpoint goes back to the start with `restart`, and, with a notice, where the archive is not
        what it was. Raises `ArchiveError` where what cannot be rewound would have to be read again; so does
        the text where it is damaged.
        """
        self.archive = archive
        self._store = store
        self._tail = b""
        head, chunks = _head(archive)
        with store.session() as session:
            checkpoint = _load(session, fingerprint(head[:HEAD]), settings, archive.name)
            if restart:
                _reset(checkpoint)
        self.text: Iterator[bytes] | None = None
        if checkpoint.finished_size is None or checkpoint.finished_size != archive.size:
            rest = self._skip_to(checkpoint.offset, checkpoint.before, chain([head], chunks))
            if rest is None:
                progress.notice(f"{archive.name}: changed since it was read; starting over")
                with store.session() as session:
                    _reset(session.merge(checkpoint))
                _reset(checkpoint)
                archive.rewind()
                self._tail = b""
                rest, chunks = _head(archive)
            self.text = chain([rest], chunks)
        self._number = checkpoint.number
        self.offset, self.games, self.summary = checkpoint.offset, checkpoint.games, checkpoint.summary

    def save(self, session: Session, end: int, games: int, tail: bytes, summary: dict[str, Any]) -> None:
        """Move the checkpoint to byte `end`, after `games` games in all.

        `tail` is the text just before `end`, as far back as the last checkpoint or `TAIL` bytes.
        """
        self._tail = (self._tail + tail)[-TAIL:]
        checkpoint = session.get_one(Checkpoint, self._number)
        checkpoint.offset, checkpoint.before = end, fingerprint(self._tail)
        checkpoint.games, checkpoint.summary = games, summary

    def finish(self) -> None:
        """Note that the end of the archive was reached."""
        with self._store.session() as session:
            session.get_one(Checkpoint, self._number).finished_size = self.archive.size

    def _skip_to(self, offset: int, before: str, chunks: Iterable[bytes]) -> bytes | None:
        """Read up to byte `offset`; return what was read beyond it.

        None when the text just before `offset` has another fingerprint than `before`, or is not there.
        """
        done = 0
        for chunk in chunks:
            upto = chunk[: offset - done]
            self._tail = (self._tail + upto[-TAIL:])[-TAIL:]
            done += len(upto)
            if done == offset:
                return chunk[len(upto) :] if fingerprint(self._tail) == before else None
        return None


def fingerprint(text: bytes) -> str:
    """Return the digest by which a piece of text is recognised."""
    return hashlib.sha256(text).hexdigest()


def _load(session: Session, archive: str, settings: str, name: str) -> Checkpoint:
    """Return the checkpoint of an archive under given settings, a new one at its start if need be."""
    found = session.scalar(
        select(Checkpoint).where(Checkpoint.archive == archive, Checkpoint.settings == settings)
    )
    if found is None:
        found = Checkpoint(archive=archive, settings=settings, name=name)
        _reset(found)
        session.add(found)
        session.flush()
    return found


def _reset(checkpoint: Checkpoint) -> None:
    checkpoint.offset = checkpoint.games = 0
    checkpoint.before, checkpoint.finished_size, checkpoint.summary = fingerprint(b""), None, {}


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
