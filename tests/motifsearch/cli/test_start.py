"""The command `chess-motif`: one page, in the browser, with puzzles to begin with."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from db.puzzles import add_puzzles, count_puzzles
from db.store import Store, set_fact
from motifsearch.cli import start
from puzzlegen.formats.lines import lines_of
from puzzlegen.games.archive import open_archive
from tests.helpers.rows import puzzle_row

COMMAND = [sys.executable, "-c", "from motifsearch.__main__ import chess_motif; chess_motif()"]


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Make the samples few; their number."""
    with open_archive(start.SAMPLES) as archive:
        lines = [line for _, line in islice(lines_of(archive), 12)]
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(start, "SAMPLES", str(few))
    monkeypatch.setattr(start, "AT_ONCE", 4)
    return len(lines)


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """Start the command for a database in `folder`; the address of the page."""
    with subprocess.Popen(COMMAND, env=environment(folder), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+/", process.stderr.readline())
        try:
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def environment(folder: Path) -> dict[str, str]:
    """Return the environment for a database in `folder`, with a browser that writes down the address."""
    opens = f"{sys.executable} -c \"import sys; open(r'{folder / 'opened'}', 'a').write(sys.argv[1])\" %s"
    return {**os.environ, "CHESS_MOTIF_DB": str(folder / "my puzzles.db"), "BROWSER": opens}


def test_a_second_start_opens_the_same_page(tmp_path: Path) -> None:
    with Store(environment(tmp_path)["CHESS_MOTIF_DB"]) as store, store.session() as session:
        add_puzzles(session, [puzzle_row("puzzle_1")])
    with started(tmp_path) as address:
        second = subprocess.run(
            COMMAND, env=environment(tmp_path), capture_output=True, text=True, check=True, timeout=60
        )
    assert second.stderr == f"The page is open already, at {address}\n"
    assert (tmp_path / "opened").read_text(encoding="utf-8").endswith(address)


def brought(store: Store) -> int:
    """Bring the samples, as a start does, and return the number of puzzles when all are stored."""
    if thread := start.bring_samples(store):
        thread.join()
    with store.reading() as session:
        return count_puzzles(session)


def test_an_empty_database_gets_the_samples(sqlite_store: Store, samples: int) -> None:
    assert brought(sqlite_store) == samples


def test_an_import_that_was_ended_is_resumed(sqlite_store: Store, samples: int) -> None:
    with sqlite_store.session() as session:
        set_fact(session, start.FACT, start.BEGUN)
        add_puzzles(session, [puzzle_row("puzzle_1")])
    assert brought(sqlite_store) == samples + 1


def test_own_puzzles_stay_alone(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row("puzzle_1")])
    assert brought(sqlite_store) == 1


def test_samples_that_were_deleted_stay_deleted(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        set_fact(session, start.FACT, start.DONE)
    assert brought(sqlite_store) == 0


@pytest.mark.parametrize("variables", [{}, {"DISPLAY": ":0"}])
def test_no_browser_without_a_screen(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    opened: list[str] = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "environ", variables)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    start.show("http://127.0.0.1:8000/")
    assert len(opened) == len(variables)
