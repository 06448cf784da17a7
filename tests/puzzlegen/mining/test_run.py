"""Mining runs: what is stored, what a stopped run leaves, what a broken engine or file does."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import chess.pgn
import pytest
from backports import zstd
from sqlalchemy import select

from chess_motif.errors import (
    ClusterError,
    EngineFailedError,
    EngineMissingError,
    HumanModelError,
    PackedFileError,
)
from db.models import Checkpoint, Game, MiningRun, Puzzle
from db.packed.file import PackedFile, write_packed
from db.packed.verdicts import PackedEntry
from db.runs import holding_run, stored_runs
from db.store import Store
from puzzlegen.cache import pack_store
from puzzlegen.games.archive import HEAD
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.mining import workers as workers_module
from puzzlegen.mining.game import GameResult, PuzzleJob, skipped_game
from puzzlegen.mining.report import MiningReport
from puzzlegen.mining.run import FAILURES_IN_A_ROW, mine
from puzzlegen.rules import MiningRules
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.kills import status_after_kill
from tests.helpers.orphans import orphans
from tests.helpers.pool_here import PoolHere, mining_in
from tests.helpers.postgresql_server import PostgreSQLServer
from tests.helpers.processes import KINDS, RUN, command_line, descendants
from tests.helpers.quick_mining import QUICK, SLOWER, Mined, games_mined, stored_puzzles
from tests.helpers.recording_progress import RecordingProgress


def run(
    store: Store,
    archive: Path,
    engine: str,
    rules: MiningRules = QUICK,
    workers: int = 0,
    **options: Any,
) -> MiningReport:
    """Mine an archive with this number of worker processes, or in this one."""
    with nullcontext() if workers else mining_in():
        return mine([str(archive)], store, engine, rules=rules, workers=workers or 1, **options)


def test_puzzles_are_stored_with_all_that_is_known(store: Store, archive: Path, stockfish: str) -> None:
    report = run(store, archive, stockfish, limit=5)
    with store.reading() as session:
        puzzles = session.scalars(select(Puzzle)).all()
        assert len(puzzles) == report.summary.puzzles > 0
        for puzzle in puzzles:
            assert puzzle.game is not None
            assert puzzle.game.white.startswith("Stockfish")
            assert puzzle.engine == report.engine
            assert puzzle.difficulty is not None
            assert puzzle.gap is not None
            assert puzzle.gap >= QUICK.gap
            assert puzzle.evaluations is not None
            assert puzzle.evaluations["after"] - puzzle.evaluations["before"] >= QUICK.drop
        assert session.get_one(MiningRun, 1).rules["gap"] == QUICK.gap


def test_the_counts_add_up(undisturbed: Mined, games: list[bytes]) -> None:
    summary = undisturbed.report.summary
    assert summary.games == len(games)
    assert summary.candidates == summary.puzzles + summary.known + sum(summary.rejected.values())


def test_the_number_of_workers_does_not_matter(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined
) -> None:
    run(sqlite_store, archive, stockfish, workers=3)
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_games_without_evaluations_are_searched(
    sqlite_store: Store, tmp_path: Path, stockfish: str, games: list[bytes]
) -> None:
    archive = tmp_path / "bare.pgn"
    bare = re.sub(rb"\{[^}]*\}", b"", games[0])
    archive.write_bytes(bare)
    summary = run(sqlite_store, archive, stockfish).summary
    game = chess.pgn.read_game(io.StringIO(bare.decode()))
    assert game is not None
    # Each position but the last, which is over, and the blunders again.
    assert summary.positions_searched >= game.end().ply()
    assert summary.candidates > 0


def test_an_archive_that_another_run_mines_is_left_to_it(store: Store, archive: Path, stockfish: str) -> None:
    run(store, archive, stockfish, limit=1)
    with holding_run(store, 1):
        assert "run 1 is mining it" in run(store, archive, stockfish, limit=2).damaged[0]
        assert games_mined(store) == 1
    assert run(store, archive, stockfish, limit=2).damaged == []
    assert games_mined(store) == 2


def test_a_run_says_what_it_did_itself(store: Store, archive: Path, stockfish: str) -> None:
    first = run(store, archive, stockfish, limit=2).summary
    both = run(store, archive, stockfish, limit=3).summary
    with store.reading() as session:
        runs = stored_runs(session)
    assert [row.files for row in runs] == [[str(archive)], [str(archive)]]
    assert [row.outcome for row in runs] == ["ended", "ended"]
    assert [(row.summary or {})["games"] for row in runs] == [1, 2]
    assert [(row.summary or {})["nodes"] for row in runs] == [both.nodes - first.nodes, first.nodes]


def test_a_run_whose_engine_fails_has_failed(store: Store, archive: Path, fake_engine: FakeEngine) -> None:
    with pytest.raises(EngineFailedError):
        run(store, archive, fake_engine("die@always"))
    with store.reading() as session:
        assert stored_runs(session)[0].outcome == "failed"


def test_what_was_mined_is_not_mined_again(store: Store, archive: Path, stockfish: str) -> None:
    first = run(store, archive, stockfish, limit=5)
    assert run(store, archive, stockfish, limit=5).summary == first.summary


def test_a_limit_can_be_raised_later(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined
) -> None:
    assert run(sqlite_store, archive, stockfish, limit=7).summary.games == 7
    assert run(sqlite_store, archive, stockfish, limit=7).summary.games == 7
    run(sqlite_store, archive, stockfish)
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_of_a_file_that_grew_the_new_games_are_mined(
    sqlite_store: Store, archive: Path, stockfish: str, games: list[bytes], undisturbed: Mined
) -> None:
    archive.write_bytes(b"".join(games[:5]))
    nodes = run(sqlite_store, archive, stockfish).summary.nodes
    archive.write_bytes(b"".join(games))
    grown = run(sqlite_store, archive, stockfish).summary
    assert nodes < grown.nodes
    # How much was searched depends on which of two equal positions was kept first.
    whole = undisturbed.report.summary
    assert (grown.games, grown.candidates, grown.rejected) == (whole.games, whole.candidates, whole.rejected)
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_a_file_that_grew_after_its_last_line_has_no_game_more(
    sqlite_store: Store, archive: Path, stockfish: str, games: list[bytes]
) -> None:
    archive.write_bytes(b"".join(games[:5]).rstrip() + b"\n")
    run(sqlite_store, archive, stockfish, limit=7)
    archive.write_bytes(b"".join(games[:8]))
    assert run(sqlite_store, archive, stockfish, limit=7).summary.games == 7
    summary = run(sqlite_store, archive, stockfish).summary
    assert (summary.games, summary.skipped) == (8, {})


@pytest.mark.parametrize("options", [{}, {"evaluated_only": True}, {"player": "Stockfish"}], ids=str)
def test_a_file_without_a_game_is_an_error_each_time(
    sqlite_store: Store, archive: Path, tmp_path: Path, stockfish: str, options: dict[str, Any]
) -> None:
    readme = tmp_path / "readme.md"
    readme.write_text("# Puzzles\n\nRun `puzzlegen mine GAMES --limit 5` -- *then* wait.\n")
    for _ in range(2):
        files = [str(readme), str(archive)]
        with mining_in():
            report = mine(files, sqlite_store, stockfish, rules=QUICK, limit=2, **options)
        assert report.damaged == [f"{readme}: has no games"]
        assert report.summary.games == 2


def test_a_file_that_changed_is_mined_afresh(
    sqlite_store: Store, archive: Path, stockfish: str, games: list[bytes], undisturbed: Mined
) -> None:
    archive.write_bytes(b"".join(games[:5]))
    run(sqlite_store, archive, stockfish)
    # Same beginning, other games after it.
    archive.write_bytes(b"".join(games[:3] + games[6:9]))
    assert len(b"".join(games[:3])) > HEAD
    progress = RecordingProgress()
    summary = run(sqlite_store, archive, stockfish, progress=progress).summary
    assert summary.games == 6
    assert ["changed since" in line for line in progress.notices] == [True]
    assert set(stored_puzzles(sqlite_store)) <= set(stored_puzzles(undisturbed.store))


def test_restart_mines_again_and_stores_nothing_twice(
    sqlite_store: Store, archive: Path, stockfish: str
) -> None:
    run(sqlite_store, archive, stockfish, limit=5)
    before = stored_puzzles(sqlite_store)
    assert before
    again = run(sqlite_store, archive, stockfish, limit=5, restart=True).summary
    assert (again.puzzles, again.known) == (0, len(before))
    assert stored_puzzles(sqlite_store) == before


def test_other_settings_have_their_own_checkpoint(sqlite_store: Store, archive: Path, stockfish: str) -> None:
    run(sqlite_store, archive, stockfish, limit=3)
    other = replace(QUICK, gap=0.9)
    assert run(sqlite_store, archive, stockfish, limit=2, rules=other).summary.games == 2
    with sqlite_store.reading() as session:
        assert len(session.scalars(select(Checkpoint)).all()) == 2


def test_a_player_gets_what_she_could_have_played(
    sqlite_store: Store, archive: Path, stockfish: str, games: list[bytes], undisturbed: Mined
) -> None:
    archive.write_bytes(b"".join(game.replace(b'[White "', b'[White "Ann ') for game in games))
    run(sqlite_store, archive, stockfish, player="stockfish, ann")
    whites = white_to_move(undisturbed.store)
    assert whites
    assert white_to_move(sqlite_store) == whites
    assert len(stored_puzzles(sqlite_store)) == len(whites)


def white_to_move(store: Store) -> set[str]:
    with store.reading() as session:
        return {puzzle.id for puzzle in session.scalars(select(Puzzle)) if puzzle.position().turn}


def test_games_of_others_are_counted_as_skipped(sqlite_store: Store, archive: Path, stockfish: str) -> None:
    assert run(sqlite_store, archive, stockfish, player="nobody").summary.skipped == {"other players": 12}


def test_games_without_evaluations_can_be_left_out(
    sqlite_store: Store, tmp_path: Path, stockfish: str, games: list[bytes]
) -> None:
    bare = re.sub(rb"\{[^}]*\}", b"", games[0])
    archive = tmp_path / "mixed.pgn"
    archive.write_bytes(games[1] + bare + bare + games[2] + bare)
    progress = RecordingProgress()
    summary = run(sqlite_store, archive, stockfish, evaluated_only=True, progress=progress).summary
    assert (summary.games, summary.skipped, progress.notices) == (5, {"no evaluations": 3}, [])


BAD_GAMES = {
    "illegal move": b'[Event "x"]\n\n1. e4 e5 2. Ke5 *\n\n',
    "no moves": b'[Event "x"]\n\n*\n\n',
    "variant": b'[Event "x"]\n[Variant "Horde"]\n\n1. e4 *\n\n',
    "not a game": b"\n\n\x00\xff\xfe nothing \x01 here { 12. \n\n",
}


def test_bad_games_are_named_and_the_rest_is_mined(
    sqlite_store: Store, tmp_path: Path, stockfish: str, games: list[bytes], undisturbed: Mined
) -> None:
    bad = list(BAD_GAMES.values())
    mixed = tmp_path / "mixed.pgn"
    mixed.write_bytes(
        games[0] + bad[0] + games[1] + bad[1] + bad[2] + games[2] + bad[3] + b"".join(games[3:])
    )
    progress = RecordingProgress()
    summary = run(sqlite_store, mixed, stockfish, progress=progress).summary
    # What is not a game is not counted.
    assert summary.skipped == dict.fromkeys(BAD_GAMES.keys() - {"not a game"}, 1)
    assert f"{mixed}: game 2 (byte {len(games[0])}): illegal move" in "".join(progress.notices)
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_a_truncated_archive_keeps_what_came_before(
    sqlite_store: Store, tmp_path: Path, stockfish: str, games: list[bytes], undisturbed: Mined
) -> None:
    # One frame of several blocks; a block that is cut is lost.
    packer = zstd.ZstdCompressor()
    blocks = [packer.compress(game, packer.FLUSH_BLOCK) for game in games]
    whole = b"".join([*blocks, packer.flush()])
    file = tmp_path / "games.pgn.zst"
    file.write_bytes(whole[: len(whole) * 3 // 4])
    report = run(sqlite_store, file, stockfish)
    assert len(report.damaged) == 1
    assert "cut off" in report.damaged[0]
    assert 0 < report.summary.games < len(games)
    # The complete file arrives: mining is resumed.
    file.write_bytes(whole)
    complete = run(sqlite_store, file, stockfish)
    assert (complete.damaged, complete.summary.games) == ([], len(games))
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_a_missing_file_does_not_stop_the_others(sqlite_store: Store, archive: Path, stockfish: str) -> None:
    with mining_in():
        report = mine(["nowhere.pgn", str(archive)], sqlite_store, stockfish, rules=QUICK, limit=2)
    assert len(report.damaged) == 1
    assert report.summary.games == 2


def test_a_file_name_need_not_be_text(sqlite_store: Store, archive: Path, stockfish: str) -> None:
    named = archive.rename(archive.with_name("caf\udce9.pgn"))
    assert run(sqlite_store, named, stockfish, limit=1).summary.games == 1


def test_a_missing_engine_stops_before_anything_is_stored_puzzles(sqlite_store: Store, archive: Path) -> None:
    with pytest.raises(EngineMissingError):
        run(sqlite_store, archive, "/no/such/engine")
    with sqlite_store.reading() as session:
        assert session.scalars(select(MiningRun)).all() == []


def test_a_game_that_the_engine_fails_on_is_set_aside(
    sqlite_store: Store, tmp_path: Path, fake_engine: FakeEngine, games: list[bytes]
) -> None:
    archive = tmp_path / "some.pgn"
    archive.write_bytes(b"".join(games[:8]))
    engine = fake_engine("die@1", "die@2", "die@3")
    progress = RecordingProgress()
    report = run(sqlite_store, archive, engine, progress=progress)
    assert report.summary.skipped == {"engine failed": 1}
    assert report.summary.games == 8
    assert ["engine failed" in line and "died" in line for line in progress.notices] == [True]


def test_a_game_that_kills_workers_is_set_aside(
    sqlite_store: Store, archive: Path, fake_engine: FakeEngine
) -> None:
    report = run(sqlite_store, archive, fake_engine("murder@1", "murder@2", "murder@3"), workers=1)
    assert report.summary.skipped == {"worker died": 1}
    assert report.summary.games == 12


def test_a_game_that_is_not_finished_in_time_is_skipped_for_good(
    sqlite_store: Store, archive: Path, stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(workers_module, "GAME_SECONDS", 0)
        summary = run(sqlite_store, archive, stockfish, workers=1, limit=1).summary
    assert summary.skipped == {"took too long": 1}
    assert run(sqlite_store, archive, stockfish, workers=1, limit=1).summary == summary


def test_the_first_stop_finishes_the_games_at_hand(
    sqlite_store: Store, archive: Path, stockfish: str, slower_undisturbed: Mined
) -> None:
    progress = RecordingProgress(stop=lambda progress: len(progress.updates) >= 2)
    report = run(sqlite_store, archive, stockfish, rules=SLOWER, workers=2, progress=progress)
    assert report.interrupted
    assert report.summary.games < 12
    run(sqlite_store, archive, stockfish, rules=SLOWER)
    assert stored_puzzles(sqlite_store) == stored_puzzles(slower_undisturbed.store)


@pytest.mark.parametrize("victim", KINDS)
def test_a_process_that_is_killed_changes_nothing(
    sqlite_store: Store, archive: Path, stockfish: str, victim: str, slower_undisturbed: Mined
) -> None:
    arguments = ["puzzles", str(archive), str(sqlite_store.path), stockfish]
    status = status_after_kill(victim, "tests.helpers.quick_mining", *arguments)
    assert status == (-signal.SIGKILL if victim == RUN else 0)
    if victim == RUN:
        assert 0 < games_mined(sqlite_store) < 12
        run(sqlite_store, archive, stockfish, rules=SLOWER)
    assert stored_puzzles(sqlite_store) == stored_puzzles(slower_undisturbed.store)


def test_no_process_is_left_behind(sqlite_store: Store, archive: Path, stockfish: str) -> None:
    run(sqlite_store, archive, stockfish, workers=2, limit=4)
    assert [pid for pid in descendants(os.getpid()) if "stockfish" in command_line(pid)] == []


def test_workers_and_engines_end_when_the_run_is_killed(tmp_path: Path, stockfish: str) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('1. e4 e5 *\n\n[Event "x"]\n\n1. d4 d5 *\n')
    program = f"""
