"""The interface by which long-running functions report their progress.

A function that takes a `Progress` calls `update` regularly and `notice` for input that it cannot use. Once
`stopping` is true it returns early, with its work saved. `chess_motif.terminal` shows progress on a terminal.
"""

from __future__ import annotations


class Progress:
    """Ignores everything that is reported. Override the methods of interest."""

    @property
    def stopping(self) -> bool:
        """Whether to finish the work in progress and return."""
        return False

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Report that `done` of `total` units (None: unknown) of the task `name` are done.

        `unit` is the singular of what is counted, or `B` for the bytes of a file; `detail` is text to show.
        """

    def notice(self, line: str) -> None:
        """Report one line about input that was skipped, or a condition that the user should know of."""
