"""The engine client: searches, failures and what is not believed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import chess
import pytest

from chess_motif.errors import EngineFailedError, EngineMissingError
from engines.engine import ATTEMPTS, LONGEST_NAME, Engine, Variation
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.orphans import orphans

MATE_IN_TWO = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.engine.LEAST_SECONDS", 0.3)
    monkeypatch.setattr("engines.engine.FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr("engines.engine.ATTEMPTS", 1)


@pytest.fixture
def persistent(impatient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search be tried as often as it is elsewhere."""
    monkeypatch.setattr("engines.engine.ATTEMPTS", ATTEMPTS)


def executable(path: Path, script: str = "") -> Path:
    if sys.platform == "win32":
        pytest.skip("Windows has no sh")
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_stockfish_finds_a_mate(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        best = engine.search(chess.Board(MATE_IN_TWO), 10_000)[0]
    assert (best.move.uci(), best.mate_in, best.chance) == ("b1b8", 1, 1.0)


def test_lines_come_best_first(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        chances = [line.chance for line in engine.search(chess.Board(), 20_000, lines=4)]
    assert len(chances) == 4
    assert chances == sorted(chances, reverse=True)


def test_scores_are_from_the_side_to_move(stockfish: str) -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1")
    with Engine(stockfish) as engine:
        assert engine.search(board, 5_000)[0].chance < -0.9


def test_a_search_does_not_depend_on_earlier_ones(stockfish: str) -> None:
    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 5 4")
    with Engine(stockfish) as engine:
        first = engine.search(board, 30_000, lines=2)
        engine.search(board, 50_000)
        assert engine.search(board, 30_000, lines=2) == first


def test_a_search_does_not_depend_on_the_moves_before(stockfish: str) -> None:
    played = chess.Board()
    for move in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]:
        played.push_uci(move)
    with Engine(stockfish) as engine:
        assert engine.search(played, 10_000) == engine.search(chess.Board(played.fen()), 10_000)


@pytest.mark.parametrize(
    ("nodes", "depth", "least", "most"),
    [(50_000, None, 50_000, 60_000), (10_000, 60, 10_000, 15_000), (1_000_000, 5, 1, 10_000)],
    ids=["no depth", "not reached", "reached"],
)
def test_a_search_ends_at_its_nodes_or_its_depth(
    stockfish: str, nodes: int, depth: int | None, least: int, most: int
) -> None:
    with Engine(stockfish) as engine:
        engine.search(chess.Board(), nodes, depth=depth)
        assert engine.searches == 1
        assert least <= engine.nodes < most


@dataclass
class After:
    """Lets a search end after so many nodes, and notes what it has seen."""

    nodes: int
    seen: list[tuple[int, list[Variation]]] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"After({self.nodes})"

    def __call__(self, nodes: int, variations: Sequence[Variation]) -> bool:
        self.seen.append((nodes, list(variations)))
        return nodes >= self.nodes


def test_a_search_ends_with_the_iteration_that_is_enough(stockfish: str) -> None:
    after = After(10_000)
    with Engine(stockfish) as engine:
        variations = engine.search(chess.Board(), 10_000_000, 3, until=after)
        assert 10_000 <= engine.nodes < 1_000_000
    reached, last = after.seen[-1]
    assert (reached >= 10_000, after.seen[-2][0] < 10_000, variations) == (True, True, last)


def test_a_search_that_ends_early_finds_the_same_each_time(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        first, second = (engine.search(chess.Board(), 10**6, 2, until=After(50_000)) for _ in range(2))
    assert first == second


def test_a_search_that_is_never_enough_is_as_any_other(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        found = engine.search(chess.Board(), 20_000, 2, until=After(10**9))
        assert found == engine.search(chess.Board(), 20_000, 2)


def test_all_variations_have_been_searched_as_deep_when_a_search_may_end(stockfish: str) -> None:
    after = After(100_000)
    with Engine(stockfish) as engine:
        engine.search(chess.Board("7k/8/8/8/8/8/8/KR6 w - - 0 1"), 10**6, 3, until=after)
        assert {len(variations) for _, variations in after.seen} == {3}


def test_the_variations_of_two_iterations_are_not_mixed(fake_engine: FakeEngine) -> None:
    after = After(10**9)
    with Engine(fake_engine("reordered@always")) as engine:
        engine.search(chess.Board(), 100, 2, until=after)
    moves = [[variation.move.uci() for variation in variations] for _, variations in after.seen]
    assert moves == [["a2a3", "b2b3"], ["b2b3", "a2a3"]]


def test_a_search_may_end_where_there_are_fewer_moves_than_variations(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        engine.search(chess.Board("k7/8/1K6/8/8/8/8/7Q b - - 0 1"), 10**7, 3, until=After(1))
        assert engine.nodes < 10**6


@pytest.mark.parametrize("fault", ["hang", "die", "garbage", "illegal"])
def test_a_failed_engine_is_replaced(persistent: None, fake_engine: FakeEngine, fault: str) -> None:
    with Engine(fake_engine(f"{fault}@1", f"{fault}@2"), grace=1.0) as engine:
        best = engine.search(chess.Board(), 100)[0]
    assert best.move.uci() == "a2a3"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("garbage", "gave no score"),
        ("illegal", "plays a1a1"),
        ("null", "null move"),
        ("unscored", "gave no score"),
        ("comment", "gave no score"),
        ("huge", "sent score cp 99999"),
        ("mated", "mate 0"),
        ("remote", "sent score mate 5000"),
        ("negative", "sent nodes -10"),
        ("countless", "sent nodes 1000"),
        ("zeroth", "sent multipv 0"),
        ("flood", "sent more than"),
        ("empty", "65,536 lines at once"),
    ],
)
def test_an_engine_is_not_believed(fake_engine: FakeEngine, fault: str, said: str) -> None:
    with (
        Engine(fake_engine(f"{fault}@1")) as engine,
        pytest.raises(EngineFailedError, match=rf"^Fake 1\.0: .*{said}"),
    ):
        engine.search(chess.Board(), 100)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("lower", ["a2a3 +5"]),
        ("upper", ["a2a3 +5"]),
        ("bounds", ["c2c3 -50"]),
        ("bound-first", ["a2a3 +5"]),
        ("second-bound", ["a2a3 +7", "b2b3 +3"]),
        ("overtaken", ["a2a3 +5", "b2b3 +3"]),
    ],
)
def test_a_bound_is_no_score_where_there_is_an_exact_one(
    fake_engine: FakeEngine, answer: str, found: list[str]
) -> None:
    with Engine(fake_engine(f"{answer}@1")) as engine:
        variations = engine.search(chess.Board(), 100, len(found))
    assert [f"{variation.move} {variation.score}" for variation in variations] == found


