"""Where a test takes place: the time zone of this computer, and that of somebody who asks a page of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from db.days import use_zone


@contextmanager
def computer_in(zone: str) -> Iterator[None]:
    """Put this computer into a time zone for the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield
    time.tzset()


@contextmanager
def user_in(zone: str) -> Iterator[None]:
    """Reckon in days of a time zone in the block, as for a request."""
    use_zone(zone)
    yield
    use_zone("")
