"""Filters of similar puzzles."""

from __future__ import annotations

from typing import Any

import chess
import pytest
from sqlalchemy import update

from chess_motif.errors import StoreError
from db.models import Puzzle
from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store
from motifsearch import search as filters
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.search import PuzzleQuery, SearchRequest, Than, resolve
from tests.helpers.missed_opportunities import store_game
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import PUZZLES, put, row

FORK = "fork"


def found(store: Store, query: PuzzleQuery, filter_: PuzzleFilter) -> set[str]:
    names = {row(*puzzle).id: name for name, puzzle in PUZZLES.items()}
    with PuzzleSearcher(store) as searcher:
        hits = searcher.similar(SearchRequest(query, filter_))
    return {names.get(hit.puzzle.id, hit.puzzle.id) for hit in hits}


@pytest.fixture
def query(filled: Store) -> PuzzleQuery:
    return resolve(filled, row(*PUZZLES[FORK]).id)


def test_the_side_that_solves(filled_everywhere: Store, query: PuzzleQuery) -> None:
    assert found(filled_everywhere, query, PuzzleFilter(white=False)) == {"black's fork"}


def test_the_number_of_moves(filled_everywhere: Store, query: PuzzleQuery) -> None:
    two = {name for name, (_, moves) in PUZZLES.items() if len(moves.split()) == 3} - {FORK}
    assert found(filled_everywhere, query, PuzzleFilter(moves=(2, 2))) == two


@pytest.mark.parametrize(
    ("than", "rating", "expected"),
    [
        (Than.EASIER, (None, None), {"easier"}),
        (Than.HARDER, (None, None), {"harder"}),
        (Than.HARDER, (None, 1600), {"harder"}),
        (Than.HARDER, (1700, None), set()),
        (None, (1440, 1460), {"same"}),
    ],
)
def test_than_the_query(
    store: Store, than: Than | None, rating: tuple[int | None, int | None], expected: set[str]
) -> None:
    levels = {"easier": 1400, "same": 1450, "harder": 1600}
    names = ("back rank", "promotion", "smothered")
    rows = [
        row(*PUZZLES[name], source_id=level, rating=None, difficulty=float(levels[level]))
        for name, level in zip(names, levels, strict=True)
    ]
    put(store, *rows, row(*PUZZLES[FORK], source_id="query", rating=1500, difficulty=100.0))
    with PuzzleSearcher(store) as searcher:
        hits = searcher.similar(SearchRequest("query", PuzzleFilter(rating=rating), than_query=than))
    assert {hit.puzzle.source_id for hit in hits} == expected


def test_the_level_of_a_position_is_estimated(filled: Store) -> None:
    fen, moves = PUZZLES["back rank"]
    assert 300 < resolve(filled, fen, moves).level < 1200


@pytest.fixture
def tagged(store: Store) -> Store:
    tags = {"back rank": "mate", "smothered": "mate smotheredMate", "promotion": "promotion"}
    put(store, *(row(*PUZZLES[name], tags=tags.get(name, "")) for name in (*tags, FORK)))
    return store


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        pytest.param(PuzzleFilter(tags=("mate", "smotheredMate")), {"smothered"}, id="all"),
        pytest.param(PuzzleFilter(tags=("smotheredMate,promotion",)), {"smothered", "promotion"}, id="any"),
        pytest.param(PuzzleFilter(no_tags=("smotheredMate", "promotion")), {"back rank", FORK}, id="none"),
    ],
)
def test_tags(tagged: Store, filter_: PuzzleFilter, expected: set[str]) -> None:
    names = {row(*puzzle).id: name for name, puzzle in PUZZLES.items()}
    with tagged.reading() as session:
        assert {names[puzzle.id] for puzzle in find_puzzles(session, filter_)} == expected


def puzzle(fen: str) -> Puzzle:
    return puzzle_row("x", puzzle_fen=fen)


