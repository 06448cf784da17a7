"""What people see of a tree: its text, its page, and its JSON object."""

from __future__ import annotations

import re

import chess
import pytest

from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreeRules, meaningful_tree
from puzzlegen.difficulty.views import WIDTH, attributes_text, draw, tree_page, tree_text
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

BACK_RANK = "2rr2k1/5ppp/8/8/8/3Q4/q4PPP/3R2K1 w - - 0 20"
SOLUTION = [chess.Move.from_uci(uci) for uci in ("d3d8", "c8d8", "d1d8")]
OPINIONS: dict[str, Opinion] = {
    BACK_RANK: {"d3d8": "#2", "d3d2": 300},
    after(BACK_RANK, "d3d8"): {"c8d8": "#-1"},
    after(BACK_RANK, "d3d8", "c8d8"): {"d1d8": "#1"},
    after(BACK_RANK, "d3d2"): {"a2d2": -310, "a2a3": -320},
}


def tree_of(rules: TreeRules | None = None, fen: str = BACK_RANK) -> MeaningfulTree:
    return meaningful_tree(chess.Board(fen), ScriptedEngine(OPINIONS), rules)


@pytest.fixture
def tree() -> MeaningfulTree:
    return tree_of(TreeRules(won=0, levels=3))


@pytest.fixture
def wide() -> MeaningfulTree:
    """A tree in which every move wins, and every reply is as good as any other."""
    return tree_of(TreeRules(won=0, most_positions=60), chess.STARTING_FEN)


def test_the_text_has_a_line_for_each_move(tree: MeaningfulTree) -> None:
    lines = tree_text(tree, SOLUTION).splitlines()
    assert lines[:3] == [
        "1 solver     20. Qxd8+ (#2) *",
        "2 opponent     20... Rxd8 (#1) *",
        "3 solver         21. Rxd8# (#1) *",
    ]
    assert "2 opponent     20... Qa3 (+3.20)" in lines


def test_moves_of_the_last_level_share_lines(tree: MeaningfulTree) -> None:
    assert re.search(r"^3 solver +21\. [a-zA-Z0-9+]+ \(\+0\.00\), ", tree_text(tree, SOLUTION), re.MULTILINE)


def test_the_text_fits_a_terminal_and_breaks_no_score(wide: MeaningfulTree) -> None:
    text = tree_text(wide, [chess.Move.from_uci("e2e4")])
    assert max(map(len, text.splitlines())) <= WIDTH
    assert not re.search(r"^ +\(", text, re.MULTILINE)


def test_a_solution_that_is_not_in_the_tree_is_mentioned(tree: MeaningfulTree) -> None:
    assert "not in the tree" not in tree_text(tree, SOLUTION)
    assert "move 20. h3 is not in the tree" in tree_text(tree, [chess.Move.from_uci("h2h3")])


def test_a_cut_tree_says_so(wide: MeaningfulTree, tree: MeaningfulTree) -> None:
    assert "cut after 60 positions" in " ".join(tree_text(wide, []).split())
    assert "cut after" not in tree_text(tree, [])


def test_the_attributes_have_a_row_each(tree: MeaningfulTree) -> None:
    text = attributes_text(TreeAttributes(tree))
    assert re.search(r"^Meaningful +2 +3 +17 +0 +0$", text, re.MULTILINE)
    assert "WinningNoCheckmate" in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_json_object_has_the_whole_tree(tree: MeaningfulTree) -> None:
    found = TreeAttributes(tree).as_dict()
    first = found["moves"][0]
    assert (first["san"], first["uci"], first["score"], first["mate"]) == ("Qxd8+", "d3d8", None, 2)
    assert first["after"]["moves"][0]["after"]["moves"][0]["after"] is None
    assert (found["attributes"]["Meaningful(1)"], found["complete"]) == (2, True)


def test_every_move_has_a_box_of_its_own_and_there_is_room(wide: MeaningfulTree) -> None:
    drawing = draw(wide, [])
    corners = {(box.x, box.y) for box in drawing.boxes}
    assert len(corners) == len(drawing.boxes) == TreeAttributes(wide).vector()["TreeSize"]
    assert max(x for x, _ in corners) < drawing.width
    assert max(y for _, y in corners) < drawing.height


def test_the_solution_is_marked(tree: MeaningfulTree) -> None:
    assert [box.san for box in draw(tree, SOLUTION).boxes if box.is_solution] == ["Qxd8+", "Rxd8", "Rxd8#"]


def test_the_solution_is_on_the_left(tree: MeaningfulTree) -> None:
    boxes = draw(tree, [chess.Move.from_uci("d3d2")]).boxes
    (solution,) = (box for box in boxes if box.is_solution)
    assert solution.x == min(box.x for box in boxes)


def test_levels_alternate_between_the_sides(wide: MeaningfulTree) -> None:
    drawing = draw(wide, [])
    assert [band.is_solver for band in drawing.bands] == [True, False, True]
    sides = {(box.y, box.is_solver) for box in drawing.boxes if box.y < drawing.bands[2].y}
    assert [is_solver for _, is_solver in sorted(sides)] == [True, False]


def test_a_level_without_moves_is_not_drawn() -> None:
    # No move wins after the reply.
    engine = ScriptedEngine({BACK_RANK: {"d3d2": 300}, after(BACK_RANK, "d3d2"): {"a2d2": -310}})
    drawing = draw(meaningful_tree(chess.Board(BACK_RANK), engine), [])
    assert [(band.level, band.height > 0) for band in drawing.bands] == [(1, True), (2, True)]


def test_a_tree_without_moves_says_why() -> None:
    empty = tree_of(fen=chess.STARTING_FEN)
    assert tree_text(empty, []).startswith("The tree is empty: at depth 10, no first move wins")
    page = tree_page("empty", TreeAttributes(empty), [])
    assert "no first move wins" in page
    assert 'class="tree"' not in page


def test_the_page_has_the_moves_and_no_reference_to_elsewhere(tree: MeaningfulTree) -> None:
    page = tree_page("<b>", TreeAttributes(tree), SOLUTION)
    assert "Qxd8+</text>" in page
    assert "20. Qxd8+ Rxd8 21. Rxd8#" in page
    assert "<b>" not in page
    assert "src=" not in page
