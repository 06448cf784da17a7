"""Terms of the reasons why a solution works; each counts once, however often it occurs.

These terms are this project's own. `puzzlegen.reasons` has what they are made from.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.reasons.reason import Part, Reason
from puzzlegen.reasons.recognise import Reasons


def goal_terms(reasons: Reasons) -> list[str]:
    """Return the reasons for all goals: `defender:accepts>mate`, and with piece `defender:accepts:r>mate`."""
    return _once(term for reason in reasons.found for term in _terms(reason))


def decisive_terms(reasons: Reasons) -> list[str]:
    """Return the reasons for the decisive goal, and the goal alone where no defender had to go."""
    goal = reasons.decisive
    if goal is None:
        return []
    why = [reason for reason in reasons.found if reason.goal is goal]
    terms = [term for reason in why for term in _terms(reason)]
    if all(reason.part is not Part.DEFENDER for reason in why):
        terms.append(f"undefended>{goal.aim}")
    return _once(iter(terms))


def _terms(reason: Reason) -> Iterator[str]:
    yield f"{reason.part}:{reason.cause}>{reason.goal.aim}"
    yield f"{reason.part}:{reason.cause}:{chess.piece_symbol(reason.kind)}>{reason.goal.aim}"


def _once(terms: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(terms))
