"""The audit: stored puzzles are searched again with a larger budget, to see whether their solutions hold.

A puzzle holds if each move of its solution is the only one that wins, or mates at once, and if the solution
ends in mate or a clear gain. An exercise holds if every accepted move wins, and no other move is as good. If
a drawn game is to be held, a move need only not lose. Stored searches are not repeated, and new results are
stored. A puzzle with the verdict of an audit with more nodes is not searched again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

import chess
from sqlalchemy.orm import Session

from chess_motif.boards import board_after, mates
from chess_motif.progress import Progress
from db.evaluations import keep_evaluations, lookup
from db.models import UNSOUND, Kind, Puzzle, Verdict
from db.puzzles import PuzzleFilter, delete_puzzles, get_audits, mark_audited
from db.selection import puzzle_ids, read_named, sample_ids
from db.store import Store
from engines.options import EngineChoice
from engines.pool import Analysed, EnginePool
from engines.search_cache import CachedEngine, Searcher, chance_reached
from puzzlegen.rules import MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, ending, gap_of

# Nodes and variations of a search. With a third variation the engine spends more nodes on other moves.
NODES = 1_000_000
LINES = 3


class Fault(StrEnum):
    """The faults of a puzzle or an exercise that an audit may find."""

    BEST_MOVE = "another move is best"
    NOT_WINNING = "best move does not win"
    GAP = "another move wins too"
    AS_GOOD = "a move that is not accepted is as good"
    END = "no clear gain of material"
    STABILITY = "ends in an unstable position"


VERDICTS: Mapping[Fault, Verdict] = {
    Fault.BEST_MOVE: Verdict.WRONG,
    Fault.NOT_WINNING: Verdict.NOT_WINNING,
    Fault.GAP: Verdict.AMBIGUOUS,
    Fault.AS_GOOD: Verdict.AMBIGUOUS,
    Fault.END: Verdict.ENDS_EARLY,
    Fault.STABILITY: Verdict.ENDS_EARLY,
}

# The theme of puzzles that ask to hold a draw.
EQUALITY = "equality"


@dataclass(frozen=True)
class Finding:
    """A fault, the ply of the solution (from 0) and its move, and what the engine has `seen`.

    `move` is empty for a fault in the final position; `seen` begins with the better move, if there is one.
    """

    fault: Fault
    ply: int
    move: str
    seen: str


def verdict_of(findings: Sequence[Finding]) -> Verdict:
    """Return the verdict on a puzzle, which depends on the first fault."""
    return VERDICTS[findings[0].fault] if findings else Verdict.HOLDS


@dataclass
class AuditReport:
    """The result of an audit by an engine: the number of `audited` puzzles, and the `findings` by id.

    `standing` counts the verdicts of earlier audits with more nodes. `searches` and `nodes` count the new
    searches, with at least `nodes_a_search` nodes each; `reused` counts the stored ones.
    """

    engine: str
    nodes_a_search: int
    audited: int = 0
    standing: int = 0
    searches: int = 0
    nodes: int = 0
    reused: int = 0
    findings: dict[str, list[Finding]] = field(default_factory=dict)

    def add(self, name: str, findings: list[Finding]) -> None:
        """Add the findings on a puzzle."""
        self.audited += 1
        if findings:
            self.findings[name] = findings

    @property
    def verdicts(self) -> dict[str, int]:
        """How many puzzles have each verdict, the most frequent first."""
        faulty = Counter(verdict_of(findings).value for findings in self.findings.values())
        return dict((Counter({Verdict.HOLDS.value: self.held}) + faulty).most_common())

    @property
    def unsound(self) -> list[str]:
        """The ids of the puzzles that solvers should not get (`db.models.UNSOUND`)."""
        return [name for name, findings in self.findings.items() if verdict_of(findings) in UNSOUND]

    @property
    def held(self) -> int:
        """How many puzzles have no fault."""
        return self.audited - len(self.findings)

    @property
    def share(self) -> float:
        """The fraction (0…1) of the audited puzzles that have no fault."""
        return self.held / max(1, self.audited)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        found = [
            {"id": name, "verdict": verdict_of(findings), **asdict(finding)}
            for name, findings in self.findings.items()
            for finding in findings
        ]
        return {
            "audited": self.audited,
            "held": self.held,
            "standing": self.standing,
            "verdicts": self.verdicts,
            "faults": dict(Counter(finding["fault"] for finding in found).most_common()),
            "findings": found,
            "positions_searched": self.searches,
            "searches_reused": self.reused,
            "nodes": self.nodes,
            "nodes_a_search": self.nodes_a_search,
            "engine": self.engine,
        }


# The faults of lines that do not end as a solution must.
_FAULTS_OF_THE_END: Mapping[Ending | Rejection, Fault] = {
    Rejection.NO_GAIN: Fault.END,
    Rejection.UNSTABLE: Fault.STABILITY,
}


def audit(
    store: Store,
    engine: EngineChoice = None,
    *,
    filters: PuzzleFilter | None = None,
    sample: int | None = None,
    seed: int = 0,
    nodes: int = NODES,
    delete: bool = False,
    rules: MiningRules | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> AuditReport:
    """Search all puzzles that pass the filter again, or a random sample of them.

    The same puzzles and the same `seed` give the same sample. `engine` is a path, a command name or an
    `EngineSetup` (default: Stockfish, wherever it is installed); `nodes` is the budget of each search. The
    verdicts are stored with the puzzles; with `delete`, unsound puzzles are deleted instead. A puzzle with
    the verdict of an audit with more nodes is not searched again, and `delete` goes by that verdict. The
    results of searches are stored, too, so that an audit that was stopped can go on. Raises `EngineError`,
    `StoreError`.
    """
    with store.reading() as session:
        names = puzzle_ids(session, filters) if sample is None else sample_ids(session, filters, sample, seed)
        standing = _standing(get_audits(session, names), nodes)
    rules, progress = rules or MiningRules(), progress or Progress()

    def findings_of(puzzle: Puzzle, searcher: CachedEngine) -> list[Finding]:
        position = puzzle.position()
        holds = puzzle.outcome == Ending.HELD or EQUALITY in puzzle.themes.split()
        its_rules = rules.holding if holds else rules
        if puzzle.kind == Kind.EXERCISE:
            return audit_exercise(position, puzzle.accepted_moves(), searcher, its_rules.winning, nodes)
        return audit_line(position, puzzle.moves(), searcher, its_rules, nodes)

    with EnginePool(engine, workers, lookup(store)) as pool:
        report = AuditReport(pool.engines[0].label, nodes)
        for name, findings in standing.items():
            report.add(name, findings)
            report.standing += 1
        if delete:
            store.transact(partial(delete_puzzles, ids=report.unsound))
        left = [name for name in names if name not in standing]
        for audited in pool.map(findings_of, read_named(store, left)):
            _save(store, audited, report, delete=delete)
            progress.update("auditing", report.audited, len(names), "puzzle")
        report.searches = sum(engine.searches for engine in pool.engines)
        report.nodes = sum(engine.nodes for engine in pool.engines)
    return report


def _standing(audits: Iterable[tuple[str, Mapping[str, Any]]], nodes: int) -> dict[str, list[Finding]]:
    """Return the findings of the audits that had more `nodes` a search, by the puzzle's id."""
    found = {}
    for name, facts in audits:
        # Damaged verdicts do not stand.
        with suppress(KeyError, TypeError, ValueError):
            if facts["nodes"] > nodes:
                findings = [Finding(**fault | {"fault": Fault(fault["fault"])}) for fault in facts["faults"]]
                # Faults without a verdict are of earlier versions, which were too strict.
                if not findings or facts["verdict"]:
                    found[name] = findings
    return found


