"""A clock that is set by a test."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pytest

from db.models import utc_now


class FakeClock:
    """What `utc_now` returns, wherever it was imported to: noon, until a test lets time pass."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 1, 5, 12, tzinfo=UTC)
        for module in list(sys.modules.values()):
            if getattr(module, "utc_now", None) is utc_now:
                patch.setattr(module, "utc_now", lambda: self.now)

    def passes(self, **units: float) -> None:
        """Let some `days`, `minutes` or the like pass."""
        self.now += timedelta(**units)
