"""Reading ahead in a thread, so that unpacking an archive and looking at its text go on side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

# Pieces read ahead: enough to bridge an uneven pace, few enough for flat memory.
PIECES = 4


def read_ahead(pieces: Iterator[bytes]) -> Generator[bytes]:
    """Yield `pieces` in order, the next few of which are being read meanwhile.

    An error comes out where it belongs. Ends the thread when it is closed, once the piece at hand is
    read; so what it reads from must not wait for anybody.
    """
    with ThreadPoolExecutor(1, "read-ahead") as reader:
        reading = deque(reader.submit(next, pieces, None) for _ in range(PIECES))
        while (piece := reading.popleft().result()) is not None:
            reading.append(reader.submit(next, pieces, None))
            yield piece
