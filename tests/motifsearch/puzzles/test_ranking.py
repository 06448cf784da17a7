"""The order of results in an index that is searched in two stages."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from chess_motif.notation import parse_moves, parse_position
from db.models import Puzzle
from db.store import Store
from motifsearch.index import bm25 as two_stages
from motifsearch.index.bm25 import Clause
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Row, encode_all, index_in_memory
from motifsearch.puzzles.ranking import best, clauses
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.terms import Mode, encode, query_terms
from puzzlegen.formats import lichess_csv
from puzzlegen.games.archive import open_archive
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

REAL = 2000


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stages, however small the index is."""
    monkeypatch.setattr(two_stages, "LOOKUP", 0)
    monkeypatch.setattr(two_stages, "FIRST_STAGE", 4000)
    monkeypatch.setattr(two_stages, "CANDIDATES", 0)


def query(index: Index, puzzle: Row) -> list[Clause]:
    board = parse_position(puzzle.puzzle_fen)
    terms = query_terms(encode(board, parse_moves(board, puzzle.solution)))
    return clauses(index, terms, Mode.DEFAULT)


def test_ties_go_by_id_even_across_the_last_place(filled: Store, two: None) -> None:
    names = ["d", "b", "e", "a", "f", "c"]
    put(filled, *(row(*PUZZLES["smothered"], id=name) for name in names))
    with PuzzleSearcher(filled) as searcher:
        hits = searcher.similar(id_of("smothered"), k=3)
    assert [hit.puzzle.id for hit in hits] == ["a", "b", "c"]


def test_hardly_any_of_the_best_real_puzzles_is_missed(data: Path, one_core: None, two: None) -> None:
    with open_archive(str(data / "lichess_puzzles.csv.zst")) as archive:
        entries = (entry for _, entry in lichess_csv.read(archive) if isinstance(entry, Puzzle))
        rows = [
            Row(n, entry.id, entry.puzzle_fen, entry.solution)
            for n, entry in enumerate(islice(entries, REAL), start=1)
        ]
    index = index_in_memory(encode_all(rows, 1, Mode.DEFAULT))
    common = 0
    for puzzle in rows[:100]:
        asked = query(index, puzzle)
        fast, exhaustive = (
            {key for key, _ in best(index, asked, 10, exact=exact)} for exact in (False, True)
        )
        common += len(fast & exhaustive)
    assert common >= 0.99 * 10 * 100
