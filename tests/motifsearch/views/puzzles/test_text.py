"""Similar puzzles on a terminal."""

from __future__ import annotations

from db.store import Store
from motifsearch.puzzles.query import resolve
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.terms import Mode
from motifsearch.views.puzzles import similar_text
from tests.helpers.sample_puzzles import id_of


def text_for(store: Store, name: str, why: bool) -> str:
    with PuzzleSearcher(store) as searcher:
        hits = searcher.similar(id_of(name), why=why, k=1)
    return " ".join(
        similar_text(resolve(store, id_of(name)), hits, By.COMBINED, Mode.DEFAULT, 80, why).split()
    )


def test_the_reasons_of_the_query(filled: Store) -> None:
    sentence = "The knight on d5 takes the pawn on c7 with check and also attacks the rook on a8."
    assert sentence in text_for(filled, "fork", why=True)
    assert sentence not in text_for(filled, "fork", why=False)


def test_the_reasons_of_a_result(filled: Store) -> None:
    sentence = "The knight on d4 goes to c2 with check and also attacks the rook on a1."
    assert sentence in text_for(filled, "fork", why=True)


def test_no_raw_terms(filled: Store) -> None:
    assert "fork:n" not in text_for(filled, "fork", why=True)
