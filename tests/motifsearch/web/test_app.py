"""Who may ask, what is refused, and what a program gets."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import MagicMock

import chess
import pytest
from httpx2 import Client

from chess_motif.errors import EngineMissingError
from db.puzzles import PuzzleFilter, delete_puzzles
from db.puzzles import add_puzzles as add_rows
from db.store import Store
from motifsearch.web.shared_engine import EngineBusyError, SharedEngine
from motifsearch.web.site import PageSettings, Site
from tests.helpers.archived_games import ROOKS, archive
from tests.helpers.rows import game_row, puzzle_row
from tests.motifsearch.web.conftest import BACK_RANK, HANGING, add_puzzles

JSON = {"Accept": "application/json"}


def test_puzzles_are_counted_again_after_each_change(sqlite_store: Store) -> None:
    site = Site(PageSettings(db=str(sqlite_store.path)))
    numbers = []
    for change in (
        lambda session: add_rows(session, [puzzle_row("first"), puzzle_row("second")]),
        lambda session: add_rows(session, [puzzle_row("third")]),
        lambda session: delete_puzzles(session, ["first"]),
    ):
        with sqlite_store.session() as session:
            change(session)
        with site.store.reading() as session:
            numbers.append((site.count(session, PuzzleFilter()), site.count(session, PuzzleFilter())))
    site.close()
    assert numbers == [(2, 2), (3, 3), (2, 2)]


@pytest.fixture
def client(sqlite_store: Store, address: str) -> Iterator[Client]:
    add_puzzles(sqlite_store, BACK_RANK, HANGING)
    with Client(base_url=address, timeout=60) as opened:
        yield opened


def test_another_name_for_this_computer_is_refused(client: Client) -> None:
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "http://["])
def test_a_form_of_another_site_is_refused(client: Client, origin: str) -> None:
    assert client.post("/rounds", headers={"Origin": origin}).status_code == 403


def test_a_program_that_misspells_a_filter_is_told(client: Client) -> None:
    answer = client.get("/search?fnd=2", headers=JSON)
    assert (answer.status_code, answer.json()["error"]) == (
        400,
        "there is no parameter 'fnd'; did you mean 'find'?",
    )


def test_a_link_to_which_something_was_added_still_opens(client: Client) -> None:
    assert client.get("/search?fbclid=1").status_code == 200


def test_a_page_may_run_no_script_but_ours(client: Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/puzzles/nothing", 404),
        ("/puzzles/..%2F..%2Fetc%2Fpasswd", 404),
        ("/static/..%2Fapp.py", 404),
        ("/solve/99", 404),
        ("/solve/99999999999999999999", 404),
        ("/archive/99", 404),
        ("/archive/99999999999999999999", 404),
        ("/nothing", 404),
        ("/solve/-9223372036854775809", 404),
        ("/archive/-1", 404),
        ("/puzzles/%00", 404),
        ("/export.pgn?id=%00", 404),
        ("/search?q=8/8/8/8/8/8/8/8 w - - 0 1", 400),
        ("/search?q=9/9 w", 400),
        ("/search?motif=nonsense", 400),
        ("/search?phase=nonsense", 400),
        ("/search?low=abc", 422),
        ("/search?q=" + "x" * 13_000, 422),
        ("/positions?q=8/8", 400),
        ("/export.pdf?id=nothing", 404),
        ("/export.jsonl?id=backrank", 404),
    ],
)
def test_what_cannot_be_shown_says_why(client: Client, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert "puzzlegen" not in answer.text


@pytest.mark.parametrize("path", ["/", "/healthz", "/puzzles/backrank", "/puzzles/nothing", "/nothing"])
def test_a_program_may_ask_for_the_head_alone(client: Client, path: str) -> None:
    head = client.head(path)
    assert (head.status_code, head.content) == (client.get(path).status_code, b"")


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "DELETE"])
def test_a_method_that_an_address_does_not_take_is_answered_with_those_that_it_takes(
    client: Client, method: str
) -> None:
    answer = client.request(method, "/search")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")


def test_a_program_gets_json(client: Client) -> None:
    assert client.get("/puzzles/backrank.json").json()["solution"] == ["e2e8", "d8e8", "e1e8"]
    found = client.get("/search", headers=JSON).json()
    assert [each["id"] for each in found["results"]] == ["backrank"]


@pytest.mark.parametrize("path", ["/.json", "/search.json?motif=fork", "/games.json", "/nothing.json"])
def test_an_address_that_ends_so_answers_json(client: Client, path: str) -> None:
    assert client.get(path).headers["Content-Type"] == "application/json"


def test_the_page_of_a_puzzle_searches_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    alike = MagicMock(side_effect=Site.alike)
    monkeypatch.setattr(Site, "alike", lambda *given: alike(*given))
    client.get("/puzzles/backrank?solution=1")
    alike.assert_called_once()


def test_a_program_is_not_told_the_solution_before(client: Client) -> None:
    round_ = client.post("/rounds").headers["Location"]
    told = client.get(round_, headers=JSON).json()
    assert told["fen"] == BACK_RANK[1]
    assert "solution" not in told
    answer = client.post(f"{round_}/move", data={"version": told["version"], "move": "a1a1"}, headers=JSON)
    assert "not legal" in client.get(answer.headers["Location"], headers=JSON).json()["said"]
    assert "id" not in told


@pytest.fixture
def wrong(client: Client) -> str:
    """The address of a round whose last move was wrong; its version is 1."""
    path = client.post("/rounds").headers["Location"]
    client.post(f"{path}/move", data={"version": 0, "move": "Qd1"})
    return path


def test_a_reason_that_the_engine_has_no_time_for_can_be_asked_for_again(
    client: Client, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(SharedEngine, "_count", MagicMock(side_effect=EngineBusyError("too many", 7)))
        assert client.get(f"{wrong}/reason", params={"version": 1}).status_code == 429
    assert client.get(f"{wrong}.json").json()["verdict"]["text"] == ""
    client.get(f"{wrong}/reason", params={"version": 1})
    assert client.get(f"{wrong}.json").json()["verdict"]["text"]


def test_a_reason_is_not_looked_for_by_an_older_page(client: Client, wrong: str) -> None:
    client.get(f"{wrong}/reason", params={"version": 0})
    assert client.get(f"{wrong}.json").json()["verdict"]["text"] == ""


def test_no_piece_is_moved_freely_before_the_end(client: Client, wrong: str) -> None:
    assert client.post(f"{wrong}/free", data={"fen": BACK_RANK[1], "move": "e2e8"}).status_code == 400


def test_without_an_engine_both_sides_are_moved(
    client: Client, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.engine.find_engine", MagicMock(side_effect=EngineMissingError("none")))
    client.post(f"{wrong}/show", data={"version": 1})
    answer = client.post(f"{wrong}/free", data={"fen": BACK_RANK[1], "move": "e2d2"}).json()
    assert (answer["last"], answer["said"]) == ("e2d2", "No engine answers: move Black, too.")
    assert " b " in answer["fen"]


def test_games_say_how_to_get_the_engine_that_is_missing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = MagicMock(side_effect=EngineMissingError("none"))
    monkeypatch.setattr("motifsearch.web.shared_engine.find_engine", missing)
    monkeypatch.setattr("motifsearch.web.shared_engine.install_command", lambda: "get it")
    assert "To install it: <code>get it</code>" in client.get("/games").text


def test_a_file_that_is_too_large_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motifsearch.web.analyses.LARGEST", 10)
    file = {"file": ("games.pgn", b"1. e4 e5 2. Nf3 *")}
    assert client.post("/games", files=file, data={"player": "x"}).status_code == 400


def test_what_was_typed_is_kept_when_it_cannot_be_used(client: Client) -> None:
    refused = client.post("/games", data={"user": "no such name!"})
    assert refused.status_code == 400
    assert 'value="no such name!"' in refused.text
    assert "A user name has letters" in refused.text
    assert "error" in client.post("/games", data={"user": "!"}, headers=JSON).json()


def test_a_program_that_posts_is_led_to_json(client: Client) -> None:
    answer = client.post("/rounds.json", data={"id": "backrank"})
    assert answer.status_code == 303
    assert client.get(answer.headers["Location"]).json()["puzzles"] == 1


@pytest.mark.parametrize(
    "path", ["/search.json?low=abc", "/positions.json?since=12", "/search.json?count=many"]
)
def test_what_a_field_cannot_be_is_said_without_a_pattern(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith("cannot be used")


def test_an_action_that_is_none_is_refused(client: Client) -> None:
    path = client.post("/rounds", data={"id": "backrank"}).headers["Location"]
    assert client.post(f"{path}/dance", data={"version": "1"}).status_code == 404


def test_a_set_that_cannot_be_filled_is_not_made(client: Client) -> None:
    form = {"id": "nothing", "name": "Empty", "student": "Ben"}
    assert client.post("/sets", data=form).status_code == 404
    assert client.get("/sets.json", params={"name": "Empty"}).status_code == 404


def test_a_set_of_another_student_is_left_alone(client: Client) -> None:
    form = {"id": "backrank", "name": "Lesson 1"}
    assert client.post("/sets", data=form | {"student": "Ann"}).status_code == 303
    refused = client.post("/sets", data=form | {"student": "Ben"}, headers=JSON)
    assert refused.status_code == 400
    assert "is for Ann" in refused.json()["error"]


def test_what_became_of_the_puzzles_for_a_set_is_said(client: Client) -> None:
    form = {"id": "backrank", "name": "Lesson 1", "student": "Ann"}
    for said in ("1 puzzle added", "1 in the set before"):
        answer = client.post("/sets", data=form)
        assert said in client.get(answer.headers["Location"]).text


def test_a_game_with_colours_reversed_keeps_its_players_and_its_result(
    client: Client, sqlite_store: Store
) -> None:
    game = game_row("won", ROOKS, "a1a8", white="Alekhine", black="Capablanca", result="1-0")
    archive(sqlite_store, game)
    answer = client.get("/positions", params={"q": chess.Board(ROOKS).mirror().fen()})
    assert "<b>Alekhine – Capablanca</b>" in answer.text
    assert "1-0" in answer.text
    assert "White here is Capablanca; 9 of 9 pieces on the same squares" in answer.text


def test_the_names_of_downloads_and_sets_are_no_paths(client: Client) -> None:
    form = {"id": "backrank", "name": "../../etc/passwd", "student": "x"}
    assert client.post("/sets", data=form).status_code == 303
    assert "../../etc/passwd" in client.get("/", headers={"Cookie": "student=x"}).text
    answer = client.get("/export.pgn", params={"id": "backrank", "name": "../Für Änne"})
    disposition = "attachment; filename=puzzles.pgn; filename*=UTF-8''---F%C3%BCr%20%C3%84nne.pgn"
    assert answer.headers["Content-Disposition"] == disposition
