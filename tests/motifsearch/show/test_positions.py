"""Similar positions as a page and as PGN: complete, and nothing in a game breaks them."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.positions.searcher import PositionHit, PositionQuery, PositionSearcher
from motifsearch.positions.terms import Family, FeatureSet
from motifsearch.show.pgn import pgn_game, write_games
from motifsearch.show.positions import PositionSearch, positions_page
from tests.helpers.sample_games import ENDGAME_START, IN_RUY_LOPEZ, RUY_LOPEZ, SICILIAN, pgn

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
    search = PositionSearch(PositionQuery(board), feature_set, found, warnings=["<careful>"])
    return positions_page(search)


def test_a_board_for_the_query_and_each_game(archived: Store) -> None:
    assert page_for(archived).count('class="board') == 4


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
    parts = re.findall(
        r'<span class="(\w+)" style="width: ([\d.]+)%">', page_for(archived, FeatureSet.RAY_ATTK, k=1)
    )
    assert [family for family, _ in parts] == ["placed", "xray"]
    assert sum(float(width) for _, width in parts) == pytest.approx(100, abs=0.2)


def test_squares_with_the_same_piece_are_marked(archived: Store) -> None:
    # The very position: all of its 32 pieces. Opacity is an attribute of its own.
    assert page_for(archived, k=1).count('class="mark picked"') == 32


def test_a_reversed_position_is_drawn_with_the_colours_of_the_query(archived: Store) -> None:
    page = page_of(archived, chess.Board(IN_RUY_LOPEZ).mirror(), k=1)
    assert page.count('class="mark picked"') == 32
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


@pytest.fixture
def found(archived: Store) -> list[PositionHit]:
    with PositionSearcher(archived) as searcher:
        return searcher.similar(IN_RUY_LOPEZ)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def game_of(found: PositionHit) -> chess.pgn.Game:
    return read(str(pgn_game(found)))


def made(**columns: Any) -> PositionHit:
    game = Game(key="k", **columns)
    return PositionHit(1, 2.5, ArchivedGame(game=game, start="", moves="e2e4 e7e5"), 1, {Family.PLACED: 2.5})


def test_all_that_is_known_is_in_the_headers(found: list[PositionHit]) -> None:
    assert dict(game_of(found[0]).headers) == {
        "Event": "Club",
        "Site": "https://example.org/1",
        "Date": "2013.11.12",
        "Round": "3",
        "White": "Anand, Viswanathan",
        "Black": "Carlsen, Magnus",
        "Result": "1/2-1/2",
        "WhiteElo": "2770",
        "BlackElo": "2870",
        "ECO": "C95",
    }


def test_the_position_is_marked_where_it_is(found: list[PositionHit]) -> None:
    commented = [node for node in game_of(found[0]).mainline() if node.comment]
    assert [node.board().fen() for node in commented] == [IN_RUY_LOPEZ]
    assert commented[0].comment.startswith(f"Similar position 1: {found[0].score:.2f} = pieces ")


def test_a_reversed_position_is_marked_in_the_game_as_it_was_played(archived: Store) -> None:
    with PositionSearcher(archived) as searcher:
        (hit,) = searcher.similar(chess.Board(IN_RUY_LOPEZ).mirror(), k=1)
    (commented,) = [node for node in game_of(hit).mainline() if node.comment]
    assert commented.board().fen() == IN_RUY_LOPEZ
    assert commented.comment.startswith(f"Similar position 1, colours reversed: {hit.score:.2f} = ")


def test_the_first_position_of_a_game_can_be_marked(found: list[PositionHit]) -> None:
    endgame = next(one for one in found if one.game.start)
    game = game_of(replace(endgame, ply=0))
    assert game.comment.startswith("Similar position")
    assert game.board().fen() == ENDGAME_START


def test_the_games_written_are_those_archived(
    archived: Store, found: list[PositionHit], tmp_path: Path
) -> None:
    file = str(tmp_path / "found.pgn")
    write_games(file, found)
    report = add_games([file], archived)
    assert (report.games, report.known) == (3, 3)


@pytest.mark.parametrize(
    "name",
    ['Ann "the Rook" Lee', "back\\slash", "two\nlines\n1. f4", '"]\n[Result "0-1', "nul\x00", "a } b { c"],
)
def test_a_name_cannot_break_its_header(name: str) -> None:
    game = game_of(made(white=name, result="1-0"))
    assert len(game.headers) == 7
    assert game.headers["Result"] == "1-0"
    assert game.headers["White"].replace('\\"', '"').replace("\\\\", "\\") == " ".join(
        name.replace("\x00", "").split()
    )
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5"]


def test_a_result_that_is_none_does_not_stand_among_the_moves() -> None:
    game = game_of(made(result="2. f4 1-0"))
    assert game.headers["Result"] == "*"
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5"]


def test_an_address_beside_the_site_is_kept() -> None:
    game = game_of(made(site="Oslo", url="https://example.org/1"))
    assert (game.headers["Site"], game.headers["Link"]) == ("Oslo", "https://example.org/1")
