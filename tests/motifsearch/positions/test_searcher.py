"""Similar positions: the paper's example in a real index, every feature set, filters, and scores."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest

from chess_motif.errors import ClusterError, InputError
from db.games import GameFilter, archive_games, get_archived
from db.store import Store
from motifsearch.index import bm25
from motifsearch.positions import ranking, searcher
from motifsearch.positions.archiving import add_games
from motifsearch.positions.index import STRETCH, set_shards, sync_positions
from motifsearch.positions.ranking import (
    Colours,
    Place,
    best_of_games,
    candidates,
    likely_candidates,
    variants,
)
from motifsearch.positions.searcher import PositionFilters, PositionHit, PositionSearcher
from motifsearch.positions.terms import WEIGHTS, Family, FeatureSet
from puzzlegen.games.archive import open_archive
from puzzlegen.games.split import split_games
from tests.helpers.archived_games import archive, random_moves
from tests.helpers.rows import game_row

# The example of Ganguly, Leveling & Jones: its queen is on f3.
GOLDEN = "2rq1rk1/1p1n1pb1/p2pp1pp/7P/4PP2/1NN2QP1/PPP5/2KRR3 b - - 0 20"
QUEEN_ON_F2 = "2rq1rk1/1p1n1pb1/p2pp1pp/7P/4PP2/1NN3P1/PPP2Q2/2KRR3 b - - 0 20"
WITHOUT_QUEEN = "2rq1rk1/1p1n1pb1/p2pp1pp/7P/4PP2/1NN3P1/PPP5/2KRR3 b - - 0 20"
ENDGAME = "8/5pk1/6p1/8/3R4/6P1/r4PK1/8 w - - 0 40"


def put(store: Store, *starts: str, moves: str = "", **columns: object) -> None:
    """Archive games that start from these positions."""
    rows = [game_row(key_of(start, columns), start, moves, **columns) for start in starts]
    with store.session() as session:
        archive_games(session, rows)


def key_of(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def starts(found: Iterable[PositionHit]) -> list[str]:
    return [one.game.start for one in found]


def similar(store: Store, board: chess.Board | str, **options: Any) -> list[PositionHit]:
    with PositionSearcher(store) as searcher:
        return searcher.similar(board, **options)


def test_a_queen_that_can_go_to_f2_answers_a_queen_on_f2(sqlite_store: Store) -> None:
    put(sqlite_store, GOLDEN)
    queen = "4k3/8/8/8/8/8/5Q2/4K3 w - - 0 1"
    (found,) = similar(sqlite_store, queen, feature_set=FeatureSet.RCHBLE_POS, why=True)
    assert starts([found]) == [GOLDEN]
    assert [match.term for match in found.matched] == ["Qf2"]


def test_a_queen_on_f2_scores_more_than_one_that_can_go_there(sqlite_store: Store) -> None:
    put(sqlite_store, GOLDEN, QUEEN_ON_F2, WITHOUT_QUEEN, ENDGAME)
    found = similar(sqlite_store, QUEEN_ON_F2, feature_set=FeatureSet.RCHBLE_POS, why=True)
    assert starts(found)[:3] == [QUEEN_ON_F2, GOLDEN, WITHOUT_QUEEN]
    of_queen = [{match.term: match.score for match in one.matched}.get("Qf2", 0.0) for one in found[:3]]
    assert of_queen[0] > of_queen[1] > of_queen[2] == 0


# The Carlsbad structure with all pieces, with a rook each, with a pawn more, and with one elsewhere.
CARLSBAD = "r1bq1rk1/pp2bppp/2p2n2/3p4/3P4/2N1PN2/PPQ2PPP/R1B2RK1 w - - 0 14"
IN_ENDGAME = "4r1k1/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/4R1K1 w - - 0 30"
ONE_MORE = "4r1k1/pp3ppp/2p5/3p4/2PP4/4P3/PP3PPP/4R1K1 w - - 0 30"
ONE_ELSEWHERE = "r1bq1rk1/pp2bppp/2p2n2/3p4/3P4/2N1PN1P/PPQ2PP1/R1B2RK1 w - - 0 14"


def test_the_same_pawn_structure_comes_first_whatever_the_pieces(sqlite_store: Store) -> None:
    put(sqlite_store, ONE_ELSEWHERE, ONE_MORE, IN_ENDGAME, ENDGAME)
    found = similar(sqlite_store, CARLSBAD, pieces="pawns")
    assert starts(found)[:3] == [IN_ENDGAME, ONE_MORE, ONE_ELSEWHERE]
    assert similar(sqlite_store, CARLSBAD)[0].game.start == ONE_ELSEWHERE


def test_a_pawn_structure_with_colours_reversed(sqlite_store: Store) -> None:
    put(sqlite_store, chess.Board(IN_ENDGAME).mirror().fen(), ENDGAME)
    (first, *_) = similar(sqlite_store, CARLSBAD, pieces="pawns", why=True)
    assert first.reversed
    assert first.parts == {"pawns": pytest.approx(first.score, abs=1e-4)}
    assert {match.term for match in first.matched} == {
        *("pa7", "pb7", "pc6", "pd5", "pf7", "pg7", "ph7"),
        *("Pa2", "Pb2", "Pd4", "Pe3", "Pf2", "Pg2", "Ph2"),
    }


@pytest.mark.parametrize(
    ("options", "said"), [({"pieces": "pawns"}, "no pawn to compare"), ({"k": 0}, "at least 1")]
)
def test_what_cannot_be_asked_for(sqlite_store: Store, options: dict[str, Any], said: str) -> None:
    put(sqlite_store, ENDGAME)
    with pytest.raises(InputError, match=said):
        similar(sqlite_store, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", **options)


def test_without_reach_a_queen_elsewhere_is_no_answer(sqlite_store: Store) -> None:
    put(sqlite_store, GOLDEN, ENDGAME)
    found = similar(sqlite_store, QUEEN_ON_F2, feature_set=FeatureSet.TRUE_POS, why=True)
    assert "Qf2" not in {match.term for match in found[0].matched}


@pytest.mark.parametrize("feature_set", FeatureSet)
def test_in_every_run_a_score_is_that_of_its_parts_and_terms(
    sqlite_store: Store, feature_set: FeatureSet
) -> None:
    put(sqlite_store, QUEEN_ON_F2, WITHOUT_QUEEN, ENDGAME, GOLDEN)
    hits = similar(sqlite_store, GOLDEN, feature_set=feature_set, why=True)
    # Nothing is more alike than the position itself.
    assert hits[0].game.start == GOLDEN
    for found in hits:
        assert sum(found.parts.values()) == pytest.approx(found.score, abs=0.01)
        assert sum(match.score for match in found.matched) == pytest.approx(found.score, abs=0.01)
        # Reach counts with the placement that it matches.
        assert set(found.parts) <= set(WEIGHTS[feature_set]) - {Family.REACH}


def test_one_position_a_game_the_best_one(sqlite_store: Store) -> None:
    # The king walks away and comes back; the rook's pawn shows which of the two positions it is.
    put(sqlite_store, ENDGAME, moves="g2h2 g7h7 g3g4 h7g7 h2g2")
    found = similar(sqlite_store, ENDGAME)
    assert [(one.game.start, one.ply) for one in found] == [(ENDGAME, 0)]
    after = chess.Board(ENDGAME)
    for move in ("g2h2", "g7h7", "g3g4"):
        after.push_uci(move)
    (later,) = similar(sqlite_store, after)
    assert later.ply == 3
    assert later.board().fen() == after.fen()
    assert [move.uci() for move in later.played()[1]] == ["h7g7", "h2g2"]


def test_equal_positions_go_by_game(sqlite_store: Store) -> None:
    put(sqlite_store, GOLDEN, date="2001")
    put(sqlite_store, GOLDEN, date="2002")
    found = similar(sqlite_store, GOLDEN)
    assert [one.game.number for one in found] == [1, 2]
    assert found[0].score == found[1].score


def test_games_are_filtered_and_looked_for_deeper(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searcher, "CANDIDATES", 2)
    monkeypatch.setattr(bm25, "OVERFETCH_FACTOR", 2)
    for year in range(2001, 2009):
        put(store, GOLDEN, date=str(year))
    put(store, ENDGAME, date="2010")
    filters = PositionFilters(GameFilter(date=("2007", None)))
    found = similar(store, GOLDEN, filters=filters)
    assert [one.game.game.date for one in found] == ["2007", "2008", "2010"]


def test_only_positions_of_some_material(sqlite_store: Store) -> None:
    put(sqlite_store, GOLDEN, WITHOUT_QUEEN, ENDGAME)
    filters = PositionFilters(material="KRPP-KRPP")
    found = similar(sqlite_store, GOLDEN, filters=filters)
    assert starts(found) == [ENDGAME]
    scores = {one.game.start: one.score for one in similar(sqlite_store, GOLDEN)}
    assert found[0].score == scores[ENDGAME] > 0


REVERSED = chess.Board(QUEEN_ON_F2).mirror().fen()


def test_reversed_colours_are_searched_by_default(sqlite_store: Store) -> None:
    put(sqlite_store, ENDGAME, REVERSED)
    found = similar(sqlite_store, QUEEN_ON_F2)
    assert [(one.game.start, one.reversed) for one in found] == [(REVERSED, True), (ENDGAME, False)]
    same = similar(sqlite_store, QUEEN_ON_F2, colours="same")
    assert [one.reversed for one in same] == [False, False]


@pytest.mark.parametrize("feature_set", FeatureSet)
def test_a_reversed_position_scores_what_it_would_score_otherwise(
    sqlite_store: Store, feature_set: FeatureSet
) -> None:
    # The other games make terms of White and Black differently rare.
    put(sqlite_store, GOLDEN, WITHOUT_QUEEN, REVERSED, QUEEN_ON_F2)
    hits = similar(sqlite_store, QUEEN_ON_F2, feature_set=feature_set, why=True)
    found = {one.game.start: one for one in hits}
    same, reversed_one = found[QUEEN_ON_F2], found[REVERSED]
    assert (same.reversed, reversed_one.reversed) == (False, True)
    assert reversed_one.score == pytest.approx(same.score, abs=0.002)
    assert reversed_one.parts == pytest.approx(same.parts, abs=0.002)
    assert {match.term for match in reversed_one.matched} == {match.term for match in same.matched}


def test_a_reversed_position_is_shown_with_the_colours_of_the_query(sqlite_store: Store) -> None:
    put(sqlite_store, chess.Board(ENDGAME).mirror().fen(), moves="d5d2 g2f3")
    (found,) = similar(sqlite_store, ENDGAME)
    board, moves = found.as_query()
    assert board.fen() == ENDGAME
    assert [move.uci() for move in moves] == ["d4d7", "g7f6"]
    assert found.board() == board.mirror()


def test_one_position_a_game_whichever_its_colours(sqlite_store: Store) -> None:
    # First the reversed position; then both rooks move, so that it differs.
    put(sqlite_store, chess.Board(ENDGAME).mirror().fen(), moves="d5d3 a7a6")
    found = similar(sqlite_store, ENDGAME)
    assert [(one.ply, one.reversed) for one in found] == [(0, True)]


def test_material_is_reversed_with_the_colours(sqlite_store: Store) -> None:
    pawn_up = "8/5pk1/6p1/8/3R4/6P1/r4P1K/7B w - - 0 40"
    put(sqlite_store, pawn_up, chess.Board(pawn_up).mirror().fen(), ENDGAME)
    found = similar(sqlite_store, pawn_up, filters=PositionFilters(material="KRBPP-KRPP"))
    assert [one.reversed for one in found] == [False, True]


def test_an_open_searcher_finds_a_new_game_once_it_is_refreshed(sqlite_store: Store) -> None:
    put(sqlite_store, ENDGAME)
    with PositionSearcher(sqlite_store) as searcher:
        put(sqlite_store, GOLDEN)
        assert starts(searcher.similar(GOLDEN)) == [ENDGAME]
        searcher.refresh()
        assert starts(searcher.similar(GOLDEN)) == [GOLDEN, ENDGAME]


def test_nothing_is_archived(sqlite_store: Store) -> None:
    with pytest.raises(InputError, match="positions add"):
        similar(sqlite_store, chess.Board())


def test_a_cluster_without_dask_says_how_to_get_it(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'chess-motif\[cluster\]'"):
        PositionSearcher(sqlite_store, cluster="tcp://127.0.0.1:8786")


def test_the_feature_sets_are_those_of_the_paper() -> None:
    def families(feature_set: FeatureSet) -> set[str]:
        return {family.value for family in WEIGHTS[feature_set]}

    assert {one: families(one) for one in FeatureSet if one is not FeatureSet.DEFAULT} == {
        "TruePos": {"placed"},
        "RchblePos": {"placed", "reach"},
        "Attk": {"placed", "reach", "attack"},
        "Dfns": {"placed", "reach", "defence"},
        "RayAttk": {"placed", "reach", "xray"},
        "CombNoRay": {"placed", "reach", "attack", "defence"},
        "CombAll": {"placed", "reach", "attack", "defence", "xray"},
    }


def test_a_real_game_is_found_by_its_position(sqlite_store: Store, data: Path, tmp_path: Path) -> None:
    with open_archive(str(data / "icofy_1314.pgn.zst")) as archive:
        games = [game.text for game in islice(split_games(archive.chunks()), 100)]
    some = tmp_path / "some.pgn"
    some.write_bytes(b"".join(games))
    add_games([str(some)], sqlite_store)
    with sqlite_store.reading() as session:
        (game,) = get_archived(session, [50]).values()
        board = chess.Board()
        for move in game.moves.split()[:30]:
            board.push_uci(move)
    (found,) = similar(sqlite_store, board.fen(), feature_set=FeatureSet.COMB_ALL, k=1)
    assert (found.game.number, found.ply) == (50, 30)


@pytest.fixture
def random_games(sqlite_store: Store) -> Store:
    archive(sqlite_store, *(game_row(key_of(seed), "", random_moves(seed)) for seed in range(20)))
    return sqlite_store


def position_of(store: Store, number: int) -> chess.Board:
    with store.reading() as session:
        return get_archived(session, [number])[number].played(40)[0]


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("feature_set", [FeatureSet.COMB_ALL, FeatureSet.DEFAULT])
def test_two_stages_find_the_best_with_their_scores(
    random_games: Store, monkeypatch: pytest.MonkeyPatch, shards: int, feature_set: FeatureSet
) -> None:
    set_shards(random_games, shards)
    index, _ = sync_positions(random_games)
    query = variants(index, position_of(random_games, 7), feature_set, Colours.EITHER)
    exact = {(one.place, one.reversed): one.score for one in candidates(index, query, 10_000)}
    monkeypatch.setattr(ranking, "STRETCHES", 6)
    likely = likely_candidates(index, query, 10_000)
    # At most 6 of each variant, and one more for each shard but the first.
    assert 0 < len(likely) <= 2 * STRETCH * (6 + shards - 1) < len(exact)
    assert [one.score for one in likely] == pytest.approx([exact[one.place, one.reversed] for one in likely])
    assert best_of_games(likely)[0].place == Place(7, 40)


def test_two_stages_find_everything_in_enough_stretches(random_games: Store) -> None:
    index, _ = sync_positions(random_games)
    query = variants(index, position_of(random_games, 7), FeatureSet.DEFAULT)
    everything = candidates(index, query, 10_000)
    assert best_of_games(likely_candidates(index, query, 10_000)) == best_of_games(everything)


def test_a_search_in_two_stages_that_finds_too_few_games_goes_on(
    random_games: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = position_of(random_games, 7)
    exhaustive = similar(random_games, board, k=15)
    monkeypatch.setattr(searcher, "stages_are_faster", lambda query: True)
    monkeypatch.setattr(ranking, "STRETCHES", 1)
    staged = similar(random_games, board, k=15)
    assert [(one.game.number, one.ply, one.score) for one in staged] == [
        (one.game.number, one.ply, one.score) for one in exhaustive
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"pieces": "pawns"},
        {"filters": PositionFilters(GameFilter(player="Ann"))},
        {"filters": PositionFilters(material="K-K")},
        {"k": searcher.MOST_LIKELY + 1},
    ],
    ids=str,
)
def test_a_search_for_some_or_for_many_is_exhaustive(
    random_games: Store, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setattr(searcher, "stages_are_faster", lambda query: True)
    monkeypatch.delattr(searcher, "likely_candidates")
    similar(random_games, position_of(random_games, 7), **options)
