"""The accuracy on pairs, as text and as a web page."""

from __future__ import annotations

import textwrap

from chess_motif.boards import side_name, solution_san
from chess_motif.pages import render
from chess_motif.tables import table
from chess_motif.text import counted
from motifsearch.puzzles.pair_files import PairFile, SolvedPosition
from motifsearch.puzzles.pairs import DEPTHS, PAPER_FIGURES, PAPER_NAMES, AccuracyReport, RankedPair
from motifsearch.show.card import PuzzleCard
from motifsearch.terms.weights import ENCODINGS

# The number of pairs, and of entries left over, that are listed when a file is only checked.
SHOWN = 10

# The shares of partners found among the first results, with 95 % intervals, beside the shares in the paper.
HEADER = ("terms", *(cell for depth in DEPTHS for cell in (f"top {depth}, 95 %", "paper")))


def pairs_text(report: AccuracyReport) -> str:
    """Return the figures of all pairs, and of the moved pairs if there are any."""
    kind = "generated pairs" if report.generated else "pairs"
    parts = [f"{len(report.pairs)} {kind} among {report.documents} positions", *_tables(report)]
    if report.moved:
        parts += [
            f"Of these, {report.moved} in which the simplified puzzle was moved on the board",
            *_tables(report, moved=True),
        ]
    return "\n\n".join([*parts, *filter(None, ["\n".join(report.notes)]), textwrap.fill(report.note, 80)])


def check_text(file: PairFile) -> str:
    """Return the first pairs of a file, and the entries that are left over."""
    rows = [[pair.id, *map(_position, pair.places, pair.both)] for pair in file.pairs[:SHOWN]]
    parts = ["\n".join(file.notes)]
    if rows:
        parts.append(table(("pair", "base", "simplified"), rows, right="lll"))
    if file.skipped:
        parts.append(f"Left over: {len(file.skipped)}\n" + "\n".join(map(str, file.skipped[:SHOWN])))
    return "\n\n".join(parts)


def pairs_page(report: AccuracyReport) -> str:
    """Return the page of a pair report: the figures, then every pair, those with the worst ranks first.

    A pair that was missed is shown with the position that was found instead.
    """
    cards = [
        (each, [(name, PuzzleCard(one.board, one.moves)) for name, one in _shown(each)])
        for each in report.worst_first()
    ]
    return render(
        "motifsearch/show/templates/pairs.html",
        report=report,
        cards=cards,
        header=HEADER,
        modes=[(mode, _rows(report, mode)) for mode in ENCODINGS],
        moved_modes=[(mode, _rows(report, mode, moved=True)) for mode in ENCODINGS if report.moved],
    )


def _shown(each: RankedPair) -> list[tuple[str, SolvedPosition]]:
    shown = [("Base", each.pair.base), ("Simplified", each.pair.simplified)]
    return shown if each.rank == 1 else [*shown, ("Found instead", each.instead)]


def _position(place: str, solved: SolvedPosition) -> str:
    board = solved.board
    pieces, line = counted(len(board.piece_map()), "piece"), solution_san(board, solved.moves[:2])
    return f"{place}: {side_name(board.turn)}, {pieces}, {line}"


def _tables(report: AccuracyReport, *, moved: bool = False) -> list[str]:
    return [
        f"In {mode} mode\n{table(HEADER, _rows(report, mode, moved=moved), right='l' + 'rr' * len(DEPTHS))}"
        for mode in ENCODINGS
    ]


def _rows(report: AccuracyReport, mode: str, *, moved: bool = False) -> list[list[str]]:
    """Return the figures of all pairs, or of the moved pairs, as the cells of a table."""
    rows = []
    for by, published in PAPER_FIGURES.items():
        row = [PAPER_NAMES[by]]
        for found, of_paper in zip(report.intervals(mode, by, moved=moved), published, strict=True):
            share, low, high = _share(found.mean, 3), _share(found.low, 2), _share(found.high, 2)
            row += [f"{share} {low}–{high}", _share(of_paper, 3)]
        rows.append(row)
    return rows


def _share(share: float, digits: int) -> str:
    """Return a share as the paper writes it, such as `.252`."""
    return "1" if share == 1 else f"{share:.{digits}f}".removeprefix("0")
