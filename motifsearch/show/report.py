"""The output of `motifsearch train`: the analysis, half a page about the player, and the set.

Results of `motifsearch.trainer` go in, text for a terminal comes out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from chess_motif.boards import solution_san, text_board, to_move
from chess_motif.material import capture_by
from chess_motif.notation import parse_line, parse_move
from chess_motif.text import counted
from db.analyses import Opportunity, OpportunityKind
from motifsearch.trainer.analysis.opportunities import OpportunityReport
from motifsearch.trainer.report import (
    LEAST_CASES,
    OpportunityTables,
    OpportunityTally,
    ReportRow,
    main_motif_of,
)
from motifsearch.trainer.sets import SetReport
from puzzlegen.formats.answers import answer, why
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import NO_MOTIF, tag_words
from puzzlegen.reasons.explained import reasons_of_line

# The longest lines of sentences, in columns.
WIDEST = 88

# The most weaknesses, and other things, that are named: nobody works on more at a time.
MOST_NAMED = 3

# The mark of a list item at the beginning of a line, or nothing.
_ITEM = re.compile(r"(?:\d\. |- )?")

# Shares found (0…1) that differ by less are about the same.
UNLIKE = 0.1


@dataclass(frozen=True)
class ShareRow:
    """A group of opportunities as a page shows it: shares found in percent, None without opportunities.

    `low` and `high` are the 95 % interval of the player's share; `them` is the share of the opponents.
    """

    name: str
    words: str
    at: int | None
    low: int
    high: int
    them: int | None
    had: int
    found: int
    missed: int
    given: int
    lost: str

    @classmethod
    def of(cls, row: ReportRow) -> ShareRow:
        """Return a row of the report as a page shows it."""
        mine, theirs = row.player.share, row.opponents.share
        at, low, high = (round(100 * value) for value in mine) if mine else (None, 0, 0)
        words = _words(row.name)
        return cls(
            row.name,
            words[:1].upper() + words[1:],
            at,
            low,
            high,
            round(100 * theirs.mean) if theirs else None,
            row.player.had,
            row.player.found,
            row.player.missed,
            row.opponents.had,
            f"{row.player.lost:.1f}",
        )


def analysis_text(report: OpportunityReport) -> str:
    """Return the results and the cost of an analysis of games, in a sentence or two."""
    summary = report.summary
    if not summary.games:
        known = report.known_games
        return f"No new games; {known:,} were analysed before." if known else "No games."
    puzzles = summary.puzzles + summary.known - report.exercises
    of_known = f" ({report.known_games:,} were known)" if report.known_games else ""
    return (
        f"{counted(summary.games, 'new game')}{of_known}: "
        f"{counted(report.opportunities, 'opportunity')} of both sides, "
        f"from which came {counted(puzzles, 'puzzle')} and {counted(report.exercises, 'exercise')}. "
        f"{summary.nodes / summary.games / 1e6:.1f} million nodes and "
        f"{report.seconds / summary.games:.1f} seconds a game."
    )


def report_text(tables: OpportunityTables, player: str, name: str, width: int) -> str:
    """Return half a page about a player for a terminal of `width` columns.

    `name` is the name of the training set. Opportunities that do not fit are counted, with the command that
    shows them.
    """
    if not (tables.had or tables.allowed or tables.all.opponents.had):
        return f"No opportunities in {counted(tables.games, 'game')} of {player}."
    parts = [_summary(tables, player), _verdicts(tables)]
    if tables.example is not None:
        parts.append(_example(tables, tables.example))
    parts += [_allowed(tables), _costly(tables, name)]
    return "\n\n".join(_wrapped(part, min(width, WIDEST)) for part in parts if part)


def verdict_texts(tables: OpportunityTables, player: str) -> list[str]:
    """Return what the player found compared with the opponents, what to work on, and what she allowed."""
    verdicts = _verdicts(tables).splitlines()
    return [_summary(tables, player), *verdicts, _allowed(tables)]


def _wrapped(part: str, width: int) -> str:
    """Return a text with its lines wrapped; continued list items are indented."""
    return "\n".join(
        textwrap.fill(line, width, subsequent_indent=" " * len(item[0]), break_on_hyphens=False)
        if (item := _ITEM.match(line)) and len(line) > width
        else line
        for line in part.splitlines()
    )


def _summary(tables: OpportunityTables, player: str) -> str:
    """Return what the player found, compared with the opponents."""
    level = "" if tables.level is None else f" (rating {tables.level:.0f})"
    games = counted(tables.games, "game")
    if not tables.had:
        return f"{player}{level}: no opportunity in {games}."
    win, save, both = tables.to(OpportunityKind.WIN), tables.to(OpportunityKind.SAVE), tables.all.player
    parts = [f"{counted(win.had, 'opportunity')} to win, {win.found} found"] if win.had else []
    parts += (
        [f"{counted(save.had, 'opportunity')} to save a lost game, {save.found} saved"] if save.had else []
    )
    share = f"{_percent(both)}{' in all' if len(parts) > 1 else ''}"
    sentences = [f"{player}{level}, {games}: {'; '.join(parts)} ({share}); obvious moves are not counted."]
    if both.missed:
        sentences.append(f"The misses cost {both.lost:.1f} points; a win thrown away costs one.")
    return " ".join([*sentences, _comparison(both, tables.all.opponents)])


def _comparison(mine: OpportunityTally, theirs: OpportunityTally) -> str:
    """Return how well the opponents did, in a sentence."""
    if not theirs.had:
        return "The opponents had none."
    found = f"The opponents found {theirs.found} of {theirs.had} ({_percent(theirs)})"
    if mine.is_worse_than(theirs):
        return f"{found}, clearly more."
    if theirs.is_worse_than(mine):
        return f"{found}, clearly fewer."
    if abs(mine.found / mine.had - theirs.found / theirs.had) >= UNLIKE:
        return f"{found}: with so few, that may be luck."
    return f"{found}, about as many."


def _verdicts(tables: OpportunityTables) -> str:
    """Return weaknesses, strengths, and motifs that are neither; each motif is in one line only."""
    lines = []
    weak = tables.weaknesses
    if weak:
        lines.append("To work on:")
        lines += [
            f"{number}. {_name(row).capitalize()}: {_missed_of(row.player)}, {row.player.lost:.1f} points"
            for number, row in enumerate(weak[:MOST_NAMED], 1)
        ]
        if weak[MOST_NAMED:]:
            lines.append(f"After that: {_listed(weak[MOST_NAMED:])}.")
    elif tables.all.player.had < LEAST_CASES:
        lines.append("Too few opportunities to call anything a weakness or a strength.")
    else:
        lines.append(
            f"No motif is a clear weakness: none came at least {LEAST_CASES} times and was missed often."
        )
    for row, rest in tables.worse_when:
        lines.append(
            f"Worst {_when(row.name)}: {_missed_of(row.player)}, otherwise {rest.missed} of {rest.had}."
        )
    if tables.strengths:
        found = [f"{_name(row)} ({row.player.found} of {row.player.had} found)" for row in tables.strengths]
        lines.append(f"Strong: {', '.join(found)}.")
    if tables.middling:
        lines.append(f"Neither weak nor strong: {_listed(tables.middling)}.")
    if tables.undecided:
        lines.append(f"Too few to judge: {_listed(tables.undecided)}.")
    if tables.unnamed.missed:
        lines.append(f"Without a named motif: {_missed_of(tables.unnamed)}.")
    return "\n".join(lines)


def _listed(rows: Sequence[ReportRow]) -> str:
    return ", ".join(f"{_name(row)} ({_missed_of(row.player)})" for row in rows)


def _missed_of(tally: OpportunityTally) -> str:
    return f"{tally.missed} of {tally.had} missed"


def _percent(tally: OpportunityTally) -> str:
    return "" if tally.share is None else f"{100 * tally.share.mean:.0f} %"


def _name(row: ReportRow) -> str:
    return _words(row.name)


def _words(name: str) -> str:
    return tag_words(name) if name in TAGS else name


def _when(name: str) -> str:
    """Return when the opportunities of a group occurred, such as `in the endgame`."""
    if name in ("White", "Black"):
        return f"with {name}"
    return f"in the {name}" if name in TAGS else f"with {name} left"


def _example(tables: OpportunityTables, one: Opportunity) -> str:
    """Return a missed opportunity with a diagram, the move played, and the solution."""
    position = one.position()
    puzzle = tables.puzzles.get(one.puzzle_id)
    line = parse_line(position, one.solution)
    solution = solution_san(position, line) if puzzle is None else answer(puzzle)
    lines = [
        f"For example{_motif(tables, one)}: {_game(one)}",
        "",
        text_board(position),
        "",
        f"{to_move(position)}. Played: {_san(one, one.played)}. Better: {solution}",
    ]
    reasons = (
        " ".join(reasons_of_line(position, line, one.capture_before())) if puzzle is None else why(puzzle)
    )
    return "\n".join([*lines, reasons] if reasons else lines)


def _allowed(tables: OpportunityTables) -> str:
    """Return which tactics the player's moves allowed the opponents, and the costliest tactic."""
    allowed = tables.allowed
    if not allowed:
        return "Allowed no tactic."
    named = [(name, number) for name, number in tables.allowed_by_motif() if name != NO_MOTIF]
    others = len(allowed) - sum(number for _, number in named[:MOST_NAMED])
    parts = [f"{_words(name)} {number}" for name, number in named[:MOST_NAMED]]
    parts += [f"other {others}"] if others and parts else []
    kinds = f" ({', '.join(parts)})" if parts else ""
    worst = max(allowed, key=lambda one: (one.puzzle_id in tables.puzzles, one.lost))
    return (
        f"Allowed {counted(len(allowed), 'tactic')}{kinds}. The costliest: "
        f"{_game(worst)}, {_what_it_allowed(tables, worst)}"
    )


