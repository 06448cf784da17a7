"""What the models of packed files learn from."""

from __future__ import annotations

import chess
import numpy as np

from db.packed.block import forest, read_block, write_block
from db.packed.coder import Tables
from db.packed.models import TABLE, load_models
from db.packed.position import material_key
from puzzlegen.games.split import split_games
from tests.db.packed.test_block import GAME, positions_of
from tests.helpers.sample_games import PGN
from training.packed_examples import NONE, TABLES, count_symbols, game_rows, tables_of

GAMES = list(split_games(iter([PGN.encode()])))


def test_moves_are_numbered_by_piece_and_square() -> None:
    rows = game_rows(GAMES)
    for pieces, origins, targets, played in zip(
        rows["pieces"], rows["origins"], rows["targets"], rows["played"], strict=True
    ):
        moves = np.flatnonzero(origins != NONE)
        assert played in moves
        # What moves is on the board, stays what it is, and moves to another square.
        assert set(origins[moves]) <= set(pieces)
        assert (origins[moves] // 64 == targets[moves] // 64).all()
        assert (origins[moves] != targets[moves]).all()


def test_roots_have_as_many_kings_as_there_are_sides() -> None:
    rows = game_rows(GAMES)
    assert len(rows["squares"]) == len(rows["state"]) > 0
    assert ((rows["squares"] == chess.KING).sum(1) == 1).all()
    assert set(rows["state"][:, 0]) <= {0, 1}


def test_symbols_are_counted_once_for_each_position() -> None:
    boards = positions_of(GAME)
    seen = count_symbols(boards)
    # Every position has a number of positions that hang on it, but for the last one, which is known.
    assert sum(count for (table, _), count in seen.items() if table == "children") == len(boards) - 1
    assert sum(count for (table, _), count in seen.items() if table == "turn") == len(forest(boards))


def test_the_package_has_such_tables() -> None:
    tables = load_models().tables
    assert {name: weights.shape for name, weights in tables.items()} == TABLES


def test_tables_of_few_symbols_can_write_all() -> None:
    tables: Tables = {
        name.removeprefix(TABLE): table.astype(np.float32)
        for name, table in tables_of(count_symbols(positions_of("e4 e5"))).items()
    }
    models, boards = load_models()._replace(tables=tables), positions_of(GAME)
    written = write_block(boards, models).written
    assert len(read_block(written, material_key(boards[0]), len(boards), models)) == len(boards)