def test_the_nodes_after_the_last_exact_score_are_counted(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine("lower@1")) as engine:
        engine.search(chess.Board(), 100)
        assert engine.nodes == 20


def test_what_an_engine_tells_people_is_no_score(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine("told@1")) as engine:
        assert engine.search(chess.Board(), 100)[0].move.uci() == "a2a3"


def test_the_score_may_come_after_the_moves(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine("scored-last@1")) as engine:
        (best,) = engine.search(chess.Board(), 100)
    assert ([move.uci() for move in best.moves], str(best.score)) == (["a2a3", "a7a6"], "+5")


def test_an_engine_answers_once(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine("again@1")) as engine:
        engine.search(chess.Board(), 100)
        with pytest.raises(EngineFailedError, match="answered once more"):
            engine.search(chess.Board(), 100)


@pytest.mark.parametrize(
    ("fault", "said"),
    [("single", "gave 1 of 2"), ("repeated", "same move"), ("third", "sent multipv 3")],
)
def test_the_variations_must_be_those_asked_for(fake_engine: FakeEngine, fault: str, said: str) -> None:
    with Engine(fake_engine(f"{fault}@1")) as engine, pytest.raises(EngineFailedError, match=said):
        engine.search(chess.Board(), 100, lines=2)


def test_a_search_ends_when_we_are_killed(stockfish: str) -> None:
    program = f"""
import chess
from engines.engine import Engine
Engine({stockfish!r}).search(chess.Board(), 10**9)
"""
    assert orphans(program, stockfish) == []


def test_a_script_that_starts_the_engine_does_not_hide_a_hang(
    tmp_path: Path, fake_engine: FakeEngine
) -> None:
    script = executable(tmp_path / "script", f'"{fake_engine("hang@1")}"')
    with Engine(str(script), grace=1.0) as engine, pytest.raises(EngineFailedError, match="in time"):
        engine.search(chess.Board(), 100)


