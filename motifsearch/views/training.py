"""What a player makes of the chances in her games, as tables and a sentence.

Training sets as tables.

A puzzle to solve in a terminal, and what is said of it afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chess_motif.boards import solution_san, text_board, to_move
from chess_motif.notation import parse_move
from chess_motif.tables import Column, fitted_table, table
from chess_motif.text import counted
from db.models import Kind, Puzzle
from db.training import Chance, SetEntry
from motifsearch.trainer.picks import SetReport
from motifsearch.trainer.report import ChanceTables, Row, Tally
from motifsearch.trainer.sets import SetStatus
from motifsearch.trainer.solving import Solving
from puzzlegen.formats.answers import answer, asks_for_mate
from puzzlegen.motifs.tags import TAGS, seen_words, tag_words
from puzzlegen.reasons.explained import reasons_of

if TYPE_CHECKING:
    from puzzlegen.mining.opportunities import ChancesReport

# Rows of a table: those that cost most.
MOST_ROWS = 10


def report_text(tables: ChanceTables, player: str, width: int) -> str:
    """Return the tables and the motifs that cost most, for a terminal of `width` columns."""
    if not tables.all.player.had and not tables.all.opponents.had:
        return f"No chances in {counted(tables.games, 'game')} of {player}."
    parts = [_table("", [tables.all], width)]
    parts += [_table(name, rows, width) for name, rows in tables.by.items() if len(rows) > 1]
    if tables.missed:
        parts.append(_missed(tables.missed[:MOST_ROWS], width))
    parts.append("found: the share, and its 95 % confidence interval; they: the opponents.")
    return "\n\n".join([*parts, cost_sentence(tables, player)])


def cost_sentence(tables: ChanceTables, player: str) -> str:
    """Return which motifs cost the player most, in a sentence."""
    rows = tables.most_expensive
    if not rows:
        return f"{player} missed no chance with a motif that has a name."
    costs = [
        f"{_words(row.name)} ({row.player.missed} of {row.player.had} missed, {_points(row.player.lost)})"
        for row in rows
    ]
    *first, last = costs
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"What cost {player} most: {listed}."


def analysis_text(report: ChancesReport) -> str:
    """Return what an analysis of games found and cost, in a sentence or two."""
    summary = report.summary
    if not summary.games:
        return f"No new games; {report.known:,} were analysed before." if report.known else "No games."
    puzzles = summary.puzzles + summary.known - report.exercises
    known = f" ({report.known:,} were known)" if report.known else ""
    return (
        f"{counted(summary.games, 'new game')}{known}: {counted(report.chances, 'chance')} of both sides, "
        f"from which came {counted(puzzles, 'puzzle')} and {counted(report.exercises, 'exercise')}. "
        f"{summary.nodes / summary.games / 1e6:.1f} million nodes and "
        f"{report.seconds / summary.games:.1f} seconds a game."
    )


def added_text(report: SetReport) -> str:
    """Return what was added to a training set, and which missed chances are not in it."""
    name = f"the training set {report.name!r}"
    if not report.own:
        lines = [f"Nothing new for {name}."]
    else:
        own, picked = counted(report.own, "missed chance"), counted(report.picked, "puzzle")
        lines = [f"Added to {name}: {own} and {picked} like them."]
    if report.alone:
        lines.append(f"For {report.alone} of them the database has no puzzle that is close.")
    if report.without:
        reason = "too many good moves, or no clear gain"
        lines.append(f"Not in it: {counted(report.without, 'missed chance')} with {reason}.")
    if report.repeated:
        lines.append(f"Left out: {report.repeated} nearly the same as one before in the game.")
    return "\n".join(lines)


def _missed(chances: Sequence[Chance], width: int) -> str:
    """Return a table of missed chances."""
    columns = [
        Column("missed", [_game(chance) for chance in chances], order=1),
        Column("played", [_san(chance, chance.played) for chance in chances]),
        Column("best", [_san(chance, chance.solution) for chance in chances]),
        Column("points lost", [f"{chance.lost:.1f}" for chance in chances], right=True),
        Column("id", [chance.puzzle_id for chance in chances]),
    ]
    text, _ = fitted_table(columns, width)
    return text


def _game(chance: Chance) -> str:
    game = chance.game
    return f"{game.white or '?'} – {game.black or '?'}, {game.date}"


def _san(chance: Chance, line: str) -> str:
    """Return the first move of a line in UCI as `29. Rxc6`."""
    position = chance.position()
    return position.variation_san([parse_move(position, line.split()[0])])


def _table(name: str, rows: Sequence[Row], width: int) -> str:
    shown = rows[:MOST_ROWS]
    player, opponents = [row.player for row in shown], [row.opponents for row in shown]
    columns = [
        Column(name, [_words(row.name) for row in shown]),
        *_counts(player, ("had", "missed", "found"), order=0),
        Column("points lost", [f"{tally.lost:.1f}" for tally in player], right=True, order=1),
        *_counts(opponents, ("they had", "they missed", "they found"), order=2),
    ]
    text, _ = fitted_table(columns, width)
    more = len(rows) - len(shown)
    return f"{text}\n({more} more)" if more else text


def _counts(tallies: Sequence[Tally], headers: tuple[str, str, str], order: int) -> list[Column]:
    cells = (
        [str(tally.had or "") for tally in tallies],
        [str(tally.missed) if tally.had else "" for tally in tallies],
        [_share(tally) for tally in tallies],
    )
    return [
        Column(header, shown, right=True, order=order) for header, shown in zip(headers, cells, strict=True)
    ]


def _words(name: str) -> str:
    return tag_words(name) if name in TAGS else name


def _share(tally: Tally) -> str:
    """Return the share found with its 95 % interval, such as `36 % (15-65)`."""
    if tally.share is None:
        return ""
    mean, low, high = (round(100 * value) for value in tally.share)
    return f"{mean} % ({low}-{high})"


def _points(points: float) -> str:
    return f"{points:.1f} points"


def sets_text(sets: Sequence[SetStatus]) -> str:
    """Return a table of training sets (at least one), with what is due."""
    rows = [each.as_dict() for each in sets]
    cells = [[value if value is not None else "" for value in row.values()] for row in rows]
    return table(list(rows[0]), cells, right="llrrrl")


def set_text(entries: Sequence[SetEntry], width: int) -> str:
    """Return a table of the puzzles of a set, for a terminal of `width` columns."""
    puzzles = [entry.puzzle for entry in entries]
    columns = [
        Column("", [str(place) for place in range(1, len(entries) + 1)], right=True),
        Column("id", [puzzle.id for puzzle in puzzles]),
        Column("what", ["missed" if entry.is_own else "like it" for entry in entries]),
        Column("level", [puzzle.level_text() for puzzle in puzzles], right=True),
        Column("motif", [seen_words(one.all_tags()) for one in puzzles], order=1),
        Column("from", [puzzle.origin() for puzzle in puzzles], order=2),
    ]
    text, left_out = fitted_table(columns, width)
    own = sum(entry.is_own for entry in entries)
    lines = [text, ""]
    if left_out:
        lines.append(f"No room for: {', '.join(left_out)}")
    lines.append(f"{counted(own, 'missed chance')}, and {counted(len(entries) - own, 'puzzle')} like them")
    return "\n".join(lines)


def question_text(solving: Solving) -> str:
    """Return the opponent's move, the board, and what is to be found."""
    opponents = solving.puzzle.opponents_move()
    if opponents is None:
        return board_text(solving)
    before, move = opponents
    return f"The opponent plays {solution_san(before, [move])}\n\n{board_text(solving)}"


def board_text(solving: Solving) -> str:
    """Return the board as the solver sees it, and who is to move."""
    puzzle, position = solving.puzzle, solving.puzzle.position()
    is_puzzle = puzzle.kind == Kind.PUZZLE
    asked = "the best move" if is_puzzle else "the mate" if asks_for_mate(puzzle) else "a good move"
    return f"{text_board(solving.board, position.turn)}\n\n{to_move(position)}, find {asked}"


def answer_text(puzzle: Puzzle) -> str:
    """Return the solution, the motif, and why the solution works."""
    lines = [f"Solution: {answer(puzzle)}", f"Motif: {seen_words(puzzle.all_tags())}"]
    return "\n".join([*lines, *reasons_of(puzzle), f"{puzzle.id}, {puzzle.origin()}"])


def result_text(right: int, tried: int) -> str:
    """Return how many puzzles of a session were right."""
    return f"{right} of {counted(tried, 'puzzle')} right at once"
