"""Games ruled out by the bytes of their evaluations, without parsing a move."""

from __future__ import annotations

import re

import chess

from engines.winchance import win_chance_of_centipawns
from puzzlegen.pgn import FIRST_MOVE_CHANCE
from puzzlegen.rules import MiningRules
from puzzlegen.triples import find_triples

_EVAL = re.compile(rb"\[%eval\s+(#?)([-+]?\d+(?:\.\d+)?)")
_COMMENT = re.compile(rb"\{[^}]*\}|;[^\n]*")
_MOVE = re.compile(rb"[KQRBNOa-h][\w=+#-]+[!?]*(?=[\s)]|$)")
_END_OF_TAGS = re.compile(rb"\]\s*\n\r?\n")


def surely_without_candidates(text: bytes, rules: MiningRules) -> bool:
    """Tell whether the evaluations in a game's text rule out any candidate.

    False where the bytes alone cannot tell: moves without an evaluation, variations, a set-up
    position, tags not followed by a blank line.
    """
    tags = _END_OF_TAGS.search(text)
    if tags is None or b"[%eval" not in text or b"[FEN " in text or b"[Variant " in text:
        return False
    moves = text[tags.end() :]
    found = _EVAL.findall(moves)
    bare = _COMMENT.sub(b" ", moves)
    plies = len(_MOVE.findall(bare))
    # The last position has no evaluation when it is mate.
    if b"(" in bare or not plies - (b"#" in bare) <= len(found) <= plies:
        return False
    chances = [FIRST_MOVE_CHANCE]
    for mate, number in found:
        if mate:
            chances.append(-1.0 if number.startswith(b"-") else 1.0)
        else:
            chances.append(win_chance_of_centipawns(float(number) * 100))
    if plies > len(found):
        chances.append(1.0 if plies % 2 else -1.0)
    return not find_triples(chances, chess.WHITE, rules)