from db.packed.file import PackedFile
from db.runs import holding_run, stored_runs
from db.store import Store
from puzzlegen.mining.run import mine
from puzzlegen.rules import MiningRules
rules = MiningRules(scan_nodes=10**9)
mine([{str(games)!r}], Store({str(tmp_path / "puzzles.db")!r}), {stockfish!r}, rules=rules)
"""
    assert orphans(program, "spawn_main", stockfish) == []


def test_an_engine_that_ignores_the_end_of_its_input_ends_with_its_worker(
    fake_engine: FakeEngine, tmp_path: Path
) -> None:
    pool = workers_module.LocalPool(1, workers_module.WorkerConfig(fake_engine("hang@1"), PuzzleJob(QUICK)))
    (game,) = split_games([b"1. e4 e5 2. Nf3 Nc6 *\n\n"])
    pool.submit(game)
    while not (tmp_path / "searches").exists():
        time.sleep(0.05)
    engines = [pid for pid in descendants(os.getpid()) if "fake_engine.py" in command_line(pid)]
    pool.close()
    assert len(engines) == 1
    assert "fake_engine.py" not in command_line(engines[0])


def test_puzzles_of_one_game_share_its_row(undisturbed: Mined) -> None:
    with undisturbed.store.reading() as session:
        games = session.scalars(select(Game)).all()
        puzzles = session.scalars(select(Puzzle)).all()
    assert len(games) == len({puzzle.game_number for puzzle in puzzles}) < len(puzzles)


def test_games_that_the_engine_failed_on_are_mined_again_and_no_others(
    sqlite_store: Store, tmp_path: Path
) -> None:
    archive, progress = tmp_path / "games.pgn", RecordingProgress()
    archive.write_text("".join(f'[Event "{number}"]\n\n1. e4 *\n\n' for number in range(10)))

    def fail(game: RawGame) -> GameResult:
        return skipped_game(game, Skip.ILLEGAL_MOVE if game.number == 1 else Skip.ENGINE, "why")

    for _ in range(2):
        with (
            mining_in(lambda count, config: PoolHere("failing", fail)),
            pytest.raises(EngineFailedError, match=f"why; {FAILURES_IN_A_ROW} games in a row"),
        ):
            mine([str(archive)], sqlite_store, progress=progress)
    assert progress.notices == [
        f"{archive}: game 1 (byte 0): illegal move: why",
        f"{archive}: 1 games were mined before",
    ]


def test_a_human_move_model_that_cannot_be_used_ends_the_run(
    sqlite_store: Store, archive: Path, stockfish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHESS_MOTIF_HUMAN_MODEL", "/no/such/model.onnx")
    with pytest.raises(HumanModelError, match="no such file"):
        run(sqlite_store, archive, stockfish, workers=1)


@pytest.fixture
def cache(undisturbed: Mined, tmp_path: Path) -> Path:
    path = tmp_path / "cache.pos"
    pack_store(path, undisturbed.store)
    return path


@pytest.mark.parametrize("workers", [0, 2])
def test_only_puzzles_are_searched_again_with_a_cache(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined, cache: Path, workers: int
) -> None:
    summary = run(sqlite_store, archive, stockfish, workers=workers, cache=cache).summary
    assert 0 < summary.positions_searched < undisturbed.report.summary.positions_searched / 2
    assert summary.searches_reused >= undisturbed.report.summary.positions_searched
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_false_results_make_no_false_puzzles(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined, cache: Path, tmp_path: Path
) -> None:
    def praised(entry: PackedEntry) -> PackedEntry:
        """Let the best move win, and every other one lose."""
        verdicts = []
        for verdict in entry.verdicts:
            moves = [part.partition(" ")[2] for part in verdict.found.split(";")]
            scores = ["900", *("-900" for _ in moves[1:])]
            found = ";".join(f"{score} {move}" for score, move in zip(scores, moves, strict=True))
            verdicts.append(verdict._replace(found=found))
        return entry._replace(verdicts=verdicts)

    lies = tmp_path / "lies.pos"
    with PackedFile(cache) as packed:
        write_packed(lies, map(praised, packed.entries()))
    run(sqlite_store, archive, stockfish, cache=lies)
    assert {*stored_puzzles(sqlite_store)} <= {*stored_puzzles(undisturbed.store)}


def test_what_is_damaged_in_the_cache_is_searched_again(
    sqlite_store: Store, archive: Path, stockfish: str, undisturbed: Mined, cache: Path
) -> None:
    data, progress = bytearray(cache.read_bytes()), RecordingProgress()
    with PackedFile(cache) as packed:
        data[packed.slots[0].at] ^= 1
    cache.write_bytes(data)
    report = run(sqlite_store, archive, stockfish, cache=cache, progress=progress)
    assert report.summary.positions_searched > 0
    assert sum("damaged at bytes" in notice for notice in progress.notices) == 1
    assert stored_puzzles(sqlite_store) == stored_puzzles(undisturbed.store)


def test_a_cache_that_is_not_there_ends_the_run(
    sqlite_store: Store, archive: Path, stockfish: str, tmp_path: Path
) -> None:
    with pytest.raises(PackedFileError, match="cannot be read: no such file"):
        run(sqlite_store, archive, stockfish, cache=tmp_path / "nothing.pos")


def test_the_commands_do_not_load_dask() -> None:
    program = (
        "import sys, puzzlegen.cli.main, motifsearch.cli.main; "
        "sys.exit(bool({'dask', 'distributed'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_cluster_without_dask_says_how_to_get_it(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    archive = tmp_path / "games.pgn"
    archive.touch()
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "puzzlegen.mining.dask", raising=False)
    with pytest.raises(ClusterError, match=r"pip install 'chess-motif\[cluster\]'"):
        mine([str(archive)], sqlite_store, cluster="tcp://127.0.0.1:8786")


def test_a_server_that_is_restarted_costs_nothing(
    postgresql_store: Store,
    postgresql_server: PostgreSQLServer,
    archive: Path,
    stockfish: str,
    undisturbed: Mined,
) -> None:
    starting: list[Thread] = []

    def restart(progress: RecordingProgress) -> None:
        if len(progress.updates) in (2, 5):
            starting.append(postgresql_server.restart(seconds=2))

    report = run(
        postgresql_store, archive, stockfish, workers=2, progress=RecordingProgress(on_update=restart)
    )
    for thread in starting:
        thread.join()
    assert len(starting) == 2
    summary, expected = report.summary, undisturbed.report.summary
    assert (summary.games, summary.puzzles) == (expected.games, expected.puzzles)
    assert summary.rejected == expected.rejected
    assert stored_puzzles(postgresql_store) == stored_puzzles(undisturbed.store)
