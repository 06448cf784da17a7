"""Mining as a whole: what is stored, what a stopped run leaves, what a broken engine or file does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from sqlalchemy import select

from chess_motif.errors import EngineFailedError, EngineMissingError
from db.models import Checkpoint, Game, Puzzle, Run
from db.store import Store
from puzzlegen.checkpoint import HEAD
from puzzlegen.job import FAILURES_IN_A_ROW, Watcher
from puzzlegen.mine import MiningReport, mine
from puzzlegen.rules import MiningRules, Pattern

SAMPLES = Path(__file__).parent.parent.parent / "samples" / "games.pgn.zst"

# Small budgets: these tests are about the machinery, not about the quality of puzzles.
QUICK = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=500,
    decide_nodes=1_000,
    screen_nodes=1_000,
    line_nodes=5_000,
    reply_nodes=2_000,
    confirm_nodes=10_000,
)

FakeEngine = Callable[..., str]


@pytest.fixture(scope="module")
def games() -> list[bytes]:
    """The first evaluated sample games, one text each."""
    text = zstd.decompress(SAMPLES.read_bytes())
    texts = [b'[Event "' + game for game in text.split(b'[Event "')[1:]]
    return [game for game in texts if b"[%eval" in game][:24]


@pytest.fixture
def archive(tmp_path: Path, games: list[bytes]) -> Path:
    file = tmp_path / "games.pgn"
    file.write_bytes(b"".join(games))
    return file


def run(store: Store, archive: Path, engine: str, **options: Any) -> MiningReport:
    return mine([str(archive)], store, engine, **({"rules": QUICK, "workers": 2} | options))


def stored(store: Store) -> list[tuple[object, ...]]:
    with store.reading() as session:
        return sorted(
            (puzzle.id, puzzle.fen, puzzle.solution, puzzle.gap, puzzle.game.key if puzzle.game else None)
            for puzzle in session.scalars(select(Puzzle))
        )


def test_puzzles_are_stored_with_all_that_is_known(store: Store, archive: Path, stockfish: str) -> None:
    report = run(store, archive, stockfish)
    with store.reading() as session:
        puzzles = session.scalars(select(Puzzle)).all()
        assert len(puzzles) == report.summary.puzzles > 0
        for puzzle in puzzles:
            assert puzzle.game is not None
            assert puzzle.game.white.startswith("Stockfish")
            assert puzzle.engine == report.engine
            assert puzzle.gap is not None
            assert puzzle.gap >= QUICK.gap
            assert puzzle.evaluations is not None
            assert puzzle.evaluations["after"] - puzzle.evaluations["before"] >= QUICK.drop
        assert session.get_one(Run, 1).rules == QUICK.as_dict()


def test_the_counts_add_up(store: Store, archive: Path, stockfish: str, games: list[bytes]) -> None:
    summary = run(store, archive, stockfish).summary
    assert summary.games == len(games)
    assert summary.candidates == summary.puzzles + summary.known + sum(summary.rejected.values())


def test_the_number_of_workers_does_not_matter(tmp_path: Path, archive: Path, stockfish: str) -> None:
    with Store(f"{tmp_path}/one.db") as one, Store(f"{tmp_path}/three.db") as three:
        run(one, archive, stockfish, workers=1)
        run(three, archive, stockfish, workers=3)
        assert stored(one) == stored(three)


def test_games_without_evaluations_are_searched(
    store: Store, tmp_path: Path, stockfish: str, games: list[bytes]
) -> None:
    archive = tmp_path / "bare.pgn"
    archive.write_bytes(re.sub(rb"\{[^}]*\}", b"", b"".join(games[:4])))
    summary = run(store, archive, stockfish).summary
    assert summary.searches > 100
    assert summary.candidates > 0


def test_what_was_mined_is_not_mined_again(store: Store, archive: Path, stockfish: str) -> None:
    first = run(store, archive, stockfish)
    assert run(store, archive, stockfish).summary == first.summary


def test_a_limit_can_be_raised_later(store: Store, tmp_path: Path, archive: Path, stockfish: str) -> None:
    assert run(store, archive, stockfish, limit=7).summary.games == 7
    run(store, archive, stockfish, limit=7)
    run(store, archive, stockfish)
    with Store(f"{tmp_path}/whole.db") as whole:
        run(whole, archive, stockfish)
        assert stored(store) == stored(whole)


def test_a_file_that_grew_is_mined_on(
    store: Store, tmp_path: Path, archive: Path, stockfish: str, games: list[bytes]
) -> None:
    archive.write_bytes(b"".join(games[:10]))
    nodes = run(store, archive, stockfish).summary.nodes
    archive.write_bytes(b"".join(games))
    grown = run(store, archive, stockfish).summary
    assert grown.games == len(games)
    with Store(f"{tmp_path}/whole.db") as whole:
        assert run(whole, archive, stockfish).summary == grown
    assert nodes < grown.nodes


def test_a_file_that_changed_is_mined_afresh(
    store: Store, archive: Path, stockfish: str, games: list[bytes]
) -> None:
    archive.write_bytes(b"".join(games[:8]))
    run(store, archive, stockfish)
    # Same beginning, other games after it.
    archive.write_bytes(b"".join(games[:5] + games[10:15]))
    assert len(b"".join(games[:5])) > HEAD
    lines: list[str] = []
    summary = run(store, archive, stockfish, watcher=Watcher(noticed=lines.append)).summary
    assert summary.games == 10
    assert any("changed since" in line for line in lines)


def test_restart_mines_again_and_stores_nothing_twice(store: Store, archive: Path, stockfish: str) -> None:
    run(store, archive, stockfish)
    before = stored(store)
    again = run(store, archive, stockfish, restart=True).summary
    assert (again.puzzles, again.known) == (0, len(before))
    assert stored(store) == before


def test_other_settings_have_their_own_checkpoint(store: Store, archive: Path, stockfish: str) -> None:
    run(store, archive, stockfish, limit=3)
    other = MiningRules(**QUICK.as_dict() | {"gap": 0.9})
    assert run(store, archive, stockfish, limit=2, rules=other).summary.games == 2
    with store.reading() as session:
        assert len(session.scalars(select(Checkpoint)).all()) == 2


def test_a_player_gets_what_she_could_have_played(
    store: Store, archive: Path, stockfish: str, games: list[bytes]
) -> None:
    archive.write_bytes(b"".join(game.replace(b'[White "', b'[White "Ann ') for game in games))
    report = run(store, archive, stockfish, player="ann")
    assert report.summary.puzzles > 0
    with store.reading() as session:
        assert {puzzle.puzzle_fen.split()[1] for puzzle in session.scalars(select(Puzzle))} == {"w"}


def test_games_of_others_are_counted_as_skipped(store: Store, archive: Path, stockfish: str) -> None:
    assert run(store, archive, stockfish, player="nobody").summary.skipped == {"other players": 24}


def test_games_without_evaluations_can_be_left_out(
    store: Store, tmp_path: Path, stockfish: str, games: list[bytes]
) -> None:
    bare = re.sub(rb"\{[^}]*\}", b"", games[0])
    archive = tmp_path / "mixed.pgn"
    archive.write_bytes(games[1] + bare + bare + games[2] + bare)
    lines: list[str] = []
    watcher = Watcher(noticed=lines.append)
    summary = run(store, archive, stockfish, evaluated_only=True, watcher=watcher).summary
    assert (summary.games, summary.skipped, lines) == (5, {"no evaluations": 3}, [])


BAD_GAMES = {
    "illegal move": b'[Event "x"]\n\n1. e4 e5 2. Ke5 *\n\n',
    "no moves": b'[Event "x"]\n\n*\n\n',
    "variant": b'[Event "x"]\n[Variant "Horde"]\n\n1. e4 *\n\n',
    "not a game": b"\n\n\x00\xff\xfe nothing \x01 here { 12. \n\n",
}


def test_bad_games_are_named_and_the_rest_is_mined(
    store: Store, tmp_path: Path, archive: Path, stockfish: str, games: list[bytes]
) -> None:
    bad = list(BAD_GAMES.values())
    mixed = tmp_path / "mixed.pgn"
    mixed.write_bytes(
        games[0] + bad[0] + games[1] + bad[1] + bad[2] + games[2] + bad[3] + b"".join(games[3:])
    )
    lines: list[str] = []
    summary = run(store, mixed, stockfish, watcher=Watcher(noticed=lines.append)).summary
    assert dict(summary.skipped).keys() >= BAD_GAMES.keys() - {"not a game"}
    assert any("game 2 (byte" in line and "illegal move" in line for line in lines)
    with Store(f"{tmp_path}/clean.db") as clean:
        run(clean, archive, stockfish)
        assert stored(store) == stored(clean)


def test_a_truncated_archive_keeps_what_came_before(
    store: Store, tmp_path: Path, stockfish: str, games: list[bytes]
) -> None:
    # One frame of several blocks; what stands in a block that is cut is lost with it.
    packer = zstd.ZstdCompressor()
    blocks = [packer.compress(game, packer.FLUSH_BLOCK) for game in games]
    whole = b"".join([*blocks, packer.flush()])
    file = tmp_path / "games.pgn.zst"
    file.write_bytes(whole[: len(whole) * 3 // 4])
    report = run(store, file, stockfish)
    assert len(report.damaged) == 1
    assert "cut off" in report.damaged[0]
    assert 0 < report.summary.games < len(games)
    # The complete file arrives: mining goes on where it broke off.
    file.write_bytes(whole)
    complete = run(store, file, stockfish)
    assert (complete.damaged, complete.summary.games) == ([], len(games))


def test_a_missing_file_does_not_stop_the_others(store: Store, archive: Path, stockfish: str) -> None:
    report = mine(["nowhere.pgn", str(archive)], store, stockfish, rules=QUICK, limit=2)
    assert len(report.damaged) == 1
    assert report.summary.games == 2


def test_a_missing_engine_stops_before_anything_is_stored(store: Store, archive: Path) -> None:
    with pytest.raises(EngineMissingError):
        run(store, archive, "/no/such/engine")
    with store.reading() as session:
        assert session.scalars(select(Run)).all() == []


def test_a_game_that_the_engine_fails_on_is_set_aside(
    store: Store, tmp_path: Path, fake_engine: FakeEngine, games: list[bytes]
) -> None:
    archive = tmp_path / "some.pgn"
    archive.write_bytes(b"".join(games[:8]))
    engine = fake_engine("die@1", "die@2", "die@3")
    lines: list[str] = []
    report = run(store, archive, engine, workers=1, watcher=Watcher(noticed=lines.append))
    assert report.summary.skipped == {"engine failed": 1}
    assert report.summary.games == 8
    assert any("engine failed" in line and "died" in line for line in lines)


def test_an_engine_that_always_fails_ends_the_run_without_losing_games(
    store: Store, archive: Path, fake_engine: FakeEngine, stockfish: str
) -> None:
    with pytest.raises(EngineFailedError, match=f"{FAILURES_IN_A_ROW} games in a row"):
        run(store, archive, fake_engine("die@always"), workers=1)
    with store.reading() as session:
        assert session.scalars(select(Checkpoint)).one().summary.get("skipped", {}) == {}


def test_the_first_stop_finishes_the_games_at_hand(
    store: Store, tmp_path: Path, archive: Path, stockfish: str
) -> None:
    done: list[int] = []
    watcher = Watcher(
        progressed=lambda archive, summary: done.append(summary.games), stopped=lambda: len(done) >= 2
    )
    report = run(store, archive, stockfish, watcher=watcher)
    assert report.interrupted
    assert report.summary.games < 24
    run(store, archive, stockfish)
    with Store(f"{tmp_path}/whole.db") as whole:
        run(whole, archive, stockfish)
        assert stored(store) == stored(whole)


MINER = """
    import sys
    from db.store import Store
    from puzzlegen.mine import mine
    from puzzlegen.rules import MiningRules

    if __name__ == "__main__":
        archive, url, engine, rules = sys.argv[1:]
        mine([archive], Store(url), engine, rules=MiningRules(**eval(rules)), workers=2)
