"""The known names that are nearest to an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'fork'?` with the known names most like `name`, any case; empty without any."""
    by_key = {other.lower(): other for other in sorted(known)}
    nearest = [repr(by_key[key]) for key in difflib.get_close_matches(name.lower(), by_key)]
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""
