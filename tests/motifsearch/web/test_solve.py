"""Solving on the page, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpx2 import Client
from playwright.sync_api import Browser, Locator, Page, Route, expect
from sqlalchemy import select

import db.puzzles as stored
from db.attempts import Attempt
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleSearcher
from tests.helpers.sample_puzzles import PUZZLES
from tests.motifsearch.web.conftest import (
    BACK_RANK,
    HANGING,
    STUDENT,
    UNDER,
    add_puzzles,
    begin,
    known,
    puzzle,
    served,
    type_move,
)

ALSO_WINS = ("alsowins", "6k1/5ppp/8/8/3q4/8/3R1PPP/R5K1 w - - 0 1", "a1a8", "")
# The same sacrifice on the other wing.
ALIKE = ("alikeone", "1k2r3/ppp5/8/8/8/8/PPPQ4/1K1R4 w - - 0 1", "d2d8 e8d8 d1d8", "")
REPLY = "Black has just played 1...Rxe8."


@pytest.fixture
def solving(page: Page, sqlite_store: Store) -> Page:
    """The page with the first puzzle, `BACK_RANK`."""
    start(page, sqlite_store, BACK_RANK, HANGING)
    return page


def square(page: Page, name: str) -> Locator:
    return page.locator(f'[data-square="{name}"]')


def tap(page: Page, *squares: str) -> None:
    for name in squares:
        square(page, name).click()


def drag(page: Page, start: str, end: str) -> None:
    square(page, start).hover()
    page.mouse.down()
    square(page, end).hover()
    page.mouse.up()


def drawn(page: Page) -> str:
    return page.locator("svg.board").inner_html()


def start(page: Page, store: Store, *puzzles: tuple[str, str, str, str]) -> None:
    """Open the page with the first of these puzzles."""
    add_puzzles(store, *puzzles)
    begin(page)
    page.locator(".squares").wait_for()


def forget(words: str, complaints: list[str]) -> None:
    """Forget the one complaint that the browser must have."""
    (complaint,) = complaints
    assert words in complaint
    complaints.clear()


def attempts(store: Store) -> list[tuple[str, bool, bool]]:
    with store.reading() as session:
        return [(each.puzzle_id, each.right, each.hinted) for each in session.scalars(select(Attempt))]


def solve(page: Page) -> None:
    tap(page, "e2", "e8")
    expect(page.get_by_text(REPLY).first).to_be_visible()
    tap(page, "e1", "e8")
    expect(page.locator(".check")).to_be_visible()


def choose(page: Page, grade: str) -> None:
    """Choose a grade, and go on."""
    page.locator("label", has_text=grade).click()
    page.get_by_role("button", name="Next", exact=False).click()


def suggested(page: Page) -> Locator:
    return page.locator("label:has(:checked)")


def test_each_position_says_who_may_castle_if_it_matters(page: Page, sqlite_store: Store) -> None:
    fen, solution = PUZZLES["fork"]
    add_puzzles(sqlite_store, ("thefork1", fen, solution, ""), BACK_RANK)
    said = "White may still castle kingside. Black may still castle on either side."
    page.goto("/puzzles/thefork1")
    expect(page.get_by_text(said)).to_be_visible()
    begin(page)
    expect(page.get_by_text(said)).to_be_visible()
    tap(page, "d5", "c7")
    expect(page.locator(".ask").get_by_text("White may still castle kingside.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".count")).to_contain_text("2 of 2")
    expect(page.get_by_text("castle")).to_have_count(0)


def test_a_puzzle_is_solved_by_tapping_and_graded(solving: Page, sqlite_store: Store) -> None:
    solve(solving)
    choose(solving, "Good")
    expect(solving.locator(".count")).to_contain_text("2 of 2")
    assert attempts(sqlite_store) == [("backrank", True, False)]


def test_a_puzzle_with_a_mistake_is_not_right_whatever_its_grade(
    page: Page, address: str, sqlite_store: Store
) -> None:
    add_puzzles(sqlite_store, BACK_RANK)
    begin(page)
    page.keyboard.press("s")
    choose(page, "Good")
    expect(page.get_by_text("0 of 1")).to_be_visible()
    assert attempts(sqlite_store) == [("backrank", False, False)]


def test_a_request_without_an_answer_can_be_made_again(solving: Page, complaints: list[str]) -> None:
    solving.context.set_offline(True)
    solving.keyboard.press("h")
    expect(solving.get_by_role("alert")).to_contain_text("cannot be reached")
    solving.context.set_offline(False)
    solving.keyboard.press("h")
    expect(solving.get_by_role("status")).to_contain_text("Motif")
    forget("ERR_INTERNET_DISCONNECTED", complaints)


def test_a_move_without_an_answer_is_taken_back(
    page: Page, sqlite_store: Store, complaints: list[str]
) -> None:
    page.route("**/move", lambda route: route.abort())
    start(page, sqlite_store, HANGING)
    before = drawn(page)
    tap(page, "c3", "d5")
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    assert drawn(page) == before
    expect(page.locator("#typed")).to_be_empty()
    page.unroute("**/move")
    tap(page, "c3", "d5")
    expect(page.locator(".check")).to_be_visible()
    forget("ERR_FAILED", complaints)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("<h1>503 Service Unavailable</h1>", "That did not work (503). Try again, or reload the page."),
        ("<main><p role=alert>The disk is full.</p></main>", "The disk is full."),
    ],
)
def test_a_move_that_failed_is_taken_back(
    solving: Page, complaints: list[str], answer: str, said: str
) -> None:
    solving.route("**/move", lambda route: route.fulfill(status=503, content_type="text/html", body=answer))
    solving.reload()
    before = drawn(solving)
    tap(solving, "e2", "e8")
    expect(solving.get_by_role("alert")).to_have_text(said)
    assert drawn(solving) == before
    solving.unroute("**/move")
    solve(solving)
    forget("503", complaints)


def test_the_solution_stays_when_a_grade_is_not_answered(solving: Page, complaints: list[str]) -> None:
    solving.route("**/grade", lambda route: route.abort())
    solving.reload()
    solve(solving)
    choose(solving, "Good")
    expect(solving.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(solving.get_by_role("link", name="1. Qe8+")).to_be_visible()
    forget("ERR_FAILED", complaints)


def test_moves_are_typed_one_after_the_other(solving: Page) -> None:
    type_move(solving, "Qe8")
    expect(solving.get_by_text(REPLY).first).to_be_visible()
    solving.keyboard.type("Rxe8")
    solving.keyboard.press("Enter")
    expect(solving.locator(".check")).to_be_visible()


def test_the_board_stays_flipped_while_the_solution_is_stepped_through(solving: Page) -> None:
    solving.keyboard.press("s")
    solving.locator(".done").wait_for()
    solving.keyboard.press("f")
    solving.wait_for_url(re.compile("flip=1"))
    solving.keyboard.press("ArrowRight")
    solving.wait_for_url(re.compile("ply=1&flip=1"))


def test_a_piece_is_dragged(solving: Page) -> None:
    drag(solving, "e2", "e8")
    expect(solving.get_by_text(REPLY).first).to_be_visible()


def test_a_piece_that_is_dropped_elsewhere_goes_back(solving: Page) -> None:
    queen = solving.locator('use[href="#white-queen"]')
    before = queen.bounding_box()
    drag(solving, "e2", "a7")
    assert queen.bounding_box() == before


def test_what_is_no_move_leaves_the_hints(solving: Page) -> None:
    solving.get_by_role("button", name="Hint").click()
    expect(solving.get_by_role("status")).to_contain_text("Motif")
    type_move(solving, "Qa8")
    expect(solving.get_by_role("status")).to_contain_text("not legal here")
    expect(solving.get_by_role("status")).to_contain_text("Motif")


def test_everything_goes_by_keyboard(solving: Page, sqlite_store: Store) -> None:
    # The first square that can move is the one that is reached; from there on by arrows.
    solving.locator('.squares [tabindex="0"]').focus()
    focused = "document.activeElement.dataset.square"
    while (name := solving.evaluate(focused)) != "e2":
        solving.keyboard.press("ArrowUp" if name[1] < "2" else "ArrowLeft" if name[0] > "e" else "ArrowRight")
    solving.keyboard.press("Enter")
    for _ in range(6):
        solving.keyboard.press("ArrowUp")
    solving.keyboard.press("Enter")
    expect(solving.get_by_text(REPLY).first).to_be_visible()
    type_move(solving, "Rxe8")
    expect(solving.locator(".check")).to_be_visible()
    solving.keyboard.press("4")
    expect(solving.locator(".count")).to_contain_text("2 of 2")
    assert attempts(sqlite_store) == [("backrank", True, False)]


def test_a_wrong_move_is_answered_at_once_and_explained_later(page: Page, sqlite_store: Store) -> None:
    held: list[Route] = []
    page.route("**/reason*", lambda route: held.append(route))
    start(page, sqlite_store, HANGING, BACK_RANK)
    with page.expect_request("**/reason*"):
        tap(page, "e1", "e2")
    says = page.get_by_role("status").locator("p")
    expect(says).to_have_text(["1. Ke2 is wrong", "Tap a piece to try again.", "The reason follows."])
    expect(page.locator(".cross")).to_have_count(1)
    expect(page.locator(".arrow.refute")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".arrow.refute")).to_have_count(1)
    expect(says).to_have_text(["1...Qxg2 takes the pawn."])
    # The move is taken back by tapping a piece, which can be moved at once.
    tap(page, "d1")
    expect(page.locator(".cross")).to_have_count(0)
    expect(square(page, "e1")).to_have_attribute("aria-label", "e1, white king")
    tap(page, "d5")
    expect(page.locator(".check")).to_be_visible()
    expect(suggested(page)).to_contain_text("Again")
    choose(page, "Again")
    # The same comes again in this round.
    expect(page.locator(".count")).to_contain_text("2 of 3")
    assert attempts(sqlite_store) == [("hanging1", False, False)]


def test_a_finger_drags_a_piece_after_a_wrong_move(
    browser: Browser, address: str, sqlite_store: Store
) -> None:
    context = browser.new_context(base_url=address, has_touch=True, viewport={"width": 390, "height": 844})
    known(context, address)
    page = context.new_page()
    start(page, sqlite_store, HANGING)
    touch = context.new_cdp_session(page)

    def send(kind: str, *at: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    tap(page, "e1", "e2")
    expect(page.locator(".cross")).to_have_count(1)
    send("touchStart", middle(page, "d1"))
    end = middle(page, "d5")
    send("touchMove", end)
    lifted = page.locator("use[href='#white-rook'][transform]").bounding_box()
    assert lifted is not None
    assert lifted["y"] + lifted["height"] <= end[1] + 1
    send("touchEnd")
    expect(page.locator(".check")).to_be_visible()
    context.close()


def middle(page: Page, name: str) -> tuple[float, float]:
    box = square(page, name).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_after_a_mistake_the_keyboard_goes_on_from_the_same_square(page: Page, sqlite_store: Store) -> None:
    start(page, sqlite_store, HANGING)
    square(page, "e1").focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".cross")).to_have_count(1)
    expect(square(page, "e2")).to_be_focused()
    # The king is picked up again, where it stood.
    page.keyboard.press("Enter")
    expect(square(page, "e1")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".check")).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_focused()


def test_each_step_of_solving_is_said(solving: Page) -> None:
    says = solving.get_by_role("status").locator("p")
    tap(solving, "e2", "e8")
    expect(says).to_have_text(["Right", "White to move", REPLY])
    solving.get_by_role("link", name="Previous move").click()
    expect(says).to_have_text(["Before move 2"])
    solving.keyboard.press("s")
    expect(says.first).to_contain_text("The queen on e2 goes to e8")
    solving.get_by_role("button", name="Next").click()
    expect(says).to_have_text(["White to move", ""])


def test_the_focus_goes_to_what_comes_next(solving: Page) -> None:
    type_move(solving, "Qe8")
    solving.locator(".right-word").wait_for()
    type_move(solving, "Rxe8")
    expect(solving.get_by_role("button", name="Next")).to_be_focused()
    solving.keyboard.press("Enter")
    expect(solving.locator('.squares [tabindex="0"]')).to_be_focused()
    solving.get_by_role("button", name="Skip").press("Enter")
    expect(solving.get_by_role("heading", name="Done")).to_be_focused()


def test_the_focus_stays_on_the_move_that_is_looked_at(solving: Page) -> None:
    solving.keyboard.press("s")
    for name in ("1. Qe8+", "Rxe8", "2. Rxe8#"):
        move = solving.get_by_role("link", name=name, exact=True)
        move.press("Enter")
        expect(move).to_be_focused()
        expect(move).to_have_attribute("aria-current", "step")
    forward = solving.get_by_role("link", name="Previous move")
    forward.press("Enter")
    expect(solving.get_by_role("link", name="Rxe8", exact=True)).to_have_attribute("aria-current", "step")
    solving.get_by_role("link", name="Next move").press("Enter")
    expect(solving.get_by_role("link", name="Previous move")).to_be_focused()


def test_it_is_said_what_was_picked_up_and_where_it_may_go(solving: Page) -> None:
    tap(solving, "e2")
    expect(solving.get_by_role("button", name="e2, white queen", pressed=True)).to_be_visible()
    expect(square(solving, "e8")).to_have_accessible_description("can be moved to")
    expect(square(solving, "e3")).to_have_accessible_description("can be moved to")
    expect(square(solving, "g3")).to_have_accessible_description("")


def test_the_moves_so_far_are_stepped_through_and_played_on(solving: Page) -> None:
    tap(solving, "e2", "e8")
    expect(solving.get_by_text(REPLY).first).to_be_visible()
    for name in ("Previous move", "Previous move"):
        solving.get_by_role("link", name=name).click()
    expect(square(solving, "e2")).to_have_attribute("aria-label", "e2, white queen")
    tap(solving, "e1")
    expect(square(solving, "e8")).to_have_attribute("aria-label", "e8, black rook")
    tap(solving, "e8")
    expect(solving.locator(".check")).to_be_visible()


def test_the_line_is_played_to_its_end_before_there_are_arrows(solving: Page) -> None:
    solving.keyboard.press("s")
    expect(solving.get_by_text("the reasons and arrows follow")).to_be_visible()
    expect(solving.get_by_role("link", name="Rxe8#")).to_have_attribute("aria-current", "step")
    expect(solving.locator(".board .arrow")).to_have_count(0)
    expect(solving.locator(".board .arrow").first).to_be_visible()
    expect(solving.get_by_text("the reasons and arrows follow")).to_be_hidden()


def test_after_solving_the_engine_answers_any_move(solving: Page) -> None:
    solving.keyboard.press("s")
    expect(solving.locator(".board .arrow").first).to_be_visible()
    tap(solving, "e2", "d2")
    expect(solving.get_by_role("status")).to_have_text(re.compile(r"Black replies 1\.\.\..* pawns ahead"))
    expect(square(solving, "d2")).to_have_attribute("aria-label", re.compile("queen|rook"))
    solving.get_by_role("link", name="Back to the solution").click()
    expect(square(solving, "e2")).to_have_attribute("aria-label", "e2, white queen")


def test_more_like_it_comes_next_and_then_the_round_goes_on(sqlite_store: Store, tmp_path: Path) -> None:
    add_puzzles(sqlite_store, BACK_RANK, HANGING)
    with sqlite_store.session() as session:
        stored.add_puzzles(session, [puzzle(*ALIKE)])
    PuzzleSearcher(sqlite_store, directory=tmp_path / "index").close()
    with (
        served(sqlite_store, tmp_path) as address,
        Client(base_url=address, cookies={"student": STUDENT}) as client,
    ):
        path = client.post("/rounds", data={"set": "Lesson"}).headers["Location"]
        client.post(f"{path}/show", data={"version": 0})
        client.post(f"{path}/grade", data={"version": 1, "grade": "good", "then": "alike"})
        told = client.get(f"{path}.json").json()
        assert (told["place"], told["puzzles"], told["badge"]) == (2, 3, "alike")
        client.post(f"{path}/skip", data={"version": 2})
        assert client.get(f"{path}.json").json()["fen"] == HANGING[1]
    assert attempts(sqlite_store) == [("backrank", False, False)]


def test_another_mate_than_the_stored_one_solves(page: Page, sqlite_store: Store) -> None:
    start(page, sqlite_store, ("twomates", "6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1", "a1a8", ""))
    tap(page, "b1", "b8")
    expect(page.locator(".check")).to_be_visible()


def test_a_move_that_wins_too_does_not_count_against_the_solver(page: Page, sqlite_store: Store) -> None:
    start(page, sqlite_store, ALSO_WINS)
    tap(page, "d2", "d4")
    expect(page.get_by_role("heading", name="also wins")).to_be_visible()
    tap(page, "a1", "a8")
    expect(suggested(page)).to_contain_text("Good")


def test_hints_tell_more_each_time_and_make_the_grade_hard(solving: Page) -> None:
    for shown in ("Motif", "Piece"):
        solving.keyboard.press("h")
        expect(solving.get_by_text(shown, exact=True)).to_be_visible()
    expect(solving.locator(".mark.picked")).to_have_count(1)
    solve(solving)
    expect(suggested(solving)).to_contain_text("Hard")


def test_a_pawn_asks_what_it_becomes(page: Page, sqlite_store: Store) -> None:
    start(page, sqlite_store, UNDER)
    tap(page, "e7", "e8")
    page.get_by_role("dialog", name="Promote to").get_by_role("button", name="queen").click()
    expect(page.locator(".check")).to_be_visible()


@pytest.mark.parametrize("does", ["click", "tap", "Escape"])
def test_a_pawn_is_taken_back_instead(browser: Browser, address: str, sqlite_store: Store, does: str) -> None:
    page = browser.new_page(base_url=address, has_touch=does == "tap")
    start(page, sqlite_store, ("captures", "3q4/4Pk2/8/8/8/8/8/K7 w - - 0 1", "e7d8q", ""))
    before = drawn(page)
    tap(page, "e7", "d8")
    chooser = page.get_by_role("dialog", name="Promote to")
    chooser.wait_for()
    elsewhere = page.get_by_text("White to move")
    {"click": elsewhere.click, "tap": elsewhere.tap, "Escape": lambda: page.keyboard.press("Escape")}[does]()
    expect(chooser).to_have_count(0)
    assert drawn(page) == before
    if does == "Escape":
        expect(square(page, "e7")).to_be_focused()
    tap(page, "e7", "d8")
    chooser.get_by_role("button", name="queen").click()
    expect(page.locator(".check")).to_be_visible()
    page.close()


@pytest.mark.parametrize("name", ["e2", "e5"])
def test_the_chosen_square_and_its_targets_are_seen_under_the_pointer(solving: Page, name: str) -> None:
    tap(solving, "e2")
    look = "each => getComputedStyle(each).background"
    square(solving, "a5").hover()
    marked = square(solving, name).evaluate(look)
    assert marked != square(solving, "a5").evaluate(look)
    square(solving, name).hover()
    assert square(solving, name).evaluate(look) == marked


def test_reloading_in_the_middle_changes_nothing(solving: Page) -> None:
    tap(solving, "e2", "e8")
    expect(solving.get_by_text(REPLY).first).to_be_visible()
    solving.reload()
    expect(solving.get_by_text(REPLY).first).to_be_visible()


def test_a_second_tab_that_is_behind_is_brought_up_to_date(solving: Page) -> None:
    other = solving.context.new_page()
    other.goto(solving.url)
    solve(solving)
    other.get_by_role("button", name="Give up").click()
    expect(other.locator(".check")).to_be_visible()


def test_nothing_of_the_solution_is_on_the_page_before(solving: Page) -> None:
    page = solving.content()
    assert "backrank" not in page
    assert not re.search("deflection|sacrifice|mate", page, re.IGNORECASE)


def test_the_solution_is_stepped_through_by_keys(solving: Page) -> None:
    solving.keyboard.press("s")
    expect(solving.locator(".done")).to_contain_text("The solution")
    solving.keyboard.press("ArrowRight")
    expect(solving.get_by_role("link", name="1. Qe8+")).to_have_attribute("aria-current", "step")
    solving.keyboard.press("ArrowRight")
    solving.keyboard.press("ArrowLeft")
    expect(solving.get_by_role("link", name="1. Qe8+")).to_have_attribute("aria-current", "step")
    solving.keyboard.press("?")
    expect(solving.get_by_role("dialog")).to_contain_text("step through the moves")


def test_without_script_forms_and_links_do_it_all(
    browser: Browser, address: str, sqlite_store: Store
) -> None:
    add_puzzles(sqlite_store, HANGING)
    plain = browser.new_context(base_url=address, java_script_enabled=False)
    known(plain, address)
    page = plain.new_page()
    begin(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("Motif", exact=True)).to_be_visible()
    type_move(page, "Ke2")
    page.get_by_role("link", name="Why?").click()
    expect(page.get_by_text("takes the pawn")).to_be_visible()
    type_move(page, "Nxd5")
    page.get_by_role("link", name="1. Nxd5").click()
    expect(page.get_by_role("link", name="1. Nxd5")).to_have_attribute("aria-current", "step")
    choose(page, "Easy")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    plain.close()


def test_the_board_can_be_flipped(solving: Page) -> None:
    solving.keyboard.press("f")
    expect(square(solving, "a1")).to_have_css("grid-area", "auto")
    top_left = solving.locator("[data-square]").first
    expect(top_left).to_have_attribute("data-square", "h1")