def _save(
    store: Store, audited: Analysed[Puzzle, list[Finding]], report: AuditReport, *, delete: bool
) -> None:
    name = audited.item.id

    def verdict(session: Session) -> tuple[list[Finding], bool]:
        """Store the verdict; return the standing findings, and whether they are of an earlier audit."""
        keep_evaluations(session, audited.searched)
        # Another audit may have finished in the meantime.
        standing = _standing(get_audits(session, [name], lock=True), report.nodes_a_search)
        findings = standing.get(name, audited.result)
        decided = verdict_of(findings)
        if delete and decided in UNSOUND:
            delete_puzzles(session, [name])
        elif not standing:
            seen = [asdict(found) for found in findings]
            facts = {"engine": report.engine, "nodes": report.nodes_a_search, "verdict": decided.value}
            mark_audited(session, name, passed=not findings, facts=facts | {"faults": seen})
        return findings, bool(standing)

    findings, is_earlier = store.transact(verdict)
    report.add(name, findings)
    report.standing += is_earlier
    report.reused += audited.reused


def audit_line(
    position: chess.Board, moves: Sequence[chess.Move], searcher: Searcher, rules: MiningRules, nodes: int
) -> list[Finding]:
    """Return the faults of a solution, empty if it holds.

    The position before every solver move that does not mate is searched with `nodes` nodes and `LINES`
    variations. The position after a move that is not the best, and the final position, are searched with one
    variation. The audit ends at the first fault. Raises `EngineFailedError`.
    """
    board = position.copy(stack=False)
    for ply, move in enumerate(moves):
        if ply % 2 == 0 and not mates(board, move):
            finding = _audit_move(board, move, ply, searcher, rules, nodes)
            if finding is not None:
                return [finding]
        board.push(move)
    chance = chance_reached(searcher, board, nodes)
    fault = _FAULTS_OF_THE_END.get(ending(position, board, chance, rules))
    return [Finding(fault, len(moves), "", f"win chance {chance:.2f}")] if fault else []