def test_on_windows_what_a_script_has_started_is_killed_with_it(
    tmp_path: Path, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = executable(tmp_path / "script", f'"{fake_engine("hang@1")}"')
    killed = list[list[str]]()

    def taskkill(command: list[str], **_: object) -> None:
        killed.append(command[:-1])
        os.killpg(int(command[-1]), signal.SIGKILL)

    with Engine(str(script), grace=1.0) as engine:
        monkeypatch.setattr(sys, "platform", "win32")
        monkeypatch.setattr(subprocess, "run", taskkill)
        with pytest.raises(EngineFailedError, match="in time"):
            engine.search(chess.Board(), 100)
    assert killed[0] == ["taskkill", "/F", "/T", "/PID"]


def test_on_macos_an_engine_that_has_just_died_cannot_be_killed(
    fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill = os.killpg

    def forbidden(group: int, number: int) -> None:
        kill(group, number)
        raise PermissionError

    engine = Engine(fake_engine())
    monkeypatch.setattr(os, "killpg", forbidden)
    engine.discard()
    engine.close()


def test_fewer_variations_than_asked_for_where_there_are_fewer_moves(stockfish: str) -> None:
    with Engine(stockfish) as engine:
        assert len(engine.search(chess.Board("k7/8/1K6/8/8/8/8/7R b - - 0 1"), 1_000, lines=3)) == 1


def test_an_engine_that_always_fails_is_given_up(
    persistent: None, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    with (
        Engine(fake_engine("die@always")) as engine,
        pytest.raises(EngineFailedError, match="died"),
    ):
        engine.search(chess.Board(), 100)
    assert (tmp_path / "searches").stat().st_size == ATTEMPTS


def test_a_closed_engine_is_not_tried_again(
    persistent: None, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine
) -> None:
    monkeypatch.setattr("engines.engine.FIRST_PAUSE_SECONDS", float("inf"))
    with Engine(fake_engine()) as engine:
        pass
    with pytest.raises(EngineFailedError, match="closed"):
        engine.search(chess.Board(), 100)


def test_an_engine_that_another_thread_has_closed_is_gone(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine()) as engine:
        process = engine._running()
        process.kill()
        with pytest.raises(EngineFailedError, match="died"):
            process.send("isready")
        with pytest.raises(EngineFailedError, match="died"):
            next(process.lines_until("readyok", 1.0))


@pytest.mark.parametrize("nodes", [100, 10_000_000])
def test_an_engine_that_says_nothing_is_noticed_in_time(fake_engine: FakeEngine, nodes: int) -> None:
    with Engine(fake_engine("hang@1"), grace=1.0) as engine:
        started = time.monotonic()
        with pytest.raises(EngineFailedError, match="in time"):
            engine.search(chess.Board(), nodes)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("error", [KeyboardInterrupt, EngineFailedError])
def test_a_busy_engine_is_killed_after_an_error(fake_engine: FakeEngine, error: type[BaseException]) -> None:
    started = time.monotonic()
    with suppress(error), Engine(fake_engine("hang@1"), grace=60.0) as engine:
        process = begun(engine)
        raise error
    assert time.monotonic() - started < 5
    assert process.poll() is not None


def test_a_second_interruption_leaves_no_process(
    fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(fake_engine("hang@1"), grace=60.0)
    process = begun(engine)
    wait = process.wait

    def interrupted(timeout: float | None = None) -> int:
        if timeout is not None:
            raise KeyboardInterrupt
        return wait()

    monkeypatch.setattr(process, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.close()
    assert process.poll() is not None


def begun(engine: Engine) -> subprocess.Popen[bytes]:
    """Let the engine begin a search; return its process."""
    running = engine._running()
    running.send("position startpos", "go")
    return running._process


def test_an_answer_a_little_late_is_taken(fake_engine: FakeEngine) -> None:
    with Engine(fake_engine("late@1"), grace=3.0) as engine:
        assert engine.search(chess.Board(), 100)[0].move.uci() == "a2a3"


def test_no_such_program() -> None:
    with pytest.raises(EngineMissingError, match="/no/such/engine"):
        Engine("/no/such/engine")


@pytest.mark.parametrize("fault", ["hang", "die"])
def test_a_program_that_is_no_engine(fake_engine: FakeEngine, fault: str) -> None:
    with pytest.raises(EngineFailedError, match="UCI"):
        Engine(fake_engine(f"{fault}@start"), grace=1.0)


def test_the_name_of_an_engine_cannot_control_the_terminal(tmp_path: Path) -> None:
    name = r"\033[1mBold\342\200\256 2"
    script = executable(tmp_path / "engine", f"printf 'id name {name}\\nuciok\\n'\nexec sed /quit/q")
    with Engine(str(script), grace=2.0) as engine:
        assert engine.name == "[1mBold 2"


def test_a_name_of_megabytes_is_cut(tmp_path: Path) -> None:
    script = executable(tmp_path / "engine", "printf 'id name %05000000d\\nuciok\\n' 0\nexec sed /quit/q")
    with Engine(str(script), grace=5.0) as engine:
        assert len(engine.name) <= LONGEST_NAME


def test_an_engine_that_dies_as_it_starts_is_started_again(
    persistent: None, tmp_path: Path, fake_engine: FakeEngine
) -> None:
    flag = tmp_path / "started"
    script = executable(tmp_path / "fragile", f'[ -e "{flag}" ] && exec "{fake_engine()}"\ntouch "{flag}"')
    with Engine(str(script)) as engine:
        assert engine.name == "Fake 1.0"


def test_an_engine_is_started_under_the_name_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine
) -> None:
    script = f'[ "$(basename "$0")" = link ] && exec "{fake_engine()}"'
    launcher = executable(tmp_path / "launcher", script)
    (tmp_path / "link").symlink_to(launcher)
    monkeypatch.chdir(tmp_path)
    with Engine("./link") as engine:
        assert (engine.name, engine.command) == ("Fake 1.0", str(tmp_path / "link"))
