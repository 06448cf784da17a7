"""Each rule of the line with a position for it and one against it, on written-down evaluations."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from chess_motif.errors import EngineFailedError
from engines.engine import Engine, Until, Variation
from engines.winchance import win_chance_of_centipawns
from puzzlegen.rules import NEVER, MiningRules
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection, Solution, find_solution
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after, key

RULES = MiningRules()

# A queen sacrifice that mates on the back rank: Qxd8+ Rxd8 Rxd8#.
BACK_RANK = "2rr2k1/5ppp/8/8/8/3Q4/5PPP/3R2K1 w - - 0 1"


# Nodes of the whole search for a move, and of the one that confirms it.
SEARCHED, CONFIRMED = (stages[-1].nodes for stages in (RULES.stages, RULES.confirmation))


def line(
    fen: str, opinions: dict[str, Opinion], by_nodes: dict[int, dict[str, Opinion]] | None = None
) -> Solution | Rejection:
    return find_solution(chess.Board(fen), ScriptedEngine(opinions, by_nodes), RULES)


def mate_on_the_back_rank() -> dict[str, Opinion]:
    return {
        BACK_RANK: {"d3d8": "#2", "d3d2": -300},
        after(BACK_RANK, "d3d8"): {"c8d8": "#-1"},
        after(BACK_RANK, "d3d8", "c8d8"): {"d1d8": "#1", "d1d7": -200},
    }


def uci(found: Solution | Rejection) -> str:
    assert isinstance(found, Solution)
    return " ".join(move.uci() for move in found.moves)


def test_a_forced_mate() -> None:
    found = line(BACK_RANK, mate_on_the_back_rank())
    assert isinstance(found, Solution)
    assert (uci(found), found.ending) == ("d3d8 c8d8 d1d8", Ending.MATE)


@pytest.mark.parametrize("silent", [BACK_RANK, after(BACK_RANK, "d3d8")])
def test_an_engine_that_gives_no_variation_has_failed(silent: str) -> None:
    class Silent(ScriptedEngine):
        def search(
            self,
            board: chess.Board,
            nodes: int,
            lines: int = 1,
            depth: int | None = None,
            until: Until | None = None,
        ) -> list[Variation]:
            return [] if board.fen() == silent else super().search(board, nodes, lines, depth, until)

    with pytest.raises(EngineFailedError, match="no variation"):
        find_solution(chess.Board(BACK_RANK), Silent(mate_on_the_back_rank()), RULES)


def test_the_gap_is_the_smallest_of_the_line() -> None:
    opinions = mate_on_the_back_rank()
    opinions[BACK_RANK] = {"d3d8": "#2", "d3d2": -50}
    found = line(BACK_RANK, opinions)
    assert isinstance(found, Solution)
    assert found.gap == pytest.approx(1 + 0.0918, abs=1e-3)


def test_a_second_winning_move_spoils_it() -> None:
    opinions = mate_on_the_back_rank()
    opinions[BACK_RANK] = {"d3d8": "#2", "d3d2": 400}
    assert line(BACK_RANK, opinions) is Rejection.NOT_UNIQUE


def test_the_best_move_must_win() -> None:
    opinions = mate_on_the_back_rank()
    opinions[BACK_RANK] = {"d3d8": 150, "d3d2": -600}
    assert line(BACK_RANK, opinions) is Rejection.NOT_WINNING


def test_several_mates_at_the_end_count_as_one() -> None:
    opinions = mate_on_the_back_rank()
    last = after(BACK_RANK, "d3d8", "c8d8")
    opinions[last] = {"d1d8": "#1", "d1d7": "#1"}
    assert uci(line(BACK_RANK, opinions)) == "d3d8 c8d8 d1d8"


def test_merely_winning_is_no_match_for_mate_at_the_end() -> None:
    opinions = mate_on_the_back_rank()
    opinions[after(BACK_RANK, "d3d8", "c8d8")] = {"d1d8": "#1", "d1d7": 900}
    assert uci(line(BACK_RANK, opinions)) == "d3d8 c8d8 d1d8"


def test_several_mates_at_the_beginning_are_no_puzzle() -> None:
    fen = "6k1/5ppp/8/8/8/8/R4PPP/1R4K1 w - - 0 1"
    assert line(fen, {fen: {"a2a8": "#1", "b1b8": "#1"}}) is Rejection.NOT_UNIQUE


def test_one_mate_in_one_is_a_puzzle() -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"
    assert uci(line(fen, {fen: {"b1b8": "#1", "g2g3": 60}})) == "b1b8"


def test_one_capture_is_too_little_to_find() -> None:
    fen = "6k1/5ppp/8/3r4/8/5B2/5PPP/6K1 w - - 0 1"
    found = line(fen, {fen: {"f3d5": 700, "g2g3": -200}, after(fen, "f3d5"): {"g8f8": -700}})
    assert found is Rejection.TOO_SHORT


def skewer(fen: str = "4k2q/8/8/8/8/8/8/R3K3 w - - 0 1") -> tuple[str, dict[str, Opinion]]:
    """Ra8+ goes through the king to the queen: Ra8+ Kd7 Rxh8."""
    return fen, {
        fen: {"a1a8": 700, "e1e2": -900},
        after(fen, "a1a8"): {"e8d7": -700},
        after(fen, "a1a8", "e8d7"): {"a8h8": 700, "a8a7": -900},
        after(fen, "a1a8", "e8d7", "a8h8"): {"d7e7": -700},
    }


def test_a_gain_of_material() -> None:
    found = line(*skewer())
    assert isinstance(found, Solution)
    assert (uci(found), found.ending) == ("a1a8 e8d7 a8h8", Ending.MATERIAL)


def test_the_reply_at_the_end_is_not_part_of_the_solution() -> None:
    assert len(uci(line(*skewer())).split()) % 2 == 1


def test_a_win_without_material_is_no_clear_end() -> None:
    fen = "4k3/8/8/8/8/4p3/8/R3K3 w - - 0 1"
    assert line(fen, {fen: {"a1a8": 700, "e1d1": -900}}) is Rejection.NO_GAIN


def test_a_pawn_is_no_clear_gain() -> None:
    fen = "6k1/p4p2/8/8/8/8/5PP1/R5K1 w - - 0 1"
    assert line(fen, {fen: {"a1a7": 700, "g2g3": -100}}) is Rejection.NO_GAIN


def test_an_end_where_the_winner_hangs_is_unstable() -> None:
    # Two pawns on the seventh: the rook wins a queen, and one of them queens with check to the rook.
    fen, opinions = skewer("4k2q/8/8/8/8/8/6pp/R3K3 w - - 0 1")
    assert line(fen, opinions) is Rejection.UNSTABLE


def test_an_end_where_the_engine_does_not_see_a_win_is_unstable() -> None:
    fen, opinions = skewer()
    opinions[after(fen, "a1a8", "e8d7", "a8h8")] = {"d7e7": 0}
    assert line(fen, opinions) is Rejection.UNSTABLE


def test_a_capture_that_stalemates_wins_nothing() -> None:
    fen = "7k/8/6q1/8/8/8/6Q1/K7 w - - 0 1"
    assert line(fen, {fen: {"g2g6": 700, "g2g1": -900}}) is Rejection.UNSTABLE


def test_a_promotion_is_a_gain() -> None:
    fen = "8/4P1k1/8/8/8/8/7r/4K3 w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"e7e8q": 700, "e1f1": -900},
        after(fen, "e7e8q"): {"h2h1": -700},
        after(fen, "e7e8q", "h2h1"): {"e1e2": 700, "e1d2": -900},
        after(fen, "e7e8q", "h2h1", "e1e2"): {"h1h2": -700},
    }
    assert uci(line(fen, opinions)) == "e7e8q h2h1 e1e2"


def test_a_promotion_that_is_taken_is_none() -> None:
    fen = "7r/4P1k1/8/8/8/8/8/4K3 w - - 0 1"
    assert line(fen, {fen: {"e7e8q": 700, "e1f1": -900}}) is Rejection.UNSTABLE


def test_a_forced_tail_is_trimmed() -> None:
    # After Rxg8 Black throws in a last check, and White's only legal move is to take.
    fen = "4k1q1/8/8/8/8/7r/6PP/R5NK w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"a1a8": 700, "g2h3": -900},
        after(fen, "a1a8"): {"e8d7": -700},
        after(fen, "a1a8", "e8d7"): {"a8g8": 700, "g2h3": -900},
        after(fen, "a1a8", "e8d7", "a8g8"): {"h3h2": -700},
        after(fen, "a1a8", "e8d7", "a8g8", "h3h2"): {"h1h2": 900},
        after(fen, "a1a8", "e8d7", "a8g8", "h3h2", "h1h2"): {"d7e7": -900},
    }
    assert uci(line(fen, opinions)) == "a1a8 e8d7 a8g8"


def test_a_tail_with_a_choice_is_kept() -> None:
    # As before, but now White could also step aside.
    fen = "4k1q1/8/8/8/8/7r/6P1/R5NK w - - 0 1".replace("6P1", "6PP").replace("5NK", "6K")
    opinions: dict[str, Opinion] = {
        fen: {"a1a8": 700, "g2h3": -900},
        after(fen, "a1a8"): {"e8d7": -700},
        after(fen, "a1a8", "e8d7"): {"a8g8": 700, "g2h3": -900},
        after(fen, "a1a8", "e8d7", "a8g8"): {"h3h2": -700},
        after(fen, "a1a8", "e8d7", "a8g8", "h3h2"): {"h1h2": 900, "h1g1": -500},
        after(fen, "a1a8", "e8d7", "a8g8", "h3h2", "h1h2"): {"d7e7": -900},
    }
    assert uci(line(fen, opinions)) == "a1a8 e8d7 a8g8 h3h2 h1h2"


def test_taking_back_at_the_end_is_trimmed() -> None:
    # After Rxh8 Black exchanges rooks. White could also step aside, but has won no more.
    fen = "4k2q/8/8/8/8/3r4/7P/R2RK3 w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"a1a8": 700, "d1d3": -900},
        after(fen, "a1a8"): {"e8e7": -700},
        after(fen, "a1a8", "e8e7"): {"a8h8": 700, "d1d3": -900},
        after(fen, "a1a8", "e8e7", "a8h8"): {"d3d1": -700},
        after(fen, "a1a8", "e8e7", "a8h8", "d3d1"): {"e1d1": 900, "e1e2": -500},
        after(fen, "a1a8", "e8e7", "a8h8", "d3d1", "e1d1"): {"e7e6": -900},
    }
    assert uci(line(fen, opinions)) == "a1a8 e8e7 a8h8"


def doubtful() -> dict[str, Opinion]:
    """Return a line whose first move is better by a gap of 0.52."""
    return mate_on_the_back_rank() | {BACK_RANK: {"d3d8": "#2", "d3d2": 282}}


def test_a_doubtful_move_that_is_confirmed_is_taken() -> None:
    found = line(BACK_RANK, doubtful(), {CONFIRMED: {BACK_RANK: {"d3d8": "#2", "d3d2": 200}}})
    assert isinstance(found, Solution)
    assert found.gap == pytest.approx(1 - win_chance_of_centipawns(200))


@pytest.mark.parametrize(
    "opinion",
    [
        pytest.param({"d3d8": "#2", "d3d2": 400}, id="another move wins too"),
        pytest.param({"d3d2": 900, "d3d8": 0}, id="another move is best"),
        pytest.param({"d3d8": 90, "d3d2": -900}, id="no win"),
    ],
)
def test_a_doubtful_move_that_is_not_confirmed_rejects(opinion: Opinion) -> None:
    assert line(BACK_RANK, doubtful(), {CONFIRMED: {BACK_RANK: opinion}}) is Rejection.NOT_CONFIRMED


def test_the_most_doubtful_move_is_confirmed_first() -> None:
    opinions = doubtful()
    second = after(BACK_RANK, "d3d8", "c8d8")
    opinions[second] = {"d1d8": 700, "d1d7": 200}
    engine = ScriptedEngine(opinions)
    find_solution(chess.Board(BACK_RANK), engine, RULES)
    confirmed = [position for position, nodes in engine.asked if nodes == CONFIRMED]
    assert confirmed == [key(second), key(BACK_RANK)]


def test_a_sure_move_is_not_searched_again() -> None:
    engine = ScriptedEngine(mate_on_the_back_rank())
    find_solution(chess.Board(BACK_RANK), engine, RULES)
    assert [position for position, _ in engine.asked].count(key(BACK_RANK)) == 1


def test_a_move_that_is_clear_ends_the_search_at_once() -> None:
    engine = ScriptedEngine(mate_on_the_back_rank())
    find_solution(chess.Board(BACK_RANK), engine, RULES)
    earliest = next(stage.nodes for stage in RULES.stages if stage.clear < NEVER)
    assert (key(BACK_RANK), earliest) in engine.asked


def test_a_hopeless_candidate_costs_few_nodes() -> None:
    engine = ScriptedEngine({BACK_RANK: {"d3d8": 900, "d3d2": 890}})
    assert find_solution(chess.Board(BACK_RANK), engine, RULES) is Rejection.NOT_UNIQUE
    assert engine.nodes == RULES.stages[0].nodes


def test_what_is_not_clear_with_few_nodes_is_decided_with_more() -> None:
    doubt: dict[str, Opinion] = {BACK_RANK: {"d3d8": 700, "d3d2": 240}}
    earlier = {stage.nodes: doubt for stage in RULES.stages[:-1]}
    engine = ScriptedEngine(mate_on_the_back_rank(), earlier)
    assert uci(find_solution(chess.Board(BACK_RANK), engine, RULES)) == "d3d8 c8d8 d1d8"
    assert (key(BACK_RANK), SEARCHED) in engine.asked


def test_a_win_that_only_few_nodes_see_is_none() -> None:
    doubt: dict[str, Opinion] = {BACK_RANK: {"d3d8": 240, "d3d2": 0}}
    earlier = {stage.nodes: doubt for stage in RULES.stages[:-1]}
    engine = ScriptedEngine({BACK_RANK: {"d3d8": 100, "d3d2": -900}}, earlier)
    assert find_solution(chess.Board(BACK_RANK), engine, RULES) is Rejection.NOT_WINNING


def test_a_win_that_shows_late_is_waited_for() -> None:
    # What all other moves lose may be won by more nodes.
    doubt: dict[str, Opinion] = {BACK_RANK: {"d3d8": -50, "d3d2": -900}}
    earlier = {stage.nodes: doubt for stage in RULES.stages[:-1]}
    engine = ScriptedEngine(mate_on_the_back_rank(), earlier)
    assert uci(find_solution(chess.Board(BACK_RANK), engine, RULES)) == "d3d8 c8d8 d1d8"


def test_the_reply_is_that_of_the_search_for_the_move() -> None:
    class WithReplies(ScriptedEngine):
        def search(
            self,
            board: chess.Board,
            nodes: int,
            lines: int = 1,
            depth: int | None = None,
            until: Until | None = None,
        ) -> list[Variation]:
            best, *others = super().search(board, nodes, lines, depth, until)
            if board.fen() == BACK_RANK:
                best = replace(best, moves=(*best.moves, chess.Move.from_uci("c8d8")))
            return [best, *others]

    engine = WithReplies(mate_on_the_back_rank())
    assert uci(find_solution(chess.Board(BACK_RANK), engine, RULES)) == "d3d8 c8d8 d1d8"
    assert key(after(BACK_RANK, "d3d8")) not in [position for position, _ in engine.asked]


def test_a_line_ends_where_it_repeats_itself() -> None:
    # Rook and king go to and fro, each time by the only move that does not lose.
    fen = "7k/8/8/q7/8/8/8/3KR3 w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"e1e2": 700, "e1e3": -900},
        after(fen, "e1e2"): {"h8g8": -700},
        after(fen, "e1e2", "h8g8"): {"e2e1": 700, "e2e3": -900},
        after(fen, "e1e2", "h8g8", "e2e1"): {"g8h8": -700},
    }
    engine = ScriptedEngine(opinions)
    assert find_solution(chess.Board(fen), engine, RULES) is Rejection.NO_GAIN
    assert [position for position, _ in engine.asked].count(key(fen)) == 1


def test_a_defence_as_good_that_leaves_one_win_is_preferred_to_none() -> None:
    fen, opinions = skewer()
    checked = after(fen, "a1a8")
    # Best for Black by a hair is a reply after which White has two ways to win.
    opinions[checked] = {"e8f7": -690, "e8d7": -700}
    opinions[after(fen, "a1a8", "e8f7")] = {"a8h8": 690, "a8a7": 680}
    assert uci(line(fen, opinions)) == "a1a8 e8d7 a8h8"


def test_a_worse_defence_is_not_taken() -> None:
    fen, opinions = skewer()
    opinions[after(fen, "a1a8")] = {"e8f7": -300, "e8d7": -700}
    opinions[after(fen, "a1a8", "e8f7")] = {"a8h8": 300, "a8a7": 290}
    assert isinstance(line(fen, opinions), Rejection)


def test_a_defence_that_ends_the_game_is_not_taken() -> None:
    # The rook mates on e1. The engine thinks no worse of it, which is its mistake.
    fen = "4r3/1k6/8/8/8/8/6PP/2R4K w - - 0 1"
    opinions: dict[str, Opinion] = {
        fen: {"c1c6": 700, "c1c2": -900},
        after(fen, "c1c6"): {"b7a7": -700, "e8e1": -700},
        after(fen, "c1c6", "b7a7"): {"c6c5": 700, "c6d6": 690},
    }
    assert line(fen, opinions) is Rejection.NO_GAIN


def test_a_defence_that_is_mated_sooner_is_not_taken() -> None:
    fen, opinions = skewer()
    opinions[after(fen, "a1a8")] = {"e8f7": "#-5", "e8d7": "#-3"}
    opinions[after(fen, "a1a8", "e8f7")] = {"a8h8": 990, "a8a7": 980}
    assert line(fen, opinions) is Rejection.NO_GAIN


@pytest.mark.parametrize(
    ("fen", "solution"),
    [
        # Smothered mate in the corner.
        ("r1q2r1k/6pp/7N/8/2Q5/8/5PPP/6K1 w - - 0 1", "c4g8 f8g8 h6f7"),
        # A skewer on the back rank, for Black.
        ("r3k3/8/8/8/8/8/8/4K2Q b - - 0 1", "a8a1 e1e2 a1h1"),
    ],
)
def test_a_real_engine_solves(stockfish: str, fen: str, solution: str) -> None:
    with Engine(stockfish) as engine:
        found = find_solution(chess.Board(fen), engine, RULES)
    assert uci(found).split()[::2] == solution.split()[::2]


def test_winning_a_piece_is_nothing_when_too_little_is_left_to_mate(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        found = find_solution(chess.Board("8/8/8/3n4/8/2N2k2/8/K7 w - - 0 1"), engine, RULES)
    assert isinstance(found, Rejection)


def test_a_real_engine_rejects_what_has_many_ways_to_win(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        found = find_solution(chess.Board("7k/8/8/8/8/8/8/1RQ1K3 w - - 0 1"), engine, RULES)
    assert found is Rejection.NOT_UNIQUE
