"""Which turns of a game are opportunities, and of which kind, on written-down evaluations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import chess
import pytest

from engines.human.model import Prediction
from motifsearch.trainer.analysis import turns
from motifsearch.trainer.analysis.rules import FOR_OPPORTUNITIES, ExerciseRules
from motifsearch.trainer.analysis.turns import AnalysisResult, OpportunityJob
from puzzlegen.candidates import Turn
from puzzlegen.games.pgn import read_game
from puzzlegen.games.split import RawGame
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import Rejection
from tests.helpers.scripted_engine import Opinion, ScriptedEngine, after

WON, EVEN, LOST = 700, 0, -700

# Black's queen goes to d5, where a knight and a rook attack it.
QUEEN = "4k3/8/8/q7/8/2N5/5PPP/3RK3 w - - 0 1"
TO_QUEEN = ["h2h3", "a5d5"]
TAKES_QUEEN: Opinion = {"c3d5": WON, "d1d5": WON, "h3h4": EVEN, "g2g3": EVEN}

# Black's knight threatens to fork king and queen on d3.
THREAT = "4k3/8/8/8/1n6/8/1Q3PPP/R3K3 w - - 0 1"
TO_THREAT = ["h2h3", "e8f8"]
FORK: Opinion = {"b4d3": WON, "f8f7": LOST}


class People:
    """A human-move model: people play the `obvious` moves, each for sure, and no other."""

    def __init__(self, obvious: Iterable[str] = ()) -> None:
        self.obvious = set(obvious)

    def predict(self, boards: list[chess.Board], ratings: list[float]) -> list[Prediction]:
        (board,) = boards
        return [Prediction({move: float(move.uci() in self.obvious) for move in board.legal_moves}, 0.0)]


class Scripted(ScriptedEngine):
    """The engine and its cache in one."""

    @property
    def engine(self) -> Scripted:
        return self


def mirrored(move: str) -> str:
    found = chess.Move.from_uci(move)
    squares = chess.square_mirror(found.from_square), chess.square_mirror(found.to_square)
    return chess.Move(*squares, found.promotion).uci()


@pytest.fixture(params=[chess.WHITE, chess.BLACK], ids=["White", "Black"])
def analysed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that analyses a game, which begins at `fen`, by opinions of positions.

    `pawns` are the evaluations after each of the moves. The other test has all colours changed.
    """

    def run(
        fen: str,
        moves: list[str],
        pawns: list[float],
        opinions: dict[str, Opinion],
        obvious: Iterable[str] = (),
    ) -> AnalysisResult:
        if request.param == chess.BLACK:
            fen, moves = chess.Board(fen).mirror().fen(), [mirrored(move) for move in moves]
            pawns, obvious = [-value for value in pawns], [mirrored(move) for move in obvious]
            opinions = {
                chess.Board(position).mirror().fen(): {mirrored(move): said for move, said in opinion.items()}
                for position, opinion in opinions.items()
            }
        monkeypatch.setattr(turns, "_human_model", lambda: People(obvious))
        board, words = chess.Board(fen), []
        for move, value in zip(map(chess.Move.from_uci, moves), pawns, strict=True):
            words.append(f"{board.san(move)} {{ [%eval {value:.2f}] }}")
            board.push(move)
        text = f'[White "Ann"]\n[Black "Bob"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n{" ".join(words)} *\n'
        raw = RawGame(1, 0, text.encode())
        searcher: Any = Scripted(opinions)
        return OpportunityJob(FOR_OPPORTUNITIES, ExerciseRules())(raw, read_game(raw), searcher)

    return run


def confirmed(fen: str, *moves: str) -> dict[str, Opinion]:
    """Return the opinion that the opponent is lost after each of the moves."""
    lost: dict[str, Opinion] = {}
    for move in moves:
        reply = next(iter(chess.Board(after(fen, move)).legal_moves))
        lost[after(fen, move)] = {reply.uci(): LOST}
    return lost


def shown(result: AnalysisResult) -> list[tuple[int, str, str, str]]:
    """Return the ply of each opportunity, its kind, what became of it, and the kind of its puzzle."""
    return [(one.ply, one.opportunity_kind, one.result, one.kind) for one in result.opportunities]


def reasons(result: AnalysisResult) -> dict[int, str]:
    return {ply: reason for reason, plies in result.rejected.items() for ply in plies}


