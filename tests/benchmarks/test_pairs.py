"""Pairs made of stored puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from benchmarks.pairs import Kind, generate_pairs, other_puzzles, pair_scores, write_pairs
from chess_motif.boards import board_after
from db.puzzles import puzzle_id
from db.store import Store
from motifsearch.puzzles.pair_files import Pair, PairFile, SolvedPosition, read_pairs
from motifsearch.search import By
from motifsearch.terms.weights import PAPER
from puzzlegen.upkeep.simplify import Shift
from tests.helpers.commands import CommandOn
from tests.helpers.sample_pairs import solution_line
from tests.helpers.sample_puzzles import PUZZLES, QUICK, put, put_quick, row


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    put_quick(sqlite_store)
    return sqlite_store


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory, stockfish: str) -> Iterator[tuple[Store, list[Pair]]]:
    """A store, and the pairs that were made of all its puzzles."""
    with Store(f"sqlite:///{tmp_path_factory.mktemp('pairs')}/puzzles.db") as store:
        put_quick(store)
        yield store, generate_pairs(store, len(QUICK))


def row_of(pair: Pair) -> tuple[str, str]:
    return pair.base.board.fen(), " ".join(move.uci() for move in pair.base.moves)


def test_a_pair_is_a_puzzle_and_the_same_with_fewer_pieces(searched: tuple[Store, list[Pair]]) -> None:
    _, pairs = searched
    assert {row_of(pair) for pair in pairs} == {PUZZLES[name] for name in QUICK}
    for pair in pairs:
        assert pair.id == puzzle_id(pair.base.board.fen(), pair.base.moves[0])
        pieces, fewer = (len(line.board.piece_map()) for line in (pair.base, pair.simplified))
        assert pair.removed == pieces - fewer > 0
        assert len(pair.simplified.moves) == len(pair.base.moves)


def test_a_moved_pair_is_elsewhere_on_the_board(searched: tuple[Store, list[Pair]]) -> None:
    _, pairs = searched
    assert [pair.moved for pair in pairs] == [pair.base.moves != pair.simplified.moves for pair in pairs]
    assert any(pair.moved for pair in pairs)


def test_in_place_they_are_the_same_pairs_where_they_were(
    searched: tuple[Store, list[Pair]], stockfish: str
) -> None:
    store, pairs = searched
    still = generate_pairs(store, len(QUICK), kind=Kind.IN_PLACE)
    assert [(pair.id, pair.base, pair.removed) for pair in still] == [
        (pair.id, pair.base, pair.removed) for pair in pairs
    ]
    assert all(pair.simplified.moves == pair.base.moves and not pair.moved for pair in still)


def test_other_puzzles_are_in_no_pair(puzzles: Store) -> None:
    pair = Pair("any", solution_line("scholar's mate"), solution_line("smothered"))
    assert other_puzzles(puzzles, 100, [pair]) == [solution_line("black's fork")]


def test_a_puzzle_shares_all_terms_with_itself_and_scores_best() -> None:
    pairs = [Pair(name, solution_line(name), solution_line(name)) for name in QUICK]
    for by in (By.STATIC, By.DYNAMIC):
        found = pair_scores(pairs, PAPER, by, moved=False)
        assert found.shared == found.terms > 0
        assert found.partner > found.best_other >= found.others


def test_scores_are_told_apart_by_whether_a_pair_was_moved() -> None:
    black = solution_line("black's fork")
    mirrored = Shift(mirrored=True).of_line(black.board, black.moves)
    assert mirrored is not None
    pairs = [
        Pair("still", black, black, 0, moved=False),
        Pair("moved", black, SolvedPosition(*mirrored), 0, moved=True),
    ]
    still, moved = (pair_scores(pairs, PAPER, By.STATIC, moved=moved) for moved in (False, True))
    assert moved.shared < still.shared
    assert moved.partner == pytest.approx(still.others)


def test_pairs_come_back_as_they_were_written(searched: tuple[Store, list[Pair]], tmp_path: Path) -> None:
    write_pairs(tmp_path / "out.csv", searched[1])
    assert read_pairs(tmp_path / "out.csv") == PairFile(searched[1])


def test_pairs_are_generated_written_and_measured_again(
    sqlite_store: Store, command_on: CommandOn, tmp_path: Path, stockfish: str
) -> None:
    put_quick(sqlite_store)
    pairs = command_on(sqlite_store, "benchmarks.pairs")
    file = str(tmp_path / "generated.csv")
    status, generated, err = pairs("--generate", "2", "--out", file, "--among", "3")
    assert (status, err) == (0, f"2 pairs written to {file}\n")
    assert pairs(file, "--among", "3").out == generated


def test_of_another_length_it_begins_after_the_first_move_and_the_reply(
    sqlite_store: Store, stockfish: str
) -> None:
    put(sqlite_store, row(*PUZZLES["back rank, two moves"]))
    (pair,) = generate_pairs(sqlite_store, 1, kind=Kind.LENGTH)
    assert (len(pair.base.moves), len(pair.simplified.moves)) == (3, 1)
    assert board_after(pair.simplified.board, pair.simplified.moves).is_checkmate()


def test_with_another_attacker_one_of_the_pieces_that_move_is_another_one(
    sqlite_store: Store, stockfish: str
) -> None:
    put(sqlite_store, row("6k1/5ppp/8/8/8/5q2/5P1P/1R4K1 w - - 0 1", "b1b8"))
    (pair,) = generate_pairs(sqlite_store, 1, kind=Kind.ATTACKER)
    moving = [one.board.piece_type_at(one.moves[0].from_square) for one in (pair.base, pair.simplified)]
    assert moving == [chess.ROOK, chess.QUEEN]
