"""The motifs of a solution, the tags of its puzzle, and the names of tags in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import chess

from chess_motif.boards import threatens_mate
from chess_motif.material import Capture
from puzzlegen.motifs import exchange, plans, threats
from puzzlegen.motifs.replay import Motif, Replay, back_rank
from puzzlegen.motifs.table import (
    BY_IMPORTANCE,
    ENDGAME_PIECES,
    ENDGAMES,
    LENGTHS,
    MATES,
    OPENING_MOVES,
    OPENING_PIECES,
    OPENING_UNDEVELOPED,
    TAGS,
    TagGroup,
)
from puzzlegen.motifs.worth import deciding_ply, net_gain

# Each rule once, though it may find motifs of several names.
RULES = tuple(dict.fromkeys(tag.find for tag in BY_IMPORTANCE if tag.find))

# Shown for a puzzle without a named motif.
NO_MOTIF = "no motif found"

_RANKED = [tag for tag in BY_IMPORTANCE if tag.says != "little"]
_PLAIN = {tag.name for tag in _RANKED if tag.says == "plain"}
_MOTIFS = (TagGroup.MOTIF, TagGroup.MATE_PATTERN)


def motifs_of(replay: Replay) -> list[Motif]:
    """Return every motif of a solution, in the order of the rules."""
    return [motif for rule in RULES for motif in rule(replay)]


def _explaining(motifs: Sequence[Motif], replay: Replay) -> list[Motif]:
    """Return the motifs that say why a line wins that is not forced."""
    decides = deciding_ply(replay)
    # After the deciding move, nothing leads to a gain any more. After a single move, it is not known.
    end = decides.number if net_gain(decides, replay) > 0 and len(replay.plies) > 1 else len(replay.plies)
    found = [motif for motif in motifs if motif.explains and (motif.ply < end or not TAGS[motif.name].leads)]
    # A forked piece would move away anyway, so it is not deflected.
    forks = {motif.ply for motif in found if motif.name == "fork"}
    return [motif for motif in found if motif.name != "deflection" or motif.ply not in forks]


def solution_tags(
    position: chess.Board,
    moves: Sequence[chess.Move],
    before: Capture | None = None,
    *,
    is_forced: bool = True,
    holds: bool = False,
) -> list[str]:
    """Return the tags of a solution, see `tags_of`.

    `before` is the capture by the opponent's last move, None if there was none or it is not known.
    """
    replay = Replay(position, moves, before)
    return tags_of(replay, motifs_of(replay), is_forced=is_forced, holds=holds)


def tags_of(
    replay: Replay, motifs: Sequence[Motif], *, is_forced: bool = True, holds: bool = False
) -> list[str]:
    """Return the sorted tags of a solution with these motifs, including the phase, the length, and `mate in`.

    A line that is not forced gets no tag for a mate at its end, nor for motifs that do not say why it wins.
    `holds` says that the solution need not win. Without a motif there is a tag for what is won or kept.
    """
    length = len(replay.solver_plies)
    notable = [motif for motif in motifs if motif.notable]
    tags = {motif.name for motif in (notable if is_forced else _explaining(notable, replay))}
    if not replay.mates and any(threats.is_zugzwang(ply, replay) for ply in replay.solver_plies):
        tags.add("zugzwang")
    # On Lichess a discovered check is a discovered attack, too, unless it is a double check.
    if "discoveredCheck" in tags and "doubleCheck" not in tags:
        tags.add("discoveredAttack")
    if replay.mates and is_forced:
        tags |= {"mate", MATES[min(length, len(MATES)) - 1]}
    tags |= {TAGS[name].also for name in tags} - {""}
    tags = tags - _PLAIN if has_motif(tags) else tags | set(_gain(replay, holds))
    return sorted({*tags, *phase_tags(replay.start.board), LENGTHS[min(length, len(LENGTHS)) - 1]})


def _gain(replay: Replay, holds: bool) -> Iterator[str]:
    """Yield a tag for what a solution without a motif threatens, wins or keeps, if anything.

    If a line only holds, and begins with a quiet move or ends without a capture, its gain was not forced.
    """
    first, wins = replay.plies[0], exchange.winnings(replay)
    is_open = first.quiet or replay.plies[-1].captured is None
    is_endgame = "endgame" in phase_tags(replay.start.board)
    if threats.threatens_mate_in_two(first):
        yield "mateThreat"
    elif wins and threats.makes_two_threats(first):
        yield "doubleAttack"
    elif wins == "winsPawn" and is_endgame and plans.has_passed_pawn(replay):
        yield "passedPawn"
    elif wins and not (holds and is_open):
        # The threat is stopped first, and the pawn falls only later.
        stops_mate = wins == "winsPawn" and first.quiet and threatens_mate(replay.start.board)
        yield "stopsMate" if stops_mate else wins
    elif holds and threatens_mate(replay.start.board):
        yield "stopsMate"
    elif holds and is_endgame:
        yield "holdsDraw"


def phase_tags(position: chess.Board) -> Iterator[str]:
    """Yield the phase of a position and, for an endgame, its kind if that has a name."""
    pieces = position.occupied & ~position.kings & ~position.pawns
    if chess.popcount(pieces) <= ENDGAME_PIECES:
        yield "endgame"
        kinds = frozenset(position.piece_type_at(square) or 0 for square in chess.scan_forward(pieces))
        if kinds in ENDGAMES:
            yield ENDGAMES[kinds]
    elif (
        chess.popcount(pieces) >= OPENING_PIECES
        and position.fullmove_number <= OPENING_MOVES
        and all(
            chess.popcount(position.occupied_co[color] & back_rank(color)) >= OPENING_UNDEVELOPED
            for color in chess.COLORS
        )
    ):
        yield "opening"
    else:
        yield "middlegame"


def tag_words(name: str) -> str:
    """Return a tag as words: `mateIn2` is `mate in 2`, and `winsPawn` is `wins a pawn`."""
    words = TAGS[name].words if name in TAGS else ""
    return words or re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name).lower()


def seen_tags(tags: Iterable[str]) -> list[str]:
    """Return the tags that say what was to be seen: motifs, mate patterns, lengths of mates, gains."""
    groups = (*_MOTIFS, TagGroup.MATE, TagGroup.GAIN)
    return sorted(tag for tag in tags if tag != "mate" and tag in TAGS and TAGS[tag].group in groups)


def seen_words(tags: Iterable[str]) -> str:
    """Return the `seen_tags` in words, such as `fork, mate in 2`, or `NO_MOTIF`."""
    return ", ".join(map(tag_words, seen_tags(tags))) or NO_MOTIF


def motif_tags(tags: Iterable[str]) -> list[str]:
    """Return the tags or themes that name a motif, sorted. Unknown themes count as motifs."""
    return sorted(tag for tag in tags if tag not in TAGS or TAGS[tag].group in _MOTIFS)


def telling_motifs(tags: Iterable[str]) -> set[str]:
    """Return the `motif_tags` without those that say little about what was to be seen."""
    return {tag for tag in motif_tags(tags) if tag not in TAGS or TAGS[tag].says != "little"}


def main_motif(tags: Iterable[str]) -> str | None:
    """Return the tag that says most about why the solution wins, None if no tag does.

    This is a motif, a mate pattern or `mate` or, without these, the tag for what is won or kept.
    """
    given = set(tags)
    return next((tag.name for tag in _RANKED if tag.name in given), None)


def has_motif(tags: Iterable[str]) -> bool:
    """Return whether a tag says why the solution wins, and not only what it wins."""
    return any(tag in TAGS and TAGS[tag].says == "why" for tag in tags)


def main_words(tags: Iterable[str]) -> str:
    """Return the `main_motif` in words, such as `hanging piece`, or `NO_MOTIF`."""
    name = main_motif(tags)
    return tag_words(name) if name else NO_MOTIF
