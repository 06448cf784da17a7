"""The opportunities found in games, how many wins thrown away are among them, and the cost.

    python -m benchmarks.opportunities GAMES.pgn.zst [--games N] [--every N --part N] [--list]

Prints the numbers of opportunities of both sides by kind and result, and how many are puzzles, exercises or
neither. In games with `[%eval]` on every move, it also looks for moves that threw a win away: by these
evaluations the position was won (`MiningRules.won`), and the move lost as much as a blunder
(`MiningRules.drop`). Prints how many of these turns are among the opportunities, and why the others are not:
by the rules of opportunities, or because our engine does not see the loss. `--every 10 --part 5` takes only
games whose number modulo 10 is 5. `--list` first prints each opportunity with its board, line, name and
reasons, so that a person can judge whether these are right.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from benchmarks.command import at_least, parser_for, run
from chess_motif.boards import text_board, to_move
from chess_motif.material import capture_by
from chess_motif.notation import parse_line
from chess_motif.tables import table
from db.models import Kind
from engines.engine import Engine
from engines.finding import find_engine
from engines.search_cache import CachedEngine, Searcher
from motifsearch.trainer.analysis.rules import FOR_OPPORTUNITIES, ExerciseRules
from motifsearch.trainer.analysis.turns import AnalysisResult, OpportunityJob, loses
from puzzlegen.candidates import turns_of
from puzzlegen.games.archive import games_of
from puzzlegen.games.pgn import PlayedGame, SkipGame, read_game
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import game_result
from puzzlegen.motifs.tags import main_words
from puzzlegen.reasons.explained import reasons_of, reasons_of_line
from puzzlegen.verify.solution import Rejection

NEITHER = "neither"

# Plies of the game that are printed before an opportunity.
MOVES_SHOWN = 6

# Nodes of the searches for whether our engine sees a win thrown away, and the reason if it does not.
NODES = 200_000
NOT_SEEN = "the engine does not see the loss"


@dataclass
class Figures:
    """The figures of `games` games.

    `opportunities` counts opportunities by kind, result and kind of puzzle. `thrown` is the number of wins
    thrown away; `uncovered` counts by reason those that are not among the opportunities.
    """

    games: int = 0
    nodes: int = 0
    seconds: float = 0.0
    thrown: int = 0
    opportunities: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    uncovered: Counter[str] = field(default_factory=Counter)

    def add(self, game: PlayedGame, result: AnalysisResult, searcher: Searcher) -> None:
        """Add the results of a game. The searcher is used to check whether the engine sees a loss."""
        self.games += 1
        self.nodes += result.nodes
        opportunities = result.opportunities
        self.opportunities.update(
            (one.opportunity_kind, one.result, one.kind or NEITHER) for one in opportunities
        )
        if not game.evaluated:
            return
        # An opportunity that is missed again counts once.
        found = {one.ply for one in opportunities} | set(result.rejected.get(Rejection.KNOWN.value, ()))
        reasons = {ply: reason for reason, plies in result.rejected.items() for ply in plies}
        for ply in thrown_wins(game):
            self.thrown += 1
            if ply not in found:
                seen = sees_loss(game, ply, searcher)
                self.uncovered[reasons.get(ply, "no candidate") if seen else NOT_SEEN] += 1

    @property
    def covered(self) -> int:
        """The number of wins thrown away that are among the opportunities."""
        return self.thrown - self.uncovered.total()

    def text(self) -> str:
        """Return the figures as tables."""
        kinds = (Kind.PUZZLE.value, Kind.EXERCISE.value, NEITHER)
        results = sorted({key[:2] for key in self.opportunities})
        rows = [[*key, *(self.opportunities[*key, of] for of in kinds)] for key in results]
        parts = [table(["kind", "result", *kinds], rows, right="llrrr")]
        if self.thrown:
            share = self.covered / self.thrown
            parts.append(
                f"{self.covered} of {self.thrown} thrown wins are among the opportunities ({share:.2f})"
            )
            parts += [f"  {count} not: {reason}" for reason, count in self.uncovered.most_common()]
        games = max(1, self.games)
        parts.append(
            f"{self.games} games, {self.nodes / 1e6 / games:.2f} million nodes and "
            f"{self.seconds / games:.1f} seconds a game"
        )
        return "\n".join(parts)


def listed(game: PlayedGame, result: AnalysisResult) -> Iterator[str]:
    """Yield the opportunities in a game as texts with all details."""
    puzzles = {puzzle.id: puzzle for puzzle in result.puzzles}
    positions = list(game.positions())
    for one in result.opportunities:
        before = max(0, one.ply - MOVES_SHOWN)
        position, played = positions[one.ply], game.moves[one.ply]
        kind = one.kind or NEITHER
        start, line = one.allowed() or (position, parse_line(position, one.solution))
        capture = capture_by(positions[one.ply], played) if one.allowed_line else one.capture_before()
        puzzle = puzzles.get(one.puzzle_id)
        accepted = puzzle.accepted_moves() if puzzle else ()
        right = [start.san(move) for move in accepted if move in start.legal_moves]
        # The exercise of a tactic that was allowed may be to parry it.
        if puzzle and puzzle.puzzle_fen == start.fen():
            reasons = reasons_of(puzzle)
        else:
            reasons = reasons_of_line(start, line, capture)
        lines = [
            f"Game {result.number}, ply {one.ply}: {one.opportunity_kind}, {one.result} ({kind})",
            f"Win chances: {one.before:+.2f}, then {one.after:+.2f}, after the move played {one.reply:+.2f}",
            f"Moves before: {positions[before].variation_san(game.moves[before : one.ply])}",
            text_board(position),
            f"{to_move(position)}: {position.fen()}",
            f"Played: {position.san(played)}",
            *([f"The tactic begins after it: {start.fen()}"] if one.allowed_line else []),
            f"Line: {start.variation_san(line)}",
            *([f"Right: {', '.join(right)}"] if right else []),
            f"Name: {main_words(one.tags.split())}",
            f"Reasons: {' '.join(reasons) or '(none)'}",
        ]
        yield "\n".join(lines)


def thrown_wins(game: PlayedGame) -> Iterator[int]:
    """Yield the plies before the moves of an evaluated game that threw a win away."""
    for turn in turns_of(game.win_chances, game.start.turn):
        if turn.now >= FOR_OPPORTUNITIES.won and loses(turn, FOR_OPPORTUNITIES):
            yield turn.ply


def sees_loss(game: PlayedGame, ply: int, searcher: Searcher) -> bool:
    """Return whether the move after `ply` plies throws a win away by our own searches."""
    before, after = islice(game.positions(), ply, ply + 2)
    now = searcher.search(before, NODES)[0].chance
    left = 0.0 if after.is_game_over() else -searcher.search(after, NODES)[0].chance
    return now >= FOR_OPPORTUNITIES.won and now - left >= FOR_OPPORTUNITIES.drop


def usable(raws: Iterable[RawGame]) -> Iterator[tuple[RawGame, PlayedGame]]:
    """Yield the games that can be used, each as text and parsed."""
    for raw in raws:
        with suppress(SkipGame):
            yield raw, read_game(raw)


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("archive")
    parser.add_argument("--games", type=at_least(1), default=60)
    parser.add_argument("--every", type=at_least(1), default=1)
    parser.add_argument("--part", type=at_least(0), default=0)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()

    figures, job = Figures(), OpportunityJob(FOR_OPPORTUNITIES, ExerciseRules())
    texts: list[str] = []
    raws = games_of([arguments.archive])
    part = (raw for raw in raws if raw.number % arguments.every == arguments.part)
    with Engine(find_engine()) as engine:
        searcher = CachedEngine(engine)
        for raw, game in islice(usable(part), arguments.games):
            begun = time.perf_counter()
            result = game_result(raw, searcher, job)
            figures.seconds += time.perf_counter() - begun
            if isinstance(result, AnalysisResult):
                figures.add(game, result, searcher)
                texts += listed(game, result) if arguments.list else ()
    print("\n\n".join([*texts, figures.text()]))


if __name__ == "__main__":
    run(main)