@pytest.mark.parametrize(
    ("fen", "accepted"),
    [
        pytest.param("r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1", False, id="the same"),
        pytest.param("4k2r/ppp2ppp/8/8/3n4/8/PPP2PPP/R3K2R b KQk - 0 1", False, id="with colours swapped"),
        pytest.param("r3k2r/1pp2ppp/p7/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1", False, id="a pawn has moved"),
        pytest.param("r3k2r/1p3ppp/p1p5/3N4/8/7P/PPP2PP1/4K2R w Kkq - 0 1", True, id="three pawns"),
    ],
)
def test_positions_that_are_nearly_the_same_are_left_out(
    monkeypatch: pytest.MonkeyPatch, fen: str, accepted: bool
) -> None:
    monkeypatch.setattr(filters, "NEARLY_SAME", 4)
    board = chess.Board(PUZZLES[FORK][0])
    asked = PuzzleQuery(board, (chess.Move.from_uci("d5c7"),), "x")
    assert SearchRequest(asked).accepts(puzzle(fen), [], asked) is accepted
    assert SearchRequest(asked).accepts(puzzle(fen), [puzzle(PUZZLES["promotion"][0])], asked) is accepted


@pytest.mark.parametrize("fen", ["", "damaged"])
def test_a_result_that_was_damaged_after_indexing(filled: Store, query: PuzzleQuery, fen: str) -> None:
    with PuzzleSearcher(filled) as searcher:
        with filled.session() as session:
            session.execute(update(Puzzle).where(Puzzle.id != query.id).values(puzzle_fen=fen))
        with pytest.raises(StoreError, match="is damaged"):
            searcher.similar(SearchRequest(query))


@pytest.mark.parametrize(
    ("fen", "solution", "accepted"),
    [
        ("4k3/8/8/3P4/8/2n5/8/3RK3 b - - 0 1", "d1d5", False),
        ("4k3/8/8/3P4/8/2n5/8/3RK3 b - - 0 1", "d1d2", True),
        ("4k3/8/8/8/8/2n5/8/3RK3 b - - 0 1", "d1d5", True),
    ],
)
def test_what_takes_back_is_not_worth_solving(fen: str, solution: str, accepted: bool) -> None:
    after = chess.Board(fen)
    after.push_uci("c3d5")
    puzzle = puzzle_row("x", fen=fen, blunder="c3d5", puzzle_fen=after.fen(), solution=solution)
    asked = PuzzleQuery(chess.Board(PUZZLES[FORK][0]), (chess.Move.from_uci("d5c7"),), "x")
    assert SearchRequest(asked, to_solve=True).accepts(puzzle, [], asked) is accepted


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [
        pytest.param({"audit_passed": False, "audit": {"verdict": "ambiguous"}}, True, id="unsound"),
        pytest.param({"first_move_chance": 0.9}, True, id="obvious"),
        pytest.param({"first_move_chance": 0.5}, False, id="not obvious"),
        pytest.param({}, False, id="not known"),
    ],
)
def test_what_is_offered_to_solve(store: Store, columns: dict[str, Any], left_out: bool) -> None:
    put(store, row(*PUZZLES[FORK], source_id="query"), row(*PUZZLES["smothered"], **columns))
    with PuzzleSearcher(store) as searcher:
        hits = searcher.similar(SearchRequest("query", to_solve=True))
    assert [hit.puzzle.puzzle_fen for hit in hits] == ([] if left_out else [PUZZLES["smothered"][0]])


def test_nobody_sees_puzzles_from_the_games_of_others(store: Store) -> None:
    fen, moves = PUZZLES["black's fork"]
    number = store_game(store)
    put(store, row(*PUZZLES[FORK], source_id="query"), row(fen, moves, game_number=number))
    with PuzzleSearcher(store) as searcher:
        found = {
            student: len(searcher.similar(SearchRequest("query", student=student)))
            for student in ("Ann", "Carol", None)
        }
    assert found == {"Ann": 1, "Carol": 0, None: 1}
