"""The text that `puzzlegen memory` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import humanize

from chess_motif.boards import text_board
from chess_motif.tables import table
from chess_motif.text import counted
from db.packed.verdicts import Entry, Verdict
from engines.engine import Variation
from engines.search_cache import legal_variations
from puzzlegen.memory.contents import Contents
from puzzlegen.memory.pack import PackReport


def pack_text(report: PackReport) -> str:
    """Return what was packed, and how small it is."""
    return (
        f"Packed {counted(report.positions, 'position')} with {counted(report.verdicts, 'verdict')} "
        f"in {humanize.naturalsize(report.bytes)}: {report.bits:.1f} bits a position"
    )


def contents_text(contents: Contents) -> str:
    """Return the parts of a packed file, and its verdicts by engine and budget."""
    parts: list[tuple[str, int, int]] = [
        ("positions", contents.positions, contents.position_bytes),
        ("verdicts", contents.verdicts, contents.verdict_bytes),
        ("blocks (index)", contents.blocks, contents.index_bytes),
    ]
    rows = [
        [name, f"{count:,}", humanize.naturalsize(size), f"{8 * size / max(contents.positions, 1):.1f}"]
        for name, count, size in parts
    ]
    text = table(["", "count", "size", "bits a position"], rows, right="lrrr")
    if contents.searches:
        searches = [
            [budget.engine, f"{budget.nodes:,}", budget.lines, budget.depth or "", f"{count:,}"]
            for budget, count in contents.searches.items()
        ]
        text += "\n\n" + table(["engine", "nodes", "lines", "depth", "verdicts"], searches, right="lrrrr")
    return text


def entry_text(entry: Entry) -> str:
    """Return a position as a board, with its verdicts."""
    side = "White" if entry.board.turn else "Black"
    lines = [text_board(entry.board), f"{side} to move: {entry.board.fen()}"]
    if not entry.verdicts:
        return "\n".join([*lines, "no verdict"])
    rows = [
        [
            f"{verdict.nodes:,}",
            verdict.depth or "",
            _score(variation),
            entry.board.variation_san(variation.moves),
        ]
        for verdict in sorted(entry.verdicts, key=_nodes)
        for variation in legal_variations(entry.board, verdict.found)
    ]
    engines = sorted({verdict.settings for verdict in entry.verdicts})
    verdicts = table(["nodes", "depth", "score", "variation"], rows, right="rrrl")
    return "\n".join([*lines, "", verdicts, "", *engines])


def entries_text(entries: Sequence[Entry], total: int, memory: Path) -> str:
    """Return positions as a table, each with the best move of its largest search; `total` counts them all."""
    if not total:
        return f"{memory}: no position with this material"
    rows = [[entry.board.fen(), *_best(entry)] for entry in entries]
    shown = f"{len(entries):,} of {total:,} positions" if len(entries) < total else counted(total, "position")
    return table(["position", "score", "move", "nodes"], rows, right="lrlr") + f"\n\n{shown}"


def _best(entry: Entry) -> list[str]:
    if not entry.verdicts:
        return ["", "", ""]
    verdict = max(entry.verdicts, key=_nodes)
    best = legal_variations(entry.board, verdict.found)[0]
    return [_score(best), entry.board.san(best.move), f"{verdict.nodes:,}"]


def _nodes(verdict: Verdict) -> int:
    return verdict.nodes


def _score(variation: Variation) -> str:
    """Return the score for the side to move in pawns, or as `#` and the moves to mate."""
    mate = variation.mate_in
    return f"#{mate}" if mate is not None else f"{(variation.score.score() or 0) / 100:+.2f}"
