"""Reading an archive from its checkpoint on, and moving the checkpoint.

An archive is recognised by the beginning of its text, and a place in it by the text just before: a file may
be moved or grow, but if the text up to the checkpoint has changed, it is read from the start.
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
from puzzlegen.games.split import TAIL

# Bytes at the beginning of the text that identify an archive.
HEAD = 4096


class ArchiveWalk:
    """An archive that is read under given settings, from its checkpoint on.

    `text` is the text from byte `offset` on, None if an earlier run reached the end. Earlier runs mined
    `games` games, with the counts `summary`.
    """

    def __init__(
        self, archive: Archive, store: Store, settings: str, progress: Progress, *, restart: bool = False
    ) -> None:
        """Load the checkpoint, or begin one; `settings` is the fingerprint of what results depend on.

        The checkpoint is reset with `restart`, and also, with a notice, if the archive has changed. Raises
        `ArchiveError` if an archive that has changed cannot be rewound. Iterating over `text` raises it
        where the archive is damaged.
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

        `tail` is the text just before `end`: at least `TAIL` bytes, or everything since the last checkpoint.
        """
        self._tail = (self._tail + tail)[-TAIL:]
        checkpoint = session.get_one(Checkpoint, self._number)
        checkpoint.offset, checkpoint.before = end, fingerprint(self._tail)
        checkpoint.games, checkpoint.summary = games, summary

    def finish(self) -> None:
        """Record that the end of the archive was reached."""
        self.archive.finish()
        with self._store.session() as session:
            session.get_one(Checkpoint, self._number).finished_size = self.archive.size

    def check_games(self, games: int) -> None:
        """Raise `ArchiveError` if the whole archive holds no game, given how many were found in it."""
        if not games:
            raise ArchiveError(f"{self.archive.name}: holds no game")

    def _skip_to(self, offset: int, before: str, chunks: Iterable[bytes]) -> bytes | None:
        """Read up to byte `offset`; return what was read beyond it.

        None if the text just before `offset` has another fingerprint than `before`, or the text is shorter.
        """
        skipped = 0
        for chunk in chunks:
            part = chunk[: offset - skipped]
            self._tail = (self._tail + part[-TAIL:])[-TAIL:]
            skipped += len(part)
            if skipped == offset:
                return chunk[len(part) :] if fingerprint(self._tail) == before else None
        return None


def fingerprint(text: bytes) -> str:
    """Return the digest (hexadecimal) by which a text is recognised."""
    return hashlib.sha256(text).hexdigest()


def _load(session: Session, archive: str, settings: str, name: str) -> Checkpoint:
    """Return the checkpoint of an archive under given settings, or a new one at its start."""
    checkpoint = session.scalar(
        select(Checkpoint).where(Checkpoint.archive == archive, Checkpoint.settings == settings)
    )
    if checkpoint is None:
        # A file name need not be text.
        text = name.encode(errors="replace").decode()
        checkpoint = Checkpoint(archive=archive, settings=settings, name=text)
        _reset(checkpoint)
        session.add(checkpoint)
        session.flush()
    return checkpoint


def _reset(checkpoint: Checkpoint) -> None:
    checkpoint.offset = checkpoint.games = 0
    checkpoint.before, checkpoint.finished_size, checkpoint.summary = fingerprint(b""), None, {}


def _head(archive: Archive) -> tuple[bytes, Iterator[bytes]]:
    """Return at least the first `HEAD` bytes of an archive's text, if there are as many, and the rest."""
    chunks = archive.chunks()
    head = b""
    try:
        for chunk in chunks:
            head += chunk
            if len(head) >= HEAD:
                break
    except ArchiveError as error:
        return head, _raising(error)
    return head, chunks


def _raising(error: ArchiveError) -> Iterator[bytes]:
    """Return an iterator that raises an error at its first item."""
    raise error
    yield b""
