"""The page on which puzzles are solved, in a browser."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chess
import pytest

from db.models import Puzzle
from puzzlegen.formats import solving_page
from puzzlegen.formats.solving_page import solving_task
from tests.helpers.browser import done_on_page
from tests.helpers.sheet_puzzles import EVIL, blundered, evil_game, named, sheet_puzzle

TWO_MOVES = "back rank, two moves"

# Both b8 and b7 have a mate: only the former is the solution.
TWO_MATES = ("7k/6pp/8/8/8/8/R7/1R4K1 w - - 0 1", "b1b8")
PROMOTION = ("8/4P1k1/8/8/8/8/5PPP/6K1 w - - 0 1", "e7e8n")

# What a person does on the page, and what the page then has to show.
HELPERS = """
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (id) => document.getElementById(id).textContent;
const square = (name) => document.querySelector(`[data-square='${name}']`);
const click = (...names) => names.forEach((name) => square(name).click());
const press = (id) => document.getElementById(id).click();
const pieces = () => [...document.querySelectorAll("#board button")]
  .map((one) => one.getAttribute("aria-label")).filter((label) => !label.endsWith("empty")).sort();
const marked = (name) => [...document.querySelectorAll(`#board .${name}`)]
  .map((one) => one.dataset.square).sort();
const list = () => [...document.querySelectorAll("#list button")].map((one) => one.className);
const shown = (id) => !document.getElementById(id).hidden;
const at = (name) => {
  const box = square(name).getBoundingClientRect();
  return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, button: 0 };
};
const drag = (from, to) => {
  square(from).dispatchEvent(new PointerEvent("pointerdown", at(from)));
  window.dispatchEvent(new PointerEvent("pointermove", at(to)));
  window.dispatchEvent(new PointerEvent("pointerup", at(to)));
};
const focused = () => document.activeElement;
const key = (key) => focused().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
"""


def page_of(puzzles: Sequence[Puzzle], title: str = "Homework", solver: str = "") -> str:
    out = io.StringIO()
    solving_page.write(out, puzzles, title, solver)
    return out.getvalue()


Browse = Callable[..., Any]


@pytest.fixture
def browse(tmp_path: Path) -> Browse:
    """Return a function that opens a page with puzzles, does something on it, and returns what that says."""

    def run(doing: str, *puzzles: Puzzle) -> Any:
        return done_on_page(page_of(puzzles), f"{HELPERS} {doing}", tmp_path)

    return run


def test_nothing_from_a_file_becomes_markup() -> None:
    page = page_of([named("fork", game=evil_game(), game_url="javascript:alert(1)")], EVIL, EVIL)
    assert page.count("<script") == page.count("</script>") == 2
    assert EVIL not in page
    data = re.search(r'<script type="application/json" id="page">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    (task,) = json.loads(data[1])["puzzles"]
    assert EVIL in task["facts"]
    assert task["link"] is None


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = page_of([named("fork")])
    assert "<link" not in page
    assert " src=" not in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_page_knows_legal_moves_and_placements() -> None:
    puzzle = named(TWO_MOVES)
    first, last = solving_task(puzzle)["steps"]
    board = puzzle.position()
    assert first["legal"] == [move.uci() for move in board.legal_moves]
    assert list(first["solving"]) == [first["best"]] == ["e2e8"]
    assert first["reply"]["move"] == "d8e8"
    for uci in ("e2e8", "d8e8"):
        board.push_uci(uci)
    assert last["placement"] == first["reply"]["placement"] == board.board_fen()
    assert last["reply"] is None


def test_each_position_says_who_may_castle_if_it_matters(browse: Browse) -> None:
    before, after, other = browse(
        "const before = text('rights'); click('d5', 'c7'); await wait(1000); const after = text('rights');"
        "press('next'); tell([before, after, text('rights')]);",
        named("fork"),
        named("back rank"),
    )
    assert before == "White may still castle kingside. Black may still castle on either side."
    assert after == "White may still castle kingside."
    assert other == ""


def test_markup_in_a_name_is_shown_as_it_is(browse: Browse) -> None:
    done = browse(
        "click('a1', 'a8'); tell([text('facts'), document.title]);", named("back rank", game=evil_game())
    )
    assert EVIL in done[0]
    assert done[1] == "Homework"


def test_a_puzzle_is_solved_move_by_move(browse: Browse) -> None:
    puzzle = named(TWO_MOVES)
    before, between, after, said, answer, count = browse(
        "const before = pieces(); click('e2', 'e8'); await wait(1000); const between = pieces();"
        "click('e1', 'e8');"
        "tell([before, between, pieces(), text('message'), text('answer'), text('count')]);",
        puzzle,
    )
    boards = [puzzle.position() for _ in range(3)]
    for uci in ("e2e8", "d8e8"):
        boards[1].push_uci(uci)
    for uci in ("e2e8", "d8e8", "e1e8"):
        boards[2].push_uci(uci)
    assert [before, between, after] == [labels(board) for board in boards]
    assert said == "Solved!"
    assert answer == "1. Qe8+ Rxe8 2. Rxe8#"
    assert count == "1 of 1 solved"


def labels(board: chess.Board) -> list[str]:
    return sorted(
        f"{chess.square_name(square)}, {chess.COLOR_NAMES[piece.color]} {chess.piece_name(piece.piece_type)}"
        for square, piece in board.piece_map().items()
    )


def test_the_opponents_move_is_played_first(browse: Browse) -> None:
    before, early, after, last = browse(
        "const before = pieces(); click('b1', 'b8'); const early = pieces(); await wait(1000);"
        "tell([before, early, pieces(), marked('last')]);",
        blundered(),
    )
    assert before == early == labels(chess.Board(blundered().fen))
    assert after == labels(blundered().position())
    assert last == ["f8", "g8"]


def test_a_wrong_move_may_be_retried_and_is_remembered(browse: Browse) -> None:
    wrong, board, shown, right, results = browse(
        "click('a1', 'b1');"
        "const wrong = text('message'), board = pieces(), open = shown('explanation');"
        "click('a1', 'a8'); tell([wrong, board, open, text('message'), list()]);",
        named("back rank"),
    )
    assert wrong == "That is not it. Try again."
    assert board == labels(named("back rank").position())
    assert shown is False
    assert right == "Solved!"
    assert results == ["helped"]


WALK = """
square('e1').focus(); for (let file = 0; file < 6; file += 1) key('ArrowLeft');
const start = focused().dataset.square; focused().click();
for (let rank = 1; rank < 8; rank += 1) key('ArrowUp');
const end = focused().dataset.square; focused().click();
tell([start, end, list(), document.querySelectorAll('#board [tabindex="0"]').length]);
"""
BROWSE = """
const seen = [text('number')];
for (const one of ['next', 'next', 'previous']) { press(one); seen.push(text('number')); }
tell(seen);
"""

# What is done with some puzzles, and what the page then says.
DONE: dict[str, tuple[str, list[Puzzle], Any]] = {
    "an illegal move is not a wrong one": (
        "click('a1', 'b3', 'a1', 'g7'); tell([text('message'), list()]);",
        [named("back rank")],
        ["", [""]],
    ),
    "any mate solves a puzzle": (
        "click('a2', 'a8'); tell([text('message'), list()]);",
        [sheet_puzzle(*TWO_MATES)],
        ["Solved!", ["solved"]],
    ),
    **{
        f"an exercise is solved by any accepted move: {move}": (
            f"click('b1', '{move}'); tell(list());",
            [sheet_puzzle(*TWO_MATES, accepted=["b1b8", "b1d1"])],
            [result],
        )
        for move, result in {"b8": "solved", "d1": "solved", "c1": ""}.items()
    },
    "an exercise ends with its first move": (
        "click('e2', 'e8'); tell([text('message'), text('answer')]);",
        [sheet_puzzle(named(TWO_MOVES).fen, named(TWO_MOVES).solution, accepted=["e2e8"])],
        ["Solved!", "1. Qe8+ Rxe8 2. Rxe8#"],
    ),
    "pieces can be dragged": ("drag('a1', 'a8'); tell(list());", [named("back rank")], ["solved"]),
    "the keyboard is enough": (WALK, [named("back rank")], ["a1", "a8", ["solved"], 1]),
    "a hint marks the piece": (
        "press('hint'); const hinted = marked('hint'); click('a1', 'a8'); tell([hinted, list()]);",
        [named("back rank")],
        [["a1"], ["helped"]],
    ),
    "next and previous": (
        BROWSE,
        [named("fork"), named("back rank")],
        [f"Puzzle {number} of 2" for number in (1, 2, 2, 1)],
    ),
    "Black sees the board from the other side": (
        "tell(document.querySelector('#board button').dataset.square);",
        [named("black's fork")],
        "h1",
    ),
    "no puzzles are an empty page": ("tell(list());", [], []),
}


@pytest.mark.parametrize(("doing", "puzzles", "said"), DONE.values(), ids=DONE)
def test_what_the_page_says(browse: Browse, doing: str, puzzles: list[Puzzle], said: Any) -> None:
    assert browse(doing, *puzzles) == said


@pytest.mark.parametrize(("piece", "result"), [("knight", "solved"), ("queen", "")])
def test_a_pawn_becomes_what_is_chosen(browse: Browse, piece: str, result: str) -> None:
    choices, results = browse(
        "click('e7', 'e8'); const buttons = [...document.querySelectorAll('#promotion button')];"
        f"const wanted = buttons.find((one) => one.getAttribute('aria-label') === '{piece}'); wanted.click();"
        "tell([buttons.map((one) => one.getAttribute('aria-label')), list()]);",
        sheet_puzzle(*PROMOTION),
    )
    assert choices == ["queen", "rook", "bishop", "knight"]
    assert results == [result]


def test_a_promotion_is_given_up_by_a_click_elsewhere(browse: Browse) -> None:
    opened, closed, board = browse(
        "const dialog = document.getElementById('promotion'); click('e7', 'e8');"
        "const opened = dialog.open; dialog.click(); tell([opened, dialog.open, pieces()]);",
        sheet_puzzle(*PROMOTION),
    )
    assert (opened, closed) == (True, False)
    assert board == labels(sheet_puzzle(*PROMOTION).position())


def test_a_piece_that_is_dropped_elsewhere_stays(browse: Browse) -> None:
    board, carried = browse(
        "drag('a1', 'c5'); tell([pieces(), document.getElementById('carried') !== null]);", named("back rank")
    )
    assert board == labels(named("back rank").position())
    assert carried is False


def test_the_solution_is_shown_on_demand(browse: Browse) -> None:
    answer, why, marked, results = browse(
        "press('solution'); tell([text('answer'), text('why'), marked('hint'), list()]);", named(TWO_MOVES)
    )
    assert answer == "1. Qe8+ Rxe8 2. Rxe8#"
    assert "is backed up by the rook on e1." in why
    assert (marked, results) == (["e2", "e8"], ["shown"])


def test_results_are_there_after_the_page_was_left(browse: Browse) -> None:
    # A busy browser stores them a moment after the page has gone: it is opened again, up to five times.
    opened = "const times = Number(location.hash.slice(1)); if (!times) click('a1', 'a8');"
    seen = "if (times === 5 || (times && list()[0])) tell([text('number'), text('count'), list()]);"
    again = "else { location.hash = times + 1; location.reload(); }"
    done = browse(f"{opened} {seen} {again}", named("back rank"), named("fork"))
    assert done == ["Puzzle 2 of 2", "1 of 2 solved", ["solved", ""]]
