"""Tags of a puzzle, named like the Lichess themes that mean the same, with the definition of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import chess

from chess_motif.material import Capture
from puzzlegen.motifs import phases
from puzzlegen.motifs.mates import PATTERNS
from puzzlegen.motifs.recognise import RULES, motifs_of
from puzzlegen.motifs.replay import Replay

# What is said of a puzzle without any motif that has a name.
NO_MOTIF = "no motif recognised"

# The tags by the number of solver moves; the last one stands for all higher numbers, too.
_LENGTHS = ("oneMove", "short", "long", "veryLong")
_MATES = ("mateIn1", "mateIn2", "mateIn3", "mateIn4", "mateIn5")

# Motifs whose tags are not just their name. Relative pins are too frequent to be worth a tag.
_TAGS: dict[str, tuple[str, ...]] = {
    "absolutePin": ("pin",),
    "relativePin": (),
    "underPromotion": ("promotion", "underPromotion"),
}


class Group(StrEnum):
    """What a tag is about."""

    PHASE = "phase"
    LENGTH = "length"
    MATE = "mate"
    MOTIF = "motif"
    MATE_PATTERN = "mate pattern"
    SOURCE = "source"


@dataclass(frozen=True)
class Tag:
    """A tag: its name, what it is about, and what a puzzle with this tag shows."""

    name: str
    group: Group
    definition: str


def _moves(names: Sequence[str], what: str) -> dict[str, str]:
    numbers = [f"{number} move{'s'[: number > 1]}" for number in range(1, len(names))]
    return {
        name: f"{what} {number}."
        for name, number in zip(names, [*numbers, f"{len(names)} moves or more"], strict=True)
    }


_DEFINITIONS = {
    Group.PHASE: phases.DEFINITIONS,
    Group.LENGTH: _moves(_LENGTHS, "The solver has"),
    Group.MATE: {"mate": "The solution ends in mate."} | _moves(_MATES, "Mate in"),
    Group.MOTIF: {name: text for rule in RULES for name, text in rule.definitions.items()}
    # It takes an engine to recognise a zugzwang.
    | {"zugzwang": "Every move of the opponent makes matters worse for them, according to the source."},
    Group.MATE_PATTERN: {name: pattern.definition for name, pattern in PATTERNS.items()},
    # Themes that say nothing about the moves, and are known only where a source gives them.
    Group.SOURCE: {
        "crushing": "The solver is ahead by 6 pawns or more afterwards, according to the source.",
        "advantage": "The solver is ahead by 2 to 6 pawns afterwards, according to the source.",
        "equality": "The solver saves a lost position, according to the source.",
        "master": "From a game of a titled player, according to the source.",
        "masterVsMaster": "From a game of two titled players, according to the source.",
        "superGM": "From a game of one of the best players of the world, according to the source.",
    },
}

# All tags with a definition, by name.
TAGS = {
    name: Tag(name, group, definition)
    for group, definitions in _DEFINITIONS.items()
    for name, definition in definitions.items()
}


def solution_tags(
    position: chess.Board,
    moves: Sequence[chess.Move],
    before: Capture | None = None,
    *,
    is_forced: bool = True,
) -> list[str]:
    """Return the tags of a solution, sorted: phase, length, motifs, and `mate` with the number of moves.

    `before` is the capture by the move before the solution, None if it did not capture or is not known. If
    the line is not forced, a mate at its end is no tag.
    """
    replay = Replay(position, moves, before)
    length = (len(moves) + 1) // 2
    tags = {*phases.phase_tags(position), _LENGTHS[min(length, len(_LENGTHS)) - 1]}
    for motif in motifs_of(replay):
        if motif.notable:
            tags.update(_TAGS.get(motif.name, (motif.name,)))
    # On Lichess a discovered check is a discovered attack, too, unless it is a double check.
    if "discoveredCheck" in tags and "doubleCheck" not in tags:
        tags.add("discoveredAttack")
    if replay.mates and is_forced:
        tags |= {"mate", _MATES[min(length, len(_MATES)) - 1]}
    return sorted(tags)


def tag_words(name: str) -> str:
    """Return a tag as words: `mateIn2` is `mate in 2`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name).lower()


def seen_tags(tags: Iterable[str]) -> list[str]:
    """Return those of some tags that say what was to be seen: motifs, mate patterns, and lengths of mates."""
    groups = (Group.MOTIF, Group.MATE_PATTERN, Group.MATE)
    return sorted(tag for tag in tags if tag != "mate" and tag in TAGS and TAGS[tag].group in groups)


def seen_words(tags: Iterable[str]) -> str:
    """Return in words what was to be seen, such as `fork, mate in 2`, or that it has no name."""
    return ", ".join(map(tag_words, seen_tags(tags))) or NO_MOTIF


def motif_tags(tags: Iterable[str]) -> list[str]:
    """Return those of some tags or themes that name a motif, sorted. Unknown ones count as motifs."""
    motifs = (Group.MOTIF, Group.MATE_PATTERN)
    return sorted(tag for tag in tags if tag not in TAGS or TAGS[tag].group in motifs)
