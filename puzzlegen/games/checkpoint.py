"""Where mining an archive has got to, so that it goes on there instead of doing work twice.

An archive is known by the beginning of its text, and a place in it by the text just before: a file
that was moved, completed or continued is recognised, and one that was changed is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.models import Checkpoint

# Bytes of text at the beginning that identify an archive, and before a place that identify it.
HEAD = 4096
TAIL = 64


def fingerprint(text: bytes) -> str:
    """Return the digest by which a stretch of text is recognised."""
    return hashlib.sha256(text).hexdigest()


def load(session: Session, archive: str, settings: str, name: str) -> Checkpoint:
    """Return the checkpoint of an archive under given settings, a new one at its start if need be."""
    found = session.scalar(
        select(Checkpoint).where(Checkpoint.archive == archive, Checkpoint.settings == settings)
    )
    if found is None:
        found = Checkpoint(archive=archive, settings=settings, name=name)
        reset(found)
        session.add(found)
        session.flush()
    return found


def reset(checkpoint: Checkpoint) -> None:
    """Put a checkpoint back to the start of its archive."""
    checkpoint.offset = checkpoint.games = 0
    checkpoint.before, checkpoint.finished_size, checkpoint.summary = fingerprint(b""), None, {}


def skip_to(offset: int, before: str, chunks: Iterable[bytes]) -> bytes | None:
    """Read `chunks` up to byte `offset`; return what was read beyond it.

    None when the text just before `offset` has another fingerprint than `before`, or is not there.
    """
    tail, done = b"", 0
    for chunk in chunks:
        upto = chunk[: offset - done]
        tail = (tail + upto[-TAIL:])[-TAIL:]
        done += len(upto)
        if done == offset:
            return chunk[len(upto) :] if fingerprint(tail) == before else None
    return None
