"""Searches by vectors, and by vectors and terms, in small archives with a memory of their own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import chess
import pytest

from chess_motif.errors import IndexUnavailableError, InputError
from chess_motif.material import material_of
from db.games import GameFilter
from db.store import Store
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.opening import OPENING_MOVES
from motifsearch.positions.searcher import PositionFilters, PositionHit, PositionSearcher
from motifsearch.runs.fusion import VECTORS
from motifsearch.runs.names import WITH_MEMORY, Run
from motifsearch.runs.searcher import RunSearcher
from tests.helpers.archived_games import archive, random_moves
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.remembered_games import ENDGAME, MIDDLEGAME
from tests.helpers.rows import game_row

# A rook's check from the side: only Black can be to move.
IN_CHECK = "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"


def similar(store: Store, board: chess.Board | str, run: Run, **options: Any) -> list[PositionHit]:
    with RunSearcher(store) as searcher:
        return searcher.similar(board, run=run, **options)


def of_player(name: str) -> PositionFilters:
    return PositionFilters(GameFilter(player=name))


def keys(hits: Sequence[PositionHit]) -> list[str]:
    return [hit.game.game.key for hit in hits]


def places(hits: Sequence[PositionHit]) -> list[tuple[str, int]]:
    return [(hit.game.game.key, hit.ply) for hit in hits]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_a_position_finds_itself_first(remembered: Store, run: Run) -> None:
    (first, *_) = similar(remembered, MIDDLEGAME, run)
    assert (first.game.game.key, first.ply, first.reversed) == ("middlegame", 0, False)


def test_the_same_position_scores_100(remembered: Store) -> None:
    assert similar(remembered, MIDDLEGAME, Run.EMBEDDED, k=1)[0].score == pytest.approx(100, abs=0.1)


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_the_side_to_move_does_not_matter(remembered: Store, run: Run) -> None:
    other = chess.Board(MIDDLEGAME)
    other.turn = chess.BLACK
    first, second = (similar(remembered, board, run) for board in (chess.Board(MIDDLEGAME), other))
    assert places(first) == places(second)


def test_a_position_in_which_one_side_cannot_be_to_move(remembered: Store) -> None:
    assert similar(remembered, IN_CHECK, Run.EMBEDDED)


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_colours_reversed_are_found_and_marked(remembered: Store, run: Run) -> None:
    (first, *_) = similar(remembered, chess.Board(MIDDLEGAME).mirror(), run)
    assert (first.game.game.key, first.ply, first.reversed) == ("middlegame", 0, True)


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_colours_reversed_are_left_out_when_asked(remembered: Store, run: Run) -> None:
    mirrored = chess.Board(MIDDLEGAME).mirror()
    assert not any(hit.reversed for hit in similar(remembered, mirrored, run, colours=Colours.SAME))


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_a_side_in_the_filter_fixes_the_colours(remembered: Store, run: Run) -> None:
    filters = PositionFilters(GameFilter(white="Ann"))
    mirrored = chess.Board(MIDDLEGAME).mirror()
    assert [hit.reversed for hit in similar(remembered, mirrored, run, filters=filters)] == [False]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_the_best_position_of_each_game(remembered: Store, run: Run) -> None:
    found = keys(similar(remembered, MIDDLEGAME, run, k=100))
    assert sorted(found) == ["endgame", "middlegame", *(f"random {seed}" for seed in range(6))]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_as_many_results_as_asked_for_best_first(remembered: Store, run: Run) -> None:
    three, all_of_them = (similar(remembered, MIDDLEGAME, run, k=k) for k in (3, 100))
    assert places(three) == places(all_of_them)[:3]
    scores = [hit.score for hit in all_of_them]
    assert scores == sorted(scores, reverse=True)
    assert [hit.rank for hit in three] == [1, 2, 3]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_no_position_of_an_opening_is_found(remembered: Store, run: Run) -> None:
    hits = similar(remembered, chess.Board(), run, k=100)
    assert all(hit.ply >= 2 * OPENING_MOVES for hit in hits if not hit.game.start)


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_only_games_that_pass_the_filter(remembered: Store, run: Run) -> None:
    filters = PositionFilters(GameFilter(player="Cid"))
    assert keys(similar(remembered, MIDDLEGAME, run, filters=filters)) == ["endgame"]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_only_positions_with_the_material(remembered: Store, run: Run) -> None:
    filters = PositionFilters(material=material_of(chess.Board(ENDGAME)))
    found = similar(remembered, MIDDLEGAME, run, filters=filters, colours=Colours.SAME)
    assert keys(found) == ["endgame"]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_material_is_reversed_with_the_colours(remembered: Store, run: Run) -> None:
    mirrored = chess.Board(ENDGAME).mirror()
    (found,) = similar(remembered, mirrored, run, filters=PositionFilters(material=material_of(mirrored)))
    assert (found.game.game.key, found.reversed) == ("endgame", True)


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_the_parts_add_up_to_the_score(remembered: Store, run: Run) -> None:
    for hit in similar(remembered, MIDDLEGAME, run):
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=0.002)


def test_only_fused_lists_terms(remembered: Store) -> None:
    embedded, union = (similar(remembered, MIDDLEGAME, run, why=True)[0] for run in WITH_MEMORY)
    assert embedded.matched == ()
    assert union.matched != ()


def test_terms_of_fused_add_up_to_their_part(remembered: Store) -> None:
    for hit in similar(remembered, MIDDLEGAME, Run.FUSED, why=True):
        terms = sum(part for name, part in hit.parts.items() if name != VECTORS)
        assert sum(match.score for match in hit.matched) == pytest.approx(terms, abs=0.05)


def test_a_feature_set_searches_as_the_searcher_of_positions_does(remembered: Store) -> None:
    with PositionSearcher(remembered) as searcher:
        expected = searcher.similar(MIDDLEGAME, feature_set=FeatureSet.TRUE_POS)
    found = similar(remembered, MIDDLEGAME, Run.TRUE_POS)
    assert [(*place, hit.score) for place, hit in zip(places(found), found, strict=True)] == [
        (*place, hit.score) for place, hit in zip(places(expected), expected, strict=True)
    ]


@pytest.mark.parametrize("run", WITH_MEMORY)
def test_without_a_memory_the_command_that_makes_one_is_named(sqlite_store: Store, run: Run) -> None:
    archive(sqlite_store, game_row("middlegame", MIDDLEGAME, "a2a3"))
    with pytest.raises(IndexUnavailableError, match="'motifsearch retrieval build' makes one"):
        similar(sqlite_store, MIDDLEGAME, run)


def test_without_a_memory_the_runs_that_need_it_are_left_out(sqlite_store: Store) -> None:
    with RunSearcher(sqlite_store) as searcher:
        assert not {*searcher.runs} & {*WITH_MEMORY}


def test_without_faiss_they_are_left_out(remembered: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("motifsearch.r")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "faiss", None)
    with RunSearcher(remembered) as searcher:
        assert "chess-motif[retrieval]" in (searcher.left_out or "")


def test_games_that_the_memory_lacks_are_reported(remembered: Store) -> None:
    archive(remembered, game_row("new", moves=random_moves(9)))
    progress = RecordingProgress()
    with RunSearcher(remembered, progress=progress) as searcher:
        searcher.similar(MIDDLEGAME, run=Run.EMBEDDED)
    assert progress.notices == [
        "1 archived game not in the memory yet: 'motifsearch retrieval build' adds what is missing"
    ]


def test_no_results_are_an_error(remembered: Store) -> None:
    with pytest.raises(InputError, match="at least 1"):
        similar(remembered, MIDDLEGAME, Run.EMBEDDED, k=0)