def _what_it_allowed(tables: OpportunityTables, one: Opportunity) -> str:
    """Return the move that allowed a tactic, the tactic, a better move, and why the tactic works."""
    played, motif = _san(one, one.played), _motif(tables, one)
    allowed = one.allowed()
    if allowed is None:
        return f"{played}{motif}"
    position, moves = allowed
    capture = capture_by(one.position(), position.peek())
    reasons = " ".join(reasons_of_line(position, moves, capture))
    after = f"\n{reasons}" if reasons else ""
    return f"{played} allows {solution_san(position, moves)}{motif}; better {_san(one, one.solution)}{after}"


def _costly(tables: OpportunityTables, name: str) -> str:
    """Return the costliest misses of other games than the example's, and the command that shows the rest."""
    missed = [one for one in tables.missed if one is not tables.example]
    if not missed:
        return ""
    games = {} if tables.example is None else {tables.example.game_number: tables.example}
    # The costliest miss of each game; misses that are not hard come first.
    of_games = [one for one in missed if games.setdefault(one.game_number, one) is one]
    worst = sorted(of_games, key=tables.is_hard)[:MOST_NAMED]
    lines = ["Other opportunities that cost much:"] if worst else []
    for one in worst:
        better, played = _san(one, one.solution), one.position().san(chess.Move.from_uci(one.played))
        lines.append(f"- {_game(one)}: {better}, not {played}{_motif(tables, one)}")
    if more := [one for one in missed if one not in worst]:
        hard = sum(map(tables.is_hard, more))
        of_them = f", {hard} of them hard" if hard else ""
        lines.append(f"And {len(more)} more{of_them}: motifsearch sets show {name!r}")
    return "\n".join(lines)