def _audit_move(
    board: chess.Board, move: chess.Move, ply: int, searcher: Searcher, rules: MiningRules, nodes: int
) -> Finding | None:
    variations = searcher.search(board, nodes, LINES)
    best, gap = variations[0], gap_of(variations)
    if best.chance < rules.winning:
        fault, seen = Fault.NOT_WINNING, f"win chance {best.chance:.2f}"
    elif best.move != move:
        chance = chance_reached(searcher, board_after(board, [move]), nodes)
        is_right = chance >= max(rules.winning, best.chance - rules.gap)
        fault = Fault.GAP if is_right else Fault.BEST_MOVE
        seen = f"{board.san(best.move)}, win chance {best.chance:.2f}, not {chance:.2f}"
    elif gap < rules.gap:
        fault, seen = Fault.GAP, f"{board.san(variations[1].move)}, gap {gap:.2f}"
    else:
        return None
    return Finding(fault, ply, board.variation_san([move]), seen)


def audit_exercise(
    position: chess.Board, accepted: Sequence[chess.Move], searcher: Searcher, least: float, nodes: int
) -> list[Finding]:
    """Return the faults of an exercise, empty if it holds. Right moves have a win chance of at least `least`.

    The position after each accepted move is searched with `nodes` nodes, and so is the exercise itself, with
    one variation more than there are accepted moves. If these mate at once, longer mates are not as good.
    Raises `EngineFailedError`.
    """
    if all(mates(position, move) for move in accepted):
        return []
    findings = []
    chances = [chance_reached(searcher, board_after(position, [move]), nodes) for move in accepted]
    for move, chance in zip(accepted, chances, strict=True):
        if chance < least:
            seen = f"win chance {chance:.2f}"
            findings.append(Finding(Fault.NOT_WINNING, 0, position.variation_san([move]), seen))
    variations = searcher.search(position, nodes, len(accepted) + 1)
    other = next((variation for variation in variations if variation.move not in accepted), None)
    if other is not None and other.chance >= max(least, min(chances)):
        fault = Fault.AS_GOOD if min(chances) >= least else Fault.BEST_MOVE
        seen = f"{position.san(other.move)}, win chance {other.chance:.2f}"
        findings.insert(0, Finding(fault, 0, position.variation_san([other.move]), seen))
    return findings
