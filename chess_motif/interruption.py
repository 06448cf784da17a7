"""Ctrl-C, and SIGTERM, which commands treat as Ctrl-C.

A command calls `end_at_once` before its slow imports: there is nothing to save yet, and some libraries turn a
`KeyboardInterrupt` during their import into another exception. The command's work runs in `interruptible`,
where both signals raise `KeyboardInterrupt`. Signals that were ignored when the process started stay ignored.

This module is imported first, so it imports little.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from threading import Timer, current_thread, get_ident, main_thread
from types import FrameType

# Exit statuses, as shells have them.
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

# Our packages that are called like other distributions, and what is in those of ours.
TAKEN = ("db", "engines")
OURS = b"from chess_motif import lazy_names"

# Seconds until a signal that Python ignored comes again.
AGAIN = 0.05

Handler = Callable[[int, FrameType | None], object]


def end_at_once(program: str) -> None:
    """Let both signals end the process, with a line on stderr and without an exception.

    Another distribution's `db` or `engines` in the place of ours ends it, too.
    """

    def end(number: int, _: FrameType | None) -> None:
        with suppress(OSError):
            os.write(2, f"{program}: interrupted\n".encode())
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        _handle(number, end)
    for name in TAKEN:
        found = PathFinder.find_spec(name)
        if found and found.origin and OURS not in Path(found.origin).read_bytes():
            sys.exit(
                f"{program}: {found.origin} is in the way of chess-motif's own package {name}; move it away, "
                "or install chess-motif apart from it: pipx install chess-motif"
            )


class Interruption:
    """Whether a signal came: `status` is the exit status for the signal, or 0 if none came."""

    status = 0


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Raise `KeyboardInterrupt` in the block at both signals, and restore their handlers afterwards.

    SIGTERM is handled as Ctrl-C is at that time. In callbacks of the garbage collector Python ignores
    exceptions, so `KeyboardInterrupt` is raised again a moment later. Outside the main thread, which alone
    handles signals, this does nothing.
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
        # Windows lacks signals to threads, and wakes the main one by itself.
        threads = hasattr(signal, "pthread_kill")
        send = partial(signal.pthread_kill, main) if threads else signal.raise_signal
        timer = Timer(AGAIN, send, (signal.SIGINT,))
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
    """Set the handler of a signal unless the signal is ignored; return the handler before."""
    before = signal.getsignal(number)
    return before if before is signal.SIG_IGN else signal.signal(number, handler)
