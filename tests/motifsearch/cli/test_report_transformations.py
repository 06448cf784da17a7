"""The command `motifsearch report transformations`."""

from __future__ import annotations

import json

import pytest

from chess_motif.console import json_text
from db.store import Store
from motifsearch.evaluation.perturbation_report import measure
from motifsearch.positions.feature_sets import FeatureSet
from tests.helpers.archived_games import KINGS, archive, random_moves
from tests.helpers.commands import Command, CommandOn
from tests.helpers.rows import game_row


@pytest.fixture
def archived(sqlite_store: Store) -> Store:
    archive(sqlite_store, *(game_row(f"key {seed}", moves=random_moves(seed)) for seed in range(8)))
    return sqlite_store


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "motifsearch", "report", "transformations")


def test_the_command_prints_one_json_document(archived: Store, command: Command) -> None:
    status, out, err = command("--queries", "4", "--seed", "3", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document == json.loads(json_text(measure(archived, 4, seed=3).as_dict()))
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
    archive(sqlite_store, game_row("kings", KINGS))
    _, out, _ = command("--queries", "1")
    lines = [line.split() for line in out.splitlines() if line.startswith("TruePos")]
    assert lines[0][5:7] == ["–", "–"]


def test_without_games_it_says_so_in_one_line(command: Command) -> None:
    status, out, err = command()
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1


def test_no_queries_are_wrong_usage(command: Command) -> None:
    assert command("--queries", "0")[0] == 2
