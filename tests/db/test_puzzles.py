"""Storing and finding puzzles, and who was shown which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from sqlalchemy.orm import Session

from chess_motif.errors import UnknownPuzzleError
from db.games import game_number
from db.models import Game
from db.openings import openings_of
from db.puzzles import (
    PuzzleFilter,
    add_puzzles,
    all_sources,
    all_tags,
    count_puzzles,
    count_unjudged,
    delete_puzzles,
    find_puzzles,
    get_puzzle,
    has_tag,
    known_names,
    mark_shown,
    puzzle_id,
    puzzles_of_game,
    shown_counts,
)
from db.selection import resolve_ids
from db.store import Store
from tests.helpers.rows import puzzle_row


def found(store: Store, filters: PuzzleFilter) -> set[str]:
    with store.session() as session:
        puzzles = {puzzle.id for puzzle in find_puzzles(session, filters)}
        assert count_puzzles(session, filters) == len(puzzles)
        return puzzles


@pytest.fixture
def filled(store: Store) -> Store:
    with store.session() as session:
        game = game_number(session, Game(key="k", white="Ann O'Nym", black="100% Bot"))
        easy = {"rating": 1000, "difficulty": 1500.0, "first_move_chance": 0.9, "source": "lichess"}
        puzzles = [
            puzzle_row("easy", themes="fork short", **easy),
            puzzle_row("hard", rating=2000, gap=0.8, tags="forkLift", game_number=game),
            puzzle_row("plain", source_id="L1", difficulty=1250.0, first_move_chance=0.1),
        ]
        add_puzzles(session, puzzles)
    return store


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (PuzzleFilter(), {"easy", "hard", "plain"}),
        (PuzzleFilter(rating=(1000, 1500)), {"easy", "plain"}),
        (PuzzleFilter(rating=(None, 999)), set()),
        (PuzzleFilter(gap=0.7), {"hard"}),
        (PuzzleFilter(tags=("fork",)), {"easy"}),
        (PuzzleFilter(tags=("fork", "short")), {"easy"}),
        (PuzzleFilter(tags=("fork", "long")), set()),
        (PuzzleFilter(tags=("fork,forkLift",)), {"easy", "hard"}),
        (PuzzleFilter(tags=("fork,forkLift", "short,long")), {"easy"}),
        (PuzzleFilter(no_tags=("fork,long",)), {"hard", "plain"}),
        (PuzzleFilter(source="mined"), {"hard", "plain"}),
        (PuzzleFilter(player="o'nym"), {"hard"}),
        (PuzzleFilter(player="100%"), {"hard"}),
        (PuzzleFilter(player="O'Nym, Ann"), {"hard"}),
        (PuzzleFilter(player="1%0"), set()),
        # A rating counts for more than an estimate.
        (PuzzleFilter(rating=(None, 1300)), {"easy", "plain"}),
        (PuzzleFilter(rating=(1250.5, None)), {"hard"}),
        (PuzzleFilter(unestimated=True), {"hard"}),
    ],
)
def test_filters(filled: Store, filters: PuzzleFilter, names: set[str]) -> None:
    assert found(filled, filters) == names


@pytest.fixture
def opened(store: Store) -> Store:
    """A store with a puzzle tagged by Lichess, one whose game says its opening, and one without."""
    with store.session() as session:
        mined = Game(key="k", eco="E81", opening="King's Indian Defense: Sämisch Variation, Normal Defense")
        puzzles = [
            puzzle_row("tagged", opening_tags="Sicilian_Defense Sicilian_Defense_Najdorf_Variation"),
            puzzle_row("mined", game_number=game_number(session, mined)),
            puzzle_row("plain", game_number=game_number(session, Game(key="l"))),
        ]
        add_puzzles(session, puzzles)
    return store


@pytest.mark.parametrize(
    ("opening", "names"),
    [
        ("sicilian", {"tagged"}),
        ("Sicilian Defense: Najdorf", {"tagged"}),
        ("sicilian_defense", {"tagged"}),
        ("sicil", set()),
        ("Indian", {"mined"}),
        ("kings indian, samisch", {"mined"}),
        ("Kings_Indian_Defense_Samisch_Variation", {"mined"}),
        ("Kings_Indian_Defense", {"mined"}),
        # A whole tag is another family.
        ("Indian_Defense", set()),
        ("defense", {"tagged", "mined"}),
        ("E81", {"mined"}),
        ("e8", {"mined"}),
        ("B", set()),
        ("100% _", set()),
        ("word " * 1_000, set()),
    ],
)
def test_an_opening_is_found_by_its_name_or_its_code(opened: Store, opening: str, names: set[str]) -> None:
    assert found(opened, PuzzleFilter(opening=opening)) == names


@pytest.mark.parametrize(("opening", "count"), [("french", 1), ("B90", 2)])
def test_puzzles_of_which_no_opening_or_no_code_is_known_are_counted(
    opened: Store, opening: str, count: int
) -> None:
    with opened.reading() as session:
        assert count_unjudged(session, PuzzleFilter(opening=opening)) == count


def test_each_family_of_openings_that_is_offered_finds_its_puzzles(opened: Store) -> None:
    with opened.reading() as session:
        families = openings_of(session)
    assert [name for _, name in families] == ["King's Indian Defense", "Sicilian Defense"]
    assert [found(opened, PuzzleFilter(opening=tag)) for tag, _ in families] == [{"mined"}, {"tagged"}]


def test_all_families_of_lichess_are_offered(store: Store) -> None:
    with store.session() as session:
        session.add_all(
            puzzle_row(f"p{number}", opening_tags=f"Opening_{number:03}") for number in range(150)
        )
        session.flush()
        assert len(openings_of(session)) == 150


@pytest.mark.parametrize(
    ("filters", "count", "needed"),
    [
        (PuzzleFilter(tags=("fork",)), 0, []),
        (PuzzleFilter(gap=0.7), 2, ["gap"]),
        (PuzzleFilter(rating=(1500, None)), 0, ["rating"]),
        (PuzzleFilter(player="nobody"), 2, ["players"]),
        # The themes of "plain" and the rating of "easy" rule them out, whatever their gap.
        (PuzzleFilter(gap=0.7, tags=("fork",), rating=(1500, None)), 0, ["rating", "gap"]),
    ],
)
def test_puzzles_that_a_filter_cannot_judge(
    filled: Store, filters: PuzzleFilter, count: int, needed: list[str]
) -> None:
    with filled.reading() as session:
        assert count_unjudged(session, filters) == count
    assert filters.judges() == needed


def test_a_known_puzzle_is_not_stored_twice(filled: Store) -> None:
    with filled.session() as session:
        assert add_puzzles(session, [puzzle_row("easy"), puzzle_row("new"), puzzle_row("new")]) == 1


def test_a_puzzle_is_found_by_its_source_id(filled: Store) -> None:
    with filled.session() as session:
        assert get_puzzle(session, "L1").id == "plain"


@pytest.mark.parametrize("name", ["nosuch", ""])
def test_an_unknown_puzzle_says_so(filled: Store, name: str) -> None:
    with filled.session() as session, pytest.raises(UnknownPuzzleError, match=f"no puzzle '{name}'"):
        get_puzzle(session, name)


def test_of_puzzles_with_the_same_id_at_their_sources_the_first_is_meant(store: Store) -> None:
    with store.session() as session:
        add_puzzles(session, [puzzle_row(name, source_id="L1") for name in "ba"])
        assert get_puzzle(session, "L1").id == "b"


def test_numbers_are_not_used_again(filled: Store) -> None:
    with filled.session() as session:
        last = get_puzzle(session, "plain")
        number = last.number
        session.delete(last)
    with filled.session() as session:
        add_puzzles(session, [puzzle_row("later")])
        assert get_puzzle(session, "later").number > number


def test_ids_are_the_same_everywhere() -> None:
    assert puzzle_id(chess.STARTING_FEN, chess.Move.from_uci("e2e4")) == "CMzckoCf"


@given(st.integers(0, 90), st.integers(1, 300))
def test_move_counters_do_not_change_the_id(half_moves: int, number: int) -> None:
    position, move = "4k3/8/8/8/8/8/4P3/4K3 w - -", chess.Move.from_uci("e2e4")
    assert puzzle_id(f"{position} {half_moves} {number}", move) == puzzle_id(f"{position} 0 1", move)


def test_an_empty_en_passant_square_does_not_change_the_id() -> None:
    move = chess.Move.from_uci("e7e5")
    after = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
    assert puzzle_id(after.fen(), move) == puzzle_id(
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", move
    )


def test_what_was_shown_to_someone_is_not_new_to_them(filled: Store) -> None:
    everything = found(filled, PuzzleFilter())
    shown = sorted(everything)[:2]
    with filled.session() as session:
        mark_shown(session, "Ann", shown)
        mark_shown(session, "Ann", shown[:1])
    assert found(filled, PuzzleFilter(new_to="Ann")) == everything - set(shown)
    assert found(filled, PuzzleFilter(new_to="Bea")) == everything


WHITE_TO_MOVE, BLACK_TO_MOVE = "8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8 b - - 0 1"


@pytest.fixture
def played(store: Store) -> Store:
    """Puzzles of a game of Ann against Bob, and one of no game."""
    with store.session() as session:
        game = game_number(session, Game(key="k", white="Ann", black="Bob"))
        rows = [
            puzzle_row("of Ann", puzzle_fen=WHITE_TO_MOVE, game_number=game),
            puzzle_row("of Bob", puzzle_fen=BLACK_TO_MOVE, game_number=game),
            puzzle_row("nobody"),
        ]
        add_puzzles(session, rows)
    return store


@pytest.mark.parametrize("player", ["ann", "bob"])
def test_a_player_may_have_either_side(played: Store, player: str) -> None:
    assert found(played, PuzzleFilter(player=player)) == {"of Ann", "of Bob"}


def test_the_puzzles_of_a_game(store: Store) -> None:
    urls = ["/abcdefgh", "/abcdefgh#3", "/abcdefgh/black#6", "/abcdefghi", "/other", "/abcdefgh/other"]
    rows = [puzzle_row(url[-8:], game_url=f"https://lichess.org{url}") for url in urls]
    with store.session() as session:
        add_puzzles(session, rows)
        puzzles = puzzles_of_game(session, "https://lichess.org/abcdefgh")
    assert [puzzle.game_url[19:] for puzzle in puzzles] == urls[:3]


def test_tags_and_sources_that_there_are(filled: Store) -> None:
    with filled.reading() as session:
        assert all_tags(session) == {"fork", "short", "forkLift"}
        assert all_sources(session) == {"lichess", "mined"}
        assert [has_tag(session, tag) for tag in ("forkLift", "short", "lift")] == [True, True, False]


def test_deleted_puzzles_are_gone(filled: Store) -> None:
    with filled.session() as session:
        delete_puzzles(session, ["easy", "plain"])
    assert found(filled, PuzzleFilter()) == {"hard"}


def test_what_was_shown_to_whom(store: Store) -> None:
    with store.session() as session:
        mark_shown(session, "Bea", ["x"])
        mark_shown(session, "Ann", ["x", "y"])
        mark_shown(session, "Ann", ["y"])
    with store.reading() as session:
        assert shown_counts(session) == {"Ann": 2, "Bea": 1}


def test_a_name_is_known_as_an_id_or_at_the_same_source(store: Store) -> None:
    with store.session() as session:
        add_puzzles(session, [puzzle_row("ours", source="lichess", source_id="L1")])
        assert known_names(session, "lichess", ["L1", "ours", "L2", ""]) == {"L1", "ours"}
        assert known_names(session, "epd", ["L1", "ours"]) == {"ours"}


@pytest.mark.parametrize(
    "look_up",
    [
        lambda session: known_names(session, "lichess", ["L1"]),
        lambda session: resolve_ids(session, ["L1"]),
        lambda session: get_puzzle(session, "L1"),
    ],
)
def test_ids_at_the_source_are_looked_up_by_their_index(
    sqlite_store: Store, look_up: Callable[[Session], object]
) -> None:
    asked: list[tuple[str, Any]] = []
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row("ours", source="lichess", source_id="L1")])
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        look_up(session)
        plan = [
            step.detail
            for query, values in list(asked)
            for step in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)
        ]
    used = [step for step in plan if " puzzles " in step]
    assert all("INDEX sqlite_autoindex_puzzles_1 " in step for step in used[:-1]), plan
    assert "INDEX ix_puzzles_source_id " in used[-1], plan
