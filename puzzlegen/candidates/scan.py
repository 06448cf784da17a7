"""One game ruled out by the bytes of its evaluations, without parsing a move. See also `judge`."""

from __future__ import annotations

import re

import chess

from puzzlegen.candidates.blunders import find_triples
from puzzlegen.games.pgn import FIRST_MOVE_CHANCE, eval_chance
from puzzlegen.rules import MiningRules

# A move as it is written nearly everywhere, without its signs.
_MOVE = rb"(?:[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h][1-8](?:=[QRBN])?|[a-h]x[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?)"

_TAGS = re.compile(rb"(?:\[[^\r\n]*\][ \t]*\r?\n)+\r?\n")
# What `pgn` takes for a line break or drops.
_ODD_IN_TAGS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xc2\x85|\xe2\x80[\xa8\xa9]")
_NUMBER = rb"\s*(?:\d+\.(?:\.\.)?\s*)?"
_EVALUATED_MOVE = re.compile(
    _NUMBER + _MOVE + rb"[+#]?[!?]{0,2}(?:\s+\$\d+)*\s*"
    rb"\{[^{}]*?\[%eval\s+(#?)([-+]?\d+(?:\.\d+)?)(?:,\d+)?\s*\][^{}]*\}(?=\s)"
)
# The last position has no evaluation when it is mate.
_END = re.compile(rb"(?:" + _NUMBER + _MOVE + rb"#[!?]{0,2}(?:\s*\{[^{}]*\})?)?\s+(?:1-0|0-1|1/2-1/2|\*)?\s*")


def surely_without_candidates(text: bytes, rules: MiningRules) -> bool:
    """Tell whether the evaluations in a game's text rule out any candidate.

    False where the bytes alone cannot tell: moves without an evaluation, variations, a set-up
    position, anything else than tags, a blank line, moves and comments.
    """
    tags = _TAGS.match(text)
    if tags is None or b"[FEN" in tags[0] or b"[Variant" in tags[0] or _ODD_IN_TAGS.search(tags[0]):
        return False
    place = tags.end()
    chances = [FIRST_MOVE_CHANCE]
    while move := _EVALUATED_MOVE.match(text, place):
        chances.append(eval_chance(move[1].decode(), move[2].decode()))
        place = move.end()
    return (
        len(chances) > 1
        and _END.fullmatch(text, place) is not None
        and not find_triples(chances, chess.WHITE, rules)
    )
