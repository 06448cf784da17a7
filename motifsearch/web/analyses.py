"""Analyses of games that visitors ask for: the files that they send, and what a restart has interrupted."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import UploadFile
from pydantic import BaseModel, TypeAdapter

from chess_motif.errors import ArchiveError, InputError, StoreError
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.store import Store, get_fact, set_fact
from motifsearch.trainer.train import games_folder, train
from motifsearch.web.jobs import Jobs
from puzzlegen.games.archive import open_archive
from puzzlegen.games.players import find_players

if TYPE_CHECKING:
    from motifsearch.web.site import PageSettings

# The largest file that is taken, in bytes, some ten thousand games; and the largest that it may unpack to.
LARGEST = 20_000_000
UNPACKED = 200_000_000

# Seconds in which the player of a file must be found, and between two looks whether anybody waits for it.
LOOKING = 30.0
LOOK_EVERY = 0.5

# The most games of one request that are analysed: an hour on two cores.
MOST_GAMES = 500

# The fact under which a store keeps what has been asked for and is not done.
FACT = "analyses"


class Analysis(BaseModel, frozen=True):
    """Games to analyse: their file or account, what they are called, and whose they are."""

    source: str
    title: str
    student: str
    since: date | None = None


_STORED = TypeAdapter(list[Analysis])


class Analyses:
    """Does one analysis after the other. Those that had not ended when the last process did are known.

    Close it; an analysis saves its work and ends.
    """

    def __init__(self, store: Store, settings: PageSettings) -> None:
        """Raises `StoreError`."""
        self.jobs = Jobs([games_folder(store), games_folder(store).parent, *filter(None, [settings.index])])
        self._store, self._settings = store, settings
        with store.reading() as session:
            self.interrupted: Sequence[Analysis] = _STORED.validate_json(get_fact(session, FACT) or "[]")

    def begin(self, analysis: Analysis) -> None:
        """Do an analysis when those before are done. Raises `InputError` if too many wait, `StoreError`."""
        self._store_change(lambda kept: [*kept, analysis])
        try:
            self.jobs.begin(analysis.title, analysis.student, lambda progress: self._do(analysis, progress))
        except InputError:
            self._forget(analysis)
            raise
        self.interrupted = [each for each in self.interrupted if each != analysis]

    def go_on(self) -> None:
        """Begin what was interrupted again. Raises as `begin` does."""
        for analysis in [*self.interrupted]:
            self.begin(analysis)

    def archive(self, path: Path, title: str, student: str) -> None:
        """Archive the games of a file for position searches when what was begun before is done.

        The file is deleted in the end. Raises `InputError` if too many wait.
        """
        try:
            work = partial(self._archive, path)
            self.jobs.begin(f"{title} for position searches", student, work)
        except InputError:
            path.unlink(missing_ok=True)
            raise

    def _archive(self, path: Path, progress: Progress) -> None:
        # Imported only here: few visitors archive games.
        from motifsearch.positions.archiving import add_positions

        try:
            with Store(self._settings.db) as store:
                report, _ = add_positions(
                    [str(path)], store, directory=self._settings.index, progress=progress
                )
        finally:
            path.unlink(missing_ok=True)
        if report.damaged and not report.games:
            raise InputError(report.damaged[0])
        progress.notice(f"{counted(report.archived, 'game')} archived, {report.known:,} known before")

    def _do(self, analysis: Analysis, progress: Progress) -> None:
        settings = self._settings
        try:
            with Store(settings.db) as store:
                train(
                    [analysis.source],
                    store,
                    [analysis.student],
                    engine=settings.engine,
                    limit=MOST_GAMES,
                    since=analysis.since,
                    index=settings.index,
                    progress=progress,
                )
        finally:
            if not self.jobs.stopping:
                # Otherwise it is only done again, in vain.
                with suppress(StoreError):
                    self._forget(analysis)

    def _store_change(self, change: Callable[[list[Analysis]], list[Analysis]]) -> None:
        with self._store.session() as session:
            kept = change(_STORED.validate_json(get_fact(session, FACT) or "[]"))
            set_fact(session, FACT, _STORED.dump_json(kept).decode())

    def _forget(self, analysis: Analysis) -> None:
        self._store_change(lambda kept: [each for each in kept if each != analysis])


class Looking(Progress):
    """Looking through the file of a request, which stops when it takes too long, or nobody waits for it."""

    def __init__(self, has_gone: Callable[[], bool]) -> None:
        """Begin now, for a client that may go."""
        self._has_gone = has_gone
        self._end = time.monotonic() + LOOKING
        self._next_look = 0.0
        self._stopped = False

    @property
    def stopping(self) -> bool:
        """Whether to stop."""
        now = time.monotonic()
        if not self._stopped and now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self._stopped = now > self._end or self._has_gone()
        return self._stopped


def upload(store: Store, file: UploadFile, player: str, looking: Looking) -> tuple[Path, str]:
    """Store an uploaded file, and return its path and its one player whose name has the words `player`.

    A file that cannot be used is not kept. Raises `InputError`, `OSError`.
    """
    if not player.strip():
        raise InputError("whose games are these? Give the name of the player as in the file")
    with _kept(store, file) as path:
        return path, _one_player(path, player, looking)


def upload_to_archive(store: Store, file: UploadFile) -> Path:
    """Store an uploaded file whose games are to be archived, and return its path. Raises as `upload` does."""
    # Not the file of an analysis, which is kept.
    with _kept(store, file, "archive-") as path:
        return path


@contextmanager
def _kept(store: Store, file: UploadFile, prefix: str = "") -> Iterator[Path]:
    """Store an uploaded file, which is not too large; the block refuses it by an error, and it is deleted."""
    name = file.filename or ""
    content = file.file.read(LARGEST + 1)
    ending = re.search(r"\.pgn(\.zst|\.gz|\.bz2)?$", name.lower())
    if len(content) > LARGEST:
        raise InputError(f"the file is larger than {LARGEST // 10**6} MB; the command line takes any")
    if ending is None:
        raise InputError("the file's name must end in .pgn, .pgn.zst, .pgn.gz or .pgn.bz2")
    path = games_folder(store) / f"{prefix}{hashlib.sha256(content).hexdigest()[:16]}{ending[0]}"
    is_new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        _check_unpacked(path)
        yield path
    except BaseException as error:
        if is_new:
            path.unlink(missing_ok=True)
        if isinstance(error, ArchiveError):
            raise InputError(str(error).replace(str(path), name)) from error
        raise


def _check_unpacked(path: Path) -> None:
    """Raise `InputError` for a file that unpacks to too much."""
    with open_archive(str(path)) as archive, suppress(ArchiveError):
        size = 0
        for chunk in archive.chunks():
            size += len(chunk)
            if size > UNPACKED:
                raise InputError(f"the file unpacks to more than {UNPACKED // 10**6} MB")


def _one_player(path: Path, words: str, looking: Looking) -> str:
    """Return the one player of a file whose name has these words. Raises `InputError`."""
    found = [each.name for each in find_players([str(path)], words, looking)]
    if looking.stopping:
        raise InputError("looking through the file takes too long; 'motifsearch train' takes any")
    if not found:
        raise InputError(f"no player in the file has a name with {words!r}")
    if len(found) > 1:
        raise InputError(f"several players have such a name: {', '.join(found[:8])}")
    return found[0]
