"""What the tables count, and what the report says of it."""

from __future__ import annotations

import pytest

from db.analyses import Opportunity, OpportunityKind
from db.store import Store
from motifsearch.show.report import report_text
from motifsearch.trainer.report import OpportunityTables, OpportunityTally, ReportRow, opportunity_tables
from tests.helpers.missed_opportunities import BACK_RANK, BLACKS_FORK, FORK, opportunity_row, store_game


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


def of_forks(store: Store, had: int, found: int) -> OpportunityTables:
    """Return the tables of a player who had so many forks, each in a game of its own."""
    for number in range(had):
        store_game(store, opportunity_row(*FORK, taken=number < found), key=f"game {number}")
    return opportunity_tables(store, ["Ann"])


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (
            # An opportunity counts for each of its motifs,
            "motif",
            {
                "fork": (2, 2, 1),
                "pin": (1, 1, 0),
                "no motif found": (1, 1, 0),
                "backRankMate": (1, 0, 0),
                "mateIn2": (1, 0, 0),
            },
        ),
        # and has one main motif.
        ("main motif", {"fork": (2, 2, 1), "no motif found": (1, 1, 0), "mate": (1, 0, 0)}),
        ("to", {"to win": (4, 3, 1)}),
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
def test_groups(games: Store, group: str, expected: dict[str, tuple[int, int, int]]) -> None:
    assert rows(games, group) == expected
    assert list(rows(games, group)) == list(expected)


def row(had: int, found: int) -> ReportRow:
    return ReportRow("fork", OpportunityTally(had, found), OpportunityTally())


@pytest.mark.parametrize(
    ("had", "found", "is_weakness", "is_strength"),
    [
        (4, 0, False, False),
        (5, 2, True, False),
        (5, 3, False, False),
        (6, 5, False, True),
        (60, 50, False, True),
        (60, 30, True, False),
    ],
)
def test_only_enough_cases_make_a_weakness_or_a_strength(
    had: int, found: int, is_weakness: bool, is_strength: bool
) -> None:
    assert (row(had, found).is_weakness, row(had, found).is_strength) == (is_weakness, is_strength)


def test_two_groups_differ_clearly_only_if_the_numbers_are_enough() -> None:
    assert OpportunityTally(20, 6).is_worse_than(OpportunityTally(20, 17))
    assert OpportunityTally(8, 5).is_worse_than(OpportunityTally(23, 23))
    assert not OpportunityTally(23, 23).is_worse_than(OpportunityTally(8, 5))
    assert not OpportunityTally(4, 1).is_worse_than(OpportunityTally(4, 3))


def test_every_opportunity_is_in_the_document(games: Store) -> None:
    had = opportunity_tables(games, ["Ann"]).as_dict()["had"]
    assert [(one["ply"], one["taken"], one["clock"]) for one in had] == [
        (10, False, 5.0),
        (20, False, 45.0),
        (30, True, 700.0),
        (40, False, None),
    ]


@pytest.mark.parametrize(
    ("elos", "level"), [((), None), ((1500, None, 1700), 1600), ((1000, *[2000] * 20), 2000)]
)
def test_the_level_is_that_of_the_newest_games(
    sqlite_store: Store, elos: tuple[int | None, ...], level: int | None
) -> None:
    for number, elo in enumerate(elos):
        store_game(
            sqlite_store, key=str(number), date=f"2024.01.{number + 1:02}", white_elo=elo, black_elo=2500
        )
    assert opportunity_tables(sqlite_store, ["Ann"]).level == level


def test_what_is_far_above_the_level_is_hard(games: Store) -> None:
    """The exercises of the games have the level 1500."""
    assert [one.ply for one in opportunity_tables(games, ["Ann"], 1100).hard] == [20, 10]
    assert opportunity_tables(games, ["Ann"], 1200).hard == []


def report(store: Store, width: int = 88) -> str:
    return report_text(opportunity_tables(store, ["Ann"]), "Ann", "evening", width)