def _motif(tables: OpportunityTables, one: Opportunity) -> str:
    """Return in brackets the main motif of an opportunity, and whether it only saves the game or is hard."""
    motif = main_motif_of(one)
    words = [_words(motif)] if motif != NO_MOTIF else []
    words += ["to save the game"] if one.opportunity_kind == OpportunityKind.SAVE else []
    words += ["hard"] if tables.is_hard(one) else []
    return f" ({', '.join(words)})" if words else ""


def _game(opportunity: Opportunity) -> str:
    """Return the game, such as `Carlsen – Anand, 2013.11.09`."""
    game = opportunity.game
    players = " – ".join(name.partition(",")[0] or "?" for name in (game.white, game.black))
    date = game.date.partition(".?")[0].strip("?")
    return f"{players}, {date}" if date else players


def _san(opportunity: Opportunity, line: str) -> str:
    """Return the first move of a line in UCI, such as `29. Rxc6`."""
    position = opportunity.position()
    return position.variation_san([parse_move(position, line.split()[0])])


def added_text(report: SetReport) -> str:
    """Return what was added to a training set, and which missed opportunities are not in it."""
    name = f"the training set {report.name!r}"
    if not report.puzzles:
        lines = [f"Nothing for {name}, which has no puzzles yet."]
    elif not report.own:
        lines = [f"Nothing new for {name}."]
    else:
        own, picked = counted(report.own, "opportunity"), counted(report.picked, "puzzle")
        hard = f" ({report.hard} of them hard, at the end)" if report.hard else ""
        lines = [f"Added to {name}: {own}{hard} missed or allowed, and {picked} like them."]
    if report.alone:
        lines.append(f"For {report.alone} of these, the database has no close puzzle.")
    if report.without:
        reason = "too many good moves, or no clear gain"
        lines.append(f"Not in the set: {counted(report.without, 'opportunity')} with {reason}.")
    if report.repeated:
        lines.append(f"Left out: {report.repeated} nearly the same as an earlier one of the same game.")
    return "\n".join(lines)
