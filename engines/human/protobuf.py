"""Reading protocol buffer messages without their schema: the fields by number, as the wire format has them.

See https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# A varint has at most this many bytes.
LONGEST_VARINT = 10

# A message of a network has dozens of fields. One of a million takes seconds to read.
MOST_FIELDS = 10_000

# The values of each field, in the order of the message: a number of type VARINT, otherwise the bytes.
Fields = Mapping[int, Sequence[int | bytes]]


def read_fields(message: bytes) -> Fields:
    """Return the fields of a message. Raises `ValueError` if it is not one, or has too many."""
    fields: dict[int, list[int | bytes]] = {}
    count = position = 0
    while position < len(message):
        count += 1
        if count > MOST_FIELDS:
            raise ValueError(f"a message has more than {MOST_FIELDS:,} fields")
        key, position = _read_varint(message, position)
        number, wire_type = key >> 3, key & 7
        value: int | bytes
        if wire_type == VARINT:
            value, position = _read_varint(message, position)
        else:
            size, position = _size(message, position, wire_type)
            value, position = message[position : position + size], position + size
            if position > len(message):
                raise ValueError("a field is longer than its message")
        fields.setdefault(number, []).append(value)
    return fields


def _size(message: bytes, position: int, wire_type: int) -> tuple[int, int]:
    """Return how many bytes a value has, and where it begins."""
    if wire_type == BYTES:
        return _read_varint(message, position)
    sizes = {FIXED32: 4, FIXED64: 8}
    if wire_type not in sizes:
        raise ValueError(f"no field has wire type {wire_type}")
    return sizes[wire_type], position


def _read_varint(message: bytes, position: int) -> tuple[int, int]:
    """Return a number and where the next value begins."""
    number = 0
    for count, byte in enumerate(message[position : position + LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return number, position + count + 1
    raise ValueError("a number does not end")
