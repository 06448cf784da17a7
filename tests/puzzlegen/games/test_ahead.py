from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from chess_motif.errors import ArchiveError
from puzzlegen.games.ahead import PIECES, read_ahead, work_ahead


def test_pieces_come_in_order() -> None:
    pieces = [bytes([number]) for number in range(100)]
    assert list(read_ahead(iter(pieces))) == pieces


def test_an_error_comes_after_what_was_before_it() -> None:
    def broken() -> Iterator[bytes]:
        yield b"one"
        raise OSError("two")

    pieces = read_ahead(broken())
    assert next(pieces) == b"one"
    with pytest.raises(OSError, match="two"):
        next(pieces)


def test_no_more_than_a_few_pieces_are_held() -> None:
    read: list[int] = []

    def endless() -> Iterator[bytes]:
        while True:
            read.append(1)
            yield b"x"

    pieces = read_ahead(endless())
    next(pieces)
    pieces.close()
    assert len(read) <= PIECES + 1


def test_the_thread_ends_with_the_reading() -> None:
    before = threading.active_count()
    pieces = read_ahead(iter([b"x"] * 100))
    next(pieces)
    pieces.close()
    assert threading.active_count() == before


def test_work_comes_in_order() -> None:
    def slower_first(number: int) -> int:
        time.sleep(0.02 / (1 + number))
        return number * number

    assert list(work_ahead(slower_first, iter(range(20)), 3)) == [number * number for number in range(20)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_an_error_comes_after_the_work_before_it(threads: int) -> None:
    def broken() -> Iterator[int]:
        yield from range(3)
        raise ArchiveError("cut off")

    done = []
    with pytest.raises(ArchiveError, match="cut off"):
        done.extend(work_ahead(str, broken(), threads))
    assert done == ["0", "1", "2"]
