"""How often perturbed positions are found, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import chess
import pytest

from benchmarks.perturbed import Planted, temporary_copy
from benchmarks.transformations import figures, measure_transformations
from chess_motif.console import json_text
from chess_motif.errors import InputError
from db.games import archive_games
from db.store import Store
from motifsearch.index.directory import Writer
from motifsearch.positions.index import OPENING_MOVES, set_shards, sync_positions
from motifsearch.positions.ranking import Colours
from motifsearch.positions.terms import FeatureSet
from tests.helpers.archived_games import random_moves
from tests.helpers.commands import Command, CommandOn
from tests.helpers.rows import game_row

MIDDLEGAME = "r1bq1rk1/pp1nbppp/2p1pn2/3p4/2PP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 8"
ENDGAME = "8/5pk1/6p1/R6p/7P/r4PP1/6K1/8 w - - 0 40"
KINGS = "8/8/4k3/8/8/4K3/8/8 w - - 0 1"


def archive(store: Store, *games: tuple[str, str]) -> Store:
    """Archive games, each given by its first position (empty for the usual one) and its moves."""
    with store.session() as session:
        archive_games(session, [game_row(f"key {number}", *game) for number, game in enumerate(games)])
    return store


def from_position(fen: str, moves: str = "") -> tuple[str, str]:
    return fen, moves


@pytest.fixture
def archived(sqlite_store: Store) -> Store:
    return archive(sqlite_store, *(("", random_moves(seed)) for seed in range(8)))


@contextmanager
def plant(store: Store, *groups: list[str]) -> Iterator[Planted]:
    _, made = sync_positions(store)
    with temporary_copy(made.folders) as index:
        yield Planted(index, [[chess.Board(fen) for fen in group] for group in groups])


def files(directory: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def test_a_copy_of_a_position_is_found_first_by_every_feature_set(archived: Store) -> None:
    report = measure_transformations(archived, 8)
    fens = [query.board.fen() for query in report.sampled]
    with plant(archived, *([fen] for fen in fens)) as copies:
        for place, fen in enumerate(fens):
            assert copies.ranks(place, chess.Board(fen)) == {feature_set: [1] for feature_set in FeatureSet}


def test_a_game_without_an_indexed_position_adds_none(sqlite_store: Store) -> None:
    archive(sqlite_store, from_position(MIDDLEGAME, "a2a3"), ("", "e2e4 e7e5"))
    assert measure_transformations(sqlite_store, 1).positions == 2


def test_games_with_the_position_do_not_count(sqlite_store: Store) -> None:
    archive(
        sqlite_store, from_position(MIDDLEGAME), from_position(MIDDLEGAME, "a2a3"), from_position(ENDGAME)
    )
    with plant(sqlite_store, [MIDDLEGAME]) as copies:
        assert copies.ranks(0, chess.Board(MIDDLEGAME))[FeatureSet.COMB_ALL] == [1]


def test_a_game_with_the_same_score_is_ranked_first(sqlite_store: Store) -> None:
    board = chess.Board(MIDDLEGAME)
    board.push_uci("a2a3")
    archive(sqlite_store, from_position(MIDDLEGAME), from_position(board.fen()), from_position(ENDGAME))
    with plant(sqlite_store, [board.fen(), ENDGAME]) as copies:
        assert copies.ranks(0, chess.Board(MIDDLEGAME))[FeatureSet.COMB_ALL] == [2, 3]


def test_with_either_colours_reversed_positions_compete(sqlite_store: Store) -> None:
    itself, near, far = (chess.Board(MIDDLEGAME) for _ in range(3))
    near.set_piece_at(chess.A3, near.remove_piece_at(chess.A2))
    far.set_piece_at(chess.A3, far.remove_piece_at(chess.F3))
    far.set_piece_at(chess.H6, far.remove_piece_at(chess.F6))
    # A game with the position itself does not count, whichever its colours.
    archive(sqlite_store, *(from_position(board.mirror().fen()) for board in (itself, near)))
    with plant(sqlite_store, [far.fen()]) as copies:
        for colours, rank in ((Colours.SAME, 1), (Colours.EITHER, 2)):
            assert copies.ranks(0, itself, colours)[FeatureSet.TRUE_POS] == [rank]


def test_positions_planted_for_other_queries_do_not_count(sqlite_store: Store) -> None:
    board = chess.Board(MIDDLEGAME)
    board.push_uci("a2a3")
    archive(sqlite_store, from_position(MIDDLEGAME), from_position(KINGS))
    with plant(sqlite_store, [board.fen()], [ENDGAME]) as positions:
        assert positions.ranks(1, chess.Board(MIDDLEGAME))[FeatureSet.TRUE_POS] == [1]


def test_games_with_more_pieces_around_the_position_count(sqlite_store: Store) -> None:
    more = chess.Board(MIDDLEGAME)
    more.set_piece_at(chess.A6, chess.Piece.from_symbol("b"))
    archive(sqlite_store, from_position(MIDDLEGAME), from_position(more.fen()))
    with plant(sqlite_store, [ENDGAME]) as positions:
        assert positions.ranks(0, chess.Board(MIDDLEGAME))[FeatureSet.TRUE_POS] == [2]


def test_the_index_is_as_it_was(archived: Store) -> None:
    _, made = sync_positions(archived)
    before = files(made.path.parent)
    measure_transformations(archived, 8)
    assert files(made.path.parent) == before


def test_the_index_can_be_written_while_there_is_a_copy(archived: Store) -> None:
    index, made = sync_positions(archived)
    (shard,) = index.shards
    with temporary_copy(made.folders) as copy, closing(Writer(copy.shards[0])), closing(Writer(shard)):
        pass


def test_shards_find_a_copy_of_a_position_first(archived: Store) -> None:
    set_shards(archived, 3)
    report = measure_transformations(archived, 8)
    fens = [query.board.fen() for query in report.sampled]
    with plant(archived, *([fen] for fen in fens)) as copies:
        for place, fen in enumerate(fens):
            assert copies.ranks(place, chess.Board(fen))[FeatureSet.TRUE_POS] == [1]


def test_the_copy_goes_away_when_something_fails(archived: Store) -> None:
    _, made = sync_positions(archived)
    before = files(made.path.parent)
    with pytest.raises(KeyboardInterrupt), temporary_copy(made.folders):
        raise KeyboardInterrupt
    assert files(made.path.parent) == before


def test_each_query_is_from_another_game_after_its_opening(archived: Store) -> None:
    sampled = measure_transformations(archived, 8).sampled
    assert len({query.key for query in sampled}) == 8
    assert all(2 * OPENING_MOVES <= query.ply <= 60 for query in sampled)


def test_a_seed_samples_the_same_again_and_another_seed_others(archived: Store) -> None:
    one, again, other = (measure_transformations(archived, 4, seed=seed).as_dict() for seed in (1, 1, 2))
    assert one == again
    assert one["ranks"] != other["ranks"]


def test_without_a_position_to_sample_there_is_nothing_to_measure(sqlite_store: Store) -> None:
    archive(sqlite_store, ("", "e2e4 e7e5"))
    with pytest.raises(InputError, match="no archived game has a position"):
        measure_transformations(sqlite_store, 3)


def test_figures_are_means_over_queries() -> None:
    found = figures([[1, None], [2, 20], [4]])
    assert found is not None
    assert found.planted == 5
    assert found.top1.mean == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert found.top10.mean == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert found.mrr.mean == pytest.approx((1 / 2 + (1 / 2 + 1 / 20) / 2 + 1 / 4) / 3)


@pytest.mark.parametrize(
    ("ranks", "low", "high"),
    [([[2]] * 10, 0, 0.2775), ([[1]] * 10, 0.7225, 1), ([[1]] * 5 + [[2]] * 5, 0.2366, 0.7634)],
)
def test_intervals_are_wilsons(ranks: list[list[int]], low: float, high: float) -> None:
    found = figures(ranks)
    assert found is not None
    assert found.top1[1:] == pytest.approx((low, high), abs=1e-4)


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "benchmarks.transformations")


def test_the_command_prints_one_json_document(archived: Store, command: Command) -> None:
    status, out, err = command("--queries", "4", "--seed", "3", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document == json.loads(json_text(measure_transformations(archived, 4, seed=3).as_dict()))
    assert document["colours"] == "same"
    assert set(document["figures"]) == {*FeatureSet}
    assert set(document["figures"]["CombAll"]) == {"1", "2", "3", "4", "all"}


def test_the_command_prints_every_feature_set_and_says_when_there_are_fewer_positions(
    archived: Store, command: Command
) -> None:
    status, out, err = command("--queries", "9")
    assert status == 0
    assert "8 positions" in out
    assert "only 8 positions" in err
    assert all(out.count(f"\n{feature_set} ") == 3 for feature_set in FeatureSet)


def test_pieces_that_could_not_be_moved_have_no_figures(sqlite_store: Store, command: Command) -> None:
    archive(sqlite_store, from_position(KINGS))
    _, out, _ = command("--queries", "1")
    lines = [line.split() for line in out.splitlines() if line.startswith("TruePos")]
    assert lines[0][5:7] == ["–", "–"]


def test_without_games_it_says_so_in_one_line(command: Command) -> None:
    status, out, err = command()
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1


def test_no_queries_are_wrong_usage(command: Command) -> None:
    assert command("--queries", "0")[0] == 2
