"""The Python examples of README and of the documents run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from db.store import Store
from motifsearch.positions.archiving import add_positions
from tests.helpers.paths import ROOT
from tests.helpers.sample_games import PGN
from tests.helpers.sample_puzzles import PUZZLES, put, row

EXAMPLE = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [
    pytest.param(code, printed, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, (code, printed) in enumerate(EXAMPLE.findall(page.read_text(encoding="utf-8")), 1)
]

# Puzzles of the sample games that examples name.
NAMED = {
    "hVYDgQkI": (
        "r1bq1k1r/ppp1npp1/1bnp3p/4p3/N1BPP3/1QP1BN1P/PP3PP1/R3K2R b KQ - 4 10",
        "c6a5 b3b4 e7c6 a4b6 c6b4",
    ),
    "vbzXL3k4": (
        "1k2qr2/1ppb1RR1/rn1p4/3Pp1QP/p1P1P1P1/P2P4/1P6/6K1 w - - 1 37",
        "f7f8 e8f8 g7g8 f8g8 g5g8",
    ),
}

# The example in the description of the Lichess database (https://database.lichess.org/#puzzles).
LICHESS = """\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
00sHx,q3k1nr/1pp1nQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 b k - 0 17,e8d7 a2e6 d7d8 f7f8,1760,80,83,72,\
mate mateIn2 middlegame short,https://lichess.org/yyznGmXs/black#34,Italian_Game
"""


@pytest.fixture
def folder(tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples read, as the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    (tmp_path / "games.pgn").write_text(PGN)
    (tmp_path / "puzzles.csv").write_text(LICHESS)
    for name in ("puzzles.db", "games.db"):
        shutil.copy(migrated, tmp_path / name)
    with Store("puzzles.db") as store:
        put(store, *(row(*puzzle) for puzzle in (*PUZZLES.values(), *NAMED.values())))
    return tmp_path


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_an_example_runs(
    folder: Path, stockfish: str, capsys: pytest.CaptureFixture[str], code: str, printed: str
) -> None:
    if "games.db" in code:
        with Store("games.db") as store:
            add_positions(["games.pgn"], store)
    # Fewer games than the reader has.
    code = code.replace("limit=40", "limit=1").replace("GAMES.pgn.zst", "games.pgn")
    exec(compile(code, "example", "exec"), {"__name__": "__main__"})
    out = capsys.readouterr().out
    assert out or "print(" not in code or "near(" in code
    # The other examples print what is in a database that has more puzzles.
    if printed and "puzzles.db" not in code:
        assert out == printed
