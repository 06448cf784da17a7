"""The page of a search: complete, and nothing from a file becomes markup."""

from __future__ import annotations

from html import escape

import pytest

from db.games import game_number
from db.models import Game
from db.store import Store
from motifsearch.puzzles.query import resolve
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.terms import Mode
from motifsearch.views.puzzles import COLOURS, similar_page
from puzzlegen.reasons.explained import Role
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row


def markup(place: str) -> str:
    return f"<script>{place}</script>"


def page_for(store: Store, name: str, why: bool = False) -> str:
    query = resolve(store, id_of(name))
    with PuzzleSearcher(store) as searcher:
        hits = searcher.similar(query, why=why)
    return similar_page(query, hits, By.COMBINED, Mode.DEFAULT, why)


def test_a_board_for_the_query_and_each_hit(filled: Store) -> None:
    assert page_for(filled, "back rank").count("<svg") == len(PUZZLES)


def test_solutions_are_readable(filled: Store) -> None:
    assert "1. Qe8+ Rxe8 2. Rxe8#" in page_for(filled, "back rank")


def test_terms_are_shown_when_asked_for(filled: Store) -> None:
    assert "!#r " not in page_for(filled, "back rank")
    assert "!#r " in page_for(filled, "back rank", why=True)


def test_terms_are_behind_a_fold(filled: Store) -> None:
    page = page_for(filled, "back rank", why=True)
    assert page.count('<ul class="terms">') == page.count("<summary>") == len(PUZZLES) - 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("takes the pawn on c7 with check and also attacks the rook on a8.", id="of the query"),
        pytest.param("goes to c2 with check and also attacks the rook on a1.", id="of a result"),
        pytest.param("Why a solution works", id="the key"),
    ],
)
def test_reasons_are_told_when_asked_for(filled: Store, text: str) -> None:
    assert text not in page_for(filled, "fork")
    assert text in page_for(filled, "fork", why=True)


def test_a_board_shows_what_is_told(filled: Store) -> None:
    colour = COLOURS[Role.ATTACK]
    assert f'fill="{colour}"' not in page_for(filled, "fork")
    # Both pieces that the knight attacks, on the boards of the query and of the result.
    assert page_for(filled, "fork", why=True).count(f'fill="{colour}"') == 4


def test_nothing_is_loaded_from_elsewhere(filled: Store) -> None:
    page = page_for(filled, "back rank")
    assert "<script" not in page
    assert "<link" not in page
    assert " src=" not in page


def test_markup_in_the_database_is_text(filled: Store) -> None:
    with filled.session() as session:
        game = game_number(session, Game(key="evil", white=markup("white"), event=markup("event")))
    put(filled, row("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8", tags=markup("tags"), game_number=game))
    put(filled, row("7k/1R6/R7/8/8/8/8/6K1 w - - 0 1", "a6a8", source_id=markup("id")))
    page = page_for(filled, "back rank")
    for place in ("white", "event", "tags", "id"):
        assert escape(markup(place)) in page
    assert "<script" not in page


def test_only_web_addresses_are_links(filled: Store) -> None:
    put(filled, row("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8", game_url="javascript:alert(1)"))
    put(filled, row("7k/1R6/R7/8/8/8/8/6K1 w - - 0 1", "a6a8", game_url="https://example.org/a?b&c"))
    page = page_for(filled, "back rank")
    assert 'href="https://example.org/a?b&amp;c"' in page
    assert 'href="javascript' not in page
