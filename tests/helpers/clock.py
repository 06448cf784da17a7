"""A clock that is set by a test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest

from db import models


class FakeClock:
    """What `utc_now` returns: noon, until a test lets time pass.

    What `utc_now` asks is replaced, not `utc_now`: modules and columns hold on to the function, and one that
    is imported while a test runs would hold on to the replaced one.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 1, 5, 12, tzinfo=UTC)
        clock = self

        class FakeDatetime(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Any:
                return clock.now.astimezone(tz)

        patch.setattr(models, "datetime", FakeDatetime)

    def passes(self, **units: float) -> None:
        """Let some `days`, `minutes` or the like pass."""
        self.now += timedelta(**units)
