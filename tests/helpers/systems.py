"""What tests need of the system that they run on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither signals nor sh")

PROC = Path("/proc")


def skip_without_proc() -> None:
    """Skip the test unless the system shows its processes as files, as Linux does."""
    if not (PROC / "self").exists():
        pytest.skip("no /proc")
