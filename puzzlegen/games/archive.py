"""Archives of games as streams of text bytes, and their checkpoints.

An archive is plain text, Zstandard, gzip or bzip2, in a file or from standard input. Memory use does not
depend on its size. Damage raises an `ArchiveError`, after everything before it has been yielded.

An archive is recognised by the beginning of its text, and a checkpoint by the text just before. So a file may
be moved or grow, but if the text before its checkpoint has changed, the file is read from the start.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from chess_motif.errors import ArchiveError, reason_of
from chess_motif.progress import Progress
from chess_motif.text import clean
from db.models import Checkpoint
from db.runs import is_held
from db.store import Store, insert_new
from puzzlegen.games.split import TAIL, RawGame, split_games

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STANDARD_INPUT = "-"

# The most bytes of text in a chunk. The prefilter, which works on arrays, is faster with large chunks.
CHUNK = 1 << 20

# Bytes at the beginning of the text that identify an archive.
HEAD = 4096

# Bytes of a Zstandard archive read at a time.
_PACKED = 1 << 17

_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass
class Archive:
    """An open archive. `name` is the name given by the user, `size` the size in bytes (None: unknown)."""

    name: str
    size: int | None
    _raw: io.BufferedReader = field(repr=False)
    _text_read: int = 0
    _text_done: int = 0

    def chunks(self) -> Iterator[bytes]:
        """Yield the decompressed text in chunks. Raises `ArchiveError` where the archive is damaged."""
        self._text_read = 0
        try:
            for chunk in _text(self._raw):
                if not self._text_read and chunk.startswith(_UTF_16):
                    raise ArchiveError(f"{self.name}: is UTF-16 text; save it as UTF-8")
                self._text_read += len(chunk)
                yield chunk
        except EOFError as error:
            raise ArchiveError(f"{self.name}: cut off after byte {self._text_read} of its text") from error
        except (zstd.ZstdError, zlib.error, OSError) as error:
            place = f"damaged after byte {self._text_read} of its text"
            raise ArchiveError(f"{self.name}: {place} ({error})") from error

    @property
    def is_file(self) -> bool:
        """Whether the archive is a file, which can be rewound, and not a pipe."""
        return self._raw.seekable()

    def consumed(self) -> int:
        """Return how many bytes of the file have been read so far."""
        return self._raw.tell() if self.is_file else 0

    def finish_text(self, end: int) -> None:
        """Record that the text before byte `end` has been mined."""
        self._text_done = end

    def finish(self) -> None:
        """Record that all of the text has been mined."""
        self._text_done = self._text_read

    def finished(self) -> int:
        """Return approximately how many bytes of the file have been mined."""
        return self.consumed() * self._text_done // max(1, self._text_read)

    def rewind(self) -> None:
        """Go back to the beginning. Raises `ArchiveError` if that is not possible."""
        if not self.is_file:
            raise ArchiveError(f"{self.name}: has changed since it was mined; add --restart")
        self._raw.seek(0)

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_archive(name: str) -> Archive:
    """Open the archive at path `name`, or standard input for `-`. Raises `ArchiveError`.

    The compression is recognised by the first bytes, not by the name.
    """
    if name == STANDARD_INPUT:
        if sys.stdin.closed:
            raise ArchiveError("standard input: can be read only once")
        return Archive("standard input", None, cast(io.BufferedReader, sys.stdin.buffer))
    path = Path(name)
    try:
        if path.is_dir():
            raise ArchiveError(f"{name}: is a folder; name the game files in it")
        return Archive(clean(name), path.stat().st_size, path.open("rb"))
    except OSError as error:
        raise ArchiveError(f"{name}: {reason_of(error)}") from error


def games_of(names: Iterable[str]) -> Iterator[RawGame]:
    """Yield the games of archives, one archive after the other. Raises `ArchiveError`."""
    for name in names:
        with open_archive(name) as archive:
            yield from split_games(archive.chunks())


def check_archives(names: Sequence[str]) -> None:
    """Raise `ArchiveError` if none of these archives exists. `names` are as for `open_archive`.

    If only some archives are missing, this is reported when they are opened.
    """
    errors = []
    for name in names:
        try:
            if name != STANDARD_INPUT:
                Path(name).stat()
        except OSError as error:
            errors.append(ArchiveError(f"{name}: {reason_of(error)}"))
        else:
            return
    if errors:
        raise errors[0]


def _text(raw: io.BufferedReader) -> Iterator[bytes]:
    start = raw.peek(4)[:4]
    # Some tools write a skippable frame first, which has one of sixteen magic numbers.
    if start == _ZSTD_FRAME or (start[1:] == b"\x2a\x4d\x18" and 0x50 <= start[0] <= 0x5F):
        return _unpacked_zstd(raw)
    if start.startswith(_GZIP):
        return _pieces(cast(io.BufferedReader, gzip.open(raw)))
    if start.startswith(_BZIP2):
        return _pieces(cast(io.BufferedReader, bz2.open(raw)))
    return _pieces(raw)


def _pieces(text: io.BufferedReader) -> Iterator[bytes]:
    while chunk := text.read1(CHUNK):
        yield chunk


def _unpacked_zstd(raw: io.BufferedReader) -> Iterator[bytes]:
    """Yield the text of Zstandard frames. Raises `EOFError` if the last frame is cut off.

    The library's own reader reads 8 kB at a time and would yield small chunks.
    """
    while packed := raw.read1(_PACKED):
        frame = zstd.ZstdDecompressor()
        while True:
            if text := frame.decompress(packed, CHUNK):
                yield text
            if frame.eof and not (packed := frame.unused_data):
                break
            if frame.eof:
                frame = zstd.ZstdDecompressor()
            elif not frame.needs_input:
                packed = b""
            elif not (packed := raw.read1(_PACKED)):
                raise EOFError


class ArchiveWalk:
    """An archive that is read under given settings, from its checkpoint on.

    `text` is the text from byte `offset` on, None if an earlier run has reached the end. Earlier runs have
    mined `games` games, with the counts `summary`.
    """

    def __init__(
        self,
        archive: Archive,
        store: Store,
        settings: str,
        progress: Progress,
        *,
        restart: bool = False,
        run_number: int | None = None,
    ) -> None:
        """Load or create the checkpoint; `settings` is the fingerprint of what results depend on.

        The checkpoint is reset with `restart` and, with a notice, if the archive has changed. The run
        `run_number` claims the archive. Raises `ArchiveError` if another process works on the run that
        claimed the archive last, or if a changed archive cannot be rewound. Iterating over `text` raises
        `ArchiveError` where the archive is damaged.
        """
        self.archive = archive
        self._store, self._run_number = store, run_number
        self._tail = b""
        head, chunks = _head(archive)

        def load(session: Session) -> Checkpoint:
            checkpoint = _load(session, fingerprint(head[:HEAD]), settings, archive.name)
            other = checkpoint.run_number
            if other is not None and other != run_number and is_held(store, other):
                raise ArchiveError(
                    f"{archive.name}: run {other} is mining it with the same settings (see 'puzzlegen runs')"
                )
            checkpoint.run_number = run_number
            if restart:
                _reset(checkpoint)
            return checkpoint

        checkpoint = store.transact(load)
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

    def advance(self, tail: bytes) -> None:
        """Note the text just before the next checkpoint, before that is saved.

        `tail` must have at least `TAIL` bytes, or everything since the last checkpoint.
        """
        self._tail = (self._tail + tail)[-TAIL:]

    def save(self, session: Session, end: int, games: int, summary: dict[str, Any]) -> None:
        """Move the checkpoint to byte `end`, after `games` games in all.

        Raises `ArchiveError` if another run has claimed the archive because this run seemed dead.
        """
        checkpoint = session.get_one(Checkpoint, self._number, with_for_update=True)
        if checkpoint.run_number != self._run_number:
            raise ArchiveError(f"{self.archive.name}: taken over by run {checkpoint.run_number}")
        checkpoint.offset, checkpoint.before = end, fingerprint(self._tail)
        checkpoint.games, checkpoint.summary = games, summary

    def finish(self) -> None:
        """Record that the end of the archive was reached."""
        self.archive.finish()

        def keep(session: Session) -> None:
            session.get_one(Checkpoint, self._number).finished_size = self.archive.size

        self._store.transact(keep)

    def check_games(self, games: int) -> None:
        """Raise `ArchiveError` if no game was found in the whole archive."""
        if not games:
            raise ArchiveError(f"{self.archive.name}: has no games")

    def _skip_to(self, offset: int, before: str, chunks: Iterable[bytes]) -> bytes | None:
        """Read up to byte `offset`; return the bytes that were read beyond it.

        None if the text just before `offset` does not have the fingerprint `before`, or is too short.
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
    """Return the hexadecimal digest by which a text is recognised."""
    return hashlib.sha256(text).hexdigest()


def _load(session: Session, archive: str, settings: str, name: str) -> Checkpoint:
    """Return the checkpoint of an archive under given settings, or a new one at its start."""
    new = Checkpoint(archive=archive, settings=settings, name=name)
    _reset(new)
    # Another run may be starting at the same moment.
    insert_new(session, [new])
    stored = select(Checkpoint).where(Checkpoint.archive == archive, Checkpoint.settings == settings)
    return session.scalars(stored.with_for_update()).one()


def _reset(checkpoint: Checkpoint) -> None:
    checkpoint.offset = checkpoint.games = 0
    checkpoint.before, checkpoint.finished_size, checkpoint.summary = fingerprint(b""), None, {}


def _head(archive: Archive) -> tuple[bytes, Iterator[bytes]]:
    """Return at least the first `HEAD` bytes of an archive's text, if it has as many, and the rest."""
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
