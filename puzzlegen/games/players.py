"""Finding players in archives by words of their names.

Archives go in; the most frequent spellings of the names come out, with the number of games. Only the headers
of games that may name the player are parsed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from chess_motif.errors import ArchiveError
from chess_motif.progress import Progress
from chess_motif.text import has_name_words, name_key, name_words
from puzzlegen.games.archive import STANDARD_INPUT, open_archive
from puzzlegen.games.pgn import read_players
from puzzlegen.games.split import split_games


class FoundPlayer(NamedTuple):
    """A player, with the most frequent spelling of the name, and the number of games."""

    name: str
    games: int


def find_players(archives: Sequence[str], words: str, progress: Progress | None = None) -> list[FoundPlayer]:
    """Return the players in archives whose names have all `words`, those with most games first.

    `Carlsen, Magnus` and `Magnus Carlsen` are one player. Unreadable parts of archives are left out, but if
    nothing is found, `ArchiveError` is raised. Returns early once `progress` is stopping.
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
    """Return whether the text of a game has all words in ASCII of a player's name."""
    lower = game.lower()
    return all(word.encode() in lower for word in name_words(player) if word.isascii())


@contextmanager
def readable_twice(archives: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names of archives, with a temporary file in place of standard input."""
    # Windows opens no file twice that is deleted when it is closed.
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input.pgn"
        if STANDARD_INPUT in archives:
            with open_archive(STANDARD_INPUT) as archive, copy.open("wb") as out:
                out.writelines(archive.chunks())
        yield [str(copy) if name == STANDARD_INPUT else name for name in archives]
