"""Databases of other versions: earlier ones are brought to the newest schema, later ones are named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import select, text

from chess_motif import __version__
from chess_motif.errors import StoreError
from db.models import Evaluation, MiningRun, Puzzle
from db.puzzles import add_puzzles, get_puzzle
from db.store import HEAD, MIGRATIONS, VERSION, WRITING, Store, current, get_fact, set_fact, upgrade
from db.training import OpportunityKind, extend_set, opportunities_of, set_entries
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game

POSITION = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"


def migrate(store: Store, change: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with store.engine.execution_options(**WRITING).connect() as connection:
        config.attributes["connection"] = connection
        change(config, revision)
        connection.commit()


@pytest.fixture
def old(store: Store) -> Store:
    """A store as version 0004 left it, with two puzzles, of which the last was deleted."""
    migrate(store, command.downgrade, "base")
    migrate(store, command.upgrade, "0004")
    with store.engine.execution_options(**WRITING).connect() as connection:
        run = "INSERT INTO runs (number, started, engine, rules) VALUES (1, '2024-01-02', 'Fish', '{}')"
        connection.execute(text(run))
        for name in ("kept", "deleted"):
            connection.execute(
                text(
                    "INSERT INTO puzzles (id, fen, blunder, puzzle_fen, solution, ends, stable, found, holds,"
                    " engine, tags, source, source_id, themes, opening_tags, game_url, run_number, created)"
                    " VALUES (:name, :fen, '', :fen, 'a1a8', 'mate', true, true, false,"
                    " '', '', 'mined', '', '', '', '', 1, '2024-01-02')"
                ),
                {"name": name, "fen": POSITION},
            )
        connection.execute(text("DELETE FROM puzzles WHERE id = 'deleted'"))
        evaluation = text("INSERT INTO evaluations (key, found) VALUES (:key, '1 e2e4')")
        connection.execute(evaluation, {"key": b"a" * 16})
        connection.commit()
    return store


def test_an_old_database_keeps_its_puzzles_and_runs(old: Store) -> None:
    upgrade(old.engine)
    with old.engine.connect() as connection:
        assert current(connection) == HEAD
    with old.reading() as session:
        puzzle = get_puzzle(session, "kept")
        assert (puzzle.outcome, puzzle.solver_found, puzzle.audit_passed) == ("mate", True, False)
        assert session.scalars(
            select(MiningRun.engine).where(MiningRun.number == puzzle.run_number)
        ).all() == ["Fish"]


def test_numbers_from_before_the_upgrade_are_not_used_again(old: Store) -> None:
    upgrade(old.engine)
    with old.session() as session:
        new = Puzzle(id="new", fen=POSITION, puzzle_fen=POSITION, solution="a1a8", source="mined")
        add_puzzles(session, [new])
        assert (get_puzzle(session, "kept").number, get_puzzle(session, "new").number) == (1, 3)


def test_evaluations_under_keys_of_old_are_dropped(old: Store) -> None:
    upgrade(old.engine)
    with old.reading() as session:
        assert session.scalars(select(Evaluation.key)).all() == []


def test_training_sets_from_before_the_upgrade_keep_their_opportunities(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BACK_RANK, ply=30))
    with store.session() as session:
        missed = [(one.puzzle_id, one.number) for one in opportunities_of(session, ["Ann"])]
        extend_set(session, "evening", "Ann", missed)
    migrate(store, command.downgrade, "0008")
    upgrade(store.engine)
    store_game(store, opportunity_row(*FORK, ply=9), key="later", date="2025.01.01")
    with store.reading() as session:
        assert [entry.opportunity and entry.opportunity.ply for entry in set_entries(session, "evening")] == [
            20,
            30,
        ]
        assert [one.number for one in opportunities_of(session, ["Ann"])] == [1, 2, 3]


def test_opportunities_from_before_there_were_kinds_are_wins(store: Store) -> None:
    allowed = opportunity_row(*BACK_RANK, ply=30, opportunity_kind=OpportunityKind.ALLOWED.value)
    store_game(store, opportunity_row(*FORK, ply=20), allowed)
    with store.session() as session:
        missed = opportunities_of(session, ["Ann"], OpportunityKind)
        extend_set(session, "evening", "Ann", [(one.puzzle_id, one.number) for one in missed])
    migrate(store, command.downgrade, "0009")
    upgrade(store.engine)
    with store.reading() as session:
        kept = opportunities_of(session, ["Ann"], OpportunityKind)
        assert [(one.ply, one.opportunity_kind) for one in kept] == [(20, "win")]
        assert [entry.opportunity.ply for entry in set_entries(session, "evening")] == [20]


def test_a_database_of_a_later_version_names_it(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        assert get_fact(session, VERSION) == __version__
        set_fact(session, VERSION, "99.1")
    with pytest.raises(StoreError, match=rf"made by chess-motif 99\.1, and this is {__version__}"):
        Store(sqlite_store.address)


def test_a_database_of_a_later_version_that_is_not_known(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        session.execute(text("DELETE FROM store_facts"))
    with pytest.raises(StoreError, match="made by a newer version of chess-motif"):
        Store(sqlite_store.address)