HANGS = after(QUEEN, *TO_QUEEN)
WINS_QUEEN = {HANGS: TAKES_QUEEN, **confirmed(HANGS, "c3d5", "d1d5")}


@pytest.mark.parametrize(
    ("what", "played", "pawns", "expected"),
    [
        ("given and missed", "h3h4", [0, 7, 0], [(2, "win", "missed", "exercise")]),
        ("given and found", "c3d5", [0, 7, 7], [(2, "win", "found", "exercise")]),
        ("there before, and missed", "h3h4", [7, 7, 0], [(2, "win", "missed", "exercise")]),
        ("there before, and found", "c3d5", [7, 7, 7], [(2, "win", "found", "exercise")]),
        ("there before, and the win kept", "h3h4", [7, 7, 7], []),
        ("not given", "h3h4", [0, 1, 0], []),
    ],
)
def test_a_win(analysed: Any, what: str, played: str, pawns: list[float], expected: object) -> None:
    result = analysed(QUEEN, [*TO_QUEEN, played], pawns, WINS_QUEEN)
    assert shown(result) == expected
    assert all(puzzle.accepted.count(" ") == 1 for puzzle in result.puzzles)


def test_what_follows_other_defences_is_kept(analysed: Any) -> None:
    # The queen goes to d5 and attacks the loose rook on a8 and the loose bishop on h5.
    game = "r5k1/5pp1/7p/8/6b1/8/5PPP/3Q2K1 w - - 0 1", ["h2h3", "g4h5", "g1h2"], [0, 7, 0]
    attacked = after(*game[:1], *game[1][:2])
    opinions: dict[str, Opinion] = {
        attacked: {"d1d5": WON, "g1h2": EVEN, "g2g3": EVEN, "h3h4": EVEN, "g1h1": EVEN},
        after(attacked, "d1d5"): {"h5g6": LOST, "a8f8": LOST - 10},
        after(attacked, "d1d5", "h5g6"): {"d5a8": WON, "d5d7": EVEN},
        after(attacked, "d1d5", "h5g6", "d5a8"): {"g8h7": LOST},
        after(attacked, "d1d5", "a8f8"): {"d5h5": WON},
        after(attacked, "d1d5", "a8f8", "d5h5"): {"g7g6": LOST},
    }
    (puzzle,) = analysed(*game, opinions).puzzles
    assert puzzle.other_defences in ("a8f8 d5h5", "a1f1 d4h4")


def test_what_nearly_everybody_plays_was_not_found(analysed: Any) -> None:
    game = (QUEEN, [*TO_QUEEN, "c3d5"], [0, 7, 7], WINS_QUEEN)
    assert len(shown(analysed(*game, obvious=["h3h4"]))) == 1
    assert reasons(analysed(*game, obvious=["c3d5"])) == {2: Rejection.OBVIOUS}
    # Two ways to do it, of which she has found one.
    assert shown(analysed(*game, obvious=["d1d5"])) == []


def test_what_nearly_everybody_plays_can_be_missed(analysed: Any) -> None:
    result = analysed(QUEEN, [*TO_QUEEN, "h3h4"], [0, 7, 0], WINS_QUEEN, obvious=["c3d5"])
    assert shown(result) == [(2, "win", "missed", "exercise")]


def test_taking_back_is_no_tactic(analysed: Any) -> None:
    game = "4k3/8/8/q2P4/8/2N5/5PPP/3RK3 w - - 0 1", [*TO_QUEEN, "c3d5"], [0, 7, 7]
    hangs = after(game[0], *TO_QUEEN)
    result = analysed(*game, {hangs: TAKES_QUEEN, **confirmed(hangs, "c3d5", "d1d5")})
    assert reasons(result) == {2: Rejection.RECAPTURE}
    assert result.puzzles == []


def test_taking_back_that_was_missed_is_no_tactic(analysed: Any) -> None:
    # A knight takes a protected knight.
    fen, moves = "4k3/8/8/3N4/5n2/2P5/1B3PPP/2KR4 w - - 0 1", ["h2h3", "f4d5", "h3h4"]
    taken = after(fen, *moves[:2])
    opinions: dict[str, Opinion] = {
        taken: {"d1d5": WON, "c3c4": EVEN, "g2g3": EVEN},
        **confirmed(taken, "d1d5"),
    }
    assert shown(analysed(fen, moves, [7, 7, 0], opinions)) == []


