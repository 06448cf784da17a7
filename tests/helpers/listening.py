"""A progress that keeps what it hears, and can stop the work."""

from __future__ import annotations

from collections.abc import Callable

from chess_motif.progress import Progress


class Listening(Progress):
    """`updates` are the numbers done, `lines` the notices; `heard` is called after each update."""

    def __init__(
        self,
        stop: Callable[[Listening], bool] = lambda progress: False,
        heard: Callable[[Listening], object] = lambda progress: None,
    ) -> None:
        self.updates: list[int] = []
        self.lines: list[str] = []
        self._stop = stop
        self._heard = heard

    @property
    def stopping(self) -> bool:
        return self._stop(self)

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        self.updates.append(done)
        self._heard(self)

    def notice(self, line: str) -> None:
        self.lines.append(line)
