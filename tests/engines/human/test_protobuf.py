"""Reading messages without their schema."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.human.leela import MOST_FIELDS, read_fields
from tests.helpers.leela_files import message, number


def test_fields_are_read_by_number_in_their_order() -> None:
    content = number(1, 300) + message(2, b"a") + b"\x1d1234" + message(2, b"") + b"\x2112345678"
    assert read_fields(content) == {1: [300], 2: [b"a", b""], 3: [b"1234"], 4: [b"12345678"]}


@given(st.lists(st.tuples(st.integers(1, 2**29 - 1), st.integers(0, 2**64 - 1) | st.binary(max_size=300))))
def test_what_is_written_is_read(values: list[tuple[int, int | bytes]]) -> None:
    content = b""
    expected: dict[int, list[int | bytes]] = {}
    for field, value in values:
        content += number(field, value) if isinstance(value, int) else message(field, value)
        expected.setdefault(field, []).append(value)
    assert read_fields(content) == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (message(1, b"long")[:-1], "longer than its message"),
        (b"\x0d\x01\x02", "longer than its message"),
        (b"\x08\xff", "does not end"),
        (b"\x08" + 11 * b"\xff", "does not end"),
        (b"\x0b", "no field has wire type 3"),
        (b"\x08\x01" * (MOST_FIELDS + 1), "more than 10,000 fields"),
    ],
)
def test_what_is_no_message_is_an_error(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_fields(content)


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_are_an_error(content: bytes) -> None:
    with suppress(ValueError):
        read_fields(content)
