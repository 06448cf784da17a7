"""The command `puzzlegen export` with its options, and what each format is for other programs."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from db.store import Store
from puzzlegen.formats.exporting import Format
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

BEGINNINGS = {Format.APKG: b"PK", Format.PDF: b"%PDF", Format.HTML: b"<!doctype html>"}


@pytest.fixture
def puzzlegen(sqlite_store: Store, command_on: CommandOn) -> Command:
    """The command, on five puzzles."""
    put(sqlite_store, *(row(*PUZZLES[name]) for name in list(PUZZLES)[:5]))
    return command_on(sqlite_store, "puzzlegen")


@pytest.mark.parametrize("kind", Format)
def test_every_format_is_written(puzzlegen: Command, tmp_path: Path, kind: Format) -> None:
    file = tmp_path / f"puzzles.{kind}"
    done = puzzlegen("export", str(file))
    assert done.status == 0
    assert done.err.startswith("5 puzzles written" if kind is not Format.CSV else "0 puzzles written")
    assert file.read_bytes().startswith(BEGINNINGS.get(kind, b""))


@pytest.mark.parametrize("kind", [Format.APKG, Format.PDF])
def test_what_is_not_text_can_be_piped(
    puzzlegen: Command, monkeypatch: pytest.MonkeyPatch, kind: Format
) -> None:
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="utf-8", write_through=True))
    assert puzzlegen("export", "-", "--format", kind).status == 0
    assert pipe.getvalue().startswith(BEGINNINGS[kind])


def test_what_is_not_text_is_not_written_to_a_terminal(
    puzzlegen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    done = puzzlegen("export", "-", "--format", "pdf")
    assert (done.status, done.out) == (1, "")
    assert "name a file" in done.err


def test_a_deck_has_the_title_as_its_name(puzzlegen: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.apkg"
    puzzlegen("export", str(file), "--title", "Week 12")
    with zipfile.ZipFile(file) as archive:
        assert b"Week 12" in archive.read("collection.anki2")


def test_title_and_name_are_on_the_page(puzzlegen: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.html"
    puzzlegen("export", str(file), "--title", "Week 12", "--for", "Anna")
    assert "<span>Week 12, for Anna</span>" in file.read_text()


def test_a_study_says_which_files_it_is(puzzlegen: Command, tmp_path: Path) -> None:
    file = str(tmp_path / "study.pgn")
    done = puzzlegen("export", file, "--format", "study", "--json")
    assert json.loads(done.out)["files"] == [file]


def test_only_what_changed_is_exported(puzzlegen: Command) -> None:
    first = puzzlegen("export", "-", "--format", "jsonl", "--since", "0")
    assert len(first.out.splitlines()) == 5
    last = first.err.split()[-1]
    puzzlegen("delete", id_of("fork"), "--yes")
    done = puzzlegen("export", "-", "--format", "jsonl", "--since", last)
    (line,) = done.out.splitlines()
    assert json.loads(line)["id"] == id_of("fork")
    assert json.loads(line)["deleted"]
    assert "0 puzzles written, 1 deleted" in done.err


def test_exercises_are_exported_if_asked_for(puzzlegen: Command, sqlite_store: Store) -> None:
    fen, solution = PUZZLES["promotion"]
    put(sqlite_store, row(fen, solution, kind="exercise", accepted="e7e8q e7e8r"))
    exported = puzzlegen("export", "-", "--format", "epd", "--kind", "exercise").out
    assert f'bm e8=Q e8=R; id "{id_of("promotion")}"; pv e8=Q; c0 "exercise";' in exported
    assert "exercise" not in puzzlegen("export", "-", "--format", "epd").out