"""


@pytest.mark.parametrize("victim", ["miner", "worker", "engine"])
def test_kill_anything_and_run_again(tmp_path: Path, archive: Path, stockfish: str, victim: str) -> None:
    script = tmp_path / "miner.py"
    script.write_text(textwrap.dedent(MINER))
    url = f"{tmp_path}/killed.db"
    rules = QUICK.as_dict() | {"line_nodes": 20_000}
    command = [
        sys.executable,
        str(script),
        str(archive),
        url,
        stockfish,
        repr({**rules, "pattern": "blunder"}),
    ]
    process = subprocess.Popen(command, cwd=Path(__file__).parent.parent.parent)
    time.sleep(2.0)
    for pid in victims(process.pid, victim):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    slower = MiningRules(**rules)
    with Store(url) as store, Store(f"{tmp_path}/whole.db") as whole:
        run(store, archive, stockfish, rules=slower)
        run(whole, archive, stockfish, rules=slower)
        assert stored(store) == stored(whole)


def victims(miner: int, which: str) -> list[int]:
    if which == "miner":
        return [miner]
    children = [
        pid for pid in descendants(miner) if ("stockfish" in command_line(pid)) == (which == "engine")
    ]
    return [pid for pid in children if which == "engine" or "spawn_main" in command_line(pid)][:1]


def descendants(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (status := read(entry / "status")) and f"\nPPid:\t{pid}\n" in status:
            found += [int(entry.name), *descendants(int(entry.name))]
    return found


def command_line(pid: int) -> str:
    return read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def test_no_process_is_left_behind(store: Store, archive: Path, stockfish: str) -> None:
    run(store, archive, stockfish, limit=4)
    assert [pid for pid in descendants(os.getpid()) if "stockfish" in command_line(pid)] == []


def test_games_share_one_row(store: Store, archive: Path, stockfish: str) -> None:
    run(store, archive, stockfish)
    with store.reading() as session:
        games = session.scalars(select(Game)).all()
        puzzles = session.scalars(select(Puzzle)).all()
    assert len(games) == len({puzzle.game_number for puzzle in puzzles})
