"""The audit of an exercise: every accepted move must win, and no other be as good."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from engines.search_cache import Searcher
from puzzlegen.rules import MiningRules
from puzzlegen.upkeep.finding import Fault, Finding


def audit_exercise(
    position: chess.Board, accepted: Sequence[chess.Move], searcher: Searcher, rules: MiningRules, nodes: int
) -> list[Finding]:
    """Return the faults of an exercise, empty if it holds.

    The position after each accepted move is searched with `nodes` nodes, and so is the exercise itself, for
    one variation more than there are such moves. Raises `EngineFailedError`.
    """
    findings = []
    chances = [_chance_after(position, move, searcher, nodes) for move in accepted]
    for move, chance in zip(accepted, chances, strict=True):
        if chance < rules.winning:
            seen = f"win chance {chance:.2f}"
            findings.append(Finding(Fault.NOT_WINNING, 0, position.variation_san([move]), seen))
    variations = searcher.search(position, nodes, len(accepted) + 1)
    other = next((variation for variation in variations if variation.move not in accepted), None)
    if other is not None and other.chance >= min(chances):
        seen = f"{position.san(other.move)}, win chance {other.chance:.2f}"
        findings.append(Finding(Fault.AS_GOOD, 0, position.variation_san([other.move]), seen))
    return findings


def _chance_after(position: chess.Board, move: chess.Move, searcher: Searcher, nodes: int) -> float:
    """Return the win chance (-1…1) of the side to move after its move."""
    after = position.copy(stack=False)
    after.push(move)
    if after.is_game_over():
        return 1.0 if after.is_checkmate() else 0.0
    return -searcher.search(after, nodes)[0].chance
