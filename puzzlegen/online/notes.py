"""What is known of downloaded files: names and values, in a JSON file beside them."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from chess_motif.output import replacing

_NOTES = TypeAdapter(dict[str, str])


def read_notes(file: Path) -> dict[str, str]:
    """Return the notes of a file; none if it is missing or damaged. Raises `OSError`."""
    try:
        return _NOTES.validate_json(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}


def write_notes(file: Path, notes: dict[str, str]) -> None:
    """Write all notes of a file. Raises `OSError`."""
    with replacing(file) as out:
        out.write(_NOTES.dump_json(notes, indent=2))