def test_an_attacked_piece_that_goes_away_is_no_tactic(analysed: Any) -> None:
    # Black's bishop attacks the rook, which goes where it attacks a pawn.
    fen = "4k3/p7/8/8/8/1b6/5PPP/3RK3 w - - 0 1"
    moves = ["h2h3", "e8f8", "h3h4"]
    attacked = after(fen, *moves[:2])
    moved = after(attacked, "d1a1")
    opinions: dict[str, Opinion] = {
        attacked: {"d1a1": WON, "g2g3": EVEN, "f2f3": EVEN},
        moved: {"f8e7": LOST},
        after(moved, "f8e7"): {"a1a7": WON},
        after(moved, "f8e7", "a1a7"): {"e7e6": LOST},
    }
    assert shown(analysed(fen, moves, [0, 7, 0], opinions)) == []


def test_the_same_chance_counts_once(analysed: Any) -> None:
    moves = [*TO_QUEEN, "h3h4", "e8f8", "h4h5"]
    again = after(QUEEN, *moves[:4])
    still: Opinion = {"c3d5": WON, "d1d5": WON, "h4h5": EVEN, "g2g3": EVEN}
    opinions = WINS_QUEEN | {again: still, **confirmed(again, "c3d5", "d1d5")}
    result = analysed(QUEEN, moves, [0, 7, 0, 7, 0], opinions)
    assert [one for one in shown(result) if one[1] == "win"] == [(2, "win", "missed", "exercise")]
    assert reasons(result)[4] == Rejection.KNOWN


def test_another_chance_soon_after_counts(analysed: Any) -> None:
    # The knight is gone: the rook can take the queen, and could not before.
    fen = "4k3/8/8/q7/8/2N5/5PPP/3RK3 w - - 0 1"
    moves = [*TO_QUEEN, "c3e4", "e8f8", "h3h4"]
    again = after(fen, *moves[:4])
    opinions = {
        HANGS: {"c3d5": WON, "c3e4": EVEN, "h3h4": EVEN, "g2g3": EVEN},
        **confirmed(HANGS, "c3d5"),
        again: {"d1d5": WON, "h3h4": EVEN, "g2g3": EVEN},
        **confirmed(again, "d1d5"),
    }
    result = analysed(fen, moves, [0, 7, 0, 7, 0], opinions)
    assert [ply for ply, kind, *_ in shown(result) if kind == "win"] == [2, 4]


def test_another_move_that_keeps_the_win_has_not_found_it(analysed: Any) -> None:
    result = analysed(QUEEN, [*TO_QUEEN, "h3h4"], [0, 7, 6], WINS_QUEEN)
    assert reasons(result) == {2: Rejection.NOT_UNIQUE}


def test_the_only_legal_move_is_no_tactic(analysed: Any) -> None:
    # The king must take the queen that has come next to it.
    fen = "7k/8/8/8/8/8/q6P/7K w - - 0 1"
    moves = ["h2h3", "a2g2", "h1g2"]
    won = after(fen, *moves[:2])
    assert reasons(analysed(fen, moves, [-9, 9, 9], {won: {"h1g2": WON}})) == {2: Rejection.ONLY_LEGAL}


MANY: Opinion = {**dict.fromkeys(["c3d5", "d1d5", "g2g3", "g2g4", "f2f3", "f2f4"], WON), "h3h4": EVEN}


def test_a_win_that_was_missed_among_many(analysed: Any) -> None:
    opinions = {HANGS: MANY, **confirmed(HANGS, "c3d5")}
    result = analysed(QUEEN, [*TO_QUEEN, "h3h4"], [0, 7, 0], opinions)
    assert shown(result) == [(2, "win", "missed", "")]
    (opportunity,) = result.opportunities
    assert opportunity.reason == Rejection.NOT_UNIQUE
    assert opportunity.lost > 0.4


def test_many_good_moves_are_nothing_to_find(analysed: Any) -> None:
    result = analysed(QUEEN, [*TO_QUEEN, "c3d5"], [0, 7, 7], {HANGS: MANY})
    assert reasons(result) == {2: Rejection.NOT_UNIQUE}


def test_many_good_moves_that_win_nothing_are_no_tactic(analysed: Any) -> None:
    opinion: Opinion = {**dict.fromkeys(["g2g3", "g2g4", "f2f3", "f2f4", "e1e2"], WON), "h3h4": EVEN}
    assert shown(analysed(QUEEN, [*TO_QUEEN, "h3h4"], [0, 7, 0], {HANGS: opinion})) == []


