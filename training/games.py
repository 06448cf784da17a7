"""The games of archives, to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puzzlegen.games.archive import open_archive
from puzzlegen.games.split import RawGame, split_games


def games_of(archives: Iterable[str]) -> Iterator[RawGame]:
    """Yield the games of archives, one archive after the other. Raises `ArchiveError`."""
    for name in archives:
        with open_archive(name) as archive:
            yield from split_games(archive.chunks())
