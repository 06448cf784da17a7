"""Ctrl-C, and SIGTERM, which commands treat as Ctrl-C.

A command begins with `end_at_once`, before it imports anything that takes a while: there is nothing to save
yet, and many a library turns a `KeyboardInterrupt` during its import into another exception. Its work runs in
`interruptible`, where both signals are a `KeyboardInterrupt`. Signals that the process was started to ignore
stay ignored.

This module is imported first, and so it imports little.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer, current_thread, get_ident, main_thread
from types import FrameType

# Exit statuses, as shells have them.
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

# Seconds until a signal that Python ignored comes again.
AGAIN = 0.05

Handler = Callable[[int, FrameType | None], object]


def end_at_once(program: str) -> None:
    """Let both signals end the process with a line on stderr, without an exception."""

    def end(number: int, _: FrameType | None) -> None:
        with suppress(OSError):
            os.write(2, f"{program}: interrupted\n".encode())
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        _handle(number, end)


class Interruption:
    """Whether a signal came; `status` is then the exit status for it, and otherwise 0."""

    status = 0


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Raise `KeyboardInterrupt` in the block at both signals; afterwards they do what they did before.

    SIGTERM does what Ctrl-C does at the time. Where Python ignores exceptions, in callbacks of the garbage
    collector, they are raised a moment later. Outside the main thread, where Python has no signals, nothing
    changes.
    """
    came = Interruption()

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.status = came.status or INTERRUPTED
        signal.default_int_handler(number, frame)

    def terminate(number: int, frame: FrameType | None) -> None:
        came.status = TERMINATED
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else interrupt)(number, frame)

    def raise_again(ignored: sys.UnraisableHookArgs) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            report(ignored)
            return
        timer = Timer(AGAIN, signal.pthread_kill, (main, signal.SIGINT))
        timer.daemon = True
        timer.start()

    if current_thread() is not main_thread():
        yield came
        return
    main = get_ident()
    report, sys.unraisablehook = sys.unraisablehook, raise_again
    before = [
        (number, _handle(number, handler))
        for number, handler in ((signal.SIGINT, interrupt), (signal.SIGTERM, terminate))
    ]
    try:
        yield came
    finally:
        sys.unraisablehook = report
        for number, handler in before:
            signal.signal(number, handler)


def _handle(number: signal.Signals, handler: Handler) -> signal._HANDLER:
    """Handle a signal that is not ignored; return what handled it before."""
    before = signal.getsignal(number)
    return before if before is signal.SIG_IGN else signal.signal(number, handler)
