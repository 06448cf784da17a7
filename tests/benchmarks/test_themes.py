"""The report on themes, on a handful of puzzles whose neighbours are plain."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from benchmarks.themes import ThemeReport, measure_themes, read_labelled
from chess_motif.errors import TableError
from db.store import Store
from motifsearch.terms.weights import DEFAULT
from tests.helpers.commands import CommandOn

HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"

# A smothered mate and a promotion; the first move is the opponent's.
SMOTHERED = ("r4rk1/6pp/7N/8/8/8/5P1P/6K1 b - - 0 1", "g8h8 h6f7")
PROMOTION = ("8/4P2k/8/8/8/8/5P1P/6K1 b - - 0 1", "h7g7 e7e8q")


def variant(puzzle: tuple[str, str], pawn: str) -> str:
    board = chess.Board(puzzle[0])
    board.set_piece_at(chess.parse_square(pawn), chess.Piece(chess.PAWN, chess.WHITE))
    return f"{board.fen()},{puzzle[1]}"


def written(folder: Path, smothered: str, promotion: str) -> Path:
    """Write three puzzles of each kind with these themes."""
    rows = [
        f"{kind}{number},{variant(puzzle, pawn)},,,,,{themes},,"
        for kind, puzzle, themes in (("s", SMOTHERED, smothered), ("p", PROMOTION, promotion))
        for number, pawn in enumerate(("a2", "b2", "c2"))
    ]
    file = folder / "puzzles.csv"
    file.write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    return file


def report(folder: Path, smothered: str, promotion: str) -> ThemeReport:
    return measure_themes(read_labelled(written(folder, smothered, promotion)), queries=6, k=2)


def combined(found: ThemeReport) -> float:
    return found.agreements[DEFAULT.name]["combined"].mean


def test_neighbours_with_the_same_themes_agree(tmp_path: Path) -> None:
    assert combined(report(tmp_path, "smotheredMate", "promotion advancedPawn")) == 1.0


def test_neighbours_with_half_of_the_themes_agree_by_half(tmp_path: Path) -> None:
    file = written(tmp_path, "fork", "promotion")
    text = file.read_text(encoding="utf-8")
    for number, theme in enumerate(("a", "b", "c")):
        text = text.replace(f"s{number},", f"s{number},", 1).replace("fork", f"fork{theme} pin", 1)
        text = text.replace("promotion", f"queen{theme} pawn", 1)
    file.write_text(text, encoding="utf-8")
    assert combined(measure_themes(read_labelled(file), queries=6, k=2)) == pytest.approx(1 / 3)


def test_results_are_counted_by_how_close_they_are(tmp_path: Path) -> None:
    puzzles = read_labelled(written(tmp_path, "smotheredMate", "promotion"))
    # The third result for each puzzle is one of the other kind, and far from it.
    far, *_, close = measure_themes(puzzles, queries=6, k=3).bands
    assert (far.closeness, far.results, far.agreement, far.shared) == (0.0, 6, 0.0, 0.0)
    assert (close.closeness, close.agreement, close.shared) == (0.7, 1.0, 1.0)


def test_puzzles_without_a_motif_are_searched_among_but_not_for(tmp_path: Path) -> None:
    found = report(tmp_path, "smotheredMate", "short endgame")
    assert (found.documents, found.queries) == (6, 3)


def test_no_themes_at_all(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="whose themes name a motif"):
        read_labelled(written(tmp_path, "short", "endgame"))


def test_the_command_shows_every_mode_and_field(
    tmp_path: Path, sqlite_store: Store, command_on: CommandOn
) -> None:
    file = written(tmp_path, "smotheredMate", "promotion")
    status, out, _ = command_on(sqlite_store, "benchmarks.themes")(str(file), "--queries", "3")
    assert status == 0
    for word in ("agreement of themes", "paper", "combined", "motif_names"):
        assert word in out
