"""A progress that records what is reported to it, and can stop the work."""

from __future__ import annotations

from collections.abc import Callable

from chess_motif.progress import Progress


class RecordingProgress(Progress):
    """`updates` are the numbers done, `notices` the lines; `on_update` is called after each update."""

    def __init__(
        self,
        stop: Callable[[RecordingProgress], bool] = lambda progress: False,
        on_update: Callable[[RecordingProgress], object] = lambda progress: None,
    ) -> None:
        self.updates: list[int] = []
        self.notices: list[str] = []
        self._stop = stop
        self._on_update = on_update

    @property
    def stopping(self) -> bool:
        return self._stop(self)

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        self.updates.append(done)
        self._on_update(self)

    def notice(self, line: str) -> None:
        self.notices.append(line)
