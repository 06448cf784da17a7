"""Nothing is searched twice, and what is remembered is what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import chess
import pytest
from chess.engine import Cp

from chess_motif.errors import StoreError
from chess_motif.search import Search
from engines.engine import Engine, Until
from engines.search_cache import CachedEngine, Lookup, chance_reached
from engines.winchance import win_chance
from motifsearch.trainer.analysis.exercise import Choice
from puzzlegen.rules import Stage
from puzzlegen.verify.solution import Uniqueness
from puzzlegen.verify.staged import Reached, Staged
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.scripted_engine import ScriptedEngine

MATE_IN_TWO = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")


@pytest.fixture
def engine(fake_engine: FakeEngine) -> Iterator[Engine]:
    with Engine(fake_engine()) as engine:
        yield engine


@pytest.mark.parametrize("lines", [1, 2, 3])
@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MATE_IN_TWO.fen(), "k7/8/1K6/8/8/8/8/7q w - - 3 9"])
def test_what_is_kept_is_what_was_found(stockfish: str, fen: str, lines: int) -> None:
    board = chess.Board(fen)
    with Engine(stockfish) as engine:
        first = CachedEngine(engine)
        searched = first.search(board, 5_000, lines)
        second = CachedEngine(engine, lambda keys: {key: first.found[key] for key in keys})
        reused = second.search(board, 5_000, lines)
    assert reused == searched
    assert (engine.searches, second.reused, second.found) == (1, 1, {})


@pytest.mark.parametrize(
    ("fen", "nodes", "lines", "searches"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", 100, 2, 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 9 1", 100, 2, 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 200, 2, 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 100, 1, 2),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 40", 100, 2, 1),
    ],
    ids=[
        "other position",
        "other clock",
        "other budget",
        "other number of lines",
        "only another move number",
    ],
)
def test_another_question_is_searched(
    engine: Engine, fen: str, nodes: int, lines: int, searches: int
) -> None:
    searcher = CachedEngine(engine)
    searcher.search(chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), 100, 2)
    searcher.search(chess.Board(fen), nodes, lines)
    assert engine.searches == searches


@pytest.mark.parametrize("text", ["", "31", "cp e2e4", "#x e2e4", "31 e2e9", f"{'9' * 400} e2e4"])
def test_a_damaged_result(engine: Engine, text: str) -> None:
    searcher = CachedEngine(engine, lambda keys: dict.fromkeys(keys, f"{text};{text}"))
    with pytest.raises(StoreError, match="damaged"):
        searcher.search(chess.Board(), 100)


@pytest.mark.parametrize("setting", ["THREADS", "HASH", "PLIES"])
def test_another_setting_is_searched(engine: Engine, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    searcher = CachedEngine(engine)
    searcher.search(chess.Board(), 100)
    monkeypatch.setattr(f"engines.engine.{setting}", 7)
    searcher.search(chess.Board(), 100)
    assert engine.searches == 2


def unique(gap: float) -> Staged:
    return Staged((Stage(50, 0.1, 0.1),), Uniqueness(gap, winning=0.35))


@pytest.mark.parametrize(
    ("what", "values"),
    [("depth", (None, 10, 11, 10)), ("until", (None, unique(0.5), unique(0.6), unique(0.5)))],
)
def test_a_search_that_may_end_early_is_another_one(engine: Engine, what: str, values: Sequence[Any]) -> None:
    searcher = CachedEngine(engine)
    for value in values:
        searcher.search(chess.Board(), 100, 2, **{what: value})
    assert engine.searches == 3


ONE_STAGE = (Stage(50, clear=0.1, hopeless=0.2),)
STAGES = (Stage(5_000, clear=2.0, hopeless=0.35), Stage(80_000, clear=-0.05, hopeless=0.05))


@pytest.mark.parametrize(
    ("until", "key", "digest"),
    [
        (
            Staged(ONE_STAGE, Uniqueness(0.5, 0.35)),
            "Uniqueness(stages=(Stage(nodes=50, clear=0.1, hopeless=0.2),), gap=0.5, winning=0.35, "
            "mate_decides=False)",
            "fcf9c6e6",
        ),
        (
            Staged(STAGES, Uniqueness(0.5, 0.35, mate_decides=True)),
            "Uniqueness(stages=(Stage(nodes=5000, clear=2.0, hopeless=0.35), "
            "Stage(nodes=80000, clear=-0.05, hopeless=0.05)), gap=0.5, winning=0.35, mate_decides=True)",
            "31d1fa98",
        ),
        (
            Staged(STAGES, Reached(0.6)),
            "Reached(stages=(Stage(nodes=5000, clear=2.0, hopeless=0.35), "
            "Stage(nodes=80000, clear=-0.05, hopeless=0.05)), least=0.6)",
            "7e365d5b",
        ),
        (
            Staged(ONE_STAGE, Choice(0.35, 0.1, 0.4, -0.3, 3)),
            "Choice(stages=(Stage(nodes=50, clear=0.1, hopeless=0.2),), least=0.35, margin=0.1, drop=0.4, "
            "others=-0.3, longest_mate=3)",
            "3adc5939",
        ),
    ],
)
def test_what_was_stored_is_found_for_ever(engine: Engine, until: Until, key: str, digest: str) -> None:
    assert until.key == key
    searcher = CachedEngine(engine)
    searcher.search(chess.Board(), 100, until=until)
    assert [search.settings for search in searcher.found] == [f"{engine.settings}, until clear {digest}"]


@pytest.mark.parametrize(
    "question",
    [Uniqueness(0.5, 0.35), Reached(0.6), Choice(0.35, 0.1, 0.4, -0.3, 3)],
    ids=lambda question: type(question).__name__,
)
def test_the_key_has_everything_that_a_search_ends_by(question: Any) -> None:
    key = Staged(STAGES, question).key
    assert Staged(ONE_STAGE, question).key != key
    for field in fields(question):
        other = replace(question, **{field.name: getattr(question, field.name) + 1})
        assert Staged(STAGES, other).key != key


def test_a_search_is_found_whatever_its_criterion_is_called(engine: Engine) -> None:
    class Renamed(Uniqueness):
        pass

    searcher = CachedEngine(engine)
    for kind in (Uniqueness, Renamed):
        searcher.search(chess.Board(), 100, until=Staged(ONE_STAGE, kind(0.5, 0.35)))
    assert (engine.searches, searcher.reused) == (1, 1)


@pytest.mark.parametrize(
    ("fen", "chance"),
    [
        ("6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1", -win_chance(Cp(-50))),
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", 1.0),
        ("k7/8/1Q6/8/8/8/8/6K1 b - - 0 1", 0.0),
    ],
    ids=["searched", "mate", "stalemate"],
)
def test_what_the_last_move_has_reached(fen: str, chance: float) -> None:
    engine = ScriptedEngine({"6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1": {"g8f8": -50}})
    assert chance_reached(engine, chess.Board(fen), 100) == chance


def test_another_engine_is_searched(engine: Engine) -> None:
    searcher = CachedEngine(engine)
    searcher.search(chess.Board(), 100)
    engine.name = "Fake 2.0"
    searcher.search(chess.Board(), 100)
    assert engine.searches == 2


def test_claims_of_others_are_reused_until_they_are_checked(engine: Engine) -> None:
    board, lie = chess.Board(), "900 h2h4"
    searcher = CachedEngine(engine, claims=lambda searches: dict.fromkeys(searches, lie))
    assert searcher.search(board, 100)[0].move.uci() == "h2h4"
    assert (engine.searches, searcher.found) == (0, {})
    with searcher.checking_claims():
        assert searcher.search(board, 100)[0].move.uci() == "a2a3"
    # What was found is known from now on.
    assert searcher.search(board, 100)[0].move.uci() == "a2a3"
    assert engine.searches == len(searcher.found) == 1


def test_what_is_in_the_store_is_no_claim(engine: Engine) -> None:
    def claiming(found: str) -> Lookup:
        return lambda searches: dict.fromkeys(searches, found)

    searcher = CachedEngine(engine, claiming("9 h2h4"), claiming("9 g2g4"))
    with searcher.checking_claims():
        assert searcher.search(chess.Board(), 100)[0].move.uci() == "h2h4"
    assert engine.searches == 0


def test_many_positions_are_looked_up_at_once(engine: Engine) -> None:
    boards = [chess.Board(f"4k3/8/8/8/8/8/4P3/4K3 w - - {clock} 30") for clock in range(5)]
    asked: list[int] = []

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        asked.append(len(searches))
        return dict.fromkeys(searches, "20 e1d1")

    searcher = CachedEngine(engine, known)
    searcher.look_up(boards, 100)
    for board in boards:
        searcher.search(board, 100)
    assert asked == [5]
