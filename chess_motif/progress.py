"""How long-running functions say how far they are: one interface, which shows nothing unless asked to.

A function that takes a `Progress` calls `update` now and then, `notice` about input that it cannot use, and
returns early, with its work saved, once `stopping` is true. `chess_motif.terminal` shows it to people.
"""

from __future__ import annotations


class Progress:
    """Hears what a function reports and ignores it. Override what is of interest."""

    @property
    def stopping(self) -> bool:
        """Whether to finish what has been begun, and return."""
        return False

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Hear that `done` of `total` units (None: nobody knows) of the work called `name` are done.

        `unit` is the singular of what is counted, or `B` for the bytes of a file; `detail` is for people.
        """

    def notice(self, line: str) -> None:
        """Hear one line about something that was skipped or has to be known."""
