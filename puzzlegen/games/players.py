"""Whose games are in archives: the players whose names have some words.

Archives go in; names come out as they are written most often, with the number of games. Nothing is parsed
but the headers of games that may name the player.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from chess_motif.errors import ArchiveError
from chess_motif.progress import Progress
from chess_motif.text import has_name_words, name_key, name_words
from puzzlegen.games.archive import STANDARD_INPUT, open_archive
from puzzlegen.games.pgn import read_players
from puzzlegen.games.split import split_games


class FoundPlayer(NamedTuple):
    """A player, as the name is written most often, and the number of the games."""

    name: str
    games: int


def find_players(archives: Sequence[str], words: str, progress: Progress | None = None) -> list[FoundPlayer]:
    """Return the players of games whose names have all `words`, those with most games first.

    `Carlsen, Magnus` and `Magnus Carlsen` are one player. What cannot be read of an archive is left out,
    unless nothing is found: then `ArchiveError` is raised. Once `progress` is stopping, only the games before
    have been looked at.
    """
    progress = progress or Progress()
    written: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    damage: ArchiveError | None = None
    for path in archives:
        try:
            with open_archive(path) as archive:
                for raw in split_games(archive.chunks()):
                    if progress.stopping:
                        break
                    if not may_name(raw.text, words):
                        continue
                    for name in read_players(raw):
                        if has_name_words(name, words):
                            written[name_key(name)][name] += 1
        except ArchiveError as error:
            damage = damage or error
    if damage is not None and not written:
        raise damage
    found = [FoundPlayer(names.most_common(1)[0][0], names.total()) for names in written.values()]
    return sorted(found, key=lambda player: (-player.games, player.name))


def may_name(game: bytes, player: str) -> bool:
    """Return whether the text of a game has all words of a player's name, those in ASCII at least."""
    lower = game.lower()
    return all(word.encode() in lower for word in name_words(player) if word.isascii())


@contextmanager
def readable_twice(archives: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names of archives with a temporary file in place of standard input."""
    with tempfile.NamedTemporaryFile(prefix="standard-input-", suffix=".pgn") as copy:
        if STANDARD_INPUT in archives:
            with open_archive(STANDARD_INPUT) as archive:
                for chunk in archive.chunks():
                    copy.write(chunk)
            copy.flush()
        yield [copy.name if name == STANDARD_INPUT else name for name in archives]
