from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import EngineMissingError
from engines import engine as locate
from engines.engine import find_engine


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_stockfish_is_found_where_root_does_not_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = executable(tmp_path / "stockfish")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(locate, "PLACES", (str(tmp_path),))
    assert find_engine() == str(engine)


def test_without_stockfish_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(locate, "PLACES", ())
    with pytest.raises(EngineMissingError, match="apt install stockfish"):
        find_engine()


def test_a_named_engine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EngineMissingError, match="no such engine"):
        find_engine(str(tmp_path / "engine"))


def test_a_named_file_that_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.write_text("")
    with pytest.raises(EngineMissingError, match="not an executable"):
        find_engine(str(file))


def test_a_named_engine_by_its_path(tmp_path: Path) -> None:
    engine = executable(tmp_path / "engine")
    assert find_engine(str(engine)) == str(engine)
