"""What the tables count, and what they call most expensive."""

from __future__ import annotations

import pytest

from db.store import Store
from motifsearch.trainer.report import OpportunityTally, opportunity_tables
from motifsearch.views.training import cost_sentence, report_text
from tests.helpers.missed_opportunities import BLACKS_FORK, FORK, opportunity_row, store_game


@pytest.fixture
def games(store: Store) -> Store:
    """Ann has four opportunities and misses three, Bob has one and takes it."""
    store_game(
        store,
        opportunity_row(*FORK, ply=10, tags="fork middlegame", clock=5.0),
        opportunity_row(*FORK, ply=20, tags="fork pin endgame", clock=45.0, after=0.9, reply=-0.9),
        opportunity_row(*FORK, ply=30, tags="mate mateIn2 backRankMate endgame", taken=True, clock=700.0),
        opportunity_row(*FORK, ply=40, tags="middlegame", after=0.5, reply=0.1, puzzle_id="", kind=""),
        opportunity_row(*BLACKS_FORK, ply=51, tags="fork endgame", taken=True),
        opening="Italian Game: Two Knights",
    )
    return store


def rows(store: Store, group: str) -> dict[str, tuple[int, int, int]]:
    """Return how often Ann had and missed, and Bob had, by the rows of a group."""
    tables = opportunity_tables(store, ["Ann"])
    return {row.name: (row.player.had, row.player.missed, row.opponents.had) for row in tables.by[group]}


def test_an_opportunity_counts_for_each_of_its_motifs(games: Store) -> None:
    assert rows(games, "motif") == {
        "fork": (2, 2, 1),
        "pin": (1, 1, 0),
        "no named motif": (1, 1, 0),
        "backRankMate": (1, 0, 0),
        "mateIn2": (1, 0, 0),
    }


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("kind", {"exercise": (3, 2, 1), "neither": (1, 1, 0)}),
        ("phase", {"middlegame": (2, 2, 0), "endgame": (2, 1, 1)}),
        ("opening", {"Italian Game": (4, 3, 1)}),
        ("colour", {"White": (4, 3, 0), "Black": (0, 0, 1)}),
        (
            "time left",
            {
                "under 10 s": (1, 1, 0),
                "30 s to 1 min": (1, 1, 0),
                "over 10 min": (1, 0, 0),
                "unknown": (1, 1, 1),
            },
        ),
    ],
)
def test_other_groups(games: Store, group: str, expected: dict[str, tuple[int, int, int]]) -> None:
    assert rows(games, group) == expected
    assert list(rows(games, group)) == list(expected)


def test_what_costs_most_comes_first(games: Store) -> None:
    tables = opportunity_tables(games, ["Ann"])
    assert [(row.name, round(row.player.lost, 2)) for row in tables.most_expensive] == [
        ("fork", 1.3),
        ("pin", 0.9),
    ]
    sentence = "What cost Ann most: fork (2 of 2 missed, 1.3 points) and pin (1 of 1 missed, 0.9 points)."
    assert cost_sentence(tables, "Ann") == sentence


def test_the_text_says_how_sure_a_share_is(games: Store) -> None:
    text = report_text(opportunity_tables(games, ["Ann"]), "Ann", 120)
    assert "25 % (5-70)" in text
    assert "mate in 2" in text


def test_the_most_expensive_misses_are_listed_first(games: Store) -> None:
    lines = report_text(opportunity_tables(games, ["Ann"]), "Ann", 120).splitlines()
    (header,) = (number for number, line in enumerate(lines) if line.startswith("missed"))
    most = opportunity_row(*FORK).puzzle_id
    assert lines[header + 2].split()[4:] == ["2.", "g3", "2.", "Nc7+", "0.9", most]
    assert sum("g3" in line for line in lines) == 3


def test_every_opportunity_is_in_the_document(games: Store) -> None:
    had = opportunity_tables(games, ["Ann"]).as_dict()["had"]
    assert [(one["ply"], one["taken"], one["clock"]) for one in had] == [
        (10, False, 5.0),
        (20, False, 45.0),
        (30, True, 700.0),
        (40, False, None),
    ]


def test_a_player_without_opportunities(store: Store) -> None:
    store_game(store)
    assert report_text(opportunity_tables(store, ["Ann"]), "Ann", 80) == "No chances in 1 game of Ann."


def test_an_empty_tally_has_no_share() -> None:
    assert OpportunityTally().share is None
