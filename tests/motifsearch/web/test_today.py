"""Opening the page is a puzzle: today's plan, practice, what comes back, and who is solving."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from httpx2 import Client, Cookies
from playwright.sync_api import Browser, Page, Request, Route, expect
from sqlalchemy import delete, select

import db.puzzles as stored
from db.attempts import Attempt
from db.links import new_link
from db.models import Puzzle
from db.sets import create_set, extend_set
from db.store import Store
from tests.helpers.clock import FakeClock
from tests.helpers.rows import puzzle_row
from tests.motifsearch.web.conftest import BACK_RANK, STUDENT, add_puzzles, known, type_move


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    """Thirty puzzles of all levels, with the same solution, in no set."""
    _, fen, solution, _ = BACK_RANK
    with sqlite_store.session() as session:
        rows = [
            puzzle_row(f"p{number:02}", fen=fen, puzzle_fen=fen, solution=solution, rating=900 + 50 * number)
            for number in range(30)
        ]
        stored.add_puzzles(session, rows)
    return sqlite_store


@pytest.fixture
def visitor(puzzles: Store, browser: Browser, address: str) -> Iterator[Page]:
    """The page as somebody opens it for the first time."""
    context = browser.new_context(base_url=address, reduced_motion="reduce", timezone_id="UTC")
    # The zone is known, so that the page need not ask again while somebody types.
    context.add_cookies([{"name": "zone", "value": "UTC", "url": address}])
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def attempts(store: Store) -> list[tuple[str, bool]]:
    with store.reading() as session:
        found = session.execute(select(Attempt.solver, Attempt.right).order_by(Attempt.number))
        return [(solver, right) for solver, right in found]


def solve(page: Page) -> None:
    type_move(page, "Qe8+")
    page.get_by_text("Black has just played 1...Rxe8").first.wait_for()
    type_move(page, "Rxe8#")
    page.locator(".check").wait_for()


def test_the_first_visit_is_a_puzzle_that_can_be_solved_at_once(visitor: Page, puzzles: Store) -> None:
    visitor.goto("/")
    visitor.evaluate("window.same = true")
    expect(visitor.get_by_text("Your level is being found: 0 of 10")).to_be_visible()
    solve(visitor)
    expect(visitor.locator(".rated")).to_have_text(re.compile(r"1500 → 1\d\d\d"))
    assert visitor.evaluate("window.same")
    visitor.goto("/")
    expect(visitor.locator(".who summary")).to_have_text("Your name")
    ((guest, right),) = attempts(puzzles)
    assert right
    expect(visitor.locator(".check")).to_be_visible()
    visitor.get_by_role("button", name="Next").click()
    visitor.get_by_role("button", name="Give up").wait_for()
    visitor.goto("/")
    expect(visitor.get_by_text("Your level is being found: 1 of 10")).to_be_visible()
    # The name that she chooses has what she has solved.
    visitor.get_by_text("Your name").click()
    visitor.get_by_placeholder("name").fill("Cleo")
    visitor.keyboard.press("Enter")
    expect(visitor.locator(".who summary")).to_have_text("Cleo")
    assert guest.startswith("guest-")
    assert attempts(puzzles) == [("Cleo", True)]


def test_what_is_typed_on_the_first_visit_stays(puzzles: Store, browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address, timezone_id="Asia/Tokyo")
    page, held = context.new_page(), list[Route]()
    page.route(
        f"{address}/", lambda route: held.append(route) if is_fetch(route.request) else route.continue_()
    )
    with page.expect_request(is_fetch):
        page.goto("/")
    page.get_by_text("Type a move instead").click()
    page.get_by_label("Move", exact=True).fill("Qe")
    with page.expect_event("requestfinished", is_fetch):
        held[0].continue_()
    # What would be shown is shown before this.
    page.evaluate("fetch('/healthz').then((answer) => answer.text())")
    expect(page.get_by_label("Move", exact=True)).to_have_value("Qe")
    context.close()


def is_fetch(request: Request) -> bool:
    return request.resource_type == "fetch" and request.url.endswith("/")


def test_what_the_first_move_of_the_day_was_is_said(visitor: Page) -> None:
    visitor.goto("/")
    type_move(visitor, "Kh1")
    expect(visitor.get_by_role("status").locator("p").first).to_have_text("1. Kh1 is wrong")


def test_results_with_levels_fit_a_narrow_phone(visitor: Page) -> None:
    visitor.set_viewport_size({"width": 320, "height": 700})
    visitor.goto("/search")
    assert visitor.evaluate("document.documentElement.scrollWidth") == 320


def test_a_puzzle_of_no_set_comes_back_when_it_said_it_would(
    visitor: Page, puzzles: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    known(visitor.context, address)
    visitor.goto("/practice")
    visitor.get_by_role("button", name="Mixed").click()
    solve(visitor)
    promised = re.search(r"(\d+) days", visitor.locator("label", has_text="Good").inner_text())
    assert promised is not None
    visitor.get_by_role("button", name="Next").click()
    visitor.get_by_role("button", name="Give up").wait_for()
    visitor.get_by_role("button", name="End").click()
    expect(visitor.get_by_role("heading", name="Done")).to_be_visible()
    clock.passes(days=int(promised[1]) - 1)
    visitor.goto("/")
    expect(visitor.get_by_text("1 review")).to_have_count(0)
    clock.passes(days=1)
    visitor.goto("/")
    expect(visitor.get_by_text("1 review", exact=True)).to_be_visible()


def test_a_stranger_with_a_link_sees_the_homework_and_nothing_else(visitor: Page, puzzles: Store) -> None:
    add_puzzles(puzzles, BACK_RANK)
    with puzzles.session() as session:
        token = new_link(session, STUDENT)
    visitor.goto(f"/for/{token}")
    visitor.get_by_role("link", name="Lesson").click()
    visitor.get_by_role("button", name="Solve").first.click()
    solve(visitor)
    visitor.goto("/")
    expect(visitor.get_by_role("heading", name=f"Homework for {STUDENT}")).to_be_visible()
    assert attempts(puzzles) == [(STUDENT, True)]


def test_two_students_have_their_own_plans_and_ratings(puzzles: Store, address: str) -> None:
    for name in ("Anna", "Ben"):
        with Client(base_url=address, cookies={"student": name}) as client:
            path = client.post("/rounds").headers["Location"]
            client.post(f"{path}/show" if name == "Ben" else f"{path}/hint", data={"version": 0})
            told = client.get("/progress.json").json()
            assert (told["rating"] is not None) is (name == "Ben")


@pytest.fixture
def client(puzzles: Store, address: str) -> Iterator[Client]:
    """A client of a page with many puzzles, who is the student."""
    with Client(base_url=address, timeout=60, cookies={"student": STUDENT}) as opened:
        yield opened


def version(client: Client, path: str) -> int:
    number: int = client.get(f"{path}.json").json()["version"]
    return number


@pytest.mark.parametrize("first", ["good", "again"])
def test_after_the_puzzles_that_find_the_level_nothing_is_left(
    client: Client, puzzles: Store, first: str
) -> None:
    client.cookies = Cookies({"student": "Bert"})
    path = client.post("/rounds").headers["Location"]
    for grade in (first, *["good"] * 15):
        if "version" not in (asked := client.get(f"{path}.json").json()):
            break
        client.post(f"{path}/show", data={"version": asked["version"]})
        client.post(f"{path}/grade", data={"version": version(client, path), "grade": grade})
    today = client.get("/").text
    assert "Your level is being found" not in today
    assert "<b>10 of 10</b>" in today
    assert "Nothing left today." in today


def test_an_open_round_is_listed_discarded_and_taken_back(client: Client) -> None:
    path = client.post("/practice", data={"motif": ""}).headers["Location"]
    number = path.rpartition("/")[2]
    assert f'href="{path}">Continue' in client.get("/").text
    gone = client.post("/rounds/discard", data={"number": number}).headers["Location"]
    assert f'href="{path}">Continue' not in client.get(gone).text
    client.post("/rounds/discard", data={"number": number, "undo": "1"})
    assert f'href="{path}">Continue' in client.get("/").text


def test_what_is_set_for_practice_is_kept(client: Client) -> None:
    client.post("/practice", data={"motif": "", "level": "range", "low": "1000", "high": "1200"})
    assert client.get("/practice.json").json()["practice"]["high"] == 1200
    assert client.post("/practice", data={"motif": "nonsense"}).status_code == 400


def test_a_round_against_the_clock_goes_on_at_once_and_is_not_rated(client: Client, puzzles: Store) -> None:
    path = client.post("/practice", data={"clock": "3"}).headers["Location"]
    for place in range(1, 4):
        assert client.get(f"{path}.json").json()["place"] == place
        client.post(f"{path}/move", data={"version": version(client, path), "move": "Kf1"})
    assert "Once more" in client.get(path).text
    assert "best 0" in client.get("/practice").text
    with puzzles.reading() as session:
        assert session.scalars(select(Attempt.rating)).all() == [None] * 3


@pytest.mark.parametrize(("late", "counted"), [(1, 1), (10, 0)])
def test_an_answer_counts_only_if_it_comes_about_in_time(
    client: Client, puzzles: Store, monkeypatch: pytest.MonkeyPatch, late: int, counted: int
) -> None:
    clock = FakeClock(monkeypatch)
    path = client.post("/practice", data={"clock": "3"}).headers["Location"]
    clock.passes(minutes=3, seconds=late)
    client.post(f"{path}/move", data={"version": 0, "move": "Kf1"})
    assert len(attempts(puzzles)) == counted
    assert "Once more" in client.get(path).text


def test_the_clock_shows_the_best_score_of_earlier_rounds(client: Client) -> None:
    for path in (client.post("/practice", data={"clock": "3"}).headers["Location"] for _ in range(2)):
        shown = client.get(path).text
        assert ("0 right, best 1" in shown) == path.endswith("2")
        for move in ("Qe8", "Rxe8", "Kf1"):
            client.post(f"{path}/move", data={"version": version(client, path), "move": move})
    assert '1 right, best 1 <span class="wrong-word" aria-hidden="true">✕</span>' in client.get(path).text
    assert '<p class="sr">1 right, 1 wrong</p>' in client.get(path).text


def test_what_is_done_says_what_was_wrong_and_offers_more(client: Client) -> None:
    path = client.post("/practice", data={"motif": "", "most": "1"}).headers["Location"]
    client.post(f"{path}/move", data={"version": 0, "move": "Kf1"})
    client.post(f"{path}/show", data={"version": version(client, path)})
    client.post(f"{path}/grade", data={"version": version(client, path), "grade": "hard"})
    done = client.get(path).text
    assert "0 of 1" in done
    assert 'You played <b class="nowrap">1. Kf1</b>' in done
    assert "Like the ones I missed" in done
    progress = client.get("/progress").text
    assert "You solve every second puzzle that is rated 1" in progress


def test_a_name_is_as_everybody_sees_it(client: Client) -> None:
    assert (
        client.post("/student", data={"name": " A\u200bnna\t"})
        .headers["Set-Cookie"]
        .startswith("student=Anna;")
    )
    for name in ("guest-1", " ", "\u200b"):
        assert client.post("/student", data={"name": name}).status_code == 400


def test_a_set_for_anyone_names_no_guests(puzzles: Store, address: str) -> None:
    with puzzles.session() as session:
        create_set(session, "Free")
        extend_set(session, "Free", "", [("p01", None)])
    with Client(base_url=address) as guest:
        first = guest.post("/cycles", data={"set": "Free"}).headers["Location"]
        guest.post(f"{first}/show", data={"version": 0})
        assert "guest-" not in guest.get("/sets?name=Free").text
    # Another one has a round of her own.
    with Client(base_url=address) as other:
        assert other.post("/cycles", data={"set": "Free"}).headers["Location"] != first


def test_a_move_is_not_played_on_another_puzzle_than_that_on_the_board(client: Client) -> None:
    begun = client.post("/rounds").headers["Location"]
    told = client.get(f"{begun}.json").json()
    move = {"puzzle": "p29", "move": "Kf1"}
    assert client.post("/solve/0/move", data=move).headers["Location"] == begun
    assert client.get(f"{begun}.json").json()["version"] == told["version"]


def test_a_plan_goes_on_after_its_puzzle_was_deleted(client: Client, puzzles: Store) -> None:
    begun = client.post("/rounds").headers["Location"]
    with puzzles.session() as session:
        session.execute(delete(Puzzle))
    assert client.get("/").status_code == 200
    assert "Done" in client.get(begun).text


@pytest.mark.parametrize(("low", "high"), [("", "1200"), ("5000", ""), ("1300", "1100")])
def test_any_range_can_be_practised(client: Client, low: str, high: str) -> None:
    answer = client.post("/practice", data={"motif": "", "level": "range", "low": low, "high": high})
    assert answer.status_code in (303, 400)
    assert client.post("/practice", data={"motif": "", "level": "own"}).status_code == 303
