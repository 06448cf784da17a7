"""What to run after `puzzlegen mine`, and why a run that stored nothing did so."""

from __future__ import annotations

from collections.abc import Sequence

from puzzlegen.cli.options import next_step
from puzzlegen.games.pgn import Skip
from puzzlegen.mining.summary import Summary
from puzzlegen.rules import Pattern


def after_mining(
    summary: Summary,
    games: Sequence[str],
    *,
    pattern: Pattern,
    player: str | None,
    evaluated_only: bool,
    limit: int | None,
    db: str | None,
) -> str:
    """Return the next command and, after a run without puzzles, what kept most candidates or games out.

    The other parameters are those of the run: the next command changes the one that is to blame.
    """
    if summary.puzzles or summary.known:
        return next_step("puzzlegen", "list", db=db)
    if not summary.games:
        return "No game was read."
    reasons = summary.rejected or summary.skipped
    reason, count = reasons.most_common(1)[0] if reasons else ("", 0)
    if reason == Skip.OTHER_PLAYER and count == summary.games:
        return f"No player's name in the games has all words of {player!r}."
    if reason == Skip.NO_EVALUATIONS and count == summary.games:
        why, evaluated_only = "No game has evaluations; Stockfish can find them.", False
    elif summary.skipped.total() == summary.games:
        return f"Every game was skipped, most often for this reason: {reason}."
    elif pattern is Pattern.BLUNDER_BLUNDER:
        pattern = Pattern.BLUNDER
        why = f"{_failures(summary, reason)} The other pattern also takes blunders that were punished."
    elif limit is not None and summary.games >= limit:
        why, limit = f"{_failures(summary, reason)} There may be puzzles in the games after these.", None
    else:
        return f"{_failures(summary, reason)} Other games may have some."
    options = [
        *(["--pattern", pattern.value] if pattern is Pattern.BLUNDER else []),
        *(["--player", player] if player is not None else []),
        *(["--evaluated-only"] if evaluated_only else []),
        *(["--limit", str(limit)] if limit is not None else []),
    ]
    return f"{why}\n\n{next_step('puzzlegen', 'mine', *games, *options, db=db)}"


def _failures(summary: Summary, reason: str) -> str:
    if not summary.candidates:
        return "No position is a candidate for a puzzle."
    return f"No candidate became a puzzle. The most frequent reason: {reason}."
