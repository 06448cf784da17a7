"""The screens to search on, and a puzzle's own page, as a browser without a script gets them."""

from __future__ import annotations

import html
import re
from urllib.parse import urljoin

import chess
import pytest
from httpx2 import Client

import db.puzzles as stored
from chess_motif.errors import DownloadError
from db.games import count_archived
from db.models import utc_now
from db.sets import create_set, extend_set
from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.rating import Rating
from motifsearch.trainer.solving import Grade
from motifsearch.web import search
from tests.helpers.missed_opportunities import FORK, opportunity_row, store_game
from tests.helpers.rows import puzzle_row
from tests.motifsearch.web.conftest import BACK_RANK, STUDENT

SANS = ("Qe8", "Rxe8")


@pytest.fixture
def searched(client: Client, sqlite_store: Store) -> Client:
    """A client of a page with four puzzles, of which Anna has tried the oldest."""
    with sqlite_store.session() as session:
        facts = {"fen": BACK_RANK[1], "puzzle_fen": BACK_RANK[1], "solution": BACK_RANK[2], "tags": "fork"}
        names = [("puzzle_2", 1400), ("puzzle_3", 1500), ("puzzle_4", 1600)]
        rows = [puzzle_row(name, rating=rating, **facts) for name, rating in names]
        stored.add_puzzles(session, rows)
    record_attempt(sqlite_store, STUDENT, "backrank", Grade.GOOD, seconds=9, at=utc_now())
    client.cookies.set("student", STUDENT)
    return client


def ids_in(text: str, form: str) -> list[str]:
    """Return the ids that a form of a page would send, if all are selected."""
    found = re.search(rf'<form[^>]*id="{form}".*?</form>', text, re.DOTALL)
    assert found is not None
    return re.findall(r'name="id" value="(\w+)"', found[0])


def test_what_was_not_tried_comes_first(searched: Client) -> None:
    shown = searched.get("/search").text
    assert ids_in(shown, "selected") == ["puzzle_2", "puzzle_3", "puzzle_4", "backrank"]
    shuffled = [ids_in(searched.get(f"/search?shuffle={seed}").text, "selected") for seed in range(1, 9)]
    assert {ids[-1] for ids in shuffled} == {"backrank"}
    assert len(set(map(tuple, shuffled))) > 1


def test_solutions_are_hidden_but_for_the_one_that_is_asked_for(searched: Client) -> None:
    for query in ("", "&q=puzzle_2"):
        assert not any(san in searched.get(f"/search?count=12{query}").text for san in SANS)
    shown = searched.get("/search?shown=puzzle_3").text
    assert shown.count("1. Qe8+ Rxe8 2. Rxe8#") == 1
    # Programs get all.
    assert len(searched.get("/search.json").json()["results"][0]["solution"]) == 3


