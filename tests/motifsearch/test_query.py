"""What a query may be: an id, an address, a position."""

from __future__ import annotations

import chess
import pytest
from sqlalchemy import update

from chess_motif.errors import InputError, StoreError, UnknownPuzzleError
from db.models import Puzzle
from db.store import Store
from motifsearch.positions.searcher import resolve_position
from motifsearch.search import is_fen, resolve
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

GAME = "https://lichess.org/abcdefgh"
ELSEWHERE = "https://example.org/games/7"


@pytest.fixture
def linked(sqlite_store: Store) -> Store:
    """Two puzzles of one game, one of another, and one of a game elsewhere."""
    put(
        sqlite_store,
        row(*PUZZLES["smothered"], game_url=f"{GAME}/black#40", ply=40),
        row(*PUZZLES["back rank"], game_url=f"{GAME}#31"),
        row(*PUZZLES["fork"], source_id="00sHx", game_url="https://lichess.org/ijklmnop#7"),
        row(*PUZZLES["promotion"], game_url=ELSEWHERE),
    )
    return sqlite_store


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("00sHx", "fork"),
        ("https://lichess.org/training/00sHx", "fork"),
        ("https://lichess.org/training/short/00sHx", "fork"),
        ("lichess.org/ijklmnop", "fork"),
        ("https://lichess.org/ijklmnop/black", "fork"),
        # A player's own address of the game, and a ply of which there is no puzzle.
        ("https://lichess.org/ijklmnopABCD#99", "fork"),
        (f"{GAME}#31", "back rank"),
        (f"{GAME}/black#40", "smothered"),
        (ELSEWHERE, "promotion"),
    ],
)
def test_an_address_means_a_stored_puzzle(linked: Store, text: str, name: str) -> None:
    assert resolve(linked, text).id == id_of(name)


@pytest.mark.parametrize("text", [GAME, f"{GAME}#5"])
def test_several_puzzles_of_a_game_are_listed_in_its_order(linked: Store, text: str) -> None:
    listed = rf"{id_of('back rank')} \(ply 31\), {id_of('smothered')} \(ply 40\)"
    with pytest.raises(InputError, match=listed):
        resolve(linked, text)


@pytest.mark.parametrize(
    "text",
    [
        "https://lichess.org/training/nosuch",
        "https://lichess.org",
        "https://example.org/games",
    ],
)
def test_an_address_of_nothing_stored(linked: Store, text: str) -> None:
    with pytest.raises(UnknownPuzzleError):
        resolve(linked, text)


def test_a_ply_of_many_digits_is_not_known(linked: Store) -> None:
    with linked.session() as session:
        session.execute(update(Puzzle).where(Puzzle.ply.is_(None)).values(game_url=f"{GAME}#{'9' * 5000}"))
    with pytest.raises(InputError, match=r"\(ply 0\)"):
        resolve(linked, GAME)


def test_a_damaged_puzzle(linked: Store) -> None:
    with linked.session() as session:
        session.execute(update(Puzzle).values(puzzle_fen="damaged"))
    with pytest.raises(StoreError, match=f"the puzzle {id_of('fork')} is damaged"):
        resolve(linked, id_of("fork"))


def test_moves_in_san(linked: Store) -> None:
    fen, solution = PUZZLES["fork"]
    assert resolve(linked, fen, "1. Nxc7+ Kd7 2. Nxa8").moves == resolve(linked, fen, solution).moves


@pytest.mark.parametrize(("text", "expected"), [(PUZZLES["fork"][0], True), ("abc", False), (GAME, False)])
def test_what_is_a_position(text: str, expected: bool) -> None:
    assert is_fen(text) is expected


def test_a_game_stands_for_one_of_its_positions(linked: Store) -> None:
    start = chess.Board()
    assert resolve(linked, "1. e4 e5 #0", "Nf3").board == start
    assert resolve_position(linked, "1. e4 e5 #0").board == start


def test_a_game_on_lichess_is_downloaded_unless_a_puzzle_is_from_it(
    linked: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("puzzlegen.games.pasted.download_game", lambda path: b"1. e4 e5\n")
    assert resolve(linked, "https://lichess.org/zzzzzzzz#0", "Nf3").board == chess.Board()
    assert resolve_position(linked, "https://lichess.org/zzzzzzzz#0").board == chess.Board()
    for address in ("https://lichess.org/ijklmnop", "https://lichess.org/training/00sHx"):
        assert resolve_position(linked, address).board == resolve(linked, address).board
