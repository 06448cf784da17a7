"""Finding the players that the words of a name mean: if several players match, the user is asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from chess_motif.errors import InputError
from chess_motif.output import note
from chess_motif.text import counted

# Readers of games are imported when needed: other commands need no reader.
if TYPE_CHECKING:
    from puzzlegen.games.players import FoundPlayer

# The most players that a message lists.
MOST_LISTED = 10

ALL = "all"


def chosen_players(games: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the names of the players of `games` that each of the `words` means.

    If several players match, the user chooses. Raises `InputError` if no player matches, or if the command
    does not run in a terminal. An account among the games means its user only.
    """
    from puzzlegen.games.accounts import account_of
    from puzzlegen.games.players import find_players

    files = [name for name in games if account_of(name) is None]
    if not files:
        return list(words)
    names: list[str] = []
    unmatched: list[str] = []
    for words_of_name in words:
        found = find_players(files, words_of_name)
        if not found:
            unmatched.append(words_of_name)
        elif len(found) == 1:
            names += [player.name for player in found]
        else:
            names += _asked(words_of_name, found)
    listed = " or ".join(map(repr, unmatched))
    if unmatched and not names and len(files) == len(games):
        raise InputError(f"no player of these games has all words of the name {listed}; no set is made")
    if unmatched:
        note(f"no player of these games has all words of the name {listed}")
        names += unmatched
    return list(dict.fromkeys(names))


def _asked(words: str, found: Sequence[FoundPlayer]) -> list[str]:
    """Return the names of the players that the user chooses."""
    if not sys.stdin.isatty():
        some = found[:MOST_LISTED]
        listed = ", ".join(f"{player.name!r} ({counted(player.games, 'game')})" for player in some)
        more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
        raise InputError(
            f"{len(found)} players match {words!r}: {listed}{more}; give more words of the name, or run "
            "the command in a terminal, where it asks which of them are the player"
        )
    note(f"{len(found)} players match {words!r}:")
    for number, player in enumerate(found, 1):
        note(f"{number:4}  {player.name} ({counted(player.games, 'game')})")
    question = f"Which of them? Numbers with spaces between them, or '{ALL}'"
    while True:
        answer: str = typer.prompt(question, err=True).strip().lower()
        if answer == ALL:
            return [player.name for player in found]
        numbers = answer.replace(",", " ").split()
        if numbers and all(one.isdigit() and 1 <= int(one) <= len(found) for one in numbers):
            return [found[int(one) - 1].name for one in numbers]
        note(f"{answer!r} is not one of the numbers")
