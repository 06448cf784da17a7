"""What every command with a database keeps to: it prints no password, and makes no database to read it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from sqlalchemy import make_url

from chess_motif.search import Search
from db.evaluations import keep_evaluations
from db.sets import extend_set, place_set
from db.store import Store
from engines.uci_server import serve
from motifsearch.positions.archiving import add_games
from motifsearch.positions.index import sync_positions
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.retrieval.chessbert import chessbert_engine
from motifsearch.retrieval.chesscone import chesscone_engine
from motifsearch.retrieval.engine import MemoryEngine
from motifsearch.trainer.sets import extend_training_set
from tests.helpers.commands import Command, CommandOn
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.missed_opportunities import FORK, opportunity_row, store_game
from tests.helpers.read_only import read_only
from tests.helpers.sample_games import PGN
from tests.helpers.sample_puzzles import PUZZLES, QUICK, id_of, put, row
from tests.test_docs import COMMANDS

# Words that make each command do something. GAMES, PUZZLES, OUT and ENGINE are files, MISSED is an id.
ARGUMENTS = {
    "puzzlegen mine": ("GAMES", "--evaluated-only", "--engine", "ENGINE"),
    "puzzlegen runs": (),
    "puzzlegen import": ("PUZZLES",),
    "puzzlegen export": ("OUT.jsonl", "--tag", "fork"),
    "puzzlegen list": (),
    "puzzlegen show": (id_of("fork"),),
    "puzzlegen simplify": (id_of(QUICK[0]),),
    "puzzlegen audit": ("--nodes", "10", "--engine", "ENGINE", "--workers", "1"),
    "puzzlegen retag": (),
    "puzzlegen rate": (),
    "puzzlegen delete": (id_of("fork"), "--yes"),
    "puzzlegen stats": (),
    "puzzlegen tags": (),
    "puzzlegen cache pack": ("OUT",),
    "motifsearch similar": (id_of("fork"),),
    "motifsearch index": (),
    "motifsearch train": ("GAMES", "--player", "Ann", "--limit", "1", "--engine", "ENGINE"),
    "motifsearch solve": ("Ann",),
    "motifsearch sets create": ("lesson",),
    "motifsearch sets add": ("Ann", id_of("smothered")),
    "motifsearch sets remove": ("Ann", "MISSED"),
    "motifsearch sets undo": ("undone",),
    "motifsearch sets move": ("Ann", "MISSED", "1"),
    "motifsearch sets rename": ("Ann", "Anna"),
    "motifsearch sets results": ("Ann",),
    "motifsearch sets list": (),
    "motifsearch sets show": ("Ann",),
    "motifsearch sets export": ("Ann", "OUT.jsonl"),
    "motifsearch sets delete": ("Ann", "--yes"),
    "motifsearch positions add": ("GAMES",),
    "motifsearch positions similar": (id_of("fork"),),
    "motifsearch retrieval build": ("GAMES",),
    "motifsearch retrieval position": ("1.2",),
}

# Those that add to a database, and make it if it is not there.
ADDING = {
    "puzzlegen mine",
    "puzzlegen import",
    "motifsearch train",
    "motifsearch positions add",
    "motifsearch retrieval build",
}

# Those of which a user with a read-only copy has a use.
READING = (
    *("puzzlegen export", "puzzlegen list", "puzzlegen show", "puzzlegen stats", "puzzlegen tags"),
    *("puzzlegen cache pack", "motifsearch similar", "motifsearch solve", "motifsearch sets list"),
    *("motifsearch sets show", "motifsearch sets export", "motifsearch positions similar"),
)

PASSWORD = "s3cret-Pa55word"


@pytest.fixture(autouse=True)
def nothing_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("chess_motif.parallel.os.cpu_count", lambda: 1)


@pytest.fixture
def words(tmp_path: Path, fake_engine: FakeEngine) -> dict[str, tuple[str, ...]]:
    """The words of each command, with files that are there."""
    (tmp_path / "games.pgn").write_text(PGN)
    (tmp_path / "puzzles.epd").write_text("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#;\n")
    files = {
        "GAMES": str(tmp_path / "games.pgn"),
        "PUZZLES": str(tmp_path / "puzzles.epd"),
        "OUT": str(tmp_path / "out"),
        "OUT.jsonl": str(tmp_path / "out.jsonl"),
        "MISSED": opportunity_row(*FORK).puzzle_id,
        "ENGINE": fake_engine(),
    }
    return {name: tuple(files.get(word, word) for word in given) for name, given in ARGUMENTS.items()}


@pytest.fixture
def filled(store: Store, words: dict[str, tuple[str, ...]]) -> Store:
    """A store with a bit of everything that a command could ask for."""
    put(store, *(row(fen, solution) for fen, solution in PUZZLES.values()))
    store_game(store, opportunity_row(*FORK))
    extend_training_set(store, "Ann", ["ann"], k=0)
    add_games(words["motifsearch positions add"], store)
    with store.session() as session:
        keep_evaluations(session, {Search.of(chess.Board(), "Fish", 10_000, 1): "1 e2e4"})
        extend_set(session, "undone", "", [(id_of("fork"), None)])
        place_set(session, "undone", [])
    return store


def run(command_on: CommandOn, store: Store, usage: str) -> Command:
    name, *rest = usage.split()
    return command_on(store, name, *rest)


def test_every_command_with_a_database_is_here() -> None:
    with_database = {
        usage for usage, command in COMMANDS.items() if any(option.name == "db" for option in command.params)
    }
    # The page is served until it is ended, and prints nothing of the database.
    assert set(ARGUMENTS) == with_database - {"motifsearch serve"}


@pytest.mark.parametrize("store", ["postgresql"], indirect=True)
@pytest.mark.parametrize("usage", ARGUMENTS)
def test_no_command_prints_the_password(
    usage: str, filled: Store, command_on: CommandOn, words: dict[str, tuple[str, ...]]
) -> None:
    address = filled.url.set(password=PASSWORD).render_as_string(hide_password=False)
    done = run(command_on, filled, usage)(*words[usage], "--db", address)
    assert (done.status, "Traceback" in done.err) == (0, False), done.err
    assert PASSWORD not in done.out + done.err


@pytest.mark.parametrize("usage", ARGUMENTS)
def test_the_password_in_an_address_that_cannot_be_used_is_not_printed(
    usage: str, sqlite_store: Store, command_on: CommandOn, words: dict[str, tuple[str, ...]]
) -> None:
    address = "postgresql+psycopg://me:begin@END@127.0.0.1:1/puzzles"
    done = run(command_on, sqlite_store, usage)(*words[usage], "--db", address)
    assert done.status == 1
    assert "%40" in done.err
    assert not any(part in done.out + done.err for part in ("begin", "END"))


@pytest.mark.parametrize("engine", [chesscone_engine, chessbert_engine])
@pytest.mark.parametrize("password", ["begin@END", "beginEND"])
def test_an_engine_does_not_print_it_either(engine: Callable[[str], MemoryEngine], password: str) -> None:
    player = engine(f"postgresql+psycopg://me:{password}@127.0.0.1:1/puzzles")
    out = io.StringIO()
    serve(player, ["uci", "isready", "position startpos", "go", "quit"], out)
    assert "bestmove" in out.getvalue()
    assert not any(part in out.getvalue() for part in ("begin", "END"))


@pytest.mark.parametrize("usage", ARGUMENTS)
def test_only_a_command_that_adds_to_a_database_makes_one(
    usage: str,
    sqlite_store: Store,
    command_on: CommandOn,
    words: dict[str, tuple[str, ...]],
    tmp_path: Path,
) -> None:
    mistyped = tmp_path / "folder" / "puzles.db"
    done = run(command_on, sqlite_store, usage)(*words[usage], "--db", str(mistyped))
    assert mistyped.parent.exists() == (usage in ADDING)
    if usage not in ADDING:
        assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
        assert str(mistyped) in done.err
        assert "'puzzlegen import'" in done.err


def test_a_database_without_our_tables_gets_none_from_a_reader(
    postgresql_store: Store, command_on: CommandOn
) -> None:
    url = make_url(postgresql_store.address).set(database="postgres")
    done = command_on(postgresql_store, "puzzlegen", "list")("--db", url.render_as_string())
    assert (done.status, "no database of chess-motif" in done.err) == (1, True)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_read_only_copy_can_be_read_and_searched(
    filled: Store, command_on: CommandOn, words: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    sync_puzzles(filled)
    sync_positions(filled)
    filled.close()
    assert filled.path is not None
    folder = tmp_path / "copy"
    folder.mkdir()
    for made in tmp_path.glob(f"{filled.path.name}*"):
        made.rename(folder / made.name)
    before = sorted(folder.rglob("*"))
    with read_only(folder):
        for usage in READING:
            done = run(command_on, filled, usage)(*words[usage], "--db", str(folder / filled.path.name))
            assert (usage, done.status, "read-only" in done.err) == (usage, 0, False), done.err
        done = run(command_on, filled, "puzzlegen retag")("--db", str(folder / filled.path.name))
        assert (done.status, done.err.count("\n")) == (1, 1)
        assert "read-only" in done.err
    assert sorted(folder.rglob("*")) == before
