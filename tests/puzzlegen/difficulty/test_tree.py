"""Which moves are in a tree, on evaluations that are written down, and on Stockfish's."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from engines.engine import Engine, Until, Variation
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreeRules, meaningful_tree, moves_of
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

RULES = TreeRules()
ONE_LEVEL, TWO_LEVELS = replace(RULES, levels=1), replace(RULES, levels=2)

# Where nothing is written down, every move wins, and every reply is as good as any other.
ALL_WIN = replace(RULES, won=0)

# Deep enough for what Stockfish is asked here.
SHALLOW = replace(RULES, depth=6)

# Rook and pawn each, White to move.
ROOKS = "6k1/r5p1/8/8/8/8/1P6/1K5R w - - 0 1"

# Qxd8+ Rxd8 Rxd8#.
BACK_RANK = "2rr2k1/5ppp/8/8/8/3Q4/q4PPP/3R2K1 w - - 0 1"


def tree_of(fen: str, opinions: dict[str, Opinion], rules: TreeRules = RULES) -> MeaningfulTree:
    return meaningful_tree(chess.Board(fen), ScriptedEngine(opinions), rules)


def level(tree: MeaningfulTree, number: int) -> list[str]:
    levels = tree.levels()
    return [move.move.uci() for _, move in moves_of(levels[number - 1])] if number <= len(levels) else []


@pytest.mark.parametrize(
    ("opinion", "moves"),
    [
        ({"h1d1": 430, "h1e1": 200, "h1f1": 199}, ["h1d1", "h1e1"]),
        # A mate wins.
        ({"h1d1": "#4", "h1e1": 300, "h1f1": "#-2"}, ["h1d1", "h1e1"]),
        ({"h1d1": 199, "h1e1": 150}, []),
    ],
)
def test_the_solver_has_the_moves_that_win(opinion: Opinion, moves: list[str]) -> None:
    assert level(tree_of(ROOKS, {ROOKS: opinion}, ONE_LEVEL), 1) == moves


@pytest.mark.parametrize(
    ("opinion", "replies"),
    [
        ({"a7a8": -300, "a7b7": -350, "a7c7": -351}, ["a7a8", "a7b7"]),
        # Winning is not enough.
        ({"a7a8": 400, "a7b7": 300}, ["a7a8"]),
        # Replies that get mated are not meaningful, unless the best one gets mated.
        ({"a7a8": -900, "a7b7": "#-9", "a7c7": "#-1"}, ["a7a8"]),
        ({"a7a8": "#-5", "a7b7": "#-2", "a7c7": "#-1"}, ["a7a8", "a7b7", "a7c7"]),
        # A reply that mates is better than any other.
        ({"a7a8": "#3", "a7b7": 900}, ["a7a8"]),
    ],
)
def test_the_opponent_has_the_replies_that_are_about_as_good(opinion: Opinion, replies: list[str]) -> None:
    opinions: dict[str, Opinion] = {ROOKS: {"h1d1": 300}, after(ROOKS, "h1d1"): opinion}
    assert level(tree_of(ROOKS, opinions, TWO_LEVELS), 2) == replies


def test_scores_are_the_solvers() -> None:
    tree = tree_of(ROOKS, {ROOKS: {"h1d1": 300}, after(ROOKS, "h1d1"): {"a7a8": -310}}, TWO_LEVELS)
    scores = [move.score.score() for positions in tree.levels() for _, move in moves_of(positions)]
    assert scores == [300, 310]


def test_the_tree_ends_with_the_game() -> None:
    tree = tree_of(
        BACK_RANK,
        {
            BACK_RANK: {"d3d8": "#2"},
            after(BACK_RANK, "d3d8"): {"c8d8": "#-1"},
            after(BACK_RANK, "d3d8", "c8d8"): {"d1d8": "#1"},
        },
    )
    assert [level(tree, number) for number in (1, 2, 3, 4)] == [["d3d8"], ["c8d8"], ["d1d8"], []]
    assert tree.complete


def test_positions_are_searched_as_deep_as_the_thesis_does() -> None:
    limits: set[tuple[int, int | None]] = set()

    class Recording(ScriptedEngine):
        def search(
            self,
            board: chess.Board,
            nodes: int,
            lines: int = 1,
            depth: int | None = None,
            until: Until | None = None,
        ) -> list[Variation]:
            limits.add((lines, depth))
            return super().search(board, nodes, lines, depth, until)

    meaningful_tree(chess.Board(ROOKS), Recording({}), TWO_LEVELS)
    assert limits == {(8, 10), (2, 10)}


@pytest.mark.parametrize("most_positions", [1, 20, 40])
def test_a_tree_that_grows_too_large_is_cut_and_says_so(most_positions: int) -> None:
    tree = tree_of(ROOKS, {}, replace(ALL_WIN, most_positions=most_positions))
    assert not tree.complete
    assert len({position.board.epd() for level in tree.levels() for position in level}) == most_positions


def test_only_the_last_level_of_a_cut_tree_is_incomplete() -> None:
    tree = tree_of(ROOKS, {}, replace(ALL_WIN, most_positions=60))
    assert [len(positions) for positions in tree.levels()][:2] == [1, 8]
    assert len(tree.levels()) == 3


def test_moves_are_seemingly_good_whether_the_tree_is_cut_or_not() -> None:
    opinions: dict[str, Opinion] = {ROOKS: {"h1d1": 300}, after(ROOKS, "h1h7"): {"g8h7": 500, "a7a2": -300}}
    tree = tree_of(ROOKS, opinions, replace(RULES, most_positions=1))
    assert [move.uci() for move in tree.seemingly_good] == ["h1h7"]


def test_a_position_that_is_reached_in_two_ways_is_searched_once() -> None:
    tree = tree_of(ROOKS, {ROOKS: {"h1d1": 300, "h1e1": 300}}, replace(ALL_WIN, levels=4))
    positions = {position.board.epd() for level in tree.levels() for position in level}
    first_moves = chess.Board(ROOKS).legal_moves.count() - 2
    assert len(positions) < sum(map(len, tree.levels()))
    assert tree.searches <= len(positions) + first_moves


@pytest.mark.parametrize(
    ("first", "second", "moves"),
    [
        (500, -300, ["h1h7"]),
        # Algorithm 10: "if type of move.score is CP".
        ("#1", -300, []),
        (9000, -300, ["h1h7"]),
        # The other replies may get mated.
        (500, "#-3", ["h1h7"]),
        # Two replies are good; the move wins.
        (500, -199, []),
        (-200, -300, []),
    ],
)
def test_a_move_with_one_good_reply_is_seemingly_good(
    first: int | str, second: int | str, moves: list[str]
) -> None:
    """Two replies to a first move have these scores of the opponent."""
    opinions: dict[str, Opinion] = {
        ROOKS: {"h1d1": 300},
        after(ROOKS, "h1h7"): {"g8h7": first, "a7a2": second},
    }
    assert [move.uci() for move in tree_of(ROOKS, opinions, ONE_LEVEL).seemingly_good] == moves


def mirrored(opinions: dict[str, Opinion]) -> dict[str, Opinion]:
    """Return the same opinions with the colours exchanged."""

    def flipped(uci: str) -> str:
        move = chess.Move.from_uci(uci)
        return chess.Move(
            chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
        ).uci()

    return {
        chess.Board(fen).mirror().fen(): {flipped(uci): value for uci, value in opinion.items()}
        for fen, opinion in opinions.items()
    }


def test_colours_do_not_matter() -> None:
    opinions: dict[str, Opinion] = {
        ROOKS: {"h1d1": 430, "h1e1": 200, "h1f1": 100},
        after(ROOKS, "h1d1"): {"a7a8": -430, "a7b7": -450},
        after(ROOKS, "h1e1"): {"a7a8": -230},
        after(ROOKS, "h1h7"): {"g8h7": 500, "a7a2": -300},
    }
    board = chess.Board(ROOKS)
    white = meaningful_tree(board, ScriptedEngine(opinions), TWO_LEVELS)
    black = meaningful_tree(board.mirror(), ScriptedEngine(mirrored(opinions)), TWO_LEVELS)
    assert TreeAttributes(white).vector() == TreeAttributes(black).vector()


def test_stockfish_on_a_mate_in_two(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        attributes = TreeAttributes(meaningful_tree(chess.Board(BACK_RANK), engine, SHALLOW))
    assert [attributes.meaningful(number) for number in range(1, 6)] == [1, 1, 1, 0, 0]
    assert attributes.winning_no_checkmate() == 0


def test_stockfish_on_a_fork(stockfish: str) -> None:
    board = chess.Board("r3k3/5ppp/8/1N6/8/8/PP3PPP/6K1 w - - 0 1")
    with Engine(stockfish) as engine:
        tree = meaningful_tree(board, engine, replace(SHALLOW, levels=2))
    assert level(tree, 1) == ["b5c7"]
