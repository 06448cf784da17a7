"""Searching: what is found, in which order, and what the scores add up to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest

from chess_motif.errors import InputError, PositionError, UnknownPuzzleError
from db.puzzles import PuzzleFilter, delete_puzzles
from db.store import Store
from motifsearch.index import sync
from motifsearch.puzzles import searcher as puzzle_searcher
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.ranking import clauses
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher, record_shown
from motifsearch.search import By, PuzzleQuery, SearchRequest, resolve
from motifsearch.terms.weights import DYNAMIC_FIELDS, ENCODINGS, FIELDS, PAPER, STATIC_FIELDS
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

NO_TERMS: dict[str, list[str]] = {field: [] for field in FIELDS}
EVERY_WAY = [(mode, by) for mode in ENCODINGS for by in By]


def similar(
    store: Store, query: PuzzleQuery | str, *, mode: str = "default", **options: Any
) -> list[PuzzleHit]:
    with PuzzleSearcher(store, mode) as searcher:
        return searcher.similar(SearchRequest(query, **options))


def ids(store: Store, name: str, **options: Any) -> list[str]:
    return [hit.puzzle.id for hit in similar(store, id_of(name), **options)]


def test_the_same_motif_comes_first(filled_everywhere: Store) -> None:
    assert ids(filled_everywhere, "back rank")[0] == id_of("back rank, two moves")


def test_a_puzzle_does_not_find_itself(filled: Store) -> None:
    assert id_of("back rank") not in ids(filled, "back rank")


def test_a_stored_puzzle_given_as_a_position_does_not_find_itself(filled: Store) -> None:
    fen, moves = PUZZLES["back rank"]
    hits = similar(filled, resolve(filled, fen.replace("0 1", "7 33"), moves))
    assert id_of("back rank") not in [hit.puzzle.id for hit in hits]


@pytest.mark.parametrize(("mode", "by"), EVERY_WAY)
def test_scores_are_their_parts_and_fall(filled: Store, mode: str, by: By) -> None:
    hits = similar(filled, id_of("greek gift"), mode=mode, by=by)
    assert hits
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(("by", "left_out"), [(By.DYNAMIC, "static"), (By.STATIC, "dynamic")])
def test_one_kind_of_terms_leaves_the_other_out(filled: Store, by: By, left_out: str) -> None:
    assert {getattr(hit, left_out) for hit in similar(filled, id_of("fork"), by=by)} == {0.0}


@pytest.mark.parametrize("k", [2, len(PUZZLES) - 1, 10**12])
def test_as_many_results_as_asked_for_and_there_are(filled: Store, k: int) -> None:
    assert len(ids(filled, "fork", k=k)) == min(k, len(PUZZLES) - 1)


@pytest.mark.parametrize(("mode", "by"), EVERY_WAY)
def test_the_matched_terms_add_up_to_the_score(filled: Store, mode: str, by: By) -> None:
    for hit in similar(filled, id_of("greek gift"), mode=mode, by=by, why=True):
        assert sum(match.score for match in hit.matched) == pytest.approx(hit.score, abs=0.002)


@pytest.mark.parametrize("why", [False, True])
def test_terms_and_reasons_are_told_only_when_asked_for(filled: Store, why: bool) -> None:
    (first,) = similar(filled, id_of("fork"), k=1, why=why)
    assert (bool(first.matched), bool(first.reasons)) == (why, why)


def test_default_mode_finds_the_mirror_image(filled: Store) -> None:
    fen, _ = PUZZLES["smothered"]
    twin = row(chess.Board(fen).mirror().fen(), "h3f2")
    put(filled, twin)
    assert ids(filled, "smothered")[0] == twin.id


def test_ties_go_by_id_even_across_the_last_place(filled: Store) -> None:
    fen, moves = PUZZLES["smothered"]
    names = ["d", "b", "e", "a", "f", "c"]
    put(filled, *(row(fen, moves, id=name) for name in names))
    assert ids(filled, "smothered", k=3) == ["a", "b", "c"]


@pytest.mark.parametrize(("looked_at", "most_named"), [(1, 100), (1, 0), (1, 3)])
@pytest.mark.parametrize(
    "stored", [PuzzleFilter(), PuzzleFilter(moves=(2, 2)), PuzzleFilter(moves=(9, None))]
)
def test_filters_find_the_same_whoever_applies_them(
    filled_everywhere: Store,
    monkeypatch: pytest.MonkeyPatch,
    looked_at: int,
    most_named: int,
    stored: PuzzleFilter,
) -> None:
    with PuzzleSearcher(filled_everywhere) as searcher:
        expected = searcher.similar(SearchRequest(id_of("fork"), stored))
        monkeypatch.setattr(puzzle_searcher, "LOOKED_AT", looked_at)
        monkeypatch.setattr(puzzle_searcher, "MOST_NAMED", most_named)
        for k in (1, 2, 10):
            found = searcher.similar(SearchRequest(id_of("fork"), stored, k=k))
            assert [(hit.puzzle.id, hit.score) for hit in found] == [
                (hit.puzzle.id, hit.score) for hit in expected[:k]
            ]


def test_a_named_puzzle_without_a_common_term_is_no_result(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzle_searcher, "LOOKED_AT", 0)
    filters = PuzzleFilter(source="test")
    query = resolve(filled, "1q4k1/8/8/8/8/8/8/7K b - - 0 1", "b8b6")
    assert similar(filled, query, by=By.DYNAMIC, mode="paper", filters=filters) == []


def test_an_open_searcher_finds_a_new_puzzle_once_it_is_refreshed(filled_everywhere: Store) -> None:
    with PuzzleSearcher(filled_everywhere) as searcher:
        put(filled_everywhere, row(*PUZZLES["smothered"], id="twin"))
        assert "twin" not in [hit.puzzle.id for hit in searcher.similar(SearchRequest(id_of("smothered")))]
        searcher.refresh()
        assert searcher.similar(SearchRequest(id_of("smothered")))[0].puzzle.id == "twin"


def test_a_puzzle_deleted_since_the_searcher_was_opened_is_no_result(filled_everywhere: Store) -> None:
    with PuzzleSearcher(filled_everywhere) as searcher:
        first = searcher.similar(SearchRequest(id_of("smothered")))[0].puzzle.id
        with filled_everywhere.session() as session:
            delete_puzzles(session, [first])
        assert first not in [hit.puzzle.id for hit in searcher.similar(SearchRequest(id_of("smothered")))]


def test_an_open_searcher_answers_without_a_look_at_the_index_on_disk(filled: Store, tmp_path: Path) -> None:
    with PuzzleSearcher(filled, directory=tmp_path / "index") as searcher:
        expected = searcher.similar(SearchRequest(id_of("fork")))
        (tmp_path / "index").rename(tmp_path / "elsewhere")
        assert [hit.score for hit in searcher.similar(SearchRequest(id_of("fork")))] == [
            hit.score for hit in expected
        ]


def test_a_searcher_takes_a_fen(filled: Store, stockfish: str) -> None:
    (hit,) = similar(filled, PUZZLES["back rank"][0], k=1)
    assert hit.puzzle.id == id_of("back rank, two moves")


def test_a_closed_searcher_says_so(filled: Store) -> None:
    with PuzzleSearcher(filled) as searcher:
        pass
    searcher.close()
    with pytest.raises(ValueError, match="closed"):
        searcher.similar(SearchRequest(id_of("fork")))


def test_a_searcher_without_puzzles_cannot_be_opened(sqlite_store: Store) -> None:
    with pytest.raises(InputError, match="no puzzles yet"):
        PuzzleSearcher(sqlite_store)


def test_a_search_writes_nothing(filled: Store) -> None:
    filters = PuzzleFilter(new_to="the class")
    assert ids(filled, "fork", filters=filters) == ids(filled, "fork", filters=filters) != []


def test_what_was_shown_is_not_new_again(filled_everywhere: Store) -> None:
    filters = PuzzleFilter(new_to="the class")
    with PuzzleSearcher(filled_everywhere) as searcher:
        everything = searcher.similar(SearchRequest(id_of("fork")))
        first = searcher.similar(SearchRequest(id_of("fork"), filters, k=2))
        record_shown(filled_everywhere, "the class", first)
        again = searcher.similar(SearchRequest(id_of("fork"), filters, k=2))
    shown = [hit.puzzle.id for hit in (*first, *again)]
    assert shown == [hit.puzzle.id for hit in everything[:4]]


def test_a_query_of_unknown_terms_finds_nothing(filled: Store) -> None:
    query = resolve(filled, "1q4k1/8/8/8/8/8/8/7K b - - 0 1", "b8b6")
    assert similar(filled, query, by=By.DYNAMIC, mode="paper") == []


def test_a_square_in_reach_counts_less_than_the_square(filled: Store) -> None:
    index, _ = sync_puzzles(filled)
    terms = {**NO_TERMS, "static_positions": ["Ra8"]}
    (clause,) = clauses(index, terms, PAPER, STATIC_FIELDS)
    assert clause.boosts == {("static_positions", "Ra8|0.23"): pytest.approx(0.23)}


def test_a_term_that_is_repeated_counts_as_often(filled: Store) -> None:
    index, _ = sync_puzzles(filled, PAPER)
    terms = {**NO_TERMS, "dynamic_solution": ["!-R", "!-R"]}
    (clause,) = clauses(index, terms, PAPER, DYNAMIC_FIELDS)
    assert clause.boosts == {("dynamic_solution", "!-R"): 2.0}


def test_an_empty_database_says_what_to_do(sqlite_store: Store) -> None:
    with pytest.raises(InputError, match=r"puzzlegen mine.*puzzlegen import"):
        resolve(sqlite_store, "anything")


def test_an_unknown_id(filled_everywhere: Store) -> None:
    with pytest.raises(UnknownPuzzleError, match="nowhere"):
        resolve(filled_everywhere, "nowhere")


def test_an_illegal_solution(filled: Store) -> None:
    with pytest.raises(PositionError, match="a1b3"):
        resolve(filled, PUZZLES["back rank"][0], "a1b3")


def test_a_position_alone_is_solved_by_an_engine(filled: Store, stockfish: str) -> None:
    query = resolve(filled, PUZZLES["back rank"][0], engine=stockfish)
    assert query.moves == (chess.Move.from_uci("a1a8"),)


def test_an_open_searcher_finds_what_another_store_adds_and_deletes(
    filled_everywhere: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "LOOK_EVERY", 0.0)
    new = row("7k/6pp/8/8/8/8/6PP/R6K w - - 0 1", "a1a8")
    with PuzzleSearcher(filled_everywhere) as searcher, Store(filled_everywhere.address) as other:

        def found() -> bool:
            return new.id in [hit.puzzle.id for hit in searcher.similar(SearchRequest(id_of("back rank")))]

        assert not found()
        put(other, new)
        assert found()
        with other.session() as session:
            delete_puzzles(session, [new.id])
        assert not found()


def test_an_open_searcher_looks_for_changes_every_few_seconds_only(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PuzzleSearcher(filled) as searcher:
        monkeypatch.setattr(searcher, "_state", lambda: pytest.fail("looked again"))
        searcher.similar(SearchRequest(id_of("fork")))