@pytest.mark.parametrize(
    ("what", "played", "pawns", "expected"),
    [
        ("saved", "c3d5", [-7, 0, 0], [(2, "save", "saved", "exercise")]),
        ("not saved", "h3h4", [-7, 0, -7], [(2, "save", "failed to save", "exercise")]),
        ("was not lost", "c3d5", [0, 0, 0], []),
        ("is still lost", "c3d5", [-7, -6, -6], []),
    ],
)
def test_a_save(analysed: Any, what: str, played: str, pawns: list[float], expected: object) -> None:
    opinion: Opinion = {"c3d5": EVEN, "d1d5": EVEN, "h3h4": LOST, "g2g3": LOST}
    result = analysed(QUEEN, [*TO_QUEEN, played], pawns, {HANGS: opinion})
    assert shown(result)[:1] == expected
    assert all(puzzle.outcome == Ending.HELD for puzzle in result.puzzles)


def test_a_pawn_that_saves_is_no_tactic(analysed: Any) -> None:
    # What goes to d5 is a pawn.
    fen = "4k3/8/8/3p4/8/2N5/5PPP/3RK3 b - - 0 1"
    moves = ["e8e7", "h2h3", "e7e8", "c3d5"]
    opinion: Opinion = {"c3d5": EVEN, "d1d5": EVEN, "h3h4": LOST, "g2g3": LOST}
    result = analysed(fen, moves, [-7, -7, 0, 0], {after(fen, *moves[:3]): opinion})
    assert shown(result) == []


def test_a_pawn_that_was_just_promoted_is_taken_by_anybody(analysed: Any) -> None:
    fen = "4k3/8/8/8/8/8/1p3PPP/3RK3 w - - 0 1"
    moves = ["h2h3", "b2b1q", "d1b1"]
    promoted = after(fen, *moves[:2])
    opinions: dict[str, Opinion] = {promoted: {"d1b1": WON, "e1e2": EVEN}, **confirmed(promoted, "d1b1")}
    result = analysed(fen, moves, [0, 7, 7], opinions)
    assert reasons(result) == {2: Rejection.RECAPTURE}


THREATENED = after(THREAT, *TO_THREAT)
BLUNDER = [*TO_THREAT, "g2g3"]
FORKS = after(THREATENED, "g2g3")
FORKED = after(FORKS, "b4d3", "e1d2")
ALLOWS: dict[str, Opinion] = {
    FORKS: FORK,
    after(FORKS, "b4d3"): {"e1d2": LOST},
    FORKED: {"d3b2": WON},
    **confirmed(FORKED, "d3b2"),
}


def test_a_tactic_that_was_allowed(analysed: Any) -> None:
    result = analysed(THREAT, BLUNDER, [0, 0, -7], ALLOWS)
    assert shown(result) == [(2, "allowed", "allowed", "puzzle")]
    (puzzle,), (opportunity,) = result.puzzles, result.opportunities
    # The opponent solves it.
    assert puzzle.ply == 3
    assert opportunity.white == (chess.Board(opportunity.position().fen()).turn == chess.WHITE)
    assert opportunity.white != (chess.Board(puzzle.puzzle_fen).turn == chess.WHITE)
    assert opportunity.allowed() == (puzzle.position(), puzzle.moves())
    assert opportunity.lost > 0.4


def test_what_was_allowed_is_an_opportunity_of_the_opponent(analysed: Any) -> None:
    result = analysed(THREAT, [*BLUNDER, "b4d3"], [0, 0, -7, -7], ALLOWS)
    assert shown(result) == [(2, "allowed", "allowed", "puzzle"), (3, "win", "found", "puzzle")]
    assert len(result.puzzles) == 1


def test_a_tactic_that_goes_on_is_not_another_one(analysed: Any) -> None:
    # The fork, and the capture of the queen two plies later.
    moves = [*BLUNDER, "b4d3", "e1d2", "d3b2"]
    pawns = [0, 0, -7, -7, -7, -7]
    opinions = ALLOWS | {FORKED: {"d3b2": WON, "d3c1": EVEN}}
    assert [ply for ply, kind, *_ in shown(analysed(THREAT, moves, pawns, opinions)) if kind == "win"] == [3]
    # Another capture than that of the solution is another one.
    other = [*BLUNDER, "b4d3", "e1f1", "d3b2"]
    forked = after(FORKS, "b4d3", "e1f1")
    opinions |= {forked: {"d3b2": WON, "d3c1": EVEN}, **confirmed(forked, "d3b2")}
    result = analysed(THREAT, other, pawns, opinions)
    assert [ply for ply, kind, *_ in shown(result) if kind == "win"] == [3, 5]


