"""What runs log, under the logger `chess_motif`, and how commands write the log to a file.

Each event has a name and fields: `run began`, `archive began`, `saved`, `archive ended`, `run ended`. Notices
are logged as warnings.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chess_motif.errors import InputError, reason_of

LOGGER = logging.getLogger("chess_motif")
# Without a handler, Python would print warnings.
LOGGER.addHandler(logging.NullHandler())


def log_event(name: str, **fields: Any) -> None:
    """Log that something happened. `fields` are numbers, texts, or lists and dictionaries of them."""
    LOGGER.info(name, extra={"fields": fields})


class JsonLines(logging.Formatter):
    """Writes a record as a line with a JSON object: `time` (UTC), `level`, `event`, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        keys = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        return json.dumps(keys | getattr(record, "fields", {}), ensure_ascii=False, default=str)


@contextmanager
def logging_to(path: Path | None) -> Iterator[None]:
    """Append what is logged in the block as JSON lines to the file at `path`, if one is given.

    The file is opened again when it was moved away, as logrotate does. Raises `InputError` if the file cannot
    be opened.
    """
    if path is None:
        yield
        return
    from logging.handlers import WatchedFileHandler

    try:
        handler = WatchedFileHandler(path, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {reason_of(error)}") from error
    handler.setFormatter(JsonLines())
    level = LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.setLevel(level)
        LOGGER.removeHandler(handler)
        handler.close()
