from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from puzzlegen.ahead import PIECES, read_ahead


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
