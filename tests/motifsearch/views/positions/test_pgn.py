"""PositionHit games as PGN: what went in comes out again, and nothing in a header breaks it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import Family
from motifsearch.views.position_files import pgn_game, write_games
from tests.helpers.sample_games import ENDGAME_START, IN_RUY_LOPEZ


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
