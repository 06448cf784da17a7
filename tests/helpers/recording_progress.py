"""A progress that records what is reported to it, and can stop the work."""

from __future__ import annotations

from collections.abc import Callable

from chess_motif.progress import Progress


class RecordingProgress(Progress):
    """`updates` are numbers done, `notices` are lines; `on_update` or `on_notice` is called after each."""

    def __init__(
        self,
        stop: Callable[[RecordingProgress], bool] = lambda progress: False,
        on_update: Callable[[RecordingProgress], object] = lambda progress: None,
        on_notice: Callable[[], object] = lambda: None,
    ) -> None:
        self.updates: list[int] = []
        self.notices: list[str] = []
        self._stop = stop
        self._on_update = on_update
        self._on_notice = on_notice

    @property
    def stopping(self) -> bool:
        return self._stop(self)

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        self.updates.append(done)
        self._on_update(self)

    def notice(self, line: str) -> None:
        self.notices.append(line)
        self._on_notice()
