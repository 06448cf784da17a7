"""The command `train`: what is printed, which players are meant, and the exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from db.sets import all_sets
from db.store import Store
from tests.fuzz.mining_here import made_up_pool
from tests.helpers.commands import Command, CommandOn, Outcome
from tests.helpers.pool_here import mining_in
from tests.helpers.sample_games import MISSED_MATE
from tests.helpers.sample_puzzles import PUZZLES, put, row


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    return command_on(sqlite_store, "motifsearch")


@pytest.fixture
def train(command: Command, tmp_path: Path, stockfish: str) -> Command:
    """The command `train` on a game in which Ann Miller misses a mate."""
    (tmp_path / "games.pgn").write_text(MISSED_MATE)

    def run(*options: str) -> Outcome:
        with mining_in():
            return command("train", str(tmp_path / "games.pgn"), "--player", "Miller", *options)

    return run


def test_from_games_to_a_set(sqlite_store: Store, train: Command) -> None:
    put(sqlite_store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    status, out, _ = train("-k", "1")
    assert status == 0
    assert out.startswith(
        "1 new game: 2 opportunities of both sides, from which came 1 puzzle and 0 exercises."
    )
    assert "Played: 4. Nf3. Better: 4. Qxf7#" in out
    assert "Added to the training set 'Miller, Ann': 1 opportunity missed or allowed, and" in out
    assert out.endswith("Next: motifsearch solve 'Miller, Ann'\n")


def test_the_level_of_a_player_is_kept_with_the_set(command: Command, train: Command) -> None:
    train("--rating", "400")
    assert "missed, hard" in command("sets", "show", "Miller, Ann").out


def test_train_as_json(train: Command) -> None:
    document = json.loads(train("--set", "s", "--json").out)
    assert document["analysis"]["opportunities"] == 2
    assert document["opportunities"]["all"]["missed"] == 1
    assert (document["set"]["name"], document["set"]["own"]) == ("s", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "games.pgn"),
        ("train", "games.pgn", "--player", " "),
        ("train",),
        ("train", "games.pgn", "--player", "x", "--since", "yesterday"),
    ],
)
def test_wrong_usage(command: Command, arguments: tuple[str, ...]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert "Traceback" not in err


@pytest.fixture
def two_players(tmp_path: Path) -> str:
    """The path of a file with games of two players called Miller, one of them also in the other order."""
    games = [
        MISSED_MATE.replace("Miller, Ann", name) for name in ("Miller, Ann", "Ann Miller", "Miller, Zoe")
    ]
    games = [game.replace("abcdefgh", f"abcdefg{number}") for number, game in enumerate(games)]
    (tmp_path / "games.pgn").write_text("".join(games))
    return str(tmp_path / "games.pgn")


def sets_after(store: Store) -> list[tuple[str, str]]:
    with store.reading() as session:
        return [(each.name, each.whom[0]) for each in all_sets(session)]


@pytest.mark.parametrize("name", ["xyzzy", "Mill", "ille", "Miller Bob"])
def test_a_name_that_no_player_has_makes_no_set(
    sqlite_store: Store, command: Command, two_players: str, name: str
) -> None:
    status, out, err = command("train", two_players, "--player", name)
    assert (status, out) == (1, "")
    assert f"no player of these games has all words of the name '{name}'" in err
    assert sets_after(sqlite_store) == []


def test_a_missing_file_makes_no_set(sqlite_store: Store, command: Command) -> None:
    status, _, err = command("train", "no.pgn", "--player", "ann")
    assert (status, sets_after(sqlite_store)) == (1, [])
    assert "no such file" in err


@pytest.mark.parametrize(
    "content",
    [b"", bytes(range(256)) * 20, MISSED_MATE.replace("[Result", '[Variant "Atomic"]\n[Result').encode()],
    ids=["empty", "random", "variant"],
)
def test_a_file_without_a_game_of_hers_makes_no_set(
    sqlite_store: Store, command: Command, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "games.pgn").write_bytes(content)
    arguments = ("train", str(tmp_path / "games.pgn"), "--player", "Miller, Ann")
    with mining_in(made_up_pool):
        status, out, err = command(*arguments)
    assert (status, out) == (1, "")
    assert "Miller, Ann" in err
    assert sets_after(sqlite_store) == []


def test_characters_that_nobody_sees_are_no_part_of_a_name(
    sqlite_store: Store, command: Command, two_players: str
) -> None:
    arguments = ("train", two_players, "--player", "Mil\u200bler, \x07Zoe")
    with mining_in(made_up_pool):
        assert command(*arguments).status == 0
    assert sets_after(sqlite_store) == [("Miller, Zoe", "Miller, Zoe")]


def test_without_a_terminal_several_players_are_named(
    sqlite_store: Store, command: Command, two_players: str
) -> None:
    status, out, err = command("train", two_players, "--player", "miller")
    assert (status, out) == (1, "")
    assert "2 players match 'miller': 'Miller, Ann' (2 games), 'Miller, Zoe' (1 game)" in err
    assert sets_after(sqlite_store) == []


@pytest.mark.parametrize(("answers", "games"), [(["1"], 2), (["3", "", "2"], 1), (["1 2"], 3), (["all"], 3)])
def test_on_a_terminal_the_user_chooses(
    sqlite_store: Store,
    command: Command,
    two_players: str,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[str],
    games: int,
) -> None:
    typed = Typing("".join(f"{answer}\n" for answer in answers))
    monkeypatch.setattr("sys.stdin", typed)
    with mining_in(made_up_pool):
        _, out, err = command("train", two_players, "--player", "miller")
    assert out.strip().startswith(f"{games} new game")
    assert "1  Miller, Ann (2 games)" in err


class Typing(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


def test_a_player_has_one_set_unless_another_is_named(
    sqlite_store: Store, command: Command, two_players: str
) -> None:
    with mining_in(made_up_pool):
        for words in ("ann miller", "Miller, Ann", "ANN"):
            assert command("train", two_players, "--player", words).status == 0
        command("train", two_players, "--player", "ann", "--set", "evening")
    assert sets_after(sqlite_store) == [("Miller, Ann", "Miller, Ann"), ("evening", "Miller, Ann")]
