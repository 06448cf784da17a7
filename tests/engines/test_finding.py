"""Finding Stockfish on each system, and the advice where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chess_motif.errors import EngineMissingError
from engines.finding import DOWNLOAD_PAGE, INSTALLING, PLACES, find_engine, install_command

# Makes the test believe that it runs on a system.
Fake = Callable[[str], None]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """The system's folders are in `tmp_path`, and `PATH` has the folder `path`."""

    def pretend(system: str) -> None:
        monkeypatch.setattr(sys, "platform", system)
        in_root = tuple(f"{tmp_path}{place}" if place[0] == "/" else place for place in PLACES[system])
        monkeypatch.setitem(PLACES, system, in_root)
        monkeypatch.setenv("PATH", f"{tmp_path / 'nowhere'}{os.pathsep}{tmp_path / 'path'}")
        for name in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(name, str(tmp_path / "Jörg K"))
        monkeypatch.delenv("XDG_DOWNLOAD_DIR", raising=False)
        monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Jörg K/AppData/Local"))
        monkeypatch.setenv("PROGRAMFILES", str(tmp_path / "Program Files"))
        monkeypatch.setenv("PROGRAMDATA", str(tmp_path / "ProgramData"))

    return pretend


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o755)
    return str(path)


WINGET = "Jörg K/AppData/Local/Microsoft/WinGet"
UNPACKED = "Stockfish.Stockfish_Microsoft.Winget.Source_8wekyb3d8bbwe/stockfish"


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("linux", "path/stockfish"),
        ("linux", "path/stockfish-ubuntu-x86-64-avx2"),
        ("linux", "path/stockfish_15_x64_avx2"),
        ("linux", "usr/games/stockfish"),
        ("linux", "home/linuxbrew/.linuxbrew/bin/stockfish"),
        ("linux", "snap/bin/stockfish"),
        ("linux", "var/lib/flatpak/exports/bin/org.example.Stockfish"),
        ("linux", "Jörg K/.local/share/flatpak/exports/bin/org.example.Stockfish"),
        ("darwin", "path/stockfish-macos-m1-apple-silicon"),
        ("darwin", "opt/homebrew/bin/stockfish"),
        ("darwin", "usr/local/bin/stockfish"),
        ("darwin", "opt/local/bin/stockfish"),
        ("win32", "path/stockfish.exe"),
        ("win32", "path/stockfish-windows-x86-64-avx2.exe"),
        ("win32", f"{WINGET}/Links/stockfish.exe"),
        ("win32", f"{WINGET}/Packages/{UNPACKED}/stockfish-windows-x86-64-universal.exe"),
        ("win32", "Program Files/WinGet/Links/stockfish.exe"),
        ("win32", "Jörg K/scoop/apps/stockfish/current/stockfish-windows-x86-64-avx2.exe"),
        ("win32", "Jörg K/scoop/shims/stockfish.exe"),
        ("win32", "ProgramData/chocolatey/bin/stockfish.exe"),
        ("win32", "Program Files/ChessEngines/stockfish_16/stockfish-windows-x86-64-avx2.exe"),
        ("win32", "Program Files/stockfish/stockfish.exe"),
    ],
)
def test_stockfish_is_found(fake: Fake, tmp_path: Path, system: str, place: str) -> None:
    fake(system)
    engine = program(tmp_path / place)
    assert find_engine() == engine


def test_what_is_in_path_comes_first(fake: Fake, tmp_path: Path) -> None:
    fake("linux")
    program(tmp_path / "usr/games/stockfish")
    chosen = program(tmp_path / "path/stockfish-ubuntu-x86-64")
    assert find_engine() == chosen


@pytest.mark.parametrize(
    "name", ["stockfish-windows-x86-64-avx2.zip", "stockfish", "fairy-stockfish.exe", "stockfish.exe/readme"]
)
def test_other_files_on_windows_are_not_stockfish(fake: Fake, tmp_path: Path, name: str) -> None:
    fake("win32")
    program(tmp_path / "path" / name)
    with pytest.raises(EngineMissingError):
        find_engine()


def test_a_file_that_cannot_be_executed_is_not_stockfish(fake: Fake, tmp_path: Path) -> None:
    fake("linux")
    Path(program(tmp_path / "path/stockfish-ubuntu-x86-64-avx2.tar")).chmod(0o644)
    with pytest.raises(EngineMissingError):
        find_engine()


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("win32", "stockfish-windows-x86-64-avx2/stockfish/stockfish-windows-x86-64-avx2.exe"),
        ("darwin", "stockfish/stockfish-macos-m1-apple-silicon"),
        ("linux", "stockfish"),
    ],
)
def test_a_download_is_named_and_not_run(fake: Fake, tmp_path: Path, system: str, place: str) -> None:
    fake(system)
    engine = program(tmp_path / "Jörg K/Downloads" / place)
    with pytest.raises(EngineMissingError) as error:
        find_engine()
    assert f"{engine} looks like Stockfish: run it with --engine" in str(error.value)


def test_without_stockfish_it_says_how_to_get_it(fake: Fake, tmp_path: Path) -> None:
    fake("darwin")
    program(tmp_path / "path/brew")
    with pytest.raises(
        EngineMissingError, match=r"no Stockfish found.* brew install stockfish;.* --engine PATH$"
    ):
        find_engine()


@pytest.mark.parametrize("manager", INSTALLING)
def test_the_package_manager_that_is_there_installs_it(fake: Fake, tmp_path: Path, manager: str) -> None:
    fake("linux")
    program(tmp_path / "path" / manager)
    assert f"{manager} " in install_command()


def test_without_a_package_manager_it_is_downloaded(fake: Fake) -> None:
    fake("win32")
    assert install_command() == DOWNLOAD_PAGE


def test_a_system_without_known_places(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake("linux")
    monkeypatch.setattr(sys, "platform", "freebsd14")
    with pytest.raises(EngineMissingError):
        find_engine()


def test_a_named_engine_is_found_where_root_does_not_look(fake: Fake, tmp_path: Path) -> None:
    fake("linux")
    engine = program(tmp_path / "usr/games/crafty")
    assert find_engine("crafty") == engine


def test_a_named_engine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EngineMissingError, match="no such engine"):
        find_engine(str(tmp_path / "engine"))


def test_a_named_file_that_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "engine"
    file.touch()
    with pytest.raises(EngineMissingError, match="not an executable"):
        find_engine(str(file))


def test_a_named_engine_by_its_path(tmp_path: Path) -> None:
    engine = program(tmp_path / "engine")
    assert find_engine(engine) == engine
