"""Every attribute on the two worked examples of the thesis, and where they leave something open.

The boards of the examples are lost, and their moves are typed in. A search has found boards on which
Stockfish 15.1 gives these trees. They have the pieces that the text names; what else is on them is made up,
and the centipawns are others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chess
import pytest
from chess.engine import Cp, Mate

from engines.engine import Engine
from puzzlegen.difficulty.attributes import LEVELS, TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreeMove, TreePosition, meaningful_tree

# The moves of a tree in UCI, each with those of the next level.
Moves = dict[str, Any]

# Figures 2.3 and 2.4.
HARD = "3r4/5pk1/1p4pp/4rP2/P4P2/1P6/P3Bb1P/R3R2K b - - 0 1"
HARD_MOVES: Moves = {
    "e5e8": {
        "e1d1": {
            "f2d4": {
                "e2c4": {"d4a1": {}},
                "e2f3": {"d4a1": {}},
                "e2b5": {"d4a1": {}},
                "e2a6": {"d4a1": {}},
                "d1d4": {"d8d4": {}},
            }
        }
    }
}

# Figures 2.5 and 2.6 (section 2.4 has the first four levels, and eight moves at the fifth), and the legal
# moves of each level (sections 2.5.3 and 2.5.4), which are not those of this board.
EASY = "8/1p2q1pk/2P1Pr2/1Pn3Q1/4P1b1/2N4p/3R4/2K2BR1 b - - 0 1"
EASY_LAST: Moves = {move: {} for move in ("g4e6", "g5g6", "b7b6", "b7c6", "g5h4", "g5e7", "g5e5", "c5e4")}
EASY_MOVES: Moves = {
    "f6f1": {"c1c2": {"e7g5": {"g1f1": EASY_LAST}}, "g1f1": {"e7g5": {"c1c2": EASY_LAST}}},
}
EASY_LEGAL_MOVES = (38, 4, 73, 45, 70)


def position(board: chess.Board, moves: Moves) -> TreePosition:
    node = TreePosition(board, board.legal_moves.count())
    for uci, below in moves.items():
        after = board.copy()
        after.push_uci(uci)
        node.moves.append(
            TreeMove(chess.Move.from_uci(uci), Cp(341), position(after, below) if below else None)
        )
    return node


def attributes_of(fen: str, moves: Moves) -> TreeAttributes:
    return TreeAttributes(MeaningfulTree(position(chess.Board(fen), moves)))


@pytest.fixture
def hard() -> TreeAttributes:
    return attributes_of(HARD, HARD_MOVES)


@pytest.fixture
def easy() -> TreeAttributes:
    tree = MeaningfulTree(position(chess.Board(EASY), EASY_MOVES))
    for positions, printed in zip(tree.levels(), EASY_LEGAL_MOVES, strict=True):
        for number, node in enumerate(positions):
            node.legal_moves = printed if number == 0 else 0
    return TreeAttributes(tree)


def by_level(attributes: TreeAttributes, name: str) -> list[float]:
    vector = attributes.vector()
    return [vector[f"{name}({level})"] for level in LEVELS]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Meaningful", [1, 1, 1, 5, 5]),
        ("Branching", [1, 1, 1, 5, 1]),
        ("NarrowSolution", [1, 1, 1, 0, 5]),
        ("Distance", [3, 1, 2, 13, 7]),
        ("Pieces", [1, 1, 1, 2, 2]),
    ],
)
def test_the_levels_of_the_hard_example(hard: TreeAttributes, name: str, printed: list[float]) -> None:
    assert by_level(hard, name) == printed


def moves_in(position: TreePosition) -> Moves:
    return {move.move.uci(): moves_in(move.after) if move.after else {} for move in position.moves}


@pytest.fixture(scope="module")
def stockfish_15(stockfish: str) -> Iterator[Engine]:
    with Engine(stockfish) as engine:
        if engine.name != "Stockfish 15.1":
            pytest.skip(f"the boards were found with Stockfish 15.1, not {engine.name}")
        yield engine


@pytest.mark.parametrize(("fen", "moves"), [(HARD, HARD_MOVES), (EASY, EASY_MOVES)], ids=["hard", "easy"])
def test_stockfish_gives_the_trees_of_the_examples(stockfish_15: Engine, fen: str, moves: Moves) -> None:
    assert moves_in(meaningful_tree(chess.Board(fen), stockfish_15).root) == moves


@pytest.mark.parametrize(
    ("example", "name", "printed"),
    [
        ("hard", "AverageBranching", 1.8),
        ("hard", "AllNarrowSolutions", 8),
        ("hard", "TreeSize", 13),
        ("hard", "SumDistance", 26),
        ("hard", "AverageDistance", 5.2),
        ("hard", "AllPiecesInvolved", 7),
        ("easy", "Meaningful(1)", 1),
        ("easy", "PossibleMoves(1)", 38),
        ("easy", "AllPossibleMoves", 230),
        ("easy", "MoveRatio(1)", 1 / 38),
        ("easy", "Distance(1)", 5),
        ("easy", "Branching(5)", 8),
    ],
)
def test_the_examples(request: pytest.FixtureRequest, example: str, name: str, printed: float) -> None:
    attributes: TreeAttributes = request.getfixturevalue(example)
    assert attributes.vector()[name] == pytest.approx(printed)


def test_the_legal_moves_of_a_level_are_those_of_all_its_positions(easy: TreeAttributes) -> None:
    assert by_level(easy, "PossibleMoves") == list(EASY_LEGAL_MOVES)


def test_a_piece_with_two_moves_counts_once() -> None:
    # Figure 2.8 has a queen with two of three meaningful first moves.
    attributes = attributes_of("7k/8/8/8/8/8/6Q1/K6R w - - 0 1", {"g2g7": {}, "g2g6": {}, "h1h5": {}})
    assert attributes.pieces(1) == 2


def test_averages_are_of_the_levels_that_the_tree_has() -> None:
    vector = attributes_of(HARD, {"e5e8": {"e1d1": {}, "e1b1": {}}}).vector()
    assert vector["AverageBranching"] == pytest.approx((1 + 2) / 2)
    assert vector["AverageDistance"] == pytest.approx((3 + 1 + 3) / 2)


def test_a_tree_without_moves_has_zeros() -> None:
    attributes = attributes_of(HARD, {})
    vector = attributes.vector()
    assert {name: value for name, value in vector.items() if value} == {
        "PossibleMoves(1)": vector["AllPossibleMoves"],
        "AllPossibleMoves": chess.Board(HARD).legal_moves.count(),
        "PieceValueRatio": attributes.piece_value_ratio(),
    }


@pytest.mark.parametrize(
    ("fen", "ratio"),
    [
        # Two rooks, a bishop and four pawns against two rooks, a bishop and six pawns.
        (HARD, 17 / 19),
        # A bare king counts as a pawn.
        ("7k/8/8/8/8/8/8/K6R w - - 0 1", 5),
    ],
)
def test_the_ratio_of_material_is_the_solvers_to_the_opponents(fen: str, ratio: float) -> None:
    assert attributes_of(fen, {}).piece_value_ratio() == pytest.approx(ratio)


def test_first_moves_that_mate_are_no_wins_without_checkmate() -> None:
    root = position(chess.Board("7k/8/8/8/8/8/6Q1/K6R w - - 0 1"), {"g2g7": {}, "h1h5": {}})
    root.moves[0].score = Mate(1)
    assert TreeAttributes(MeaningfulTree(root)).winning_no_checkmate() == 1


def test_seemingly_good_moves_are_counted() -> None:
    tree = MeaningfulTree(position(chess.Board(HARD), {}), seemingly_good=(chess.Move.from_uci("e5e7"),))
    assert TreeAttributes(tree).seemingly_good() == 1


def test_the_vector_has_all_seventeen_attributes_by_the_names_of_the_thesis(hard: TreeAttributes) -> None:
    names = list(hard.vector())
    assert len({name.partition("(")[0] for name in names}) == 17
    assert (len(names), names[0], names[-1]) == (45, "Meaningful(1)", "WinningNoCheckmate")
