"""Which moves an exercise accepts, on written-down evaluations."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.engine import Variation
from motifsearch.trainer.analysis.exercise import (
    Choice,
    Exercise,
    Task,
    find_exercise,
    gaining_part,
    won_line,
)
from motifsearch.trainer.analysis.rules import ExerciseRules
from puzzlegen.rules import MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after, score

RULES, LIMITS = MiningRules(), ExerciseRules()

# Two pieces attack the queen on d5.
HANGING = "4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1"

# Centipawns: the queen is won, or only even.
WON, EVEN = 700, 0

# Mate in two: the rooks go to b7 and a8.
LADDER = "4k3/8/R7/1R6/8/8/8/4K3 w - - 0 1"


def engine_with(
    opinion: Opinion,
    by_nodes: dict[int, dict[str, Opinion]] | None = None,
    fen: str = HANGING,
    reply: int = -WON,
) -> ScriptedEngine:
    """Return an engine with an opinion of a position. After each of its moves, the opponent has `reply`."""
    others: dict[str, Opinion] = {
        after(fen, move): {other.uci(): reply}
        for move in opinion
        for other in list(chess.Board(after(fen, move)).legal_moves)[:1]
    }
    return ScriptedEngine({fen: opinion} | others, by_nodes)


def exercise(
    opinion: Opinion, by_nodes: dict[int, dict[str, Opinion]] | None = None, fen: str = HANGING
) -> Exercise | Rejection:
    return find_exercise(chess.Board(fen), engine_with(opinion, by_nodes, fen), RULES, LIMITS)


def test_all_moves_that_are_good_enough_are_accepted() -> None:
    found = exercise({"c3d5": WON, "d1d5": WON - 10, "e1e2": EVEN, "h2h3": EVEN, "g2g3": EVEN})
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.accepted] == ["c3d5", "d1d5"]
    assert [move.uci() for move in found.solution.moves] == ["c3d5"]
    assert found.solution.ending is Ending.MATERIAL


def test_a_queen_comes_before_a_rook_that_is_as_good() -> None:
    fen = "4r1k1/3P4/8/8/8/8/8/K7 w - - 0 1"
    found = exercise({"d7e8r": WON, "d7e8q": WON, "a1b1": EVEN, "a1b2": EVEN}, fen=fen)
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.accepted] == ["d7e8q", "d7e8r"]


def test_the_gap_is_that_to_the_best_other_move() -> None:
    found = exercise({"c3d5": WON, "d1d5": WON, "e1e2": EVEN})
    assert isinstance(found, Exercise)
    assert found.solution.gap == pytest.approx(0.8588, abs=1e-3)


def test_one_good_move_is_enough() -> None:
    found = exercise({"c3d5": WON, "d1d5": EVEN, "e1e2": EVEN})
    assert isinstance(found, Exercise)
    assert len(found.accepted) == 1


@pytest.mark.parametrize(
    ("what", "opinion", "reason"),
    [
        ("nothing wins", {"c3d5": 90, "e1e2": -700}, Rejection.NOT_WINNING),
        ("too many win", dict.fromkeys(["c3d5", "d1d5", "e1e2", "h2h3", "g2g3"], WON), Rejection.NOT_UNIQUE),
        ("no clear step", {"c3d5": 300, "d1d5": 200, "e1e2": 100, "h2h3": 0}, Rejection.NOT_UNIQUE),
        ("the others are nearly as good", {"c3d5": 300, "e1e2": 210}, Rejection.NOT_UNIQUE),
    ],
)
def test_no_exercise(what: str, opinion: Opinion, reason: Rejection) -> None:
    assert exercise(opinion) is reason


# Near the least win chance of an accepted move, and near the least margin.
NEARLY_WON, NEARLY_AS_GOOD = 250, 350

STAGES = [stage.nodes for stage in LIMITS.stages]


@pytest.mark.parametrize(
    ("what", "opinion", "nodes"),
    [
        ("nothing wins", {"c3d5": EVEN, "d1d5": EVEN}, STAGES[0]),
        ("many win", dict.fromkeys(["c3d5", "d1d5", "e1e2", "h2h3", "g2g3"], WON), STAGES[0]),
        ("one wins", {"c3d5": WON, "d1d5": EVEN}, STAGES[1]),
        ("one may win", {"c3d5": NEARLY_WON, "d1d5": EVEN}, STAGES[-1]),
        ("one or two win", {"c3d5": WON, "d1d5": NEARLY_AS_GOOD, "e1e2": EVEN}, STAGES[3]),
    ],
)
def test_a_search_ends_once_it_is_clear_what_is_accepted(what: str, opinion: Opinion, nodes: int) -> None:
    engine = engine_with(opinion)
    find_exercise(chess.Board(HANGING), engine, RULES, LIMITS)
    assert engine.asked[0] == (chess.Board(HANGING).epd(), nodes)


@pytest.mark.parametrize(
    ("mate", "others", "nodes"),
    [("#1", WON, STAGES[0]), ("#2", EVEN, STAGES[1]), ("#2", WON, STAGES[3])],
)
def test_a_mate_is_clear_once_no_other_move_may_mate_too(mate: str, others: int, nodes: int) -> None:
    fen = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    engine = engine_with({"a2a8": mate, "a1b1": others, "e1e2": others}, fen=fen)
    find_exercise(chess.Board(fen), engine, RULES, LIMITS)
    assert engine.asked[0] == (chess.Board(fen).epd(), nodes)


@pytest.mark.parametrize(
    ("reply", "nodes"),
    [(-WON, LIMITS.confirmation[0].nodes), (-NEARLY_WON, LIMITS.confirmation[-1].nodes)],
)
def test_what_an_accepted_move_reaches_is_searched_until_it_is_clear(reply: int, nodes: int) -> None:
    engine = engine_with({"c3d5": WON, "d1d5": EVEN}, reply=reply)
    find_exercise(chess.Board(HANGING), engine, RULES, LIMITS)
    assert engine.asked[1] == (chess.Board(after(HANGING, "c3d5")).epd(), nodes)


def test_more_nodes_decide() -> None:
    few: Opinion = {"c3d5": WON, "d1d5": NEARLY_AS_GOOD, "e1e2": EVEN}
    more: Opinion = {"c3d5": WON, "d1d5": EVEN, "e1e2": EVEN}
    found = exercise(few, {STAGES[3]: {HANGING: more}})
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.accepted] == ["c3d5"]


def test_a_move_that_more_nodes_refute() -> None:
    few: Opinion = {"c3d5": NEARLY_WON, "d1d5": EVEN}
    more: Opinion = {"c3d5": EVEN, "d1d5": EVEN}
    assert exercise(few, {STAGES[-1]: {HANGING: more}}) is Rejection.NOT_WINNING


def test_another_move_that_more_nodes_find_as_good() -> None:
    few: Opinion = {"c3d5": NEARLY_WON, "d1d5": EVEN}
    more: Opinion = {"c3d5": NEARLY_WON, "d1d5": NEARLY_WON}
    assert exercise(few, {STAGES[-1]: {HANGING: more}}) is Rejection.NOT_UNIQUE


def test_every_accepted_move_must_win_when_it_alone_is_searched() -> None:
    opinions: dict[str, Opinion] = {
        HANGING: {"c3d5": WON, "d1d5": WON, "e1e2": EVEN},
        after(HANGING, "c3d5"): {"e8d8": -WON},
        after(HANGING, "d1d5"): {"e8e7": EVEN},
    }
    engine = ScriptedEngine(opinions)
    assert find_exercise(chess.Board(HANGING), engine, RULES, LIMITS) is Rejection.NOT_CONFIRMED


def test_where_most_moves_win_there_is_nothing_to_find() -> None:
    # The king can take either pawn, or go away.
    fen = "8/8/8/8/8/8/1pp5/K1k5 w - - 0 1"
    board = chess.Board(fen)
    first, *_ = board.legal_moves
    opinion: Opinion = {move.uci(): WON if move == first else -WON for move in board.legal_moves}
    assert exercise(opinion, fen=fen) is Rejection.NOT_UNIQUE


def test_a_win_without_gain_is_won() -> None:
    found = exercise({"e1e2": WON, "c3d5": EVEN, "d1d5": EVEN}, fen=HANGING.replace("q", "p"))
    assert isinstance(found, Exercise)
    assert found.solution.ending is Ending.WON
    assert len(found.solution.moves) % 2 == 1


QUIET = "4k3/8/8/8/8/8/7r/R5K1 w - - 0 1"
LOST = -700


@pytest.mark.parametrize(
    ("what", "opinion", "expected"),
    [
        ("one holds", {"a1e1": EVEN, "a1a8": LOST, "a1a7": LOST}, ["a1e1"]),
        ("two hold", {"a1e1": EVEN, "a1a8": EVEN, "a1a7": LOST}, ["a1e1", "a1a8"]),
        ("three hold", {"a1e1": EVEN, "a1b1": EVEN, "a1c1": EVEN, "a1d1": LOST}, Rejection.NO_GAIN),
        ("none holds", {"a1e1": LOST, "a1a8": LOST - 99}, Rejection.NOT_WINNING),
        ("all hold", {"a1e1": EVEN, "a1a8": EVEN, "a1a7": EVEN}, Rejection.NOT_UNIQUE),
        ("the others are worse, but not lost", {"a1e1": 60, "a1a8": -60}, Rejection.NOT_UNIQUE),
    ],
)
def test_moves_that_hold(what: str, opinion: Opinion, expected: object) -> None:
    found = find_exercise(chess.Board(QUIET), ScriptedEngine({QUIET: opinion}), RULES, LIMITS, Task.HOLD)
    if isinstance(found, Exercise):
        assert [move.uci() for move in found.accepted] == expected
        assert found.solution.ending is Ending.HELD
    else:
        assert found is expected


def test_what_does_more_than_hold_wins() -> None:
    engine = engine_with({"a1e1": 90, "a1a8": LOST}, fen=QUIET)
    found = find_exercise(chess.Board(QUIET), engine, RULES, LIMITS, Task.HOLD)
    assert found is Rejection.NOT_WINNING
    engine = engine_with({"a1e1": WON, "a1a8": LOST}, fen=QUIET)
    found = find_exercise(chess.Board(QUIET), engine, RULES, LIMITS, Task.HOLD)
    assert isinstance(found, Exercise)
    assert found.solution.ending is Ending.WON


def test_a_mate_is_shown_to_its_end() -> None:
    opinions: dict[str, Opinion] = {
        LADDER: {"b5b7": "#2", "a6b6": EVEN},
        after(LADDER, "b5b7"): {"e8f8": "#-1"},
        after(LADDER, "b5b7", "e8f8"): {"a6a8": "#1", "b7b1": EVEN},
    }
    found = find_exercise(chess.Board(LADDER), ScriptedEngine(opinions), RULES, LIMITS)
    assert isinstance(found, Exercise)
    assert ([move.uci() for move in found.solution.moves], found.solution.ending) == (
        ["b5b7", "e8f8", "a6a8"],
        Ending.MATE,
    )


def test_the_line_shows_what_happens_after_a_recapture() -> None:
    # The bishop takes a pawn that only seems to be protected: after exd5 the queen on e8 is lost.
    fen = "4q1k1/5ppp/4p3/3p4/8/5B2/5PPP/4R1K1 w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"f3d5": WON, "e1e2": EVEN, "g2g3": EVEN, "h2h3": EVEN, "g1f1": EVEN, "g1h1": EVEN},
        after(fen, "f3d5"): {"e8d8": -WON},
        after(fen, "f3d5", "e6d5"): {"e1e8": "#1"},
    }
    found = find_exercise(chess.Board(fen), ScriptedEngine(opinions), RULES, LIMITS)
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.solution.moves] == ["f3d5", "e6d5", "e1e8"]
    # The mate is not forced.
    assert found.solution.ending is Ending.MATERIAL


@pytest.mark.parametrize(
    ("fen", "capture", "recapture", "again"),
    [
        # A pawn takes a rook: what is taken back is worth less.
        ("4k3/8/5p2/4b1R1/7P/8/5PPP/4K3 b - - 0 1", "f6g5", "h4g5", "e5h2"),
        # Nobody takes a pawn with the queen where a rook takes back.
        ("4k3/8/8/1q2p3/3P4/8/5PPP/4R1K1 w - - 0 1", "d4e5", "b5e5", "e1e5"),
    ],
)
def test_a_recapture_that_explains_nothing_is_not_shown(
    fen: str, capture: str, recapture: str, again: str
) -> None:
    opinions: dict[str, Opinion] = {
        after(fen, capture): {"e1e2" if fen.split()[1] == "b" else "e8f8": -WON},
        after(fen, capture, recapture): {again: WON},
        after(fen, capture, recapture, again): {"g2g3" if fen.split()[1] == "b" else "e8f8": -WON},
    }
    limits = replace(LIMITS, line=replace(LIMITS.line, promised=100))
    best = chess.Move.from_uci(capture)
    line = won_line(chess.Board(fen), best, ScriptedEngine(opinions), RULES, limits)
    assert line is not None
    assert line.moves == (best,)


@pytest.mark.parametrize(
    ("fen", "capture", "later"),
    [
        # The pawn on c7 is left; later the bishop is still all that was won.
        ("rnR5/ppp2ppk/7p/1B1P4/1q6/5N2/PPP2PPP/1K1R4 b - - 0 1", "b4b5", ["d1e1", "a7a5", "c8d8"]),
        # The bishop takes back the pawn that has taken a knight.
        (
            "rnbq1rk1/pp2ppbp/2pp1np1/1N2P3/3P1B2/8/PPP2PPP/R2QKBNR w KQ - 0 7",
            "e5f6",
            ["g7f6", "b5c3", "d8b6"],
        ),
        # The queen takes back the knight that has taken a rook.
        ("r2q3k/ppN2prP/8/4p3/3n4/3R4/PPQ3P1/1K5R w - - 0 29", "c7a8", ["d8a8", "c2c7", "a8f8"]),
    ],
)
def test_a_line_ends_with_the_capture_that_wins(fen: str, capture: str, later: list[str]) -> None:
    moves = [capture, *later]
    said: dict[str, Opinion] = {
        after(fen, *moves[:ply]): {moves[ply]: (-1) ** ply * 300} for ply in range(1, len(moves))
    }
    best = chess.Move.from_uci(capture)
    line = won_line(chess.Board(fen), best, ScriptedEngine(said), RULES, LIMITS)
    assert line is not None
    assert line.moves == (best,)


def test_a_short_mate_is_to_be_found_where_other_moves_win_too() -> None:
    fen = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    mate, *others = ("a2a8", "a1b1", "a2a7", "e1e2")
    found = exercise({mate: "#1"} | dict.fromkeys(others, WON), fen=fen)
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.accepted] == [mate]


@pytest.mark.parametrize(
    ("opinion", "accepted"),
    [
        # Where there is a mate in one, neither a longer mate nor a win of the queen solves the exercise.
        ({"a2a8": "#1", "a2a7": "#2", "a1b1": WON, "e1e2": EVEN}, ["a2a8"]),
        ({"a2a7": "#2", "a2a8": "#3", "a1b1": WON, "e1e2": EVEN}, ["a2a7", "a2a8"]),
    ],
)
def test_what_solves_an_exercise_that_mates(opinion: Opinion, accepted: list[str]) -> None:
    fen = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    board = chess.Board(fen)
    variations = ScriptedEngine({fen: opinion}).search(board, 1, 4)
    found = Choice.of(Task.WIN, RULES, LIMITS).answer(variations)
    assert [one.move.uci() for one in variations[:found]] == accepted


def test_the_line_goes_on_while_more_is_won() -> None:
    # The knight takes a pawn with check, and then the rook.
    fen = "r3k3/2p5/8/1N6/8/8/5PPP/4K3 w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"b5c7": WON, "e1e2": EVEN, "g2g3": EVEN, "h2h3": EVEN},
        after(fen, "b5c7"): {"e8d7": -WON},
        after(fen, "b5c7", "e8d7"): {"c7a8": WON},
        after(fen, "b5c7", "e8d7", "c7a8"): {"d7c6": -WON},
    }
    found = find_exercise(chess.Board(fen), ScriptedEngine(opinions), RULES, LIMITS)
    assert isinstance(found, Exercise)
    assert [move.uci() for move in found.solution.moves] == ["b5c7", "e8d7", "c7a8"]


# The queen takes a pawn with check; then the rook wins the queen by a quiet move.
QUIET_WIN = "1k6/1p6/pNp5/P2p2p1/4q1Pp/4Pr2/6QP/R5K1 b - - 6 32"


@pytest.mark.parametrize(
    ("promised", "shown"), [(310, ["e4e3", "g1h1", "f3f2", "a1f1", "f2g2"]), (290, ["e4e3"])]
)
def test_the_line_goes_on_if_much_more_is_promised(promised: int, shown: list[str]) -> None:
    opinions: dict[str, Opinion] = {
        after(QUIET_WIN, "e4e3"): {"g1h1": -promised},
        after(QUIET_WIN, "e4e3", "g1h1"): {"f3f2": promised},
        after(QUIET_WIN, "e4e3", "g1h1", "f3f2"): {"a1f1": -promised},
        after(QUIET_WIN, "e4e3", "g1h1", "f3f2", "a1f1"): {"f2g2": WON},
        after(QUIET_WIN, "e4e3", "g1h1", "f3f2", "a1f1", "f2g2"): {"h1g2": -WON},
    }
    line = won_line(
        chess.Board(QUIET_WIN), chess.Move.from_uci("e4e3"), ScriptedEngine(opinions), RULES, LIMITS
    )
    assert line is not None
    assert [move.uci() for move in line.moves] == shown


def test_a_long_mate_is_not() -> None:
    fen = "6k1/5ppp/8/8/8/8/Q7/R3K3 w - - 0 1"
    assert exercise({"a2a7": "#4", "a1b1": WON, "e1e2": WON}, fen=fen) is Rejection.NOT_UNIQUE


MOVES = list(chess.Board().legal_moves)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8))
def test_accepted_moves_win_and_are_clearly_better(chances: list[float]) -> None:
    chances.sort(reverse=True)
    variations = [Variation((move,), score(0), chance) for move, chance in zip(MOVES, chances, strict=False)]
    found = Choice.of(Task.WIN, RULES, LIMITS).answer(variations)
    if not found:
        return
    worst, other = chances[found - 1], chances[found]
    assert worst >= LIMITS.winning
    assert worst - other >= LIMITS.margin
    assert chances[0] - other >= RULES.drop


@pytest.mark.parametrize(
    ("fen", "moves", "length"),
    [
        # The knight takes the queen and is safe; a pawn is not enough; the queen takes a pawn and is taken.
        (HANGING, ["c3d5", "e8d8"], 1),
        (HANGING.replace("q", "p"), ["c3d5", "e8d8"], 0),
        ("4k3/4p3/3p4/4p3/8/8/4Q3/4K3 w - - 0 1", ["e2e5", "d6e5"], 0),
        # It takes a move of preparation.
        (LADDER, ["b5b7", "e8f8", "a6a8"], 3),
    ],
)
def test_the_part_of_a_variation_that_gains(fen: str, moves: list[str], length: int) -> None:
    variation = Variation(tuple(map(chess.Move.from_uci, moves)), score(WON), 0.8)
    assert gaining_part(chess.Board(fen), variation, RULES) == variation.moves[:length]
