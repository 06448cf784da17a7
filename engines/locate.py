"""Finding Stockfish on this computer."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from chess_motif.errors import EngineMissingError

# Debian and Ubuntu put games where root's PATH does not look; the others are Homebrew's.
PLACES = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")

HOW_TO_GET_IT = (
    "no Stockfish found. Debian, Ubuntu: sudo apt install stockfish; macOS: brew install stockfish; "
    "Windows: https://stockfishchess.org/download; or name any UCI engine with --engine PATH"
)


def find_engine(name: str | None = None) -> str:
    """Return the path of the engine `name` (a path or a command), or of Stockfish.

    Raises `EngineMissingError`, which says how to install Stockfish.
    """
    search_path = os.pathsep.join([os.environ.get("PATH", ""), *PLACES])
    program = shutil.which(name or "stockfish", path=search_path)
    if program:
        return str(Path(program).resolve()) if name else program
    if name is None:
        raise EngineMissingError(HOW_TO_GET_IT)
    if Path(name).is_file():
        raise EngineMissingError(f"{name}: not an executable file")
    raise EngineMissingError(f"{name}: no such engine")
