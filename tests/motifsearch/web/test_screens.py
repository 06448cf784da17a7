"""The other screens in a real browser: searching, making a set, uploading games; and accessibility of all."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import Literal

import chess.pgn
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from db.models import utc_now
from db.puzzles import get_puzzle
from db.sets import create_set, extend_set, find_set, set_entries
from db.store import Store
from motifsearch.positions.archiving import add_games
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.solving import Grade
from puzzlegen.formats.importing import import_puzzles
from tests.helpers.clock import FakeClock
from tests.helpers.sample_games import pgn
from tests.motifsearch.web.conftest import (
    BACK_RANK,
    HANGING,
    STUDENT,
    UNDER,
    add_puzzles,
    begin,
    known,
    type_move,
)

WIDTHS = (1280, 320)


def go(page: Page, path: str, width: int = 1280) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path)


@pytest.fixture
def stocked(page: Page, sqlite_store: Store) -> Page:
    add_puzzles(sqlite_store, BACK_RANK, HANGING)
    return page


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_is_accessible_and_fits(
    stocked: Page, sqlite_store: Store, scheme: Literal["light", "dark"], width: int
) -> None:
    played = chess.pgn.read_game(StringIO(pgn("1. e4 e5 2. Nf3 Nc6", White="Doe, Ann", Black="Roe")))
    assert played is not None
    add_games([played], sqlite_store)
    add_group(sqlite_store)
    fen = chess.STARTING_FEN
    stocked.emulate_media(color_scheme=scheme)
    faults = {}
    for path in (
        *(
            "/",
            "/search",
            "/search?q=backrank",
            "/search?motif=fork",
            "/sets?name=Lesson",
            "/sets?name=Group",
        ),
        *("/sets?name=Group", "/sets/edit?name=Group", f"/sets/link?student={STUDENT}"),
        *("/games", "/games/opportunities", "/puzzles/backrank", "/positions"),
        *("/puzzles/backrank?solution=1", "/search?q=backrank&shown=hanging1&themes=all&select=all"),
        *(f"/positions?q={fen}", "/archive/1?ply=2"),
    ):
        go(stocked, path, width)
        faults[path] = faults_of(stocked, width)
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("path", ["/puzzles/nothing", "/search?q=9/9"])
def test_a_screen_that_says_what_is_wrong_is_accessible(browser: Browser, address: str, path: str) -> None:
    # The console says that the status is not 200, so that this is not the page that must not complain.
    page = browser.new_page(base_url=address)
    go(page, path)
    assert page.get_by_role("alert").is_visible()
    assert faults_of(page, WIDTHS[0]) == []
    page.close()


def faults_of(page: Page, width: int) -> list[object]:
    """Return what a screen has that is not accessible, and whether it is too wide."""
    found = list(Axe().run(page).response["violations"])
    return [*found, "too wide"] if page.evaluate("document.documentElement.scrollWidth") > width else found


@pytest.mark.parametrize("width", WIDTHS)
def test_solving_is_accessible_and_fits(stocked: Page, width: int) -> None:
    stocked.set_viewport_size({"width": width, "height": 800})
    begin(stocked)
    faults = {}
    for does, says in (
        ("", "White to move"),
        ("Kf1", "Kf1 also wins"),
        ("h", "^Motif$"),
        ("s", "^The solution$"),
        ("3", "2 of 2"),
        ("Ke2", "Ke2 is wrong"),
        ("n", "3 of 3"),
        ("n", "2 wrong, 1 skipped"),
    ):
        if len(does) == 1:
            stocked.keyboard.press(does)
        elif does:
            type_move(stocked, does)
            stocked.locator(".say h2").wait_for()
            stocked.locator(".pending").wait_for(state="detached")
            stocked.keyboard.press("Escape")
        stocked.get_by_text(re.compile(says)).filter(visible=True).first.wait_for()
        faults[says] = faults_of(stocked, width)
    assert {state: found for state, found in faults.items() if found} == {}
    expect(stocked.get_by_role("heading", name="What was wrong")).to_be_visible()


@pytest.fixture
def editor(stocked: Page) -> Page:
    """The screen of searches with the board to set up a position on."""
    go(stocked, "/search")
    stocked.get_by_text("By position").click()
    stocked.locator(".tray").first.wait_for()
    return stocked


def test_a_position_is_set_up_and_searched(editor: Page) -> None:
    for piece, square in (("white king", "e1"), ("white rook", "a1"), ("black king", "g8")):
        editor.get_by_role("button", name=piece, exact=True).click()
        editor.locator(f'[data-square="{square}"]').click()
    editor.get_by_role("button", name="black pawn", exact=True).click()
    for square in ("f7", "g7", "h7"):
        editor.locator(f'[data-square="{square}"]').click()
    field = editor.get_by_label("or paste a FEN")
    expect(field).to_have_value("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
    # The right to castle is there while king and rook stand at home, unless it is taken away.
    editor.get_by_text("White O-O-O").click()
    expect(field).to_have_value("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    editor.get_by_role("button", name="Search", exact=True).click()
    expect(editor.get_by_text("1. Ra8#")).to_be_visible()
    assert "q=6k1%2F5ppp" in editor.url


def test_the_arrow_keys_go_over_the_board_to_set_up(editor: Page) -> None:
    editor.get_by_role("button", name="white queen").focus()
    editor.keyboard.press("Enter")
    editor.get_by_role("button", name="Exchange the colours").focus()
    for key in ("Tab", "ArrowUp", "ArrowRight", "Enter"):
        editor.keyboard.press(key)
    expect(editor.get_by_role("button", name="f5, white queen")).to_be_focused()


def test_pieces_are_dragged_onto_the_board_and_off(editor: Page) -> None:
    def middle(selector: str) -> tuple[float, float]:
        box = editor.locator(selector).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(start: str, end: tuple[float, float]) -> None:
        editor.mouse.move(*middle(start))
        editor.mouse.down()
        editor.mouse.move(*end, steps=3)
        editor.mouse.up()

    editor.set_viewport_size({"width": 1280, "height": 1400})
    field = editor.get_by_label("or paste a FEN")
    drag('[data-letter="R"]', middle('[data-square="a1"]'))
    expect(field).to_have_value("8/8/8/8/8/8/8/R7 w - - 0 1")
    drag('[data-square="a1"]', middle('[data-square="h8"]'))
    expect(field).to_have_value("7R/8/8/8/8/8/8/8 w - - 0 1")
    drag('[data-square="h8"]', (2, 2))
    expect(field).to_have_value("")


def test_a_button_that_was_tapped_looks_like_the_others(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address, has_touch=True, reduced_motion="reduce")
    go(page, "/positions")
    rook = page.get_by_role("button", name="white rook", exact=True)
    look = "each => getComputedStyle(each).background"
    before = rook.evaluate(look)
    # The second time, the piece is not chosen any more.
    for pressed in ("true", "false"):
        rook.tap()
        expect(rook).to_have_attribute("aria-pressed", pressed)
    assert rook.evaluate(look) == before
    page.close()


@pytest.fixture
def plain(stocked: Page, address: str) -> Page:
    """The page of a puzzle by an address to which browsers give no clipboard."""
    name = "http://puzzles.example"

    def answer(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace(name, address)))

    stocked.route(f"{name}/**", answer)
    stocked.goto(f"{name}/puzzles/backrank?solution=1")
    assert stocked.evaluate("navigator.clipboard === undefined")
    return stocked


def test_a_position_is_copied_without_https(plain: Page) -> None:
    plain.get_by_role("button", name="copy FEN").click()
    expect(plain.get_by_role("button", name="copied")).to_be_visible()
    plain.locator(".who summary").click()
    field = plain.get_by_placeholder("another name")
    field.focus()
    plain.keyboard.press("Control+V")
    expect(field).to_have_value(BACK_RANK[1])


def test_a_position_that_cannot_be_copied_is_selected(plain: Page) -> None:
    plain.evaluate("document.execCommand = () => false")
    plain.get_by_role("button", name="copy FEN").click()
    expect(plain.locator("input:focus")).to_have_value(BACK_RANK[1])
    assert plain.evaluate("String(getSelection())") == BACK_RANK[1]


def test_a_step_without_an_answer_says_so(stocked: Page, complaints: list[str]) -> None:
    stocked.route("**/*ply=1", lambda route: route.abort())
    go(stocked, "/puzzles/backrank?solution=1")
    stocked.keyboard.press("ArrowRight")
    expect(stocked.get_by_role("alert")).to_contain_text("cannot be reached")
    (complaint,) = complaints
    assert "ERR_FAILED" in complaint
    complaints.clear()


def test_filters_are_in_the_address(stocked: Page) -> None:
    go(stocked, "/search")
    stocked.get_by_text("fork", exact=True).click()
    expect(stocked.locator("#found").get_by_role("status")).to_have_text("No puzzle passes all filters")
    assert "motif=fork" in stocked.url


def test_a_position_that_is_none_stays_on_the_board(stocked: Page, complaints: list[str]) -> None:
    go(stocked, "/search?q=8/8/8/8/8/8/8/R6K+w+-+-+0+1&moves=Ra8")
    expect(stocked.get_by_role("alert")).to_be_visible()
    expect(stocked.locator('[data-square="a1"]')).to_have_attribute("aria-label", "a1, white rook")
    # The status of the answer.
    (complaint,) = complaints
    assert "400" in complaint
    complaints.clear()


def test_a_position_that_is_typed_is_on_the_board(editor: Page) -> None:
    editor.get_by_label("or paste a FEN").fill("6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1")
    editor.keyboard.press("Tab")
    expect(editor.locator('[data-square="a1"]')).to_have_attribute("aria-label", "a1, white rook")
    expect(editor.get_by_text("Black to move", exact=True)).to_be_visible()


def test_results_become_a_set(stocked: Page, sqlite_store: Store) -> None:
    go(stocked, "/search")
    solve = stocked.get_by_role("button", name="Solve these")
    expect(solve).to_have_class("primary")
    stocked.get_by_label("Select puzzle 1").check()
    expect(solve).not_to_have_class("primary")
    expect(stocked.get_by_text("1 selected")).to_be_visible()
    stocked.get_by_text("Save as a set").click()
    stocked.get_by_label("Name of a set").fill("Rooks")
    stocked.get_by_label("For whom").fill("Ben")
    stocked.get_by_role("button", name="Save", exact=True).click()
    expect(stocked.get_by_text("1 puzzle, for Ben")).to_be_visible()
    with sqlite_store.reading() as session:
        assert [entry.puzzle.id for entry in set_entries(session, "Rooks")] == ["backrank"]


def test_a_coach_sees_how_much_of_a_set_a_student_has_solved(stocked: Page, sqlite_store: Store) -> None:
    record_attempt(sqlite_store, STUDENT, "hanging1", Grade.GOOD, seconds=9, at=utc_now())
    go(stocked, "/")
    stocked.locator(".who summary").click()
    stocked.get_by_placeholder("another name").fill("Coach")
    stocked.keyboard.press("Enter")
    stocked.locator(".who summary").click()
    stocked.get_by_role("link", name="Sets and students").click()
    stocked.get_by_role("link", name="Lesson").click()
    expect(stocked.get_by_text(f"2 puzzles, for {STUDENT}")).to_be_visible()
    expect(stocked.get_by_role("link", name=f"{STUDENT}, puzzle 2: right, 0:09")).to_be_visible()
    expect(stocked.get_by_role("row", name=STUDENT)).to_contain_text("1 of 1")


def add_group(store: Store) -> None:
    """Add a set for two students, one of whose puzzles both have got wrong."""
    with store.session() as session:
        create_set(session, "Group", "Ben", "Cleo", due_on=date(2026, 12, 4))
        extend_set(session, "Group", "", [("backrank", None), ("hanging1", None)])
    for student, grade in (("Ben", Grade.AGAIN), ("Cleo", Grade.AGAIN), ("Ben", Grade.HARD)):
        name = "hanging1" if grade is Grade.AGAIN else "backrank"
        record_attempt(store, student, name, grade, seconds=62)


def test_a_student_sees_her_own_part_of_a_set_and_no_motif_before_it_is_solved(
    stocked: Page, sqlite_store: Store
) -> None:
    add_group(sqlite_store)
    go(stocked, "/")
    stocked.context.add_cookies([{"name": "student", "value": "Cleo", "url": stocked.url}])
    go(stocked, "/sets?name=Group")
    expect(stocked.get_by_text("1 of 2, 0 right at once, due Friday 4 December")).to_be_visible()
    expect(stocked.get_by_text("✕ wrong, 1:02")).to_be_visible()
    assert re.search("Ben|mate", stocked.inner_text("main"), re.IGNORECASE) is None
    stocked.get_by_role("button", name="Solve puzzle 1").click()
    expect(stocked.locator(".count")).to_contain_text("1 of 1")


def test_what_was_hardest_for_a_group_is_said(stocked: Page, sqlite_store: Store) -> None:
    add_group(sqlite_store)
    go(stocked, "/sets?name=Group")
    expect(stocked.get_by_text("2 puzzles, 2 students, due Friday 4 December")).to_be_visible()
    expect(stocked.get_by_text("Puzzle 2 was wrong for both who tried it.")).to_be_visible()
    expect(stocked.get_by_role("row", name="Right at once")).to_contain_text("0 of 1 0 of 2")
    with stocked.expect_download() as download:
        stocked.get_by_role("button", name="Results (CSV)").click()
    rows = Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert [row.rsplit(",", 1)[0] for row in rows[1:]] == [
        "Ben,1,backrank,,right with a hint,62,1",
        "Ben,2,hanging1,,wrong,62,1",
        "Cleo,2,hanging1,,wrong,62,1",
    ]


def test_a_set_is_changed_and_a_removal_undone(stocked: Page, sqlite_store: Store) -> None:
    def order() -> list[str]:
        with sqlite_store.reading() as session:
            return [entry.puzzle.id for entry in set_entries(session, "Lesson")]

    go(stocked, "/sets/edit?name=Lesson")
    stocked.get_by_role("button", name="Puzzle 1 down").click()
    expect(stocked.get_by_role("listitem").first).to_have_id("hanging1")
    stocked.get_by_role("button", name="Remove puzzle 1").click()
    expect(stocked.get_by_text("Puzzle 1 is removed.")).to_be_visible()
    assert order() == ["backrank"]
    stocked.get_by_role("button", name="Undo").click()
    expect(stocked.locator("#hanging1")).to_be_visible()
    assert order() == ["hanging1", "backrank"]
    stocked.get_by_label("Name", exact=True).fill("Homework")
    stocked.get_by_label("Due").fill("2026-12-04")
    stocked.get_by_role("button", name="Done").click()
    expect(stocked.get_by_role("heading", name="Homework")).to_be_visible()
    expect(stocked.get_by_text("0 of 2, due Friday 4 December")).to_be_visible()


def test_a_puzzle_is_moved_to_a_place(page: Page, sqlite_store: Store) -> None:
    add_puzzles(sqlite_store, BACK_RANK, HANGING, UNDER)
    go(page, "/sets/edit?name=Lesson")
    page.get_by_label("Place of puzzle 1").fill("3")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator(".sorter li").last).to_have_id(BACK_RANK[0])


def test_a_student_is_added_and_gets_a_link(stocked: Page, browser: Browser, sqlite_store: Store) -> None:
    add_group(sqlite_store)
    go(stocked, "/sets?name=Group")
    stocked.get_by_label("Add a student").fill("Dora")
    stocked.get_by_role("button", name="Add and make a link").click()
    link = stocked.get_by_label("Link").input_value()
    other = browser.new_page()
    other.goto(link)
    other.get_by_role("link", name="Group").click()
    expect(other.get_by_text("0 of 2, due Friday 4 December")).to_be_visible()
    assert faults_of(other, WIDTHS[0]) == []
    other.close()


def test_a_set_is_deleted(stocked: Page, sqlite_store: Store) -> None:
    go(stocked, "/sets/edit?name=Lesson")
    stocked.get_by_text("Delete this set").click()
    stocked.get_by_role("button", name="Delete", exact=True).click()
    expect(stocked.get_by_role("row", name="Lesson")).to_have_count(0)
    with sqlite_store.reading() as session:
        assert find_set(session, "Lesson") is None
        assert get_puzzle(session, "backrank").id == "backrank"


def test_results_are_solved_at_once(stocked: Page) -> None:
    go(stocked, "/search")
    stocked.get_by_label("Select puzzle 1").check()
    stocked.get_by_role("button", name="Solve", exact=True).click()
    expect(stocked.locator(".count")).to_contain_text("1 of 1")


def test_a_search_that_finds_nothing_offers_others(stocked: Page) -> None:
    go(stocked, "/search?motif=fork&phase=endgame")
    expect(stocked.get_by_text("No puzzle passes all filters")).to_be_visible()
    stocked.get_by_role("link", name="1 without any filter").click()
    expect(stocked.locator("#found").get_by_role("status")).to_have_text("1 puzzle unseen first")


def test_who_is_new_says_a_name(page: Page, sqlite_store: Store) -> None:
    page.context.clear_cookies()
    go(page, "/")
    page.get_by_text("Your name").click()
    page.get_by_placeholder("your name").fill("Cleo")
    page.keyboard.press("Enter")
    expect(page.locator(".who summary")).to_have_text("Cleo")


def test_results_are_downloaded(stocked: Page) -> None:
    go(stocked, "/search")
    stocked.get_by_label("Select puzzle 1").check()
    with stocked.expect_download() as download:
        stocked.get_by_role("button", name="PGN").click()
    assert "[FEN " in Path(download.value.path()).read_text(encoding="utf-8")


def test_what_is_due_comes_first(page: Page, sqlite_store: Store) -> None:
    add_puzzles(sqlite_store, BACK_RANK, HANGING)
    long_ago = utc_now() - timedelta(days=30)
    record_attempt(sqlite_store, STUDENT, "hanging1", Grade.GOOD, seconds=9, at=long_ago)
    go(page, "/")
    expect(page.get_by_text("1 review", exact=True)).to_be_visible()
    expect(page.get_by_text("1 new", exact=True)).to_be_visible()
    expect(page.get_by_text("Review", exact=True)).to_be_visible()
    expect(page.get_by_text("solved 4 weeks ago")).to_be_visible()


@pytest.mark.parametrize(
    ("zone", "day", "says"),
    [
        ("Pacific/Auckland", "Tuesday, 6 January", "0 of 1"),
        ("America/Los_Angeles", "Monday, 5 January", "Nothing left"),
    ],
)
def test_today_is_that_of_the_browser(
    browser: Browser,
    address: str,
    sqlite_store: Store,
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
    day: str,
    says: str,
) -> None:
    clock = FakeClock(monkeypatch)
    add_puzzles(sqlite_store, HANGING)
    before = clock.now - timedelta(hours=4)
    record_attempt(sqlite_store, STUDENT, "hanging1", Grade.AGAIN, seconds=9, at=before)
    context = browser.new_context(base_url=address, timezone_id=zone)
    known(context, address)
    page = context.new_page()
    # The first time the page does not know the zone yet, and asks again.
    for _ in range(2):
        go(page, "/")
        expect(page.get_by_text(day)).to_be_visible()
        expect(page.get_by_text(says).first).to_be_visible()
    context.close()


def test_nothing_is_due_after_all_is_done(page: Page, sqlite_store: Store) -> None:
    add_puzzles(sqlite_store, HANGING)
    begin(page)
    type_move(page, "Nxd5")
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    expect(page.get_by_role("heading", name="Done for today")).to_be_visible()
    go(page, "/")
    expect(page.get_by_role("heading", name="Nothing left")).to_be_visible()


def test_a_puzzle_comes_again_when_it_is_due_each_time_later(
    page: Page, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    add_puzzles(sqlite_store, HANGING)
    waited = []
    for _ in range(2):
        begin(page)
        type_move(page, "Nxd5")
        good = page.locator("label", has_text="Good")
        promised = re.search(r"(\d+) days", good.inner_text())
        assert promised is not None
        waited.append(int(promised[1]))
        page.keyboard.press("3")
        page.get_by_role("heading", name="Done for today").wait_for()
        clock.passes(days=waited[-1] - 1)
        go(page, "/")
        expect(page.get_by_role("heading", name="Nothing left")).to_be_visible()
        clock.passes(days=1)
    assert waited[0] < waited[1]


def test_a_cycle_is_compared_with_the_one_before(
    page: Page, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    add_puzzles(sqlite_store, HANGING)
    for number, seconds in ((1, 90), (2, 40)):
        go(page, "/sets?name=Lesson")
        page.locator("summary", has_text="Cycles").click()
        page.get_by_role("button", name=f"Begin cycle {number}").click()
        clock.passes(seconds=seconds)
        type_move(page, "Nxd5")
        page.get_by_role("button", name="Next").click()
        page.get_by_role("heading", name=f"Cycle {number} is done").wait_for()
    expect(page.get_by_text("100 % right at once in 0:40, 0:50 faster than cycle 1.")).to_be_visible()


def test_a_round_goes_on_where_it_was(stocked: Page) -> None:
    begin(stocked)
    go(stocked, "/")
    expect(stocked.get_by_text("0 of 2", exact=True)).to_be_visible()
    type_move(stocked, "h4")
    stocked.wait_for_url("**/solve/*")
    expect(stocked.locator(".count")).to_contain_text("1 of 2")


def test_a_hostile_name_is_only_text(page: Page, sqlite_store: Store, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    file = tmp_path / "puzzles.pgn"
    file.write_text(
        f'[White "{hostile}"]\n[Black "{hostile}"]\n[FEN "{BACK_RANK[1]}"]\n[SetUp "1"]\n\n'
        "1. Qe8+ Rxe8 2. Rxe8# *\n",
        encoding="utf-8",
    )
    import_puzzles(str(file), sqlite_store)
    go(page, "/search")
    page.locator(".diagram a").first.click()
    page.get_by_text("Show the solution").click()
    expect(page.get_by_text(hostile).first).to_be_visible()
    assert page.locator("img").count() == 0


def test_a_file_of_games_is_analysed_while_somebody_solves(
    page: Page, sqlite_store: Store, tmp_path: Path
) -> None:
    add_puzzles(sqlite_store, HANGING)
    game = tmp_path / "game.pgn"
    game.write_text(
        '[White "Doe, Ann"]\n[Black "Roe"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n', encoding="utf-8"
    )
    begin(page)
    other = page.context.new_page()
    go(other, "/games")
    other.get_by_label("File (.pgn").set_input_files(game)
    other.get_by_label("Player, as in the file").fill("ann doe")
    other.get_by_role("button", name="Upload and analyse").click()
    expect(other.get_by_text("game.pgn")).to_be_visible()
    # What somebody solves goes on beside it, and as who began it.
    type_move(page, "Nxd5")
    expect(page.locator(".check")).to_be_visible()
    other.get_by_text("The analysis of game.pgn is done.").wait_for(timeout=60_000)


def test_an_analysis_is_stopped(page: Page, sqlite_store: Store, tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(pgn("1. e4 e5 2. Nf3 Nc6", White="Doe, Ann", Black="Roe") * 50, encoding="utf-8")
    go(page, "/games")
    page.get_by_label("File (.pgn").set_input_files(game)
    page.get_by_label("Player, as in the file").fill("ann doe")
    page.get_by_role("button", name="Upload and analyse").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("The analysis of game.pgn was stopped.")).to_be_visible()
