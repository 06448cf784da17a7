"""Finding a chess engine on Linux, macOS and Windows, and saying how to install Stockfish.

Stockfish is looked for in `PATH` and where each system's packages put it, under the names of packages and of
the official archives. A download is never started unasked: the error names it instead.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob
from pathlib import Path

from chess_motif.errors import EngineMissingError

# Where packages put Stockfish, by system. `$NAME` is an environment variable.
PLACES = {
    "linux": (
        "/usr/games",  # Debian and Ubuntu: not on the PATH of root, nor of services
        "/usr/local/bin",
        "/home/linuxbrew/.linuxbrew/bin",
        "/snap/bin",
        "/var/lib/flatpak/exports/bin",
        "$HOME/.local/share/flatpak/exports/bin",
    ),
    "darwin": (
        "/opt/homebrew/bin",  # Homebrew on Apple silicon
        "/usr/local/bin",  # Homebrew on Intel
        "/opt/local/bin",  # MacPorts
    ),
    "win32": (
        "$LOCALAPPDATA/Microsoft/WinGet/Links",
        "$LOCALAPPDATA/Microsoft/WinGet/Packages/Stockfish.*/stockfish",
        "$PROGRAMFILES/WinGet/Links",
        "$PROGRAMFILES/WinGet/Packages/Stockfish.*/stockfish",
        "$USERPROFILE/scoop/apps/stockfish/current",
        "$USERPROFILE/scoop/shims",
        "$PROGRAMDATA/scoop/shims",
        "$PROGRAMDATA/chocolatey/bin",
        "$PROGRAMFILES/ChessEngines/stockfish*",  # Chocolatey
        "$PROGRAMFILES/stockfish*",
    ),
}

# Where archives are unpacked in the user's folder of downloads.
UNPACKED = ("", "stockfish*", "stockfish*/stockfish*")

# The command of each package manager. Alpine has Stockfish in none of its releases.
INSTALLING = {
    "apt": "sudo apt install stockfish",
    "dnf": "sudo dnf install stockfish",
    "pacman": "sudo pacman -S stockfish",
    "zypper": "sudo zypper install stockfish",
    "apk": "sudo apk add stockfish --repository=https://dl-cdn.alpinelinux.org/alpine/edge/testing",
    "brew": "brew install stockfish",
    "port": "sudo port install stockfish",
    "winget": "winget install Stockfish.Stockfish",
    "scoop": "scoop install stockfish",
    "choco": "choco install stockfish",
}
DOWNLOAD_PAGE = "https://stockfishchess.org/download"

# Flatpak's names begin with a domain, and those of archives end with the system and the processor, as in
# stockfish-windows-x86-64-avx2.exe.
_NAME = re.compile(r"(.+\.)?stockfish([-_].+)?", re.IGNORECASE)


def find_engine(name: str | None = None) -> str:
    """Return the path of the engine `name` (a path or a command), or of Stockfish.

    Links are not followed, because a launcher such as snap's starts the program by which it was called.
    Raises `EngineMissingError`, which says how to install Stockfish.
    """
    folders = [*filter(None, os.environ.get("PATH", "").split(os.pathsep)), *_places()]
    if name is None:
        program = next(_stockfish_in(folders), None)
    else:
        program = shutil.which(name, path=os.pathsep.join(folders))
    if program:
        return str(Path(program).absolute())
    if name is None:
        raise EngineMissingError(_advice())
    if Path(name).is_file():
        raise EngineMissingError(f"{name}: not an executable file")
    raise EngineMissingError(f"{name}: no such engine")


def install_command() -> str:
    """Return the command that installs Stockfish on this system, or else the address of its download page."""
    managers = filter(shutil.which, INSTALLING)
    return next((INSTALLING[manager] for manager in managers), DOWNLOAD_PAGE)


def _advice() -> str:
    # Imported only here: it is seldom needed.
    from platformdirs import user_downloads_path

    advice = f"no Stockfish found. To get it: {install_command()}; or name any UCI engine with --engine PATH"
    downloads = user_downloads_path()
    found = next(_stockfish_in(_matching(str(downloads / folder) for folder in UNPACKED)), None)
    return f"{advice}; {found} looks like Stockfish: run it with --engine" if found else advice


def _places() -> Iterator[str]:
    return _matching(map(os.path.expandvars, PLACES.get(sys.platform, ())))


def _matching(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        # The latest version first.
        yield from sorted(glob(pattern), reverse=True)  # noqa: PTH207 - the pattern is absolute


def _stockfish_in(folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        with suppress(OSError):
            yield from sorted(map(str, filter(_is_stockfish, Path(folder).iterdir())))


def _is_stockfish(file: Path) -> bool:
    """Return whether a file may be Stockfish. On Windows, every file counts as executable."""
    if not _NAME.fullmatch(file.stem if file.suffix == ".exe" else file.name):
        return False
    suffix_fits = sys.platform != "win32" or file.suffix == ".exe"
    return suffix_fits and file.is_file() and os.access(file, os.X_OK)