def test_a_threat_that_was_overlooked(analysed: Any) -> None:
    passed = chess.Board(THREATENED)
    passed.push(chess.Move.null())
    parries: Opinion = {"b2b4": EVEN, "b2e2": EVEN, "g2g3": LOST, "h3h4": LOST}
    threatens = {passed.fen(): FORK}
    result = analysed(THREAT, BLUNDER, [0, 0, -7], ALLOWS | threatens | {THREATENED: parries})
    (puzzle,), (opportunity,) = result.puzzles, result.opportunities
    assert (puzzle.ply, puzzle.outcome, puzzle.accepted.count(" ")) == (2, Ending.HELD, 1)
    _, (fork, *_) = opportunity.allowed()
    assert fork.uci() in ("b4d3", "b5d6")
    # Without the threat it was the move that made the tactic possible.
    result = analysed(THREAT, BLUNDER, [0, 0, -7], ALLOWS | {THREATENED: parries})
    assert [puzzle.ply for puzzle in result.puzzles] == [3]


def test_a_move_that_allows_nothing_to_find(analysed: Any) -> None:
    everything_wins = {move.uci(): WON for move in chess.Board(FORKS).legal_moves}
    result = analysed(THREAT, BLUNDER, [0, 0, -7], {FORKS: everything_wins})
    assert shown(result) == []


def test_what_was_obviously_allowed_is_no_exercise(analysed: Any) -> None:
    fen = "4k3/8/8/8/8/2n5/5PPP/3QK3 w - - 0 1"
    game = fen, ["h2h3", "e8f8", "d1b1"], [0, 0, -9]
    taken = after(fen, *game[1])
    opinions: dict[str, Opinion] = {taken: {"c3b1": WON, "f8e7": LOST}, **confirmed(taken, "c3b1")}
    assert shown(analysed(*game, opinions)) == [(2, "allowed", "allowed", "exercise")]
    result = analysed(*game, opinions, obvious=["c3b1"])
    assert shown(result) == [(2, "allowed", "allowed", "")]
    (opportunity,) = result.opportunities
    assert opportunity.reason == Rejection.OBVIOUS
    assert [move.uci() for move in opportunity.allowed()[1]] in (["c3b1"], ["c6b8"])


@pytest.mark.parametrize("black", ["p", "q"], ids=["pawn", "queen"])
def test_a_capture_that_is_taken_back_allows_no_tactic(analysed: Any, black: str) -> None:
    # White's queen takes a protected pawn or queen.
    fen = f"4k3/2p5/3{black}4/8/8/8/5PPP/3QK3 w - - 0 1"
    moves = ["h2h3", "e8f8", "d1d6"]
    taken = after(fen, *moves)
    opinions: dict[str, Opinion] = {taken: {"c7d6": WON, "f8e8": LOST}, **confirmed(taken, "c7d6")}
    assert shown(analysed(fen, moves, [0, 0, -7], opinions)) == []


@pytest.mark.parametrize(
    ("turn", "may_win", "may_save", "throws_away"),
    [
        (Turn(2, 0.0, 0.8, 0.8), True, False, False),
        (Turn(2, 0.8, 0.8, 0.0), True, False, True),
        (Turn(2, 0.8, 0.8, 0.8), False, False, False),
        (Turn(2, 0.4, 0.9, 0.9), False, False, False),
        (Turn(2, -0.8, 0.0, 0.0), False, True, False),
        (Turn(2, -0.8, 0.0, -0.8), False, True, True),
        (Turn(2, -0.8, -0.5, -0.5), False, False, False),
        (Turn(2, 0.0, 0.0, -0.8), False, False, True),
        (Turn(2, 0.0, 0.25, -0.2), False, False, False),
    ],
)
def test_what_win_chances_say(turn: Turn, may_win: bool, may_save: bool, throws_away: bool) -> None:
    rules = FOR_OPPORTUNITIES
    found = [test(turn, rules) for test in (turns.may_win, turns.may_save, turns.throws_away)]
    assert found == [may_win, may_save, throws_away]
