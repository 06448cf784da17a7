"""The page of a search for positions: complete, and nothing from a game becomes markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest

from chess_motif.boards import MARK
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import PositionQuery, PositionSearcher
from motifsearch.positions.terms import FeatureSet
from motifsearch.views.position_files import positions_page
from motifsearch.views.positions import PositionSearch
from tests.helpers.sample_games import IN_RUY_LOPEZ, RUY_LOPEZ, SICILIAN, pgn

EVIL = "<script>alert(1)</script>"


def page_for(store: Store, feature_set: FeatureSet = FeatureSet.COMB_ALL, **options: Any) -> str:
    return page_of(store, chess.Board(IN_RUY_LOPEZ), feature_set, **options)


def page_of(
    store: Store,
    board: chess.Board,
    feature_set: FeatureSet = FeatureSet.COMB_ALL,
    *,
    k: int = 10,
    why: bool = False,
) -> str:
    with PositionSearcher(store) as searcher:
        found = searcher.similar(board, feature_set=feature_set, k=k, why=why)
    search = PositionSearch(PositionQuery(board), feature_set, Colours.EITHER, found, warnings=["<careful>"])
    return positions_page(search)


def test_a_board_for_the_query_and_each_game(archived: Store) -> None:
    assert page_for(archived).count("<svg") == 4


def test_a_card_shows_the_game_and_its_next_moves(archived: Store) -> None:
    page = page_for(archived, k=1)
    for words in (
        "1. Anand, Viswanathan (2770) – Carlsen, Magnus (2870)",
        "Club, 2013.11.12, 1/2-1/2, C95",
        "14. Ng3 g6 15. a4 c5",
        IN_RUY_LOPEZ,
    ):
        assert words in page


def test_a_bar_has_a_part_for_each_family_of_the_feature_set(archived: Store) -> None:
    assert '<span class="xray" style="width: 100.0%">' in page_for(archived, FeatureSet.RAY_ATTK, k=1)


def test_squares_with_the_same_piece_are_marked(archived: Store) -> None:
    # The very position: all of its 32 pieces. Opacity is an attribute of its own.
    assert page_for(archived, k=1).count(f'fill="{MARK[:7]}"') == 32


def test_a_reversed_position_is_drawn_with_the_colours_of_the_query(archived: Store) -> None:
    page = page_of(archived, chess.Board(IN_RUY_LOPEZ).mirror(), k=1)
    assert page.count(f'fill="{MARK[:7]}"') == 32
    assert "Colours reversed: White here is Carlsen, Magnus" in page
    assert "14...Ng6 15. g3" in page
    assert f"In the game: {IN_RUY_LOPEZ}" in page


def test_a_summary_is_above_the_cards(archived: Store) -> None:
    page = page_for(archived, k=1)
    assert "<td>Ng3</td><td>1</td><td>0</td><td>1</td><td>0</td><td>50 %</td>" in page
    assert page.index("White scored 50 %") < page.index("1 found")


def test_a_warning_is_shown(archived: Store) -> None:
    assert "Warning: &lt;careful&gt;" in page_for(archived)


def test_terms_are_shown_when_asked_for(archived: Store) -> None:
    assert "B&lt;Pe4" not in page_for(archived)
    assert '<li class="defence">B&lt;Pe4' in page_for(archived, why=True)


def test_only_web_addresses_are_links(sqlite_store: Store, tmp_path: Path, one_core: None) -> None:
    games = tmp_path / "games.pgn"
    addresses = ("https://example.org/a?b&c", "javascript:alert(1)")
    games.write_text("".join(pgn(RUY_LOPEZ, Site=address) for address in addresses))
    add_games([str(games)], sqlite_store)
    page = page_for(sqlite_store)
    assert '<a href="https://example.org/a?b&amp;c"' in page
    assert page.count("<a ") == 1


@pytest.mark.parametrize("tag", ["White", "Black", "Event", "Date", "Result", "ECO"])
def test_markup_in_a_game_is_text(sqlite_store: Store, tmp_path: Path, one_core: None, tag: str) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(pgn(SICILIAN, **{tag: EVIL}))
    add_games([str(games)], sqlite_store)
    page = page_for(sqlite_store)
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_nothing_is_loaded_from_elsewhere(archived: Store) -> None:
    page = page_for(archived)
    assert "<link" not in page
    assert " src=" not in page
