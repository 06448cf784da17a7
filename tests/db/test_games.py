"""Archived games, and filters on them."""

from __future__ import annotations

from typing import Any

import pytest

from db.games import (
    GameFilter,
    archive_games,
    archived_after,
    archived_numbers,
    count_archived,
    game_number,
    get_archived,
    last_archived,
)
from db.models import ArchivedGame, Game
from db.store import Store
from tests.helpers.rows import game_row


def row(key: str, **columns: Any) -> ArchivedGame:
    usual = {"white": "Anand, Viswanathan", "black": "Carlsen, Magnus", "date": "2013.11.12", "result": "1-0"}
    return game_row(key, moves="e2e4 e7e5", **(usual | {"eco": "B90"} | columns))


GAMES = [
    row("a", white_elo=2770, black_elo=2870),
    row("b", white="100% Bot", white_elo=2600, black_elo=2500, date="2012.??.??", result="0-1"),
    row("c", black="O'Nym, Ann", white_elo=2770, date="2013.12.??", eco="C65", result="1/2-1/2"),
]


@pytest.fixture
def archived(store: Store) -> Store:
    with store.session() as session:
        assert archive_games(session, GAMES) == 3
    return store


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (GameFilter(), "abc"),
        (GameFilter(player="carlsen"), "ab"),
        (GameFilter(player="100%"), "b"),
        (GameFilter(player="carl"), ""),
        (GameFilter(player="Ann O'Nym"), "c"),
        (GameFilter(player="anand", white=True), "ac"),
        (GameFilter(player="carlsen", white=True), ""),
        (GameFilter(player="o'nym", white=False), "c"),
        (GameFilter(elo=(2600, None)), "a"),
        (GameFilter(elo=(None, 2700)), "b"),
        (GameFilter(date=("2013", None)), "ac"),
        (GameFilter(date=(None, "2013.11")), "ab"),
        (GameFilter(date=(None, "2012")), "b"),
        (GameFilter(eco="b9"), "ab"),
        (GameFilter(eco="C65"), "c"),
    ],
    ids=lambda value: str(value) if isinstance(value, GameFilter) else "",
)
def test_filters(archived: Store, filters: GameFilter, expected: str) -> None:
    with archived.reading() as session:
        found = get_archived(session, range(1, 10), filters)
        assert {game.game.key for game in found.values()} == set(expected)


@pytest.mark.parametrize("name", ["carlsen " * 2000, "x" * 100_000], ids=["words", "letters"])
def test_nobody_is_found_by_a_name_that_nobody_has(archived: Store, name: str) -> None:
    with archived.reading() as session:
        assert archived_numbers(session, GameFilter(player=name)) == []


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (("2010", None), "b"),
        ((None, "2020"), "b"),
        (("2013.05", None), ""),
        ((None, "2013.05"), ""),
        (("2012.05", "2014.05"), "b"),
    ],
)
def test_what_is_not_known_of_a_date_counts_against_it(
    store: Store, date: tuple[str | None, str | None], expected: str
) -> None:
    with store.session() as session:
        archive_games(session, [row("a", date="????.??.??"), row("b", date="2013.??.??"), row("c", date="")])
        found = get_archived(session, range(1, 10), GameFilter(date=date))
        assert {game.game.key for game in found.values()} == set(expected)


def test_a_game_may_be_left_out(archived: Store) -> None:
    with archived.session() as session:
        left_out = game_number(session, Game(key="b"))
        found = get_archived(session, range(1, 10), GameFilter(other_than=left_out))
        assert {game.game.key for game in found.values()} == {"a", "c"}


def test_a_game_is_archived_once(archived: Store) -> None:
    with archived.session() as session:
        assert archive_games(session, [GAMES[0], row("d"), row("d")]) == 1
        assert count_archived(session) == 4


def test_a_game_that_puzzles_came_from_can_be_archived(store: Store) -> None:
    with store.session() as session:
        known = game_number(session, Game(key="a"))
        assert archive_games(session, GAMES[:1]) == 1
        (archived,) = get_archived(session, [1]).values()
        assert archived.game_number == known


def test_games_are_read_in_their_order_and_on_from_anywhere(archived: Store) -> None:
    everything = list(archived_after(archived, 0))
    assert [number for number, _, _ in everything] == sorted(number for number, _, _ in everything)
    assert list(archived_after(archived, everything[0][0])) == everything[1:]
    with archived.reading() as session:
        assert (count_archived(session), last_archived(session)) == (3, everything[-1][0])


def test_an_empty_archive(store: Store) -> None:
    with store.reading() as session:
        assert (count_archived(session), last_archived(session)) == (0, 0)