def test_all_that_is_found_is_solved(searched: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = searched.get("/search?motif=fork&count=1").text
    ids = ids_in(shown, "these")
    assert (len(ids_in(shown, "selected")), ids) == (1, ["puzzle_2", "puzzle_3", "puzzle_4"])
    assert searched.post("/rounds", data={"id": ids}).headers["Location"].startswith("/solve/")


@pytest.mark.parametrize(
    ("level", "found"),
    [
        ("any", {"backrank", "puzzle_2", "puzzle_3", "puzzle_4"}),
        ("own", {"puzzle_2", "puzzle_3", "puzzle_4"}),
        ("easier", {"puzzle_2"}),
        ("harder", {"puzzle_4"}),
        ("range&low=1550", {"puzzle_4"}),
    ],
)
def test_levels_are_those_around_the_students_rating(
    searched: Client, monkeypatch: pytest.MonkeyPatch, level: str, found: set[str]
) -> None:
    monkeypatch.setattr(search, "rating_of", lambda session, student: Rating(1650))
    answer = searched.get(f"/search?level={level}")
    assert ">1650<" in answer.text
    assert set(ids_in(answer.text, "selected")) == found


def test_without_a_rating_nothing_is_compared_with_it(searched: Client) -> None:
    shown = searched.get("/search?level=easier").text
    assert 'value="easier"' not in shown
    assert len(ids_in(shown, "selected")) == 4


def test_puzzles_are_added_to_a_set_that_lacks_them(searched: Client, sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        create_set(session, "Rooks", "")
        extend_set(session, "Rooks", "", [("puzzle_3", None)])
    shown = searched.get("/search?set=Rooks").text
    assert ids_in(shown, "selected") == ["puzzle_2", "puzzle_4", "backrank"]
    assert '<button class="primary">Add to Rooks</button>' in shown
    assert "set=Rooks" in re.findall(r'href="(\?[^"]*shown=puzzle_2[^"]*)"', shown)[0]


def test_a_game_is_pasted_and_a_move_of_it_chosen(searched: Client) -> None:
    game = "1. e4 e5 2. Ba6 Nxa6"
    for path in ("/search", "/positions"):
        shown = searched.get(path, params={"q": f"{game} #3"}).text
        assert 'aria-current="step">2. Ba6<' in shown
        assert 'data-fen="rnbqkbnr/pppp1ppp/B7/4p3/4P3/8/PPPP1PPP/RNBQK1NR b ' in shown


@pytest.mark.parametrize("path", ["/search", "/positions"])
def test_a_move_of_a_variation_is_chosen(searched: Client, path: str) -> None:
    shown = searched.get(path, params={"q": "1. e4 e5 (1... c5 2. Nf3) 2. Ba6 Nxa6"}).text
    (chosen,) = re.findall(r'href="([^"]*)">2. Nf3<', shown)
    after = searched.get(urljoin(path, html.unescape(chosen))).text
    assert 'data-fen="rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b ' in after


def test_a_search_of_positions_is_the_other_screen(searched: Client) -> None:
    answer = searched.get("/search", params={"in": "positions", "q": f" {chess.STARTING_FEN}"})
    assert answer.headers["Location"].startswith("/positions?q=rnbqkbnr%2Fpppp")


@pytest.mark.parametrize("path", ["/search", "/positions"])
def test_lichess_cannot_be_reached(searched: Client, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    def fails(path: str) -> bytes:
        raise DownloadError("lichess.org cannot be asked for the game: no network")

    monkeypatch.setattr("puzzlegen.games.pasted.download_game", fails)
    answer = searched.get(path, params={"q": "https://lichess.org/abcdefgh"})
    assert answer.status_code in (400, 503)
    assert "Lichess.org cannot be asked for the game: no network." in answer.text


def test_an_opening_is_chosen(searched: Client, sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        tags = "Kings_Indian_Defense Kings_Indian_Defense_Samisch_Variation"
        stored.add_puzzles(session, [puzzle_row("indian_1", opening_tags=tags)])
    shown = searched.get("/search?opening=Kings_Indian_Defense").text
    assert ids_in(shown, "selected") == ["indian_1"]
    assert "King&#39;s Indian Defense, unseen first" in shown


def test_a_puzzle_that_was_not_tried_is_there_to_be_solved(searched: Client) -> None:
    untried = searched.get("/puzzles/puzzle_2").text
    assert not any(word in untried for word in (*SANS, "fork", "mate", "arrow"))
    assert '<button class="primary big" name="id" value="puzzle_2">' in untried
    for path in ("/puzzles/puzzle_2?solution=1", "/puzzles/puzzle_2?ply=1", "/puzzles/backrank"):
        assert "Qe8+" in searched.get(path).text


def test_nobody_has_tried_a_puzzle(searched: Client) -> None:
    searched.cookies.set("student", "Somebody else")
    assert "Qe8+" not in searched.get("/puzzles/backrank").text


def test_a_file_of_games_is_archived(searched: Client, sqlite_store: Store) -> None:
    file = {"file": ("games.pgn", b'[White "Ann"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n')}
    assert searched.post("/archive", files=file).headers["Location"] == "/games"
    while not searched.get("/games/progress.json").json()["ended"]:
        pass
    assert searched.get("/games/progress.json").json()["notices"][-1] == "1 game archived, 0 known before"
    with sqlite_store.reading() as session:
        assert count_archived(session) == 1


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (None, "Choose a file of games first."),
        (("games.txt", b"1. e4 *"), "must end in .pgn"),
        (("games.pgn", b"x" * 100), "larger than"),
    ],
)
def test_a_file_that_cannot_be_archived_says_why(
    searched: Client, monkeypatch: pytest.MonkeyPatch, file: tuple[str, bytes] | None, said: str
) -> None:
    monkeypatch.setattr("motifsearch.web.analyses.LARGEST", 50)
    answer = searched.post("/archive", files={"file": file} if file else None, data={})
    assert answer.status_code == 400
    assert said in answer.text


def test_a_file_without_a_game_says_so(searched: Client) -> None:
    searched.post("/archive", files={"file": ("games.pgn", b"no game\n")})
    while not searched.get("/games/progress.json").json()["ended"]:
        pass
    assert "games.pgn" not in searched.get("/games/progress.json").json()["error"]
    assert searched.get("/games/progress.json").json()["error"]


def test_the_games_of_a_guest_are_those_of_nobody_yet(searched: Client) -> None:
    searched.cookies.delete("student")
    assert 'name="user" maxlength="30" value=""' in searched.get("/games").text


def test_my_games_begin_with_what_was_missed(client: Client, sqlite_store: Store) -> None:
    store_game(sqlite_store, opportunity_row(*FORK))
    client.cookies.set("student", "Ann")
    shown = client.get("/games").text
    assert "Solve the one you missed" in shown
    assert "One to work on" in shown
    assert "0 of 1 found" in shown
    assert "1 opportunity: could be luck." in shown
    assert 'You played <b class="nowrap">2. g3</b>' in shown
    # The board leads to solving it.
    (address,) = set(re.findall(r'href="(/puzzles/\w+)"', shown))
    assert "Nxc7" not in client.get(address).text