def test_the_report_says_what_to_work_on_with_a_diagram(sqlite_store: Store) -> None:
    text = report_text(of_forks(sqlite_store, had=6, found=2), "Ann", "evening", 88)
    assert "1. Fork: 4 of 6 missed, 1.6 points\n" in text
    assert "8 ♜ · · · ♚ · · ·\n" in text
    assert "Played: 2. g3. Better: 2. Nc7+ Kd8 3. Nxa8" in text


def test_one_missed_of_one_is_no_weakness(sqlite_store: Store) -> None:
    text = report_text(of_forks(sqlite_store, had=1, found=0), "Ann", "evening", 88)
    assert "To work on" not in text
    assert "Too few opportunities to call anything a weakness or a strength." in text
    assert "Too few to judge: fork (1 of 1 missed)." in text


def test_five_found_of_six_are_a_strength(sqlite_store: Store) -> None:
    text = report_text(of_forks(sqlite_store, had=6, found=5), "Ann", "evening", 88)
    assert "Strong: fork (5 of 6 found)." in text


def test_each_missed_opportunity_is_counted_or_named(sqlite_store: Store) -> None:
    text = report_text(of_forks(sqlite_store, had=12, found=0), "Ann", "evening", 88)
    listed = sum(line.startswith("- ") for line in text.splitlines())
    # One of the twelve has the diagram.
    assert f"And {12 - 1 - listed} more" in text


def sentences(store: Store) -> str:
    return report(store).replace("\n", " ")


def test_the_report_compares_with_the_opponents(games: Store) -> None:
    assert "The opponents found 1 of 1 (100 %): with so few, that may be luck." in sentences(games)


SAVE, ALLOWED = OpportunityKind.SAVE.value, OpportunityKind.ALLOWED.value


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        pytest.param(
            [
                opportunity_row(*FORK),
                opportunity_row(*BACK_RANK, ply=30, opportunity_kind=SAVE, taken=True),
            ],
            "1 opportunity to win, 0 found; 1 opportunity to save a lost game, 1 saved (50 % in all)",
            id="saves are told from wins",
        ),
        pytest.param(
            [opportunity_row(*BACK_RANK, opportunity_kind=SAVE, tags="pin")],
            "For example (pin, to save the game): Ann – Bob, 2024.01.01",
            id="what would have saved is no win",
        ),
        pytest.param(
            [opportunity_row(*FORK, ply=ply, tags="fork endgame") for ply in range(8)]
            + [opportunity_row(*FORK, ply=ply, tags="fork middlegame", taken=True) for ply in range(8, 16)],
            "Worst in the endgame: 8 of 8 missed, otherwise 0 of 8.",
            id="when a player is at her worst",
        ),
        pytest.param(
            [
                opportunity_row(
                    *FORK, opportunity_kind=ALLOWED, puzzle_id="", kind="", allowed_line="a8a1 e1d2 a1h1"
                )
            ],
            "2. g3 allows 2...Ra1+ 3. Kd2 Rh1 (fork); better 2. Nc7+",
            id="the tactic that was allowed",
        ),
    ],
)
def test_the_report_says(sqlite_store: Store, rows: list[Opportunity], sentence: str) -> None:
    store_game(sqlite_store, *rows)
    assert sentence in " ".join(sentences(sqlite_store).split())


def test_what_was_allowed_is_no_chance_of_her_own(sqlite_store: Store) -> None:
    store_game(sqlite_store, opportunity_row(*FORK, opportunity_kind=ALLOWED, tags="pin"))
    tables = opportunity_tables(sqlite_store, ["Ann"])
    assert (len(tables.had), len(tables.allowed)) == (0, 1)
    assert "Allowed 1 tactic (pin 1)." in report(sqlite_store)


def test_no_line_of_the_report_is_too_wide(games: Store) -> None:
    assert max(map(len, report(games, 60).splitlines())) <= 60


def test_a_player_without_opportunities(sqlite_store: Store) -> None:
    store_game(sqlite_store)
    assert report(sqlite_store) == "No opportunities in 1 game of Ann."
