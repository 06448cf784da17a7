"""Files of puzzles, read and written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast

import chess

from db.puzzles import find_puzzles
from db.store import Store
from puzzlegen.formats.exporting import Format, export_puzzles
from puzzlegen.formats.importing import ImportReport, import_puzzles
from puzzlegen.games.archive import Archive
from tests.helpers.recording_progress import RecordingProgress

MATE = "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - -"
SKEWER = "4k2q/8/8/8/8/8/5PPP/R5K1 w - -"

# The position of the puzzles in `filled`.
BOARD = chess.Board("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 1 2")


def load(store: Store, tmp_path: Path, name: str, text: str) -> tuple[ImportReport, list[str]]:
    file = tmp_path / name
    file.write_text(text)
    progress = RecordingProgress()
    return import_puzzles(str(file), store, progress), progress.notices


def stored(store: Store) -> list[tuple[str, str, str, str]]:
    with store.reading() as session:
        return [(p.blunder, p.solution, p.source, p.source_id) for p in find_puzzles(session)]


def exported(store: Store, tmp_path: Path, kind: Format) -> str:
    file = tmp_path / f"out.{kind.value}"
    export_puzzles(str(file), store, kind)
    return file.read_text()


def archive_of(text: bytes) -> Archive:
    return Archive("puzzles", None, io.BufferedReader(cast(Any, io.BytesIO(text))))
